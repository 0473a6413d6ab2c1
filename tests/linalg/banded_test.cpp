// Banded Cholesky against dense elimination, and the bounds of the eigenvalues against LAPACK's.
#include "libcore/linalg/banded.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "libcore/linalg/lapack.hpp"
#include "linalg/dense.hpp"
#include "support/gauss.hpp"

namespace banded_test {

using namespace freeridge;

// (A + shift I)^-1, by elimination in long double.
Matrix inverse(const Matrix& a, double shift) {
  const Index m = a.rows();
  support::Dense left(m, m), right(m, m);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) {
      left(i, j) = a(i, j) + (i == j ? shift : 0);
      right(i, j) = i == j ? 1 : 0;
    }
  const support::Dense solution = support::solve(left, right);
  Matrix out(m, m);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) out(i, j) = static_cast<double>(solution(i, j));
  return out;
}

std::vector<double> eigenvalues(const Matrix& a) {
  Matrix copy = dense::copy(a);
  std::vector<double> out(static_cast<std::size_t>(a.rows()));
  syevd(copy.view(), out);
  return out;
}

TEST(Banded, SolvesInvertsAndKnowsItsDeterminant) {
  for (const Index b : {16, 32})
    for (const Index m : {1, 2, 16, 17, 40, 100}) {
      SCOPED_TRACE(::testing::Message() << "b = " << b << ", m = " << m);
      const BandMatrix band = dense::random_band(m, b, 40, 21);
      const double shift = 0.5;
      const Matrix a = dense::full(band), inverted = inverse(a, shift), c = dense::random(m, 3, 22);
      const std::optional<BandedCholesky> l = BandedCholesky::factor(band, shift);
      ASSERT_TRUE(l);

      Matrix solved = dense::copy(c), half = dense::copy(c);
      l->solve(solved.view());
      EXPECT_LE(dense::difference(solved.view(), dense::product(inverted.view(), c.view()).view()), 1e-14);
      l->half_solve(half.view());
      for (Index j = 0; j < 3; ++j) {
        double norm2 = 0, form = 0;
        for (Index i = 0; i < m; ++i) {
          norm2 += half(i, j) * half(i, j);
          form += c(i, j) * solved(i, j);
        }
        EXPECT_NEAR(norm2, form, 1e-13 * form);
      }

      const BandMatrix z = l->inverse_band();
      for (Index j = 0; j < m; ++j)
        for (Index d = 0; d <= b && j + d < m; ++d) EXPECT_NEAR(z.values(d, j), inverted(j + d, j), 1e-15);

      double log_determinant = 0, trace = 0;
      for (const double value : eigenvalues(a)) log_determinant += std::log(value + shift);
      EXPECT_NEAR(l->log_determinant(), log_determinant, 1e-12 * std::max(1.0, std::abs(log_determinant)));
      const Matrix both = dense::product(a.view(), inverted.view());
      for (Index i = 0; i < m; ++i) trace += both(i, i);
      EXPECT_NEAR(band_inner_product(band, z), trace, 1e-13 * trace);
    }
}

TEST(Banded, RefusesWhatIsNotPositiveDefinite) {
  const BandMatrix band = dense::random_band(50, 16, 0, 23);
  EXPECT_FALSE(BandedCholesky::factor(band, 0));
  const double smallest = eigenvalues(dense::full(band)).front();
  EXPECT_FALSE(BandedCholesky::factor(band, -smallest * 0.999));
  EXPECT_TRUE(BandedCholesky::factor(band, -smallest * 1.001));
  BandMatrix nan = dense::random_band(50, 16, 40, 24);
  nan.values(3, 20) = std::nan("");
  EXPECT_FALSE(BandedCholesky::factor(nan, 0));
}

TEST(Banded, BoundsEncloseTheEigenvaluesToAPercent) {
  for (const double diagonal : {40.0, 1000.0})
    for (const Index m : {1, 5, 33, 200}) {
      SCOPED_TRACE(::testing::Message() << "diagonal " << diagonal << ", m = " << m);
      const BandMatrix band = dense::random_band(m, 16, diagonal, 25);
      const std::vector<double> all = eigenvalues(dense::full(band));
      const EigenvalueBounds bounds = eigenvalue_bounds(band, 1e-14);
      EXPECT_GE(bounds.largest, all.back() * (1 - 1e-12));
      EXPECT_LE(bounds.largest, all.back() * 1.01);
      EXPECT_LE(bounds.smallest, all.front() * (1 + 1e-12));
      EXPECT_GE(bounds.smallest, all.front() * 0.99);
    }
}

TEST(Banded, ASmallestEigenvalueBelowTheFloorIsZero) {
  BandMatrix band{Matrix(17, 60, 0.0)};
  for (Index j = 0; j < 60; ++j) band.values(0, j) = std::pow(10.0, -static_cast<double>(j) / 4);
  EXPECT_EQ(eigenvalue_bounds(band, 1e-12).smallest, 0);
  EXPECT_GT(eigenvalue_bounds(band, 1e-16).smallest, 0);
  const BandMatrix zero{Matrix(17, 60, 0.0)};
  EXPECT_EQ(eigenvalue_bounds(zero, 1e-12).largest, 0);
}

}  // namespace banded_test
