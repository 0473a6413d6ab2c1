// Derivatives of f, their averages and averages of differences with standard errors: against differences in long double
// and fits to unit responses, on every route.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/diagnostics_oracle.hpp"
#include "support/compare.hpp"
#include "support/saved.hpp"

namespace effects_test {

using namespace diagnostics;
using oracle::Family;
using oracle::KernelSpec;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Matrix gradient(const freeridge_model* model, const Matrix& points, std::int64_t t,
                freeridge_layout layout = FREERIDGE_COL_MAJOR) {
  const Packed x = pack(points, layout, 1);
  Packed out = pack(Matrix(points.rows, points.cols * t), layout, 2);
  check(freeridge_predict_gradient(model, at(x, points.rows, points.cols), layout, out.values.data(), out.ld),
        "freeridge_predict_gradient");
  return unpack(out, points.rows, points.cols * t);
}

struct Effects {
  Matrix average, errors;
};

Effects average_gradient(const Model& model, const Matrix& points, const Vector& weights, std::int64_t t,
                         freeridge_layout layout = FREERIDGE_COL_MAJOR,
                         freeridge_covariance_type kind = FREERIDGE_COVARIANCE_FREQUENTIST) {
  const Packed x = pack(points, layout, 1);
  const std::int64_t d = points.cols;
  Effects out{Matrix(d, t), Matrix(d, t)};
  check(freeridge_average_gradient(model.get(), at(x, points.rows, points.cols),
                                   weights.empty() ? nullptr : weights.data(), kind, out.average.values.data(),
                                   out.errors.values.data(), d),
        "freeridge_average_gradient");
  return out;
}

// The points of both in one combination, those of `low` with negative weights.
Effects average_difference(const Model& model, const Matrix& high, const Matrix& low, const Vector& weights,
                           std::int64_t t, freeridge_layout layout = FREERIDGE_COL_MAJOR,
                           freeridge_covariance_type kind = FREERIDGE_COVARIANCE_FREQUENTIST) {
  const std::int64_t m = high.rows;
  Matrix both(2 * m, high.cols);
  Vector a;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (std::int64_t i = 0; i < 2 * m; ++i) {
    const std::int64_t of = i % m;
    for (std::int64_t k = 0; k < high.cols; ++k) both(i, k) = i < m ? high(of, k) : low(of, k);
    const double share = weights.empty() ? 1 / static_cast<double>(m) : weights[static_cast<std::size_t>(of)] / sum;
    a.push_back(i < m ? share : -share);
  }
  const Packed x = pack(both, layout, 1);
  Effects out{Matrix(1, t), Matrix(1, t)};
  check(freeridge_predict_combinations(model.get(), at(x, 2 * m, high.cols), 1, nullptr, a.data(), kind,
                                       out.average.values.data(), out.errors.values.data(), 1, nullptr, 0),
        "freeridge_predict_combinations");
  return out;
}

// f = values(points)'c; `values` may be those restricted to landmarks.
using CrossValues = std::function<Dense(const Matrix&)>;

// d values / d x_k at the points, n x m, by differences of the fourth order; the steps are exact.
Dense derivative(const CrossValues& values, const Matrix& points, std::int64_t k) {
  constexpr double step = 0x1p-12;
  const auto at = [&](double steps) {
    Matrix moved = points;
    for (std::int64_t i = 0; i < points.rows; ++i)
      moved(i, k) = std::ldexp(std::round(std::ldexp(moved(i, k), 40)), -40) + steps * step;
    return values(moved);
  };
  const Dense near_high = at(1), near_low = at(-1), far_high = at(2), far_low = at(-2);
  Dense out = near_high;
  for (std::size_t p = 0; p < out.values.size(); ++p)
    out.values[p] = (8 * (near_high.values[p] - near_low.values[p]) - (far_high.values[p] - far_low.values[p])) /
                    (12 * static_cast<Real>(step));
  return out;
}

struct Case {
  const char* name;
  KernelSpec kernel;
  freeridge_route route;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

constexpr std::int64_t columns = 3;
const std::vector<std::int64_t> landmarks = {6, 0, 3};

KernelSpec smooth_sum() {
  return KernelSpec::sum({KernelSpec::linear().with_columns({0.5, 1, 2}),
                          KernelSpec::product({KernelSpec::polynomial(2, 0.4, 0.5), KernelSpec::gaussian(1.4),
                                               KernelSpec::radial(Family::matern52, 2).with_columns({2, 1, 0.7})}),
                          KernelSpec::gaussian(3)},
                         {0.3, 1.7, 0})
      .with_columns({1.5, 0.8, 1});
}

class EffectsOf : public ::testing::TestWithParam<Case> {
 protected:
  // body(problem, model, values of the rows and with points). A penalised intercept: the problem of k + 1 without one.
  template <class Body>
  void for_each_problem(const Body& body) {
    const Case c = GetParam();
    Random random(6200);
    for (const bool weighted : {false, true})
      for (const auto kind : {FREERIDGE_INTERCEPT_NONE, FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED}) {
        SCOPED_TRACE(::testing::Message() << (weighted ? "weights " : "") << "intercept " << kind);
        const bool free = kind == FREERIDGE_INTERCEPT_FREE;
        Problem problem = random_problem(random, c.kernel, 14, columns, 3, weighted, free);
        Model model = oracle::make_model(problem, c.route, FREERIDGE_ROW_MAJOR, 1);
        model.intercept_kind(kind);
        if (kind == FREERIDGE_INTERCEPT_PENALISED)
          problem.kernel = KernelSpec::sum({c.kernel, KernelSpec::polynomial(1, 0, 1)}, {1, 1});
        const bool restricted = c.route == FREERIDGE_ROUTE_LANDMARK;
        if (restricted) check(freeridge_set_landmarks(model.get(), 3, landmarks.data()), "freeridge_set_landmarks");
        model.factorize();
        body(
            problem, model,
            restricted ? restricted_values(problem, problem.x, landmarks).rows : kernel_values(problem, problem.x).rows,
            [&](const Matrix& points) {
              return restricted ? restricted_values(problem, points, landmarks).cross
                                : kernel_values(problem, points).cross;
            });
      }
  }
};

const Vector lambdas = {0.3, 0.3, 20.0};

TEST_P(EffectsOf, GradientIsTheDerivativeOfPredictions) {
  for_each_problem([](const Problem& problem, Model& model, const Dense& k, const CrossValues& values) {
    Random random(6201);
    Matrix points = random.uniform_matrix(5, columns, -1.3, 1.3);
    for (double& value : points.values) value = std::ldexp(std::round(std::ldexp(value, 40)), -40);
    for (std::int64_t j = 0; j < columns; ++j) points(0, j) = std::round(points(0, j) * 4) / 4;
    model.lambdas(lambdas);
    Matrix expected(5, 3 * columns);
    for (std::int64_t j = 0; j < 3; ++j) {
      const oracle::Fit fit =
          oracle::fit_with(problem, k, to_real(problem.y), all_but(14, -1), lambdas[static_cast<std::size_t>(j)]);
      for (std::int64_t f = 0; f < columns; ++f) {
        const Dense slopes = multiply(transpose(derivative(values, points, f)), fit.c);
        for (std::int64_t q = 0; q < 5; ++q) expected(q, f + columns * j) = static_cast<double>(slopes(q, j));
      }
    }
    for (const auto layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
      EXPECT_CLOSE(gradient(model.get(), points, 3, layout), expected, 1e-9);
    const Handle predictor = support::loaded(support::saved_predictor(model.get()));
    EXPECT_TRUE(bit_equal(gradient(predictor.get(), points, 3), gradient(model.get(), points, 3)));
  });
}

// d^2 k(p_i, p_l) / (d p_ik d p_lk), by differences of the fourth order in both points. Where a Matern kernel with nu =
// 3/2 has no third derivative, at i = l, by its formula.
Dense mixed_derivative(const Problem& problem, const Matrix& points, std::int64_t k) {
  const CrossValues rows = [&](const Matrix& moved) {
    return derivative([&](const Matrix& at) { return oracle::kernel_matrix(problem.kernel, moved, at); }, points, k);
  };
  Dense out = derivative([&](const Matrix& at) { return transpose(rows(at)); }, points, k);
  const KernelSpec& kernel = problem.kernel.family == Family::sum ? problem.kernel.parts[0] : problem.kernel;
  if (kernel.family == Family::matern32)
    for (std::int64_t i = 0; i < points.rows; ++i)
      out(i, i) = 3 / static_cast<Real>(kernel.sigma) / static_cast<Real>(kernel.sigma);
  return out;
}

// shares'a shares
Real form(const Dense& a, const std::vector<Real>& shares) {
  Real out = 0;
  for (std::size_t i = 0; i < shares.size(); ++i)
    for (std::size_t l = 0; l < shares.size(); ++l)
      out += shares[i] * shares[l] * a(static_cast<std::int64_t>(i), static_cast<std::int64_t>(l));
  return out;
}

// delta_R'K_RR^-1 delta_R; delta: a functional of all rows.
Real spanned(const Problem& problem, const Dense& delta) {
  const Matrix of_landmarks = select_rows(problem.x, landmarks);
  const auto r = static_cast<std::int64_t>(landmarks.size());
  Dense own(r, 1);
  for (std::int64_t i = 0; i < r; ++i) own(i, 0) = delta(landmarks[static_cast<std::size_t>(i)], 0);
  const Dense solved = solve(oracle::kernel_matrix(problem.kernel, of_landmarks, of_landmarks), own);
  return multiply(transpose(own), solved)(0, 0);
}

// The average of an output and its variances with sigma2: unit is the average of the fit to each unit response. prior:
// the variance of the functional under f ~ N(0, k).
void expect_effect(const Effects& found, const Effects& posterior, std::int64_t row, std::int64_t j,
                   const Problem& problem, const Dense& k, const Dense& functional, Real prior, double lambda,
                   double sigma2) {
  const oracle::Fit units = oracle::fit_with(problem, k, identity(14), all_but(14, -1), lambda);
  Real average = 0, variance = 0, size = 0, explained = 0;
  for (std::int64_t i = 0; i < 14; ++i) {
    Real unit = 0;
    for (std::int64_t l = 0; l < 14; ++l) unit += functional(l, 0) * units.c(l, i);
    average += unit * static_cast<Real>(problem.y(i, j));
    size += std::abs(unit * static_cast<Real>(problem.y(i, j)));
    variance += unit * unit / static_cast<Real>(problem.weight(i));
    explained += unit * functional(i, 0);
  }
  const double error = std::sqrt(sigma2 * static_cast<double>(variance));
  EXPECT_NEAR(found.average(row, j), static_cast<double>(average), 1e-10 * static_cast<double>(size));
  EXPECT_NEAR(found.errors(row, j), error, 1e-8 * error);
  const double of_posterior = posterior.errors(row, j), tau2 = sigma2 / lambda;
  EXPECT_NEAR(of_posterior * of_posterior, tau2 * static_cast<double>(prior - explained),
              1e-8 * tau2 * static_cast<double>(prior));
  EXPECT_EQ(posterior.average(row, j), found.average(row, j));
}

TEST_P(EffectsOf, AveragesAndTheirErrorsAreThoseOfLinearFunctionsOfTheResponse) {
  for_each_problem([](const Problem& problem, Model& model, const Dense& k, const CrossValues& values) {
    Random random(6202);
    const Matrix points = random.uniform_matrix(6, columns, -1.2, 1.2);
    const Matrix others = random.uniform_matrix(6, columns, -1.2, 1.2);
    Matrix near = points;
    for (double& value : near.values) value = std::ldexp(std::round(std::ldexp(value, 40)), -40);
    model.lambdas(lambdas);
    const Vector sigma2 = model.error_variance();
    for (const Vector& weights : {Vector{}, Vector{1, 0, 3, 0.5, 2, 1}}) {
      const auto share = [&](std::int64_t q) {
        return weights.empty() ? Real{1} / 6 : static_cast<Real>(weights[static_cast<std::size_t>(q)]) / 7.5L;
      };
      const auto averaged = [&](const Dense& at_points) {
        Dense out(14, 1);
        for (std::int64_t l = 0; l < 14; ++l) {
          out(l, 0) = 0;
          for (std::int64_t q = 0; q < 6; ++q) out(l, 0) += share(q) * at_points(l, q);
        }
        return out;
      };
      const Effects slopes = average_gradient(model, near, weights, 3);
      const Effects steps = average_difference(model, points, others, weights, 3, FREERIDGE_ROW_MAJOR);
      const Effects slopes_after =
          average_gradient(model, near, weights, 3, FREERIDGE_ROW_MAJOR, FREERIDGE_COVARIANCE_BAYESIAN);
      const Effects steps_after =
          average_difference(model, points, others, weights, 3, FREERIDGE_COL_MAJOR, FREERIDGE_COVARIANCE_BAYESIAN);
      std::vector<Real> shares;
      for (std::int64_t q = 0; q < 6; ++q) shares.push_back(share(q));
      // With landmarks, delta_R'K_RR^-1 delta_R; else by the kernel.
      const auto prior_of = [&](const Dense& functional, const auto& by_kernel) {
        return GetParam().route == FREERIDGE_ROUTE_LANDMARK ? spanned(problem, functional) : by_kernel();
      };
      Dense difference = averaged(values(points));
      const Dense low = averaged(values(others));
      for (std::int64_t l = 0; l < 14; ++l) difference(l, 0) -= low(l, 0);
      for (std::int64_t j = 0; j < 3; ++j) {
        const auto s2 = sigma2[static_cast<std::size_t>(j)];
        const double lambda = lambdas[static_cast<std::size_t>(j)];
        for (std::int64_t f = 0; f < columns; ++f) {
          const Dense delta = averaged(derivative(values, near, f));
          const Real prior = prior_of(delta, [&] { return form(mixed_derivative(problem, near, f), shares); });
          expect_effect(slopes, slopes_after, f, j, problem, k, delta, prior, lambda, s2);
        }
        const auto between = [&](const Matrix& a, const Matrix& b) {
          return form(oracle::kernel_matrix(problem.kernel, a, b), shares);
        };
        const Real prior = prior_of(difference, [&] {
          return between(points, points) - 2 * between(points, others) + between(others, others);
        });
        expect_effect(steps, steps_after, 0, j, problem, k, difference, prior, lambda, s2);
      }
      EXPECT_CLOSE(average_gradient(model, near, weights, 3, FREERIDGE_ROW_MAJOR).errors, slopes.errors, 1e-14);
      Effects alone{Matrix(columns, 3), {}};
      check(freeridge_average_gradient(model.get(), at(near), weights.empty() ? nullptr : weights.data(),
                                       FREERIDGE_COVARIANCE_BAYESIAN, alone.average.values.data(), nullptr, columns),
            "freeridge_average_gradient");
      EXPECT_TRUE(bit_equal(alone.average, slopes.average));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Every, EffectsOf,
    ::testing::Values(
        Case{"LinearPrimal", KernelSpec::linear().with_columns({2, 1, 0.5}), FREERIDGE_ROUTE_PRIMAL},
        Case{"LinearSpectral", KernelSpec::linear(), FREERIDGE_ROUTE_SPECTRAL},
        Case{"LinearLandmark", KernelSpec::linear(), FREERIDGE_ROUTE_LANDMARK},
        Case{"PolynomialSpectral", KernelSpec::polynomial(3, 0.5, 0.7), FREERIDGE_ROUTE_SPECTRAL},
        Case{"PolynomialOfDegreeOneBand", KernelSpec::polynomial(1, 2, 0.1), FREERIDGE_ROUTE_BAND},
        Case{"GaussianSpectral", KernelSpec::gaussian(1.5), FREERIDGE_ROUTE_SPECTRAL},
        Case{"GaussianBand", KernelSpec::gaussian(1.5), FREERIDGE_ROUTE_BAND},
        Case{"GaussianCholesky", KernelSpec::gaussian(1.5), FREERIDGE_ROUTE_CHOLESKY},
        Case{"GaussianLandmark", KernelSpec::gaussian(1.5), FREERIDGE_ROUTE_LANDMARK},
        Case{"ProductBand",
             KernelSpec::product({KernelSpec::radial(Family::matern52, 2), KernelSpec::gaussian(2),
                                  KernelSpec::linear()})
                 .with_columns({1, 2, 1}),
             FREERIDGE_ROUTE_BAND},
        Case{"AdditiveSpectral",
             KernelSpec::sum({KernelSpec::additive(KernelSpec::gaussian(1.5), {0, 1, 0}),
                              KernelSpec::product({KernelSpec::additive(KernelSpec::radial(Family::matern52, 2)),
                                                   KernelSpec::additive(KernelSpec::gaussian(2), {-1, 0, 1})})},
                             {1, 0.5})
                 .with_columns({1, 2, 0.7}),
             FREERIDGE_ROUTE_SPECTRAL},
        Case{"MultiplicativeBand",
             KernelSpec::multiplicative(KernelSpec::sum({KernelSpec::constant(), KernelSpec::gaussian(1.5)}, {1, 0.5}),
                                        {0, 1, 0})
                 .with_columns({1, 2, 0.7}),
             FREERIDGE_ROUTE_BAND},
        Case{"PeriodicSpectral",
             KernelSpec::sum({KernelSpec::periodic(1.7, KernelSpec::gaussian(1.5)),
                              KernelSpec::multiplicative(KernelSpec::periodic(3, KernelSpec::gaussian(2)), {-1, 0, 1})},
                             {1, 0.5})
                 .with_columns({1, 2, 0.7}),
             FREERIDGE_ROUTE_SPECTRAL},
        Case{"Matern32Cholesky", KernelSpec::radial(Family::matern32, 2), FREERIDGE_ROUTE_CHOLESKY},
        Case{"Matern52Landmark", KernelSpec::radial(Family::matern52, 2), FREERIDGE_ROUTE_LANDMARK},
        Case{"SumSpectral", smooth_sum(), FREERIDGE_ROUTE_SPECTRAL},
        Case{"SumLandmark", smooth_sum(), FREERIDGE_ROUTE_LANDMARK}),
    ::testing::PrintToStringParamName());

TEST(Effects, PointsOfTheDataFarFromZeroAndManyTiles) {
  Random random(6203);
  Problem problem = random_problem(random, KernelSpec::gaussian(1.5), 700, 2, 1, false, true);
  for (double& value : problem.x.values) value = std::round(value * 0x1p20) / 0x1p20;
  Model model = oracle::make_model(problem);
  const Matrix all = gradient(model.factorize().lambda(1).get(), problem.x, 1);
  for (const std::int64_t q : {0, 300, 699})
    EXPECT_CLOSE(gradient(model.get(), select_rows(problem.x, {q}), 1), select_rows(all, {q}), 1e-11);
  const Effects effects = average_gradient(model, problem.x, {}, 1);
  for (std::int64_t k = 0; k < 2; ++k) {
    double sum = 0;
    for (std::int64_t i = 0; i < 700; ++i) sum += all(i, k) / 700;
    EXPECT_NEAR(effects.average(k, 0), sum, 1e-11);
  }
  Problem moved = problem;
  for (double& value : moved.x.values) value += 0x1p20;
  Model far = oracle::make_model(moved);
  EXPECT_CLOSE(gradient(far.factorize().lambda(1).get(), moved.x, 1), all, 1e-11);
}

// f(x) in other units: the derivative is an ordinary number where its bandwidth's square is none.
TEST(Effects, UnitsOfAnyMagnitude) {
  Random random(6206);
  const Problem problem = random_problem(random, KernelSpec::linear(), 20, 2, 1, true, true);
  const Matrix points = random.uniform_matrix(5, 2, -1, 1);
  for (const char* text : {"gaussian(sigma = %.17g)", "matern(nu = 1.5, length = %.17g)",
                           "matern(nu = 2.5, length = %.17g)", "scaled([%.17g, %.17g], gaussian(sigma = 1))",
                           "additive(gaussian(sigma = %.17g))", "periodic(period = %.17g, gaussian(sigma = 1))"})
    for (const bool chosen : {false, true}) {
      Matrix usual, average;
      for (const int exponent : {0, -450, 450, -540, 540, -900, 900}) {
        SCOPED_TRACE(::testing::Message() << text << ", 2^" << exponent << (chosen ? ", landmarks" : ""));
        const double unit = std::ldexp(1.0, exponent);
        char kernel[100];
        std::snprintf(kernel, sizeof kernel, text, unit, unit);
        Model model(Kernel::parse(kernel));
        model.data(scaled(problem.x, unit), problem.y).weights(problem.weights);
        if (chosen) check(freeridge_set_landmarks(model.get(), 6, nullptr), "freeridge_set_landmarks");
        model.factorize().lambda(0.3);
        const Matrix found = scaled(gradient(model.get(), scaled(points, unit), 1), unit);
        Matrix mean(2, 1);
        check(freeridge_average_gradient(model.get(), at(scaled(points, unit)), nullptr, FREERIDGE_COVARIANCE_BAYESIAN,
                                         mean.values.data(), nullptr, 2),
              "freeridge_average_gradient");
        mean = scaled(mean, unit);
        if (exponent == 0) {
          usual = found;
          average = mean;
        }
        EXPECT_CLOSE(found, usual, 1e-12);
        EXPECT_CLOSE(mean, average, 1e-12);
      }
    }
}

TEST(Effects, WhatHasNoDerivativeIsRefused) {
  Random random(6204);
  const Matrix points = random.uniform_matrix(3, 4, -1, 1);
  Matrix out(3, 4), average(4, 1), errors(4, 1);
  for (const KernelSpec& kernel :
       {KernelSpec::radial(Family::laplacian, 1), kernel_of(Family::sum, 4),
        KernelSpec::product({KernelSpec::gaussian(1), KernelSpec::radial(Family::laplacian, 1)})}) {
    const Problem problem = random_problem(random, kernel, 10, 4, 1, false, true);
    Model model = oracle::make_model(problem);
    model.factorize().lambda(1);
    EXPECT_EQ(freeridge_predict_gradient(model.get(), at(points), FREERIDGE_COL_MAJOR, out.values.data(), 3),
              FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(freeridge_average_gradient(model.get(), at(points), nullptr, FREERIDGE_COVARIANCE_BAYESIAN,
                                         average.values.data(), errors.values.data(), 4),
              FREERIDGE_INVALID_ARGUMENT);
    average_difference(model, points, scaled(points, 2.0), {}, 1);  // a difference needs no derivative
  }
  const Matrix square = to_double(oracle::kernel_matrix(KernelSpec::gaussian(1), points, points));
  Model given(Kernel::precomputed());
  given.data(square, Matrix(3, 1, 1.0)).factorize().lambda(1);
  Matrix wide(3, 3);
  EXPECT_EQ(freeridge_predict_gradient(given.get(), at(square), FREERIDGE_COL_MAJOR, wide.values.data(), 3),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_predict_combinations(given.get(), at(square), 1, nullptr, nullptr, FREERIDGE_COVARIANCE_BAYESIAN,
                                           average.values.data(), errors.values.data(), 1, nullptr, 0),
            FREERIDGE_INVALID_ARGUMENT);
}

TEST(Effects, HostileNumbers) {
  Random random(6205);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.2), 10, 3, 1, false, true);
  Model model = oracle::make_model(problem);
  model.factorize().lambda(1);
  const Matrix points = random.uniform_matrix(2, 3, -1, 1);
  Matrix average(3, 1);
  const auto with = [&](const Vector& weights) {
    return freeridge_average_gradient(model.get(), at(points), weights.data(), FREERIDGE_COVARIANCE_BAYESIAN,
                                      average.values.data(), nullptr, 3);
  };
  EXPECT_EQ(with({-1, 2}), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(with({0, 0}), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(with({nan, 1}), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(with({1e308, 1e308}), FREERIDGE_OK);
  const Matrix huge = average;
  EXPECT_EQ(with({1e-308, 1e-308}), FREERIDGE_OK);
  EXPECT_CLOSE(huge, average, 1e-14);
  // very far points: the kernel and its derivative are 0 there
  const Matrix far = gradient(model.get(), Matrix(2, 3, 1e6), 1);
  for (const double value : far.values) EXPECT_EQ(value, 0);
  // units of 1e100
  Problem large = problem;
  large.x = scaled(problem.x, 1e100);
  large.kernel.sigma *= 1e100;
  Model other = oracle::make_model(large);
  EXPECT_CLOSE(scaled(gradient(other.factorize().lambda(1).get(), scaled(points, 1e100), 1), 1e100),
               gradient(model.get(), points, 1), 1e-10);
}

TEST(Effects, WithoutDegreesOfFreedomOrLambdaErrorsAreUndefined) {
  Random random(6206);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.2), 6, 2, 1, false, false);
  for (const bool restricted : {false, true}) {
    Model model = oracle::make_model(problem, restricted ? FREERIDGE_ROUTE_LANDMARK : FREERIDGE_ROUTE_SPECTRAL);
    const std::int64_t two[] = {1, 4};
    if (restricted) check(freeridge_set_landmarks(model.get(), 2, two), "freeridge_set_landmarks");
    model.factorize().lambda(0);
    Matrix average(2, 1, 7.0), errors(2, 1, 7.0);
    const auto ask = [&](freeridge_covariance_type kind) {
      return freeridge_average_gradient(model.get(), at(problem.x), nullptr, kind, average.values.data(),
                                        errors.values.data(), 2);
    };
    // Two landmarks leave degrees of freedom, and the averages are linear in y also at lambda = 0.
    EXPECT_EQ(ask(FREERIDGE_COVARIANCE_FREQUENTIST), restricted ? FREERIDGE_OK : FREERIDGE_UNDEFINED);
    if (restricted) {
      Problem units = problem;
      units.y = Matrix(6, 6, 0.0);
      for (std::int64_t i = 0; i < 6; ++i) units.y(i, i) = 1;
      Model of_units = oracle::make_model(units, FREERIDGE_ROUTE_LANDMARK);
      check(freeridge_set_landmarks(of_units.get(), 2, two), "freeridge_set_landmarks");
      of_units.factorize().lambda(0);
      Matrix each(2, 6);
      check(freeridge_average_gradient(of_units.get(), at(problem.x), nullptr, FREERIDGE_COVARIANCE_FREQUENTIST,
                                       each.values.data(), nullptr, 2),
            "freeridge_average_gradient");
      const double sigma2 = model.error_variance()[0];
      for (std::int64_t k = 0; k < 2; ++k) {
        double sum = 0;
        for (std::int64_t i = 0; i < 6; ++i) sum += each(k, i) * each(k, i);
        EXPECT_NEAR(errors(k, 0), std::sqrt(sigma2 * sum), 1e-9 * errors(k, 0));
      }
    }
    EXPECT_EQ(ask(FREERIDGE_COVARIANCE_BAYESIAN), FREERIDGE_UNDEFINED);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_TRUE(std::isnan(errors.values[k]));
      EXPECT_TRUE(std::isfinite(average.values[k]));
    }
  }
}

}  // namespace effects_test
