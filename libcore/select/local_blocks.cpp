#include "libcore/select/local_blocks.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

class Tree {
 public:
  Tree(const LayoutView& x, Span<const double> length, const LayoutView& y, Index most)
      : x_(x), length_(length), y_(y), most_(most) {}

  void cut(Array<Index> rows) {
    worked(touched * static_cast<double>(std::ssize(rows) * (x_.cols + y_.cols)));
    if (std::ssize(rows) > most_) {
      for (const Index side : sides(rows)) {
        const auto middle = cut_along(side, rows);
        Array<Index> low(rows.begin(), middle), high(middle, rows.end());
        if (!varies(low) || !varies(high)) continue;
        cut(std::move(low));
        return cut(std::move(high));
      }
    }
    std::ranges::sort(rows);
    blocks.push_back(std::move(rows));
  }

  Array<Array<Index>> blocks;

 private:
  // The columns in which the points of the box differ, the longest side first.
  Array<Index> sides(const Array<Index>& rows) const {
    Array<double> side;
    Array<Index> out;
    for (Index k = 0; k < x_.cols; ++k) {
      double low = x_(rows[0], k), high = low;
      for (const Index i : rows) {
        low = std::min(low, x_(i, k));
        high = std::max(high, x_(i, k));
      }
      side.push_back(high / length_[k] - low / length_[k]);
      if (side[k] > 0) out.push_back(k);
    }
    std::ranges::stable_sort(out, std::ranges::greater{}, [&](Index k) { return side[k]; });
    return out;
  }

  // Negative, 0, positive: in the order of a column, and of equal numbers there by the first column that differs.
  int order(Index side, Index a, Index b) const {
    if (x_(a, side) != x_(b, side)) return x_(a, side) < x_(b, side) ? -1 : 1;
    for (Index k = 0; k < x_.cols; ++k)
      if (x_(a, k) != x_(b, k)) return x_(a, k) < x_(b, k) ? -1 : 1;
    return 0;
  }

  // Orders the rows, and answers with the place nearest to the middle between two different points.
  Array<Index>::iterator cut_along(Index side, Array<Index>& rows) const {
    std::ranges::sort(rows, [&](Index a, Index b) {
      const int of = order(side, a, b);
      return of != 0 ? of < 0 : a < b;
    });
    const Index middle = std::ssize(rows) / 2;
    for (Index away = 0; away < middle / 2; ++away)
      for (const Index place : {middle - away, middle + away})
        if (order(side, rows[place - 1], rows[place]) != 0) return rows.begin() + place;
    return rows.begin() + middle;
  }

  // Whether each output has two different values.
  bool varies(const Array<Index>& rows) const {
    for (Index j = 0; j < y_.cols; ++j)
      if (std::ranges::all_of(rows, [&](Index i) { return y_(i, j) == y_(rows[0], j); })) return false;
    return true;
  }

  const LayoutView& x_;
  Span<const double> length_;
  const LayoutView& y_;
  Index most_;
};

}  // namespace

Array<Array<Index>> local_blocks(const LayoutView& x, Span<const double> length, const LayoutView& y, Index most) {
  Tree tree(x, length, y, most);
  tree.cut(consecutive(0, x.rows));
  return std::move(tree.blocks);
}

}  // namespace freeridge
