// Derivatives of <S, K> by the hyperparameters, asked of the core directly: against differences of kernel values in
// long double, for S that is symmetric and for points and support rows, on both sides of a tile, with points that are
// near one another or coincide.
#include "libcore/kernel/log_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "libcore/base/error.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/select/kernel_size.hpp"
#include "support/kernel_numbers.hpp"
#include "support/problems.hpp"

namespace log_gradient_test {

using freeridge::Index;
using freeridge::KernelPtr;
using freeridge::LayoutView;
using oracle::Family;
using oracle::KernelSpec;
using support::Dense;
using support::Matrix;
using support::Random;
using support::Real;
using support::Vector;

LayoutView view_of(const Matrix& x) {
  return {x.values.data(), x.rows, x.cols, x.rows, freeridge::Layout::col_major};
}

freeridge::Matrix copied(const Matrix& x) {
  freeridge::Matrix out(x.rows, x.cols);
  std::copy(x.values.begin(), x.values.end(), out.data());
  return out;
}

KernelPtr core_kernel(const KernelSpec& spec) {
  return freeridge::parse_kernel(oracle::make_kernel(spec).description());
}

// d <S, K(x, z)> / d log theta_i, and the sum of |S_ij| times the largest |dK_ij|.
struct Derivative {
  Real value, size;
};
Derivative derivative(KernelSpec spec, std::size_t i, const Matrix& x, const Matrix& z, const Dense& s) {
  constexpr double step = 0x1p-12;
  const std::vector<double*> numbers = oracle::numbers_of(spec);
  const double value = *numbers[i];
  const auto at = [&](double steps) {
    *numbers[i] = value * std::exp(steps * step);
    return oracle::kernel_matrix(spec, x, z);
  };
  const Dense high = at(1), low = at(-1), far_high = at(2), far_low = at(-2);
  Derivative out{0, 0};
  for (std::size_t p = 0; p < s.values.size(); ++p) {
    const Real slope = (8 * (high.values[p] - low.values[p]) - (far_high.values[p] - far_low.values[p])) /
                       (12 * static_cast<Real>(step));
    out.value += s.values[p] * slope;
    out.size += std::abs(s.values[p] * slope);
  }
  return out;
}

void expect_derivatives(const KernelSpec& spec, const Matrix& x, const Matrix& z, const Dense& s,
                        freeridge::Span<const double> found) {
  const KernelPtr kernel = core_kernel(spec);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Derivative expected = derivative(spec, i, x, z, s);
    EXPECT_NEAR(found[i], static_cast<double>(expected.value), 1e-10 * static_cast<double>(expected.size))
        << freeridge::hyperparameter_name(*kernel, static_cast<Index>(i));
  }
}

std::vector<KernelSpec> specs(std::int64_t d) {
  std::vector<KernelSpec> out;
  for (const Family family : oracle::all_families)
    for (const bool scaled : {false, true}) out.push_back(support::kernel_of(family, d, scaled));
  // Terms of a sum with several columns each, or of a kernel that is none of the distance.
  out.push_back(KernelSpec::sum(
      {KernelSpec::additive(KernelSpec::polynomial(2, 0.5, 1)),
       KernelSpec::additive(KernelSpec::gaussian(1.5), support::Labels(static_cast<std::size_t>(d), 0))},
      {0.4, 1.3}));
  // Products over terms: of one column by the fast loops, and of several columns; and a sphere where there are two.
  out.push_back(KernelSpec::multiplicative(KernelSpec::radial(Family::laplacian, 2)));
  if (d == 1) return out;
  support::Labels label(static_cast<std::size_t>(d), 0);
  label.back() = d == 3 ? 2 : 0;
  out.push_back(
      KernelSpec::multiplicative(KernelSpec::polynomial(2, 0.5, 1), label).with_columns(support::column_scales(d)));
  label.back() = d == 3 ? -1 : 0;
  for (const double unit : {1.0, 0.03})  // angles of a few degrees, and of many
    out.push_back(
        KernelSpec::product({KernelSpec::additive(KernelSpec::sphere(KernelSpec::radial(Family::matern32, 0.3)), label),
                             KernelSpec::periodic(0.7 / unit, KernelSpec::radial(Family::matern52, 1.5))})
            .with_columns(Vector(static_cast<std::size_t>(d), unit)));
  return out;
}

// Two rows coincide, two are 1e-9 apart, and all are far from zero.
Matrix points(Random& random, std::int64_t n, std::int64_t d, double centre) {
  Matrix x = random.uniform_matrix(n, d, centre - 1, centre + 1);
  for (std::int64_t k = 0; k < d && n > 5; ++k) {
    x(4, k) = x(1, k);
    x(5, k) = x(2, k) + 1e-9 * static_cast<double>(k + 1);
  }
  return x;
}

TEST(LogGradient, OfASymmetricMatrixWithWeightsAndShift) {
  Random random(11);
  for (const std::int64_t n : {1, 7, 300})
    for (const KernelSpec& spec : specs(3)) {
      if (n == 300 && !spec.columns.empty() != (spec.family == Family::sum)) continue;
      const Matrix x = points(random, n, 3, 2);
      const Vector shift = {2, 1, 0}, sqrt_w = random.uniform_vector(n, 0.5, 1.5);
      Matrix moved = x;
      Dense s(n, n), weighted(n, n);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t k = 0; k < 3 && j == 0; ++k)
          for (std::int64_t i = 0; i < n; ++i) moved(i, k) -= shift[static_cast<std::size_t>(k)];
        for (std::int64_t i = j; i < n; ++i) s(i, j) = s(j, i) = random.normal();
      }
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          weighted(i, j) = s(i, j) * sqrt_w[static_cast<std::size_t>(i)] * sqrt_w[static_cast<std::size_t>(j)];
      const auto fill = [&](Index row, Index col, freeridge::MatrixView tile) {
        EXPECT_GE(row, col);
        for (Index j = 0; j < tile.cols; ++j)
          for (Index i = 0; i < tile.rows; ++i) tile(i, j) = static_cast<double>(s(row + i, col + j));
      };
      const auto found = freeridge::log_gradient(*core_kernel(spec), view_of(x), shift, sqrt_w, fill);
      expect_derivatives(spec, moved, moved, weighted, found);
    }
}

TEST(LogGradient, OfPointsAndSupportRows) {
  Random random(12);
  for (const std::int64_t d : {1, 2})
    for (const KernelSpec& spec : specs(d)) {
      const Matrix x = points(random, 270, d, 0.5), z = points(random, 11, d, 0.5);
      Dense s(270, 11);
      for (Real& value : s.values) value = random.normal();
      const KernelPtr kernel = core_kernel(spec);
      const freeridge::Matrix support = copied(z), a = copied(x);
      const auto fill = [&](Index row, Index col, freeridge::MatrixView tile) {
        for (Index j = 0; j < tile.cols; ++j)
          for (Index i = 0; i < tile.rows; ++i) tile(i, j) = static_cast<double>(s(row + i, col + j));
      };
      const auto found = freeridge::cross_log_gradient(*kernel, view_of(x), {}, support.view(), fill);
      expect_derivatives(spec, x, z, s, found);
      freeridge::Matrix at_hand(270, 11);
      fill(0, 0, at_hand.view());
      freeridge::Array<double> again(found.size(), 0.0);
      freeridge::add_log_gradient(*kernel, a.view(), support.view(), at_hand.view(), again);
      expect_derivatives(spec, x, z, s, again);
    }
}

// The logarithms have the same derivatives in other units, also where the squares of the points are out of range.
TEST(LogGradient, OfUnitsOfAnyMagnitude) {
  Random random(15);
  const Matrix points = random.uniform_matrix(9, 2, -1, 1);
  const Vector ones(9, 1.0);
  const auto fill = [](Index row, Index col, freeridge::MatrixView tile) {
    for (Index j = 0; j < tile.cols; ++j)
      for (Index i = 0; i < tile.rows; ++i) tile(i, j) = static_cast<double>(1 + (row + i) * (col + j));
  };
  const auto gradient = [&](const std::function<KernelPtr(double)>& make, int exponent) {
    Matrix x = points;
    for (double& value : x.values) value = std::ldexp(value, exponent);
    return freeridge::log_gradient(*make(std::ldexp(1.25, exponent)), view_of(x), {}, ones, fill);
  };
  const std::function<KernelPtr(double)> makers[] = {
      freeridge::gaussian_kernel, freeridge::laplacian_kernel,
      [](double length) { return freeridge::matern_kernel(1.5, length); },
      [](double length) { return freeridge::matern_kernel(2.5, length); }};
  for (const auto& make : makers) {
    const auto usual = gradient(make, 0);
    for (const int exponent : {-900, -450, 450, 900}) {
      const auto found = gradient(make, exponent);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_NEAR(found[0], usual[0], 1e-13 * usual[0]) << freeridge::describe(*make(1)) << ", 2^" << exponent;
    }
  }
}

// Squares of points overflow, values of far points are zero, and the derivatives are those of near points.
TEST(LogGradient, OfPointsTooFarForTheirSquares) {
  Random random(13);
  const KernelPtr kernel =
      freeridge::parse_kernel("scaled([1, 1], 1 * gaussian(sigma = 1) + 2 * laplacian(sigma = 1))");
  Matrix x(3, 2, 0.0);
  x(1, 0) = 0.5, x(1, 1) = 0.25, x(2, 0) = 1e200;
  const Vector ones(3, 1.0);
  const auto fill = [](Index, Index, freeridge::MatrixView tile) {
    for (Index j = 0; j < tile.cols; ++j)
      for (Index i = 0; i < tile.rows; ++i) tile(i, j) = 1;
  };
  const auto found = freeridge::log_gradient(*kernel, view_of(x), {}, ones, fill);
  const double r2 = 0.3125, r = std::sqrt(r2), gaussian = std::exp(-r2), laplacian = std::exp(-r);
  const double expected[] = {2 * (2 * gaussian + 2 * laplacian / r) * 0.25,
                             2 * (2 * gaussian + 2 * laplacian / r) * 0.0625,
                             3 + 2 * gaussian,
                             2 * 2 * gaussian * r2,
                             2 * (3 + 2 * laplacian),
                             2 * 2 * laplacian * r};
  ASSERT_EQ(std::ssize(found), 6);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-14 * expected[i]) << i;
}

// wbar tr K / m and wbar <C, K> / m, C = I - 1 1' / m.
TEST(LogGradient, OfTheSizeAndTheSpread) {
  Random random(14);
  const double weight = 3;
  const std::int64_t m = 9;
  const Matrix x = points(random, m, 3, 0.5);
  Dense mean_diagonal(m, m), centring(m, m);
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < m; ++i) {
      mean_diagonal(i, j) = i == j ? Real{weight} / m : 0;
      centring(i, j) = mean_diagonal(i, j) - Real{weight} / (m * m);
    }
  for (const KernelSpec& spec : specs(3)) {
    const Dense k = oracle::kernel_matrix(spec, x, x);
    Real size = 0, spread = 0;
    for (std::size_t p = 0; p < k.values.size(); ++p) {
      size += mean_diagonal.values[p] * k.values[p];
      spread += centring.values[p] * k.values[p];
    }
    freeridge::KernelSize found = freeridge::kernel_size(*core_kernel(spec), copied(x).view(), weight);
    EXPECT_NEAR(found.log_size, static_cast<double>(std::log(size)), 1e-13);
    EXPECT_NEAR(found.spread, static_cast<double>(spread), 1e-13 * static_cast<double>(size));
    for (double& slope : found.gradient) slope *= static_cast<double>(size);
    expect_derivatives(spec, x, x, mean_diagonal, found.gradient);
    expect_derivatives(spec, x, x, centring, found.spread_gradient);
  }
}

TEST(LogGradient, OfAKernelWithoutNumbersAsksForNoTile) {
  const Matrix x(5, 2, 1.0);
  const Vector ones(5, 1.0);
  const auto none = [](Index, Index, freeridge::MatrixView) { FAIL(); };
  for (const char* const kernel : {"linear()", "product(linear(), linear())", "precomputed()"})
    EXPECT_TRUE(freeridge::log_gradient(*freeridge::parse_kernel(kernel), view_of(x), {}, ones, none).empty());
}

// The names and numbers of every kernel, and what comes back of them.
TEST(Hyperparameters, AreTheNumbersOfTheText) {
  for (const KernelSpec& spec : specs(3)) {
    const KernelPtr kernel = core_kernel(spec);
    KernelSpec copy = spec;
    const std::vector<double*> numbers = oracle::numbers_of(copy);
    const auto found = freeridge::hyperparameters(*kernel);
    ASSERT_EQ(found.size(), numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(found[i], *numbers[i]);
    for (std::size_t i = 0; i < numbers.size(); ++i) *numbers[i] *= 1 + 0.25 * static_cast<double>(i);
    freeridge::Array<double> moved;
    for (const double* number : numbers) moved.push_back(*number);
    const KernelPtr other = freeridge::with_hyperparameters(*kernel, moved);
    EXPECT_EQ(freeridge::describe(*other), freeridge::describe(*core_kernel(copy)));
    EXPECT_EQ(freeridge::describe(*freeridge::with_hyperparameters(*kernel, found)), freeridge::describe(*kernel));
    // k + 1 has those of k, and its features.
    const KernelPtr more = freeridge::plus_one(kernel);
    EXPECT_EQ(freeridge::hyperparameters(*more), found);
    EXPECT_EQ(freeridge::describe(*freeridge::with_hyperparameters(*more, moved)),
              freeridge::describe(*other) + " + 1");
    EXPECT_EQ(more->feature_scale(3), kernel->feature_scale(3));
    EXPECT_GT(more->rank_bound(3), kernel->rank_bound(3) - 1);
    for (Index i = 0; i < std::ssize(found); ++i)
      EXPECT_EQ(freeridge::hyperparameter_name(*more, i), "plus one[0]." + freeridge::hyperparameter_name(*kernel, i));
  }
}

// Sums of a kernel with itself: as many numbers as 2^16 kernels have, in little time; 2^40 are refused.
TEST(Hyperparameters, OfSharedParts) {
  KernelPtr kernel = freeridge::gaussian_kernel(2);
  const double ones[] = {1, 1};
  for (int level = 0; level < 12; ++level) kernel = freeridge::sum_kernel({kernel, kernel}, ones);
  freeridge::Array<double> values = freeridge::hyperparameters(*kernel);
  ASSERT_EQ(std::ssize(values), 4096 + 2 * 4095);
  EXPECT_EQ(freeridge::hyperparameter_name(*kernel, 0), "sum.weight[0]");
  EXPECT_TRUE(freeridge::hyperparameter_name(*kernel, std::ssize(values) - 1).ends_with("sum[1].gaussian.sigma"));
  values.back() = 5;
  EXPECT_EQ(freeridge::hyperparameters(*freeridge::with_hyperparameters(*kernel, values)), values);
}

}  // namespace log_gradient_test
