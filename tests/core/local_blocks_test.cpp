// The rows of a search in blocks of near points: what the header promises, on points drawn by chance, on points with few
// different values and on copies; that cuts go along the longest side in units of the lengths.
#include "libcore/select/local_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "support/problems.hpp"

namespace local_blocks_test {

using freeridge::Array;
using freeridge::Index;
using freeridge::LayoutView;
using support::Matrix;
using support::Random;
using Blocks = Array<Array<Index>>;
using Point = std::vector<double>;

LayoutView view(const Matrix& a) {
  return {a.values.data(), a.rows, a.cols, a.rows, freeridge::Layout::col_major};
}

Blocks blocks_of(const Matrix& x, const Array<double>& length, const Matrix& y, Index most) {
  return freeridge::local_blocks(view(x), length, view(y), most);
}

Point point(const Matrix& x, Index i) {
  Point out;
  for (Index k = 0; k < x.cols; ++k) out.push_back(x(i, k));
  return out;
}

// As sets of points, each with its number of rows.
std::set<std::map<Point, Index>> points_of(const Matrix& x, const Blocks& blocks) {
  std::set<std::map<Point, Index>> out;
  for (const Array<Index>& block : blocks) {
    std::map<Point, Index> points;
    for (const Index i : block) ++points[point(x, i)];
    out.insert(points);
  }
  return out;
}

TEST(LocalBlocks, EachRowOnceAndEqualPointsTogetherInWhateverOrder) {
  Random random(3);
  for (const Index levels : {0, 2, 3, 10})
    for (const Index copies : {1, 2, 7}) {
      const Index distinct = 300, n = distinct * copies;
      const Matrix some = random.uniform_matrix(distinct, 3, 0, 1);
      Matrix x(n, 3), y = random.uniform_matrix(n, 2, 0, 1);
      for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < 3; ++k)
          x(i, k) =
              levels == 0 ? some(i % distinct, k) : std::floor(some(i % distinct, k) * static_cast<double>(levels));
      const bool many_points = levels == 0 || levels == 10;  // each is less than a quarter of a box
      const Array<double> length = {0.5, 2, 1};
      const Blocks blocks = blocks_of(x, length, y, 100);
      std::vector<int> seen(static_cast<std::size_t>(n), 0);
      std::set<Point> points;
      for (const Array<Index>& block : blocks) {
        EXPECT_TRUE(std::ranges::is_sorted(block));
        std::set<Point> own;
        for (const Index i : block) {
          ++seen[static_cast<std::size_t>(i)];
          own.insert(point(x, i));
        }
        if (many_points) {
          EXPECT_LE(std::ssize(block), 100);
          for (const Point& each : own) EXPECT_TRUE(points.insert(each).second) << "a point in two blocks";
        }
      }
      EXPECT_EQ(std::ranges::count(seen, 1), n);
      Matrix turned = x, y_turned = y;
      for (Index i = 0; i < n; ++i) {
        for (Index k = 0; k < 3; ++k) turned(i, k) = x(n - 1 - i, k);
        for (Index j = 0; j < 2; ++j) y_turned(i, j) = y(n - 1 - i, j);
      }
      if (many_points) {
        EXPECT_EQ(points_of(turned, blocks_of(turned, length, y_turned, 100)), points_of(x, blocks));
      }
    }
}

TEST(LocalBlocks, TheLongestSideIsCutAtTheMedian) {
  Random random(4);
  const Matrix x = random.uniform_matrix(200, 2, 0, 1), y = random.uniform_matrix(200, 1, 0, 1);
  for (const Index side : {0, 1}) {
    const Array<double> length = side == 0 ? Array<double>{0.1, 1} : Array<double>{1, 0.1};
    const Blocks blocks = blocks_of(x, length, y, 100);
    ASSERT_EQ(blocks.size(), 2u);
    double low = 0, high = 1;  // the highest of the first half, the lowest of the second
    for (const Index i : blocks[0]) low = std::max(low, x(i, side));
    for (const Index i : blocks[1]) high = std::min(high, x(i, side));
    EXPECT_LT(low, high);
    EXPECT_EQ(std::ssize(blocks[0]), 100);
  }
  const double no_part = 0x1p500;  // the length of a column that has none
  EXPECT_EQ(points_of(x, blocks_of(x, {no_part, 1}, y, 100)), points_of(x, blocks_of(x, {100, 1}, y, 100)));
}

TEST(LocalBlocks, NoBlockHasAConstantOutput) {
  Random random(5);
  const Matrix x = random.uniform_matrix(400, 2, 0, 1);
  Matrix y(400, 1);
  // One class has a corner of the square; one row; no row.
  for (const double corner : {0.2, 0.05, 0.0}) {
    for (Index i = 0; i < 400; ++i) y(i, 0) = x(i, 0) < corner && x(i, 1) < corner + 0.1 ? 1 : -1;
    const bool some = std::ranges::count(y.values, 1.0) > 0;
    const Blocks blocks = blocks_of(x, {1, 1}, y, 100);
    for (const Array<Index>& block : blocks) {
      const auto ones = std::ranges::count_if(block, [&](Index i) { return y(i, 0) > 0; });
      if (some) {
        EXPECT_TRUE(ones > 0 && ones < std::ssize(block));
      }
    }
    if (!some) {
      EXPECT_EQ(blocks.size(), 1u);
    }
  }
}

}  // namespace local_blocks_test
