// Covariances and standard errors of the coefficients of linear kernels: against the textbooks' formulas with explicit
// matrices in long double, on every route.
#include <gtest/gtest.h>

#include <cmath>

#include "core/diagnostics_oracle.hpp"
#include "support/compare.hpp"

namespace covariance_test {

using namespace diagnostics;
using oracle::Family;
using oracle::KernelSpec;

// J bread J' and J bread F'WF bread J' times sigma2, F the columns of the problem: [1, X], or with landmarks [1, K_TR].
struct Design {
  Dense f, penalty, to_slopes;  // n x q, q x q, p x q
};

Design design_of(const Problem& problem, const std::vector<std::int64_t>& landmarks) {
  const std::int64_t n = problem.x.rows, d = problem.x.cols, first = problem.intercept ? 1 : 0;
  const std::int64_t q = landmarks.empty() ? d : static_cast<std::int64_t>(landmarks.size());
  Design out{Dense(n, q + first), Dense(q + first, q + first), Dense(d + first, q + first)};
  const auto metric = [&](std::int64_t k) {
    if (problem.kernel.columns.empty()) return Real{1};
    const Real s = problem.kernel.columns[static_cast<std::size_t>(k)];
    return 1 / (s * s);
  };
  const Matrix r = landmarks.empty() ? problem.x : select_rows(problem.x, landmarks);
  const Dense k_r = oracle::kernel_matrix(problem.kernel, r, r),
              k_t = oracle::kernel_matrix(problem.kernel, problem.x, r);
  if (first == 1) {
    for (std::int64_t i = 0; i < n; ++i) out.f(i, 0) = 1;
    out.to_slopes(0, 0) = 1;
  }
  for (std::int64_t k = 0; k < q; ++k) {
    for (std::int64_t i = 0; i < n; ++i)
      out.f(i, k + first) = landmarks.empty() ? static_cast<Real>(problem.x(i, k)) : k_t(i, k);
    if (landmarks.empty()) {
      out.penalty(k + first, k + first) = 1 / metric(k);
      out.to_slopes(k + first, k + first) = 1;
      continue;
    }
    for (std::int64_t l = 0; l < q; ++l) out.penalty(k + first, l + first) = k_r(k, l);
    for (std::int64_t f = 0; f < d; ++f) out.to_slopes(f + first, k + first) = metric(f) * static_cast<Real>(r(k, f));
  }
  return out;
}

// A penalised intercept: the last slope of (X, 1), in front of the others.
Design penalised_design_of(const Problem& problem, const std::vector<std::int64_t>& landmarks) {
  const std::int64_t n = problem.x.rows, d = problem.x.cols;
  Problem wide = problem;
  wide.x = Matrix(n, d + 1, 1.0);
  std::ranges::copy(problem.x.values, wide.x.values.begin());
  if (!wide.kernel.columns.empty()) wide.kernel.columns.push_back(1);
  wide.intercept = false;
  Design out = design_of(wide, landmarks);
  const Dense slopes = out.to_slopes;
  for (std::int64_t k = 0; k <= d; ++k)
    for (std::int64_t q = 0; q < slopes.cols; ++q) out.to_slopes(k, q) = slopes(k == 0 ? d : k - 1, q);
  return out;
}

Matrix expected_covariance(const Problem& problem, const Design& design, double lambda, bool bayesian) {
  const std::int64_t n = problem.x.rows, q = design.f.cols;
  Dense weighted = design.f;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < q; ++k) weighted(i, k) *= static_cast<Real>(problem.weight(i));
  const Dense gram = multiply(transpose(design.f), weighted);
  Dense normal = gram;
  for (std::size_t p = 0; p < normal.values.size(); ++p)
    normal.values[p] += static_cast<Real>(lambda) * design.penalty.values[p];
  const Dense bread = solve(normal, identity(q));
  const Dense hat = multiply(design.f, multiply(bread, transpose(weighted)));
  Real df = 0, rss = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    df += hat(i, i);
    Real r = problem.y(i, 0);
    for (std::int64_t l = 0; l < n; ++l) r -= hat(i, l) * static_cast<Real>(problem.y(l, 0));
    rss += static_cast<Real>(problem.weight(i)) * r * r;
  }
  const Dense middle = bayesian ? bread : multiply(bread, multiply(gram, bread));
  Dense out = multiply(design.to_slopes, multiply(middle, transpose(design.to_slopes)));
  for (Real& value : out.values) value *= rss / (static_cast<Real>(n) - df);
  return to_double(out);
}

Matrix covariance(const Model& model, freeridge_covariance_type type, std::int64_t side,
                  freeridge_status* status = nullptr) {
  return padded_output(side, side, "freeridge_coefficient_covariance", status, [&](double* out, std::int64_t ld) {
    return freeridge_coefficient_covariance(model.get(), type, out, ld);
  });
}

// Each entry beside the errors of its row and column.
void expect_covariance(const Matrix& found, const Matrix& expected, double allowed) {
  ASSERT_EQ(found.rows, expected.rows);
  for (std::int64_t j = 0; j < expected.cols; ++j)
    for (std::int64_t i = 0; i < expected.rows; ++i) {
      EXPECT_NEAR(found(i, j), expected(i, j), allowed * std::sqrt(expected(i, i) * expected(j, j))) << i << " " << j;
      EXPECT_EQ(found(i, j), found(j, i));
    }
}

struct Shape {
  std::int64_t n, d;
  freeridge_route route;
  std::vector<std::int64_t> landmarks;
};

TEST(Covariance, IsTheTextbooksFormulaOnEveryRoute) {
  const Shape shapes[] = {{20, 3, FREERIDGE_ROUTE_PRIMAL, {}},
                          {20, 3, FREERIDGE_ROUTE_SPECTRAL, {}},
                          {20, 3, FREERIDGE_ROUTE_BAND, {}},
                          {20, 3, FREERIDGE_ROUTE_CHOLESKY, {}},
                          {600, 4, FREERIDGE_ROUTE_PRIMAL, {}},
                          {9, 9, FREERIDGE_ROUTE_PRIMAL, {}},
                          {8, 15, FREERIDGE_ROUTE_PRIMAL, {}},
                          {8, 15, FREERIDGE_ROUTE_SPECTRAL, {}},
                          {20, 6, FREERIDGE_ROUTE_LANDMARK, {3, 9}},
                          {6, 9, FREERIDGE_ROUTE_LANDMARK, {0, 2, 5, 1}},
                          {6, 9, FREERIDGE_ROUTE_LANDMARK, {0, 2, 5, 1, 4, 3}}};
  Random random(6210);
  for (const Shape& shape : shapes)
    for (int design = 0; design < 12; ++design) {
      const bool weighted = design % 2 != 0, scaled_kernel = design >= 6;
      const freeridge_intercept kind = design / 2 % 3;
      const bool intercept = kind != FREERIDGE_INTERCEPT_NONE, penalised = kind == FREERIDGE_INTERCEPT_PENALISED;
      SCOPED_TRACE(::testing::Message() << shape.n << " x " << shape.d << " " << shape.route << ", " << design);
      if (shape.n > 100 && design != 3 && design != 5) continue;
      const Problem problem = random_problem(random, kernel_of(Family::linear, shape.d, scaled_kernel), shape.n,
                                             shape.d, 1, weighted, intercept);
      Model model = oracle::make_model(problem, shape.route);
      model.intercept_kind(kind);
      if (!shape.landmarks.empty())
        check(freeridge_set_landmarks(model.get(), std::ssize(shape.landmarks), shape.landmarks.data()),
              "freeridge_set_landmarks");
      model.factorize();
      const Design of = penalised ? penalised_design_of(problem, shape.landmarks) : design_of(problem, shape.landmarks);
      for (const double lambda : {0.4, 30.0})
        for (const bool bayesian : {true, false}) {
          const auto type = bayesian ? FREERIDGE_COVARIANCE_BAYESIAN : FREERIDGE_COVARIANCE_FREQUENTIST;
          const std::int64_t side = shape.d + (intercept ? 1 : 0);
          model.lambda(lambda);
          const Matrix found = covariance(model, type, side);
          expect_covariance(found, expected_covariance(problem, of, lambda, bayesian), 1e-9);
          Matrix errors(shape.d, 1), b(1, 1);
          check(freeridge_coefficient_errors(model.get(), type, errors.values.data(), shape.d, b.values.data()),
                "freeridge_coefficient_errors");
          for (std::int64_t k = 0; k < shape.d; ++k) {
            const std::int64_t at = k + side - shape.d;
            EXPECT_NEAR(errors(k, 0), std::sqrt(found(at, at)), 1e-9 * errors(k, 0));
          }
          EXPECT_NEAR(b(0, 0), intercept ? std::sqrt(found(0, 0)) : 0, 1e-10 * b(0, 0));
        }
    }
}

TEST(Covariance, OutputsWithLambdasOfTheirOwn) {
  Random random(6211);
  const Problem problem = random_problem(random, KernelSpec::linear(), 20, 3, 2, true, true);
  Model model = oracle::make_model(problem);
  model.factorize().lambdas({0.5, 4});
  for (const auto type : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
    const Matrix both = covariance(model, type, 8);
    for (std::int64_t j = 0; j < 2; ++j) {
      Problem one = problem;
      one.y = Matrix(20, 1);
      for (std::int64_t i = 0; i < 20; ++i) one.y(i, 0) = problem.y(i, j);
      Model alone = oracle::make_model(one);
      alone.factorize().lambda(j == 0 ? 0.5 : 4);
      const Matrix own = covariance(alone, type, 4);
      for (std::int64_t k = 0; k < 4; ++k)
        for (std::int64_t i = 0; i < 4; ++i)
          EXPECT_NEAR(both(4 * j + i, 4 * j + k), own(i, k), 1e-12 * std::sqrt(own(i, i) * own(k, k)));
    }
    for (std::int64_t i = 0; i < 8; ++i)
      for (std::int64_t k = 0; k < 8; ++k) {
        EXPECT_EQ(both(i, k), both(k, i));
        EXPECT_LE(std::abs(both(i, k)), std::sqrt(both(i, i) * both(k, k)) * (1 + 1e-12));
      }
  }
}

TEST(Covariance, AtLambdaZeroAndWhereItIsUndefined) {
  Random random(6212);
  Problem problem = random_problem(random, KernelSpec::linear(), 20, 3, 1, false, true);
  for (std::int64_t i = 0; i < 20; ++i) problem.x(i, 1) *= 1e8;  // one column in other units
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  model.factorize().lambda(0);
  const Design of = design_of(problem, {});
  for (const auto type : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST})
    expect_covariance(covariance(model, type, 4), expected_covariance(problem, of, 0, true), 1e-9);
  for (std::int64_t i = 0; i < 20; ++i) problem.x(i, 2) = problem.x(i, 0);  // dependent
  Model flat = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  freeridge_status status = FREERIDGE_OK;
  const Matrix none = covariance(flat.factorize().lambda(0), FREERIDGE_COVARIANCE_BAYESIAN, 4, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_NE(std::string(freeridge_last_error()).find("the 3 columns of x, of rank 2"), std::string::npos);
  for (const double value : none.values) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isfinite(covariance(flat.lambda(1), FREERIDGE_COVARIANCE_BAYESIAN, 4)(1, 1)));
  Model line(Kernel::linear());  // two points, two coefficients
  line.data(to_column({1, 2}), to_column({1, 3})).route(FREERIDGE_ROUTE_PRIMAL).factorize().lambda(0);
  covariance(line, FREERIDGE_COVARIANCE_FREQUENTIST, 2, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  Model constant(Kernel::linear());  // a column of one number has no slope
  constant.data(Matrix(5, 1, 3.0), random.uniform_matrix(5, 1, -1, 1)).factorize().lambda(2);
  const Matrix found = covariance(constant, FREERIDGE_COVARIANCE_FREQUENTIST, 2);
  EXPECT_EQ(found(1, 1), 0);
  EXPECT_GT(found(0, 0), 0);
  Model single(Kernel::linear());
  single.data(Matrix(1, 2, 3.0), Matrix(1, 1, 1.0)).factorize().lambda(2);
  covariance(single, FREERIDGE_COVARIANCE_BAYESIAN, 3, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
}

TEST(Covariance, OtherKernelsAndHugeNumbersAreRefused) {
  Random random(6213);
  Problem problem = random_problem(random, KernelSpec::gaussian(1), 10, 2, 1, false, true);
  Model model = oracle::make_model(problem);
  model.factorize().lambda(1);
  Matrix out(3, 3, 7.0);
  EXPECT_EQ(freeridge_coefficient_covariance(model.get(), FREERIDGE_COVARIANCE_BAYESIAN, out.values.data(), 3),
            FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_coefficient_errors(model.get(), FREERIDGE_COVARIANCE_BAYESIAN, out.values.data(), 3, nullptr),
            FREERIDGE_INVALID_STATE);
  problem.kernel = KernelSpec::linear();
  problem.y = scaled(problem.y, 1e200);
  Model huge = oracle::make_model(problem);
  huge.factorize().lambda(1);
  EXPECT_EQ(freeridge_coefficient_covariance(huge.get(), FREERIDGE_COVARIANCE_BAYESIAN, out.values.data(), 3),
            FREERIDGE_NOT_FINITE);
  for (const double value : out.values) EXPECT_EQ(value, 7.0);

  // At lambda = 0 the columns are divided by their norms, of which these have no reciprocal: wide and tall.
  for (const std::int64_t n : {2, 6}) {
    Matrix x(n, 3), y(n, 1, 1.0);
    x(0, 0) = 1, x(1, 1) = 2, x(0, 2) = 4e-320, y(1, 0) = 2;
    Model tiny(Kernel::linear());
    tiny.data(x, y).intercept(false).factorize().lambda(0);
    EXPECT_EQ(freeridge_coefficient_covariance(tiny.get(), FREERIDGE_COVARIANCE_FREQUENTIST, out.values.data(), 3),
              FREERIDGE_NOT_FINITE)
        << freeridge_last_error();
  }
}

}  // namespace covariance_test
