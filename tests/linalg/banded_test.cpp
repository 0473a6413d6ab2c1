// Banded Cholesky against dense elimination, and the bounds of the eigenvalues against LAPACK's.
#include "libcore/linalg/banded.hpp"

#include <gtest/gtest.h>

#include <functional>
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

// So many columns that they are solved for in pieces: A X = C.
TEST(Banded, SolvesForManyColumns) {
  const Index m = 3000, b = 64, columns = 1000;
  const BandMatrix band = dense::random_band(m, b, 80, 27);
  const Matrix c = dense::random(m, columns, 28);
  Matrix x = dense::copy(c);
  BandedCholesky::factor(band, 0.5)->solve(x.view());
  for (const Index j : {Index{0}, columns / 2, columns * 5 / 6, columns - 1})
    for (Index i = 0; i < m; ++i) {
      double sum = 0.5 * x(i, j);
      for (Index k = std::max<Index>(0, i - b); k <= std::min(m - 1, i + b); ++k)
        sum += band.values(std::abs(i - k), std::min(i, k)) * x(k, j);
      ASSERT_NEAR(sum, c(i, j), 1e-13) << i << ", " << j;
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

// Against LAPACK's of the whole matrix; also where squares of the numbers are out of range.
TEST(Banded, Eigenvalues) {
  for (const Index b : {16, 48})
    for (const Index m : {1, 2, 3, 16, 17, 40, 131})
      for (const int exponent : {0, -600, 600}) {
        SCOPED_TRACE(::testing::Message() << "b = " << b << ", m = " << m << ", times 2^" << exponent);
        BandMatrix band = dense::random_band(m, b, m % 2 == 0 ? 40 : 0, 26);
        std::vector<double> expected = eigenvalues(dense::full(band));
        for (double& value : band.values.values()) value = std::ldexp(value, exponent);
        const Array<double> found = banded_eigenvalues(band);
        std::ranges::sort(expected, std::greater<>());
        const double largest = std::max(std::abs(expected.front()), std::abs(expected.back()));
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k)
          EXPECT_NEAR(std::ldexp(found[k], -exponent), expected[k], 1e-14 * largest);
      }
}

// The 2-diagonal matrix of second differences: 2 - 2 cos(k pi / (m + 1)); a matrix that is diagonal; zeros.
TEST(Banded, EigenvaluesInClosedForm) {
  const Index m = 60;
  BandMatrix differences{Matrix(17, m, 0.0)}, diagonal{Matrix(17, m, 0.0)}, zero{Matrix(17, m, 0.0)};
  for (Index j = 0; j < m; ++j) {
    differences.values(0, j) = 2;
    if (j + 1 < m) differences.values(1, j) = -1;
    diagonal.values(0, j) = static_cast<double>((7 * j) % m);
  }
  const Array<double> of_differences = banded_eigenvalues(differences), of_diagonal = banded_eigenvalues(diagonal);
  for (Index k = 0; k < m; ++k) {
    const double angle = std::acos(-1.0) * static_cast<double>(m - k) / static_cast<double>(m + 1);
    EXPECT_NEAR(of_differences[k], 2 - 2 * std::cos(angle), 1e-14);
    EXPECT_EQ(of_diagonal[k], static_cast<double>(m - 1 - k));
  }
  for (const double value : banded_eigenvalues(zero)) EXPECT_EQ(value, 0);
  EXPECT_TRUE(banded_eigenvalues(BandMatrix{Matrix(17, 0)}).empty());
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
