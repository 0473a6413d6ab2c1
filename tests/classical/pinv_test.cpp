// The pseudo-inverse by its four defining conditions (R. Penrose, A generalized inverse for matrices, Proc. Cambridge
// Philosophical Society 51 (1955)), for many shapes and ranks.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/model.hpp"
#include "support/quad.hpp"
#include "support/random.hpp"

namespace pinv_test {

using namespace support;

struct Inverse {
  Matrix a;
  std::int64_t rank = -1;
};

Inverse pinv(const Matrix& a, double rcond = -1, freeridge_layout layout = FREERIDGE_COL_MAJOR,
             std::int64_t padding = 0) {
  const Packed in = pack(a, layout, padding);
  Packed out = pack(Matrix(a.cols, a.rows), layout, padding);
  Inverse result{Matrix(a.cols, a.rows)};
  check(freeridge_pinv(layout, a.rows, a.cols, in.values.data(), in.ld, rcond, out.values.data(), out.ld, &result.rank),
        "freeridge_pinv");
  for (std::int64_t j = 0; j < result.a.cols; ++j)
    for (std::int64_t i = 0; i < result.a.rows; ++i) result.a(i, j) = out.values[packed_index(layout, out.ld, i, j)];
  return result;
}

Matrix product(const Matrix& a, const Matrix& b) {
  return to_double(multiply(to_quad(a), to_quad(b)));
}

Matrix transposed(const Matrix& a) {
  return to_double(transpose(to_quad(a)));
}

double largest(const Matrix& a) {
  double out = 0;
  for (const double value : a.values) out = std::max(out, std::abs(value));
  return out;
}

void expect_penrose(const Matrix& a, const Matrix& x) {
  const auto difference = [](const Matrix& p, const Matrix& q) {
    return largest(to_double(subtract(to_quad(p), to_quad(q))));
  };
  const Matrix ax = product(a, x), xa = product(x, a);
  EXPECT_LE(difference(product(ax, a), a), 1e-12 * largest(a));
  EXPECT_LE(difference(product(xa, x), x), 1e-12 * largest(x));
  EXPECT_LE(difference(ax, transposed(ax)), 1e-12);
  EXPECT_LE(difference(xa, transposed(xa)), 1e-12);
}

TEST(Pinv, PenroseConditions) {
  Random random(41);
  for (const std::int64_t m : {1, 2, 3, 7, 20})
    for (const std::int64_t n : {1, 2, 3, 7, 20})
      for (std::int64_t rank = 0; rank <= std::min(m, n); rank += rank < 3 ? 1 : 5) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << ", rank " << rank);
        const Matrix a = product(random.uniform_matrix(m, rank, -1.0, 1.0), random.uniform_matrix(rank, n, -1.0, 1.0));
        const Inverse x = pinv(a);
        EXPECT_EQ(x.rank, rank);
        expect_penrose(a, x.a);
      }
}

TEST(Pinv, LayoutsAndScales) {
  Random random(42);
  const Matrix a = random.uniform_matrix(6, 4, -1.0, 1.0);
  const Inverse x = pinv(a);
  EXPECT_TRUE(bit_equal(pinv(a, -1, FREERIDGE_ROW_MAJOR, 3).a, x.a));
  EXPECT_TRUE(bit_equal(pinv(a, -1, FREERIDGE_COL_MAJOR, 2).a, x.a));
  for (const int unit : {500, -500, 1000, -1000}) {
    const Inverse other = pinv(scaled(a, std::ldexp(1.0, unit)));
    EXPECT_TRUE(bit_equal(other.a, scaled(x.a, std::ldexp(1.0, -unit))));
    EXPECT_EQ(other.rank, 4);
  }
}

TEST(Pinv, CutOff) {
  Matrix a(3, 3);
  a(0, 0) = 4, a(1, 1) = -1, a(2, 2) = 0x1p-20;
  EXPECT_EQ(pinv(a).rank, 3);
  EXPECT_EQ(pinv(a).a.values, (Vector{0.25, 0, 0, 0, -1, 0, 0, 0, 0x1p20}));
  EXPECT_EQ(pinv(a, 0x1p-22).rank, 2);  // at most rcond times the largest
  EXPECT_EQ(pinv(a, 0x1p-23).rank, 3);
  EXPECT_EQ(pinv(a, 0x1p-22).a.values, (Vector{0.25, 0, 0, 0, -1, 0, 0, 0, 0}));
  EXPECT_EQ(pinv(a, 0.25).rank, 1);
  EXPECT_EQ(pinv(a, 1.0).rank, 0);
  EXPECT_EQ(pinv(a, 1.0).a.values, Vector(9, 0.0));
  a(2, 2) = 0;
  EXPECT_EQ(pinv(a, 0.0).rank, 2);
}

TEST(Pinv, OverflowIsRefused) {
  const double a = 1e-310;
  double out = -7;
  EXPECT_EQ(freeridge_pinv(FREERIDGE_COL_MAJOR, 1, 1, &a, 1, -1, &out, 1, nullptr), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(out, -7);
}

}  // namespace pinv_test
