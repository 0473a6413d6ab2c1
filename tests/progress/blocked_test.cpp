// The linear algebra that is cut into pieces, at sizes where it is: against its definition, and against LAPACK in one
// piece where there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"
#include "linalg/dense.hpp"

namespace blocked_test {

using namespace freeridge;

// Says how often a call was heard in between, and cancels at a beat.
struct Beats {
  int count = 0, cancel_at = -1;
  Listener listener() {
    return {[](double, void* user) {
              auto* self = static_cast<Beats*>(user);
              return self->count++ == self->cancel_at ? 1 : 0;
            },
            this};
  }
};

// body() is heard at least so often, and cancelled at each of its beats.
template <class Body>
void expect_beats(int least, const Body& body) {
  Beats beats;
  {
    const Hearing hearing(beats.listener());
    body();
  }
  EXPECT_GE(beats.count, least + 1);
  for (int k = 1; k < beats.count; k += std::max(1, beats.count / 3)) {
    Beats cancelled;
    cancelled.cancel_at = k;
    const Hearing hearing(cancelled.listener());
    EXPECT_THROW(body(), Error);
    EXPECT_EQ(cancelled.count, k + 1);
  }
}

// Uniform in (-0.5, 0.5): the matrices are large, and a better generator would take longer than what is tested.
Matrix random(Index rows, Index cols, unsigned seed) {
  Matrix a(rows, cols);
  std::uint64_t state = seed;
  for (double& value : a.values()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(state >> 40) * 0x1p-24 - 0.5;
  }
  return a;
}

Matrix positive_definite(Index n) {
  const Matrix a = random(n, n, 3);
  Matrix out(n, n, 0.0);
  syrk(Op::none, 1, a.view(), 0, out.view());
  for (Index j = 0; j < n; ++j) {
    out(j, j) += 1;
    for (Index i = 0; i < j; ++i) out(i, j) = out(j, i);
  }
  return out;
}

// |A x - b| / |b| for a few columns: products with vectors are not cut at these sizes.
double residual(ConstMatrixView a, ConstMatrixView x, ConstMatrixView b) {
  double worst = 0;
  for (Index j = 0; j < b.cols; j += std::max<Index>(b.cols / 6, 1)) {
    std::vector<double> r(b.col(j), b.col(j) + b.rows);
    gemv(Op::none, 1, a, x.col(j), -1, r.data());
    worst = std::max(worst, norm2(b.rows, r.data()) / norm2(b.rows, b.col(j)));
  }
  return worst;
}

// The largest error of C = 2 A B - C0 in some columns, each a product with a vector.
double product_error(ConstMatrixView a, ConstMatrixView b, ConstMatrixView c0, ConstMatrixView c) {
  double worst = 0;
  for (Index j = 0; j < b.cols; j += std::max<Index>(b.cols / 7, 1)) {
    std::vector<double> expected(c0.col(j), c0.col(j) + c0.rows);
    gemv(Op::none, 2, a, b.col(j), -1, expected.data());
    for (Index i = 0; i < c.rows; ++i)
      worst = std::max(worst, std::abs(c(i, j) - expected[static_cast<std::size_t>(i)]));
  }
  return worst;
}

Matrix transposed(ConstMatrixView a) {
  Matrix out(a.cols, a.rows);
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) out(j, i) = a(i, j);
  return out;
}

TEST(Pieces, Products) {
  const struct {
    Index rows, cols, inner;
  } shapes[] = {{1400, 1500, 1300}, {3000, 150, 9000}, {90, 80, 400000}, {9000, 30, 9000}};
  for (const auto& s : shapes) {
    SCOPED_TRACE(::testing::Message() << s.rows << " x " << s.cols << ", " << s.inner);
    const Matrix a = random(s.rows, s.inner, 1), b = random(s.inner, s.cols, 2), c = random(s.rows, s.cols, 3);
    const double limit = 1e-15 * static_cast<double>(s.inner);
    Matrix out = dense::copy(c);
    gemm(Op::none, Op::none, 2, a.view(), b.view(), -1, out.view());
    EXPECT_LE(product_error(a.view(), b.view(), c.view(), out.view()), limit);
    const Matrix at = transposed(a.view()), bt = transposed(b.view());
    out = dense::copy(c);
    gemm(Op::transpose, Op::transpose, 2, at.view(), bt.view(), -1, out.view());
    EXPECT_LE(product_error(a.view(), b.view(), c.view(), out.view()), limit);
  }
}

TEST(Pieces, AreHeard) {
  const Matrix a = random(1500, 1500, 1);
  Matrix c(1500, 1500);
  expect_beats(2, [&] { gemm(Op::none, Op::none, 1, a.view(), a.view(), 0, c.view()); });
}

TEST(Pieces, SymmetricProducts) {
  const Index n = 1800, k = 1400;
  const Matrix a = random(n, k, 1), b = random(n, k, 2), at = transposed(a.view());
  // Columns of A B' + B A', or of A A', by products with vectors.
  const auto expect_triangle = [&](const Matrix& out, bool twice, Triangle triangle) {
    double worst = 0;
    std::vector<double> inner(static_cast<std::size_t>(k)), column(static_cast<std::size_t>(n));
    for (Index j = 5; j < n; j += 200) {
      const auto add = [&](const Matrix& left, const Matrix& right, double beta) {
        for (Index i = 0; i < k; ++i) inner[static_cast<std::size_t>(i)] = right(j, i);
        gemv(Op::none, 1, left.view(), inner.data(), beta, column.data());
      };
      add(a, twice ? b : a, 0);
      if (twice) add(b, a, 1);
      for (Index i = triangle == Triangle::lower ? j : 0; i < (triangle == Triangle::lower ? n : j + 1); ++i)
        worst = std::max(worst, std::abs(out(i, j) - column[static_cast<std::size_t>(i)]));
    }
    EXPECT_LE(worst, 1e-11);
  };
  for (const Triangle triangle : {Triangle::lower, Triangle::upper})
    for (const Op op : {Op::none, Op::transpose}) {
      Matrix out(n, n, 0.0);
      syrk(op, 1, op == Op::none ? a.view() : at.view(), 0, out.view(), triangle);
      expect_triangle(out, false, triangle);
      const Index i = triangle == Triangle::lower ? 0 : n - 1;
      EXPECT_EQ(out(i, n - 1 - i), 0.0);  // the other triangle
    }
  Matrix out(n, n);
  syr2k(1, a.view(), b.view(), 0, out.view());
  expect_triangle(out, true, Triangle::lower);
}

TEST(Pieces, TriangularSolutions) {
  const Index n = 2300, k = 900;
  Matrix lower = random(n, n, 4), upper(n, n, 0.0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) lower(i, j) = 0;
    for (Index i = j + 1; i < n; ++i) lower(i, j) /= static_cast<double>(n);
    lower(j, j) = 2;
  }
  upper = transposed(lower.view());
  const Matrix b = random(n, k, 5), right = transposed(b.view());
  for (const Op op : {Op::none, Op::transpose}) {
    Matrix x = dense::copy(b);
    trsm(op, lower.view(), x.view());
    EXPECT_LE(residual(op == Op::none ? lower.view() : upper.view(), x.view(), b.view()), 1e-14);
    x = dense::copy(b);
    trsm(op, upper.view(), x.view(), Triangle::upper);
    EXPECT_LE(residual(op == Op::none ? upper.view() : lower.view(), x.view(), b.view()), 1e-14);
    x = dense::copy(right);  // X op(L) = B, so op(L)'X' = B'
    trsm_right(op, lower.view(), x.view());
    EXPECT_LE(residual(op == Op::none ? upper.view() : lower.view(), transposed(x.view()).view(), b.view()), 1e-14);
  }
}

TEST(Pieces, OfMatricesThatComeFromMemory) {
  const Index n = 6000;
  Matrix a = random(n, n, 1);
  const Matrix x = random(n, 2, 6);
  std::vector<double> y(static_cast<std::size_t>(n)), sums(y.size(), 0.0);
  for (const Op op : {Op::none, Op::transpose}) {
    gemv(op, 1, a.view(), x.col(0), 0, y.data());
    double worst = 0;
    for (const Index i : {Index{0}, Index{5000}, n / 2, n - 1}) {
      double sum = 0;
      for (Index j = 0; j < n; ++j) sum += (op == Op::none ? a(i, j) : a(j, i)) * x(j, 0);
      worst = std::max(worst, std::abs(sum - y[static_cast<std::size_t>(i)]));
    }
    EXPECT_LE(worst, 1e-11);
  }
  const std::vector<Index> places = {0, 17, n / 2, n - 1};
  std::vector<double> before;
  for (const Index j : places)
    for (const Index i : places)
      if (i >= j) before.push_back(a(i, j));
  syr2(0.5, x.col(0), x.col(1), a.view());
  std::size_t k = 0;
  for (const Index j : places)
    for (const Index i : places) {
      if (i < j) continue;
      EXPECT_NEAR(a(i, j), before[k++] + 0.5 * (x(i, 0) * x(j, 1) + x(j, 0) * x(i, 1)), 1e-14);
    }
  ger(-2, x.col(0), x.col(1), a.view());
  EXPECT_NEAR(a(n - 1, 17),
              before[7 - 1] + 0.5 * (x(n - 1, 0) * x(17, 1) + x(17, 0) * x(n - 1, 1)) - 2 * x(n - 1, 0) * x(17, 1),
              1e-13);
}

TEST(Blocked, Cholesky) {
  const Index n = 1700;
  const Matrix a = positive_definite(n), b = random(n, 2, 7);
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    Matrix l = dense::copy(a), x = dense::copy(b);
    ASSERT_TRUE(potrf(l.view(), triangle));
    trsm(triangle == Triangle::lower ? Op::none : Op::transpose, l.view(), x.view(), triangle);
    trsm(triangle == Triangle::lower ? Op::transpose : Op::none, l.view(), x.view(), triangle);
    EXPECT_LE(residual(a.view(), x.view(), b.view()), 1e-12);
    for (Index j = 1; j < n; ++j)  // the other triangle is not touched
      EXPECT_EQ(triangle == Triangle::lower ? l(j - 1, j) : l(j, j - 1),
                triangle == Triangle::lower ? a(j - 1, j) : a(j, j - 1));
    expect_beats(1, [&] {
      Matrix again = dense::copy(a);
      (void)potrf(again.view(), triangle);
    });
    Matrix indefinite = dense::copy(a);
    indefinite(n - 2, n - 2) = -1;
    EXPECT_FALSE(potrf(indefinite.view(), triangle));
  }
}

// |A|_1 |A^-1|_1 of diag(1, ..., 1, s), turned by a reflection: Higham's estimate is a lower bound within a factor of a
// few of the inverse's norm.
TEST(Blocked, ConditionOfAFactor) {
  const Index n = 60;
  for (const double s : {1.0, 1e-3, 1e-9}) {
    Matrix v = random(n, 1, 8), a(n, n, 0.0);
    const double square = dot(n, v.data(), v.data());
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < n; ++k) {
          const auto h = [&](Index p, Index q) { return (p == q ? 1 : 0) - 2 * v(p, 0) * v(q, 0) / square; };
          a(i, j) += h(i, k) * (k == n - 1 ? s : 1) * h(j, k);
        }
    }
    const double norm = symmetric_norm1(a.view());
    double column = 0;
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index i = 0; i < n; ++i) sum += std::abs(a(i, j));
      column = std::max(column, sum);
    }
    EXPECT_NEAR(norm, column, 1e-13);
    EXPECT_NEAR(symmetric_norm1(a.view(), Triangle::upper), column, 1e-13);
    Matrix inverse = dense::identity(n), l = dense::copy(a);
    ASSERT_TRUE(potrf(l.view()));
    trsm(Op::none, l.view(), inverse.view());
    trsm(Op::transpose, l.view(), inverse.view());
    double exact = 0;
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index i = 0; i < n; ++i) sum += std::abs(inverse(i, j));
      exact = std::max(exact, sum);
    }
    const double rcond = reciprocal_condition(l.view(), norm);
    EXPECT_GE(rcond * (1 + 1e-8), 1 / exact / norm);
    EXPECT_LE(rcond, 4 / exact / norm);
  }
}

TEST(Blocked, PivotedCholesky) {
  for (const Index rank : {0, 1, 63, 64, 65, 200, 500}) {
    const Index n = 500;
    const Matrix a = random(n, std::max<Index>(rank, 1), 9);
    Matrix k(n, n, 0.0);
    if (rank > 0) syrk(Op::none, 1, a.view(), 0, k.view());
    Matrix l = dense::copy(k);
    std::vector<Index> pivots(static_cast<std::size_t>(n));
    ASSERT_EQ(pstrf(l.view(), 1e-10, pivots), rank);
    std::vector<Index> sorted = pivots;
    std::ranges::sort(sorted);
    for (Index i = 0; i < n; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
    double worst = 0;
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) {
        double sum = 0;
        for (Index c = 0; c <= std::min(j, rank - 1); ++c) sum += l(i, c) * l(j, c);
        const Index p = pivots[static_cast<std::size_t>(i)], q = pivots[static_cast<std::size_t>(j)];
        worst = std::max(worst, std::abs(sum - k(std::max(p, q), std::min(p, q))));
      }
    EXPECT_LE(worst, 1e-11);
    for (Index j = 1; j < rank; ++j) EXPECT_LE(l(j, j), l(j - 1, j - 1) * (1 + 1e-12));  // complete pivoting
  }
}

TEST(Blocked, Qr) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{2600, 1000}, {1000, 2600}, {1300, 1300}}) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << cols);
    const Index k = std::min(rows, cols);
    const Matrix a = random(rows, cols, 10);
    Matrix qr = dense::copy(a);
    std::vector<double> tau(static_cast<std::size_t>(k));
    geqrf(qr.view(), tau);
    Matrix back(rows, cols, 0.0);
    for (Index j = 0; j < cols; ++j) std::copy_n(qr.col(j), std::min(j + 1, rows), back.col(j));
    ormqr(qr.view().columns(0, k), tau, back.view());
    EXPECT_LE(dense::difference(back.view(), a.view()), 1e-12);
    ormqr(qr.view().columns(0, k), tau, back.view(), Op::transpose);
    double below = 0;
    for (Index j = 0; j < cols; ++j)
      for (Index i = j + 1; i < rows; ++i) below = std::max(below, std::abs(back(i, j)));
    EXPECT_LE(below, 1e-12);
  }
  const Matrix a = random(2600, 1000, 10);
  std::vector<double> tau(1000);
  expect_beats(2, [&] {
    Matrix qr = dense::copy(a);
    geqrf(qr.view(), tau);
  });
}

TEST(Blocked, SingularValues) {
  for (const double scale : {1.0, 0x1p-700, 0x1p700})
    for (const auto& [rows, cols] : {std::pair<Index, Index>{640, 640}, {900, 610}, {610, 900}}) {
      if (scale != 1 && rows != cols) continue;
      SCOPED_TRACE(::testing::Message() << rows << " x " << cols << " times " << scale);
      const Index k = std::min(rows, cols), rank = k - 20;
      // Of rank k - 20, singular values over ten powers of ten.
      Matrix left = random(rows, rank, 11), right = random(rank, cols, 12), a(rows, cols);
      for (Index j = 0; j < rank; ++j)
        for (Index i = 0; i < rows; ++i)
          left(i, j) *= std::pow(10.0, -10.0 * static_cast<double>(j) / static_cast<double>(rank));
      gemm(Op::none, Op::none, scale, left.view(), right.view(), 0, a.view());
      Matrix copy = dense::copy(a), u(rows, k), vt(k, cols);
      std::vector<double> s(static_cast<std::size_t>(k));
      gesdd(copy.view(), s, u.view(), vt.view());
      EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
      EXPECT_GE(s.back(), 0.0);
      EXPECT_LE(s[static_cast<std::size_t>(rank)], 1e-13 * s[0]);
      Matrix scaled(rows, k), back(rows, cols), uu(k, k), vv(k, k);
      for (Index j = 0; j < k; ++j)
        for (Index i = 0; i < rows; ++i) scaled(i, j) = u(i, j) * (s[static_cast<std::size_t>(j)] / scale);
      gemm(Op::none, Op::none, 1, scaled.view(), vt.view(), 0, back.view());
      for (double& value : a.values()) value /= scale;
      EXPECT_LE(dense::difference(back.view(), a.view()), 1e-13 * s[0] / scale);
      gemm(Op::transpose, Op::none, 1, u.view(), u.view(), 0, uu.view());
      gemm(Op::none, Op::transpose, 1, vt.view(), vt.view(), 0, vv.view());
      EXPECT_LE(dense::difference(uu.view(), dense::identity(k).view()), 1e-12);
      EXPECT_LE(dense::difference(vv.view(), dense::identity(k).view()), 1e-12);
    }
  expect_beats(3, [&] {
    Matrix a = random(640, 640, 11), u(640, 640), vt(640, 640);
    std::vector<double> s(640);
    gesdd(a.view(), s, u.view(), vt.view());
  });
}

}  // namespace blocked_test
