// Standard errors and covariances of predictions on every route, against the dense formulas in long double:
//     BAYESIAN      sigma2 / lambda (K** - K*'M^-1 K* + R'(F'M^-1 F)^-1 R),   R = F*' - F'M^-1 K*
//     FREQUENTIST   sigma2 A'W^-1 A,   A = M^-1 K* + M^-1 F (F'M^-1 F)^-1 R
// F: the ones of an intercept, and unpenalised columns. Combinations L of predictions have L times these covariances L'.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/problems.hpp"
#include "support/sparse.hpp"
#include "support/unpenalised.hpp"

namespace prediction_covariance_test {

using namespace support;
using oracle::Family;

constexpr std::int64_t m = 7, t = 2;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  const char* name;
  Family family;
  freeridge_route route;
  std::int64_t n = 24, d = 3;
  freeridge_intercept intercept = FREERIDGE_INTERCEPT_FREE;
  std::int64_t unpenalised = 0;
  bool sparse = false;
  bool missing = false;  // the second output in some rows
  double tolerance = 1e-10;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

struct Sample {
  oracle::KernelSpec kernel;
  Matrix x, y, f, points, f_points;
  Vector weights;
};

Sample sample_of(const Case& c) {
  Random random(7300);
  Sample out;
  out.kernel = kernel_of(c.family, c.d, c.family == Family::gaussian);
  out.x = random.uniform_matrix(c.n, c.d, -1, 1);
  out.points = random.uniform_matrix(m, c.d, -1.3, 1.3);
  if (c.sparse)
    for (Matrix* x : {&out.x, &out.points})
      for (std::int64_t i = 0; i < x->rows; ++i)
        for (std::int64_t k = 0; k < x->cols; ++k)
          if ((i + 2 * k) % 3 == 0) (*x)(i, k) = 0;
  out.y = responses(random, out.x, t, 0.3);
  if (c.missing)
    for (const std::int64_t i : {1, 4, 9}) out.y(i, 1) = nan;
  out.weights = random.uniform_vector(c.n, 0.4, 2.5);
  out.f = random.uniform_matrix(c.n, c.unpenalised, -1, 1);
  out.f_points = random.uniform_matrix(m, c.unpenalised, -1, 1);
  return out;
}

Dense with_ones(const Matrix& f, bool ones) {
  Dense out(f.rows, f.cols + (ones ? 1 : 0));
  for (std::int64_t i = 0; i < f.rows; ++i) {
    if (ones) out(i, 0) = 1;
    for (std::int64_t k = 0; k < f.cols; ++k) out(i, k + (ones ? 1 : 0)) = f(i, k);
  }
  return out;
}

// Of one output, from the rows in which it is observed.
Dense expected_covariance(const Case& c, const Sample& s, std::int64_t output, double lambda,
                          freeridge_covariance_type kind) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < c.n; ++i)
    if (!std::isnan(s.y(i, output))) rows.push_back(i);
  const auto n = static_cast<std::int64_t>(rows.size());
  const Matrix x = select_rows(s.x, rows);
  Dense k = oracle::kernel_matrix(s.kernel, x, x), cross = oracle::kernel_matrix(s.kernel, x, s.points),
        own = oracle::kernel_matrix(s.kernel, s.points, s.points);
  if (c.intercept == FREERIDGE_INTERCEPT_PENALISED)
    for (Dense* of : {&k, &cross, &own})
      for (Real& value : of->values) value += 1;
  const Dense f = with_ones(select_rows(s.f, rows), c.intercept == FREERIDGE_INTERCEPT_FREE);
  const Dense f_points = with_ones(s.f_points, c.intercept == FREERIDGE_INTERCEPT_FREE);
  const auto weight = [&](std::int64_t i) {
    return static_cast<Real>(s.weights[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])]);
  };
  Dense big = k;
  for (std::int64_t i = 0; i < n; ++i) big(i, i) += static_cast<Real>(lambda) / weight(i);
  // A: smoother rows of any points
  const Dense m_f = solve(big, f);
  const auto smoother = [&](const Dense& kappa, const Dense& g, Dense& r) {
    Dense a = solve(big, kappa);
    r = transpose(g);
    if (f.cols == 0) return a;
    const Dense less = multiply(transpose(f), a);
    for (std::size_t p = 0; p < r.values.size(); ++p) r.values[p] -= less.values[p];
    const Dense more = multiply(m_f, solve(multiply(transpose(f), m_f), r));
    for (std::size_t p = 0; p < a.values.size(); ++p) a.values[p] += more.values[p];
    return a;
  };
  Dense r, unused;
  const Dense a = smoother(cross, f_points, r), hat = transpose(smoother(k, f, unused));
  Real df = 0, sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    Real residual = static_cast<Real>(s.y(rows[static_cast<std::size_t>(i)], output));
    df += hat(i, i);
    for (std::int64_t l = 0; l < n; ++l)
      residual -= hat(i, l) * static_cast<Real>(s.y(rows[static_cast<std::size_t>(l)], output));
    sum += weight(i) * residual * residual;
  }
  const Real sigma2 = sum / (static_cast<Real>(n) - df);
  Dense out(m, m);
  if (kind == FREERIDGE_COVARIANCE_FREQUENTIST) {
    for (std::int64_t p = 0; p < m; ++p)
      for (std::int64_t q = 0; q < m; ++q)
        for (std::int64_t i = 0; i < n; ++i) out(p, q) += sigma2 * a(i, p) * a(i, q) / weight(i);
    return out;
  }
  const Dense explained = multiply(transpose(cross), solve(big, cross));
  const Dense free = f.cols == 0 ? Dense(m, m) : multiply(transpose(r), solve(multiply(transpose(f), m_f), r));
  for (std::size_t p = 0; p < out.values.size(); ++p)
    out.values[p] = sigma2 / static_cast<Real>(lambda) * (own.values[p] - explained.values[p] + free.values[p]);
  return out;
}

// Combinations of the points: an average of three, the difference of two, and a sum with other weights.
struct Combined {
  std::vector<std::int64_t> group = {2, 0, 1, 0, 1, 2, 0};
  Vector a = {0.5, 1.0 / 3, 1, 1.0 / 3, -1, 2, 1.0 / 3};
};
constexpr std::int64_t groups = 3;

// L v, or of covariances of points, m x (m t): L V_j L'.
Matrix combined(const Combined& of, const Matrix& v, bool pairs) {
  Matrix out(groups, pairs ? groups * t : v.cols, 0.0);
  for (std::int64_t j = 0; j < v.cols; ++j)
    for (std::int64_t p = 0; p < m; ++p) {
      const auto row = static_cast<std::size_t>(p), column = static_cast<std::size_t>(j % m);
      const std::int64_t to = pairs ? groups * (j / m) + of.group[column] : j;
      out(of.group[row], to) += of.a[row] * (pairs ? of.a[column] : 1) * v(p, j);
    }
  return out;
}

void expect_combinations(const Model& model, const Points& points, freeridge_covariance_type kind,
                         const Matrix& expected_pairs, double tolerance) {
  const Combined of;
  Matrix predicted(m, t), value(groups, t), errors(groups, t), pairs(groups, groups * t), alone(groups, t);
  check(freeridge_predict_points(model.get(), points, 0, nullptr, FREERIDGE_COL_MAJOR, predicted.values.data(), m),
        "freeridge_predict_points");
  check(freeridge_predict_combinations(model.get(), points, groups, of.group.data(), of.a.data(), kind,
                                       value.values.data(), errors.values.data(), groups, pairs.values.data(), groups),
        "freeridge_predict_combinations");
  EXPECT_CLOSE(value, combined(of, predicted, false), 1e-12);
  const Matrix expected = combined(of, expected_pairs, true);
  EXPECT_CLOSE(pairs, expected, tolerance);
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t g = 0; g < groups; ++g)
      EXPECT_NEAR(errors(g, j), std::sqrt(pairs(g, groups * j + g)), 1e-12 * errors(g, j));
  check(freeridge_predict_combinations(model.get(), points, groups, of.group.data(), of.a.data(), kind,
                                       value.values.data(), alone.values.data(), groups, nullptr, 0),
        "freeridge_predict_combinations");
  EXPECT_CLOSE(alone, errors, 1e-12);
  // Without weights averages, without groups one of them.
  Matrix mean(1, t), expected_mean(1, t, 0.0);
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t p = 0; p < m; ++p) expected_mean(0, j) += predicted(p, j) / m;
  check(freeridge_predict_combinations(model.get(), points, 1, nullptr, nullptr, kind, mean.values.data(), nullptr, 1,
                                       nullptr, 0),
        "freeridge_predict_combinations");
  EXPECT_CLOSE(mean, expected_mean, 1e-12);
}

class PredictionCovariances : public ::testing::TestWithParam<Case> {};

TEST_P(PredictionCovariances, AreTheDenseFormulas) {
  const Case c = GetParam();
  const Sample s = sample_of(c);
  Model model(oracle::make_kernel(s.kernel));
  const Sparse sparse(s.x, FREERIDGE_CSR);
  check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, c.missing ? 1 : 0), "freeridge_set_parameter");
  check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, c.reduction), "freeridge_set_parameter");
  if (c.sparse)
    check(freeridge_set_points(model.get(), with(at(sparse), s.f), 0, FREERIDGE_COL_MAJOR, t, s.y.values.data(), c.n),
          "freeridge_set_points");
  else
    model.data(s.x, s.y, s.f);
  model.weights(s.weights).intercept_kind(c.intercept).route(c.route);
  if (c.route == FREERIDGE_ROUTE_ITERATIVE)
    check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, 1e-12), "freeridge_set_parameter");
  model.factorize();
  const Points points = with(at(s.points), s.f_points);
  for (const Vector& lambdas : {Vector{0.3, 0.3}, Vector{0.05, 20}}) {
    model.lambdas(lambdas);
    for (const auto kind : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
      SCOPED_TRACE(::testing::Message() << "lambda " << lambdas[0] << " " << lambdas[1] << ", kind " << kind);
      Matrix expected(m, m * t), expected_errors(m, t), found(m, m * t), errors(m, t), alone(m, t);
      for (std::int64_t j = 0; j < t; ++j) {
        const Dense of = expected_covariance(c, s, j, lambdas[static_cast<std::size_t>(j)], kind);
        for (std::int64_t p = 0; p < m; ++p) {
          for (std::int64_t q = 0; q < m; ++q) expected(p, m * j + q) = static_cast<double>(of(p, q));
          expected_errors(p, j) = static_cast<double>(std::sqrt(of(p, p)));
        }
      }
      check(freeridge_predict_covariance(model.get(), points, kind, FREERIDGE_COL_MAJOR, errors.values.data(), m,
                                         found.values.data(), m),
            "freeridge_predict_covariance");
      check(freeridge_predict_covariance(model.get(), points, kind, FREERIDGE_COL_MAJOR, alone.values.data(), m,
                                         nullptr, 0),
            "freeridge_predict_covariance");
      EXPECT_CLOSE(found, expected, c.tolerance);
      EXPECT_CLOSE(errors, expected_errors, c.tolerance);
      EXPECT_CLOSE(alone, errors, 1e-12);
      expect_combinations(model, points, kind, expected, c.tolerance);
      for (std::int64_t j = 0; j < t; ++j)
        for (std::int64_t p = 0; p < m; ++p)
          for (std::int64_t q = 0; q < p; ++q) EXPECT_EQ(found(p, m * j + q), found(q, m * j + p));
    }
  }
}

// On ITERATIVE sigma2 is an estimate.
constexpr auto free_b = FREERIDGE_INTERCEPT_FREE;
constexpr auto none = FREERIDGE_INTERCEPT_NONE;
constexpr auto penalised = FREERIDGE_INTERCEPT_PENALISED;

INSTANTIATE_TEST_SUITE_P(
    Every, PredictionCovariances,
    ::testing::Values(
        Case{"GaussianCholesky", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY},
        Case{"GaussianSpectral", Family::gaussian, FREERIDGE_ROUTE_SPECTRAL},
        Case{"GaussianBand", Family::gaussian, FREERIDGE_ROUTE_BAND},
        Case{"GaussianIterative", Family::gaussian, FREERIDGE_ROUTE_ITERATIVE, 60, 3, free_b, 0, false, false, 1e-5},
        Case{"GaussianCholeskyNoIntercept", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 24, 3, none},
        Case{"GaussianSpectralPenalised", Family::gaussian, FREERIDGE_ROUTE_SPECTRAL, 24, 3, penalised},
        Case{"GaussianSpectralUnpenalised", Family::gaussian, FREERIDGE_ROUTE_SPECTRAL, 24, 3, free_b, 2},
        Case{"GaussianCholeskyUnpenalisedNoIntercept", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 24, 3, none, 2},
        Case{"GaussianSpectralMissing", Family::gaussian, FREERIDGE_ROUTE_SPECTRAL, 24, 3, free_b, 0, false, true},
        Case{"GaussianCholeskyMissingUnpenalised", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 24, 3, free_b, 1, false,
             true},
        Case{"SumCholesky", Family::sum, FREERIDGE_ROUTE_CHOLESKY},
        Case{"AdditiveSpectral", Family::additive, FREERIDGE_ROUTE_SPECTRAL},
        Case{"LinearCholesky", Family::linear, FREERIDGE_ROUTE_CHOLESKY},
        Case{"LinearSpectral", Family::linear, FREERIDGE_ROUTE_SPECTRAL},
        Case{"LinearPrimal", Family::linear, FREERIDGE_ROUTE_PRIMAL},
        Case{"LinearPrimalGram", Family::linear, FREERIDGE_ROUTE_PRIMAL, 24, 3, free_b, 1, false, false, 1e-10,
             FREERIDGE_REDUCTION_GRAM},
        Case{"LinearPrimalPenalised", Family::linear, FREERIDGE_ROUTE_PRIMAL, 24, 3, penalised},
        Case{"LinearPrimalMissing", Family::linear, FREERIDGE_ROUTE_PRIMAL, 24, 3, free_b, 0, false, true},
        Case{"LinearWide", Family::linear, FREERIDGE_ROUTE_PRIMAL, 12, 40},
        Case{"LinearWideUnpenalised", Family::linear, FREERIDGE_ROUTE_PRIMAL, 12, 40, free_b, 2},
        Case{"LinearSparse", Family::linear, FREERIDGE_ROUTE_PRIMAL, 24, 5, free_b, 0, true},
        Case{"LinearSparseUnpenalised", Family::linear, FREERIDGE_ROUTE_PRIMAL, 24, 5, free_b, 2, true},
        Case{"LinearSparseIterative", Family::linear, FREERIDGE_ROUTE_ITERATIVE, 24, 5, free_b, 0, true, false, 1e-7},
        Case{"GaussianSparse", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 24, 5, free_b, 0, true}),
    ::testing::PrintToStringParamName());

// Landmarks have the kernel that they span. With all rows as landmarks it is the kernel at the rows themselves.
TEST(PredictionCovariancesOf, LandmarksAreThoseOfTheirKernel) {
  Random random(7301);
  const Matrix x = random.uniform_matrix(20, 2, -1, 1), y = responses(random, x, 1, 0.2);
  Labels unused;
  std::vector<std::int64_t> all(20);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  Model dense(Kernel::laplacian(1)), landmarks(Kernel::laplacian(1));
  dense.data(x, y).route(FREERIDGE_ROUTE_CHOLESKY).factorize().lambda(0.2);
  landmarks.data(x, y).route(FREERIDGE_ROUTE_LANDMARK);
  check(freeridge_set_landmarks(landmarks.get(), 20, all.data()), "freeridge_set_landmarks");
  landmarks.factorize().lambda(0.2);
  for (const auto kind : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
    Matrix expected(20, 20), found(20, 20);
    check(freeridge_predict_covariance(dense.get(), at(x), kind, 1, nullptr, 0, expected.values.data(), 20), "dense");
    check(freeridge_predict_covariance(landmarks.get(), at(x), kind, 1, nullptr, 0, found.values.data(), 20),
          "landmarks");
    EXPECT_CLOSE(found, expected, 1e-10);
  }
}

// Of a linear kernel they are x'Cov(w) x of freeridge_coefficient_covariance, also at lambda = 0, where both kinds are
// the covariances of least squares; where x does not determine them, and for other kernels, there is none at 0.
TEST(PredictionCovariancesOf, LinearKernelsFollowFromTheCoefficients) {
  Random random(7302);
  Matrix x = random.uniform_matrix(30, 3, 9, 11), points = random.uniform_matrix(4, 3, 9, 11);
  const Matrix y = responses(random, x, 2, 0.3);
  for (const double lambda : {0.0, 0.7}) {
    for (const auto kind : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
      Model model(Kernel::linear());
      model.data(x, y).weights(random.uniform_vector(30, 0.5, 2)).route(FREERIDGE_ROUTE_PRIMAL).factorize();
      model.lambdas({lambda, 2.0});
      Matrix covariance(8, 8), found(4, 8);
      check(freeridge_coefficient_covariance(model.get(), kind, covariance.values.data(), 8), "coefficients");
      check(freeridge_predict_covariance(model.get(), at(points), kind, 1, nullptr, 0, found.values.data(), 4),
            "points");
      for (std::int64_t j = 0; j < 2; ++j)
        for (std::int64_t p = 0; p < 4; ++p)
          for (std::int64_t q = 0; q < 4; ++q) {
            const auto one = [&](std::int64_t point, std::int64_t k) { return k == 0 ? 1 : points(point, k - 1); };
            Real sum = 0;
            for (std::int64_t k = 0; k < 4; ++k)
              for (std::int64_t l = 0; l < 4; ++l)
                sum += static_cast<Real>(one(p, k)) * static_cast<Real>(covariance(4 * j + k, 4 * j + l)) *
                       static_cast<Real>(one(q, l));
            EXPECT_NEAR(found(p, 4 * j + q), static_cast<double>(sum), 1e-9 * std::abs(found(p, 4 * j + p)));
          }
    }
  }
  for (std::int64_t i = 0; i < 30; ++i) x(i, 2) = x(i, 1);
  Matrix found(4, 8);
  Model deficient(Kernel::linear()), curved(Kernel::polynomial(1, 1, 1));
  deficient.data(x, y).route(FREERIDGE_ROUTE_PRIMAL).factorize().lambdas({0, 1});
  curved.data(x, y).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambdas({0, 1});
  for (const Model* model : {&deficient, &curved}) {
    EXPECT_EQ(freeridge_predict_covariance(model->get(), at(points), FREERIDGE_COVARIANCE_BAYESIAN, 1, nullptr, 0,
                                           found.values.data(), 4),
              FREERIDGE_UNDEFINED);
    for (std::int64_t p = 0; p < 16; ++p) {
      EXPECT_TRUE(std::isnan(found.values[static_cast<std::size_t>(p)]));
      EXPECT_TRUE(std::isfinite(found.values[static_cast<std::size_t>(16 + p)]));
    }
    EXPECT_EQ(freeridge_predict_covariance(model->get(), at(points), FREERIDGE_COVARIANCE_FREQUENTIST, 1, nullptr, 0,
                                           found.values.data(), 4),
              FREERIDGE_OK);
  }
}

TEST(PredictionCovariancesOf, WhatHasNoValueIsRefusedOrUndefined) {
  Random random(7303);
  const Matrix x = random.uniform_matrix(6, 2, -1, 1), points = random.uniform_matrix(3, 2, -1, 1);
  Matrix y = responses(random, x, 1, 0.2), errors(3, 1), pairs(3, 3);
  Model model(Kernel::gaussian(1));
  model.data(x, y).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambda(0.1);
  const auto ask = [&](const Model& of, freeridge_covariance_type kind) {
    return freeridge_predict_covariance(of.get(), at(points), kind, 1, errors.values.data(), 3, pairs.values.data(), 3);
  };
  EXPECT_EQ(ask(model, 7), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(ask(model, FREERIDGE_COVARIANCE_BAYESIAN), FREERIDGE_OK);
  Model interpolating(Kernel::gaussian(1));
  interpolating.data(x, y).intercept(false).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambda(0);
  EXPECT_EQ(ask(interpolating, FREERIDGE_COVARIANCE_FREQUENTIST), FREERIDGE_UNDEFINED);  // no degrees of freedom
  EXPECT_TRUE(std::isnan(errors(0, 0)) && std::isnan(pairs(2, 1)));
  for (double& value : y.values) value *= 1e180;
  Model huge(Kernel::gaussian(1));
  huge.data(x, y).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambda(0.1);
  EXPECT_EQ(ask(huge, FREERIDGE_COVARIANCE_BAYESIAN), FREERIDGE_NOT_FINITE);
}

// A given kernel does not know k(x*, x*); smoother rows take k(X, x*) alone.
TEST(PredictionCovariancesOf, GivenKernelsHaveThoseOfTheData) {
  Random random(7304);
  const Matrix x = random.uniform_matrix(15, 2, -1, 1), points = random.uniform_matrix(4, 2, -1, 1);
  const Matrix y = responses(random, x, 1, 0.2);
  const oracle::KernelSpec spec = oracle::KernelSpec::gaussian(1.1);
  const Matrix k = to_double(oracle::kernel_matrix(spec, x, x)),
               cross = to_double(oracle::kernel_matrix(spec, points, x));
  Model given(Kernel::precomputed()), own(oracle::make_kernel(spec));
  given.data(k, y).factorize().lambda(0.3);
  own.data(x, y).factorize().lambda(0.3);
  Matrix found(4, 4), expected(4, 4);
  check(freeridge_predict_covariance(given.get(), at(cross), FREERIDGE_COVARIANCE_FREQUENTIST, 1, nullptr, 0,
                                     found.values.data(), 4),
        "given");
  check(freeridge_predict_covariance(own.get(), at(points), FREERIDGE_COVARIANCE_FREQUENTIST, 1, nullptr, 0,
                                     expected.values.data(), 4),
        "own");
  EXPECT_CLOSE(found, expected, 1e-10);
  EXPECT_EQ(freeridge_predict_covariance(given.get(), at(cross), FREERIDGE_COVARIANCE_BAYESIAN, 1, nullptr, 0,
                                         found.values.data(), 4),
            FREERIDGE_INVALID_ARGUMENT);
}

// The covariances of combinations are those of the points, where these are not in the table above.
TEST(PredictionCovariancesOf, CombinationsFollowFromThePoints) {
  Random random(7305);
  const Matrix x = random.uniform_matrix(20, 3, 4, 6), points = random.uniform_matrix(m, 3, 4, 6);
  const Matrix y = responses(random, x, t, 0.2);
  Matrix with_gaps = y;
  for (const std::int64_t i : {0, 3, 4, 11}) with_gaps(i, 1) = nan;
  const oracle::KernelSpec spec = oracle::KernelSpec::gaussian(1.1);
  const Matrix k = to_double(oracle::kernel_matrix(spec, x, x)),
               cross = to_double(oracle::kernel_matrix(spec, points, x));
  constexpr auto bayesian = FREERIDGE_COVARIANCE_BAYESIAN, frequentist = FREERIDGE_COVARIANCE_FREQUENTIST;
  struct Row {
    const char* name;
    Kernel kernel;
    const Matrix &x, &y, &points;
    std::int64_t landmarks;
    double lambda;
    freeridge_covariance_type kind;
    freeridge_intercept intercept = FREERIDGE_INTERCEPT_FREE;
  };
  for (const Row& row : {
           Row{"landmarks", Kernel::gaussian(1), x, y, points, 8, 0.2, bayesian},
           Row{"landmarks, frequentist", Kernel::gaussian(1), x, y, points, 8, 0.2, frequentist},
           Row{"landmarks at lambda 0", Kernel::gaussian(1), x, y, points, 4, 0, frequentist},
           Row{"landmarks of a linear kernel", Kernel::linear(), x, y, points, 2, 0.2, bayesian},
           Row{"landmarks and gaps", Kernel::gaussian(1), x, with_gaps, points, 8, 0.2, bayesian},
           Row{"least squares", Kernel::linear(), x, y, points, 0, 0, bayesian},
           Row{"least squares and gaps", Kernel::linear(), x, with_gaps, points, 0, 0, bayesian},
           Row{"least squares, an offset", Kernel::linear(), x, y, points, 0, 0, bayesian,
               FREERIDGE_INTERCEPT_PENALISED},
           Row{"least squares without an offset", Kernel::linear(), x, y, points, 0, 0, bayesian,
               FREERIDGE_INTERCEPT_NONE},
           Row{"given", Kernel::precomputed(), k, y, cross, 0, 0.3, frequentist},
           Row{"given, with an offset", Kernel::precomputed(), k, y, cross, 0, 0.3, frequentist,
               FREERIDGE_INTERCEPT_PENALISED},
           Row{"given, landmarks", Kernel::precomputed(), k, y, cross, 6, 0.3, frequentist},
       }) {
    SCOPED_TRACE(row.name);
    Model model(row.kernel);
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
    model.data(row.x, row.y).intercept_kind(row.intercept);
    if (row.landmarks > 0) check(freeridge_set_landmarks(model.get(), row.landmarks, nullptr), "set_landmarks");
    model.factorize().lambda(row.lambda);
    Matrix pairs(m, m * t);
    check(freeridge_predict_covariance(model.get(), at(row.points), row.kind, 1, nullptr, 0, pairs.values.data(), m),
          "freeridge_predict_covariance");
    expect_combinations(model, at(row.points), row.kind, pairs, 1e-9);
  }
}

TEST(PredictionCovariancesOf, GroupsAreChecked) {
  Random random(7306);
  const Matrix x = random.uniform_matrix(9, 2, -1, 1), points = random.uniform_matrix(3, 2, -1, 1);
  Model model(Kernel::gaussian(1));
  model.data(x, responses(random, x, 1, 0.2)).factorize().lambda(0.1);
  Matrix value(3, 1), errors(3, 1);
  const auto ask = [&](std::int64_t count, std::vector<std::int64_t> group, const Vector& weights) {
    return freeridge_predict_combinations(model.get(), at(points), count, group.empty() ? nullptr : group.data(),
                                          weights.empty() ? nullptr : weights.data(), FREERIDGE_COVARIANCE_BAYESIAN,
                                          value.values.data(), errors.values.data(), 3, nullptr, 0);
  };
  EXPECT_EQ(ask(3, {2, 0, 1}, {}), FREERIDGE_OK);
  EXPECT_EQ(ask(1, {}, {1, -2, 1}), FREERIDGE_OK);
  EXPECT_EQ(ask(1, {}, {0, 0, 0}), FREERIDGE_OK);
  EXPECT_EQ(errors(0, 0), 0);
  EXPECT_EQ(ask(2, {0, 2, 1}, {}), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(ask(2, {0, -1, 1}, {}), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(ask(3, {0, 0, 2}, {}), FREERIDGE_INVALID_ARGUMENT);  // nobody is of group 1
  EXPECT_EQ(ask(2, {}, {}), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(ask(1, {}, {1, nan, 1}), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(ask(1, {}, {1e308, 1e308, 1e308}), FREERIDGE_NOT_FINITE);
}

// Values that are finite, with variances that are not: at each lambda, also at zero, whose covariances are those of the
// coefficients.
TEST(PredictionCovariancesOf, VariancesThatOverflowAreNotFinite) {
  Random random(7307);
  const Matrix x = random.uniform_matrix(9, 2, -1, 1), points = random.uniform_matrix(3, 2, -1, 1);
  const Vector factors{1e200, -1e200, 1e200};
  for (const bool linear : {true, false})
    for (const double lambda : {0.0, 0.1})
      for (const bool pairs : {true, false}) {
        if (!linear && lambda == 0) continue;
        Model model(linear ? Kernel::linear() : Kernel::gaussian(1));
        model.data(x, responses(random, x, 1, 0.2)).factorize().lambda(lambda);
        double value = 0, error = 0, variance = 0;
        EXPECT_EQ(freeridge_predict_combinations(model.get(), at(points), 1, nullptr, factors.data(),
                                                 FREERIDGE_COVARIANCE_BAYESIAN, &value, &error, 1,
                                                 pairs ? &variance : nullptr, 1),
                  FREERIDGE_NOT_FINITE)
            << linear << lambda << pairs;
        EXPECT_EQ(error, 0);
      }
}

// sigma^2 / lambda, of which sigma^2 = 0 and 1 / lambda overflows.
TEST(PredictionCovariancesOf, NoResidualsAtALambdaWithoutReciprocalAreNotFinite) {
  Random random(7308);
  const Matrix x = random.uniform_matrix(9, 2, -1, 1), points = random.uniform_matrix(3, 2, -1, 1);
  for (const bool pairs : {true, false}) {
    Model model(Kernel::linear());
    model.data(x, Matrix(9, 1, 0.0)).factorize().lambda(1e-310);
    Matrix value(3, 1), error(3, 1), variance(3, 3);
    EXPECT_EQ(freeridge_predict_combinations(model.get(), at(points), 3, std::vector<std::int64_t>{0, 1, 2}.data(),
                                             nullptr, FREERIDGE_COVARIANCE_BAYESIAN, value.values.data(),
                                             error.values.data(), 3, pairs ? variance.values.data() : nullptr, 3),
              FREERIDGE_NOT_FINITE);
    EXPECT_EQ(freeridge_predict_covariance(model.get(), at(points), FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COL_MAJOR,
                                           error.values.data(), 3, pairs ? variance.values.data() : nullptr, 3),
              FREERIDGE_NOT_FINITE);
    EXPECT_EQ(error.values, Vector(3));
  }
}

}  // namespace prediction_covariance_test
