// Outputs with missing values: each has the answers of a model of the rows in which it is observed, on every route, at one
// lambda for all and at one for each; what is not made of them is refused with a sentence.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/damaged_bytes.hpp"
#include "support/landmarks.hpp"
#include "support/oracle.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"
#include "support/sparse.hpp"
#include "support/unpenalised.hpp"

namespace missing_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double tolerance = 1e-10;
constexpr std::int64_t t = 5;

struct Way {
  const char* name;
  freeridge_route route;
  Family family;
  std::int64_t n, d;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
  bool landmarks = false, sparse = false;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << way.name;
}

const Way ways[] = {
    {"Cholesky", FREERIDGE_ROUTE_CHOLESKY, Family::gaussian, 26, 3},
    {"CholeskyLinear", FREERIDGE_ROUTE_CHOLESKY, Family::linear, 26, 4},
    {"Spectral", FREERIDGE_ROUTE_SPECTRAL, Family::gaussian, 26, 3},
    {"SpectralLinear", FREERIDGE_ROUTE_SPECTRAL, Family::linear, 26, 4},
    {"Band", FREERIDGE_ROUTE_BAND, Family::matern52, 40, 3},
    {"Primal", FREERIDGE_ROUTE_PRIMAL, Family::linear, 26, 5},
    {"PrimalGram", FREERIDGE_ROUTE_PRIMAL, Family::linear, 26, 5, FREERIDGE_REDUCTION_GRAM},
    {"PrimalWide", FREERIDGE_ROUTE_PRIMAL, Family::linear, 20, 30},
    {"PrimalSparse", FREERIDGE_ROUTE_PRIMAL, Family::linear, 60, 20, FREERIDGE_REDUCTION_AUTO, false, true},
    {"PrimalSparseSquare", FREERIDGE_ROUTE_PRIMAL, Family::linear, 23, 20, FREERIDGE_REDUCTION_AUTO, false, true},
    {"PrimalSparseWide", FREERIDGE_ROUTE_PRIMAL, Family::linear, 20, 30, FREERIDGE_REDUCTION_AUTO, false, true},
    {"Landmark", FREERIDGE_ROUTE_LANDMARK, Family::gaussian, 30, 3, FREERIDGE_REDUCTION_QR, true},
    {"LandmarkGram", FREERIDGE_ROUTE_LANDMARK, Family::gaussian, 30, 3, FREERIDGE_REDUCTION_GRAM, true},
};

const std::vector<std::int64_t> landmarks = {0, 4, 8, 12, 16, 19};

// The first output is whole, the third and the fourth miss the same rows, no landmark among them.
bool missing(std::int64_t row, std::int64_t output) {
  const bool landmark = row % 4 == 0 || row == 19;
  if (landmark || output == 0) return false;
  return output == 1 ? row % 3 == 0 : output == 4 ? row % 5 != 1 : row % 2 == 1;
}

class Missing : public ::testing::TestWithParam<Way> {
 protected:
  // effects: how many columns F has.
  void make(bool weighted, bool intercept, std::int64_t effects) {
    const Way& way = GetParam();
    Random random(1213);
    problem = random_problem(random, kernel_of(way.family, way.d), way.n, way.d, t, weighted, intercept);
    points = random.uniform_matrix(5, way.d, -1, 1);
    f = random.uniform_matrix(way.n, effects, 1, 3);
    f_points = random.uniform_matrix(5, effects, 1, 3);
    for (std::int64_t k = 0; k < way.d && way.sparse; ++k)
      for (std::int64_t i = 0; i < way.n; ++i)
        if ((i * 7 + k * 5) % 3 != 0) problem.x(i, k) = 0;
    Matrix y = problem.y;
    for (std::int64_t j = 0; j < t; ++j)
      for (std::int64_t i = 0; i < way.n; ++i)
        if (missing(i, j)) y(i, j) = nan;
    model = with_data(problem.x, y, problem.weights, landmarks, f);
  }
  Model with_data(const Matrix& x, const Matrix& y, const Vector& weights, const std::vector<std::int64_t>& own,
                  const Matrix& fixed) const {
    const Way& way = GetParam();
    Model out(oracle::make_kernel(problem.kernel));
    check(freeridge_set_parameter(out.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
    out.data(x, y);
    if (way.sparse) check(set_sparse(out.get(), Sparse(x, FREERIDGE_CSR), y, false), "set_sparse");
    out.weights(weights).intercept(problem.intercept).route(way.route);
    if (fixed.cols > 0) set_unpenalised(out, fixed);
    check(freeridge_set_parameter(out.get(), FREERIDGE_REDUCTION, way.reduction), "freeridge_set_parameter");
    if (way.landmarks) set_landmarks(out, own);
    return std::move(out.factorize());
  }
  // The model of the rows in which one output is observed, and these rows.
  Model refitted(std::int64_t output, std::vector<std::int64_t>& rows) const {
    rows.clear();
    std::vector<std::int64_t> own;
    for (std::int64_t i = 0; i < problem.x.rows; ++i) {
      if (missing(i, output)) continue;
      for (const std::int64_t landmark : landmarks)
        if (landmark == i) own.push_back(static_cast<std::int64_t>(rows.size()));
      rows.push_back(i);
    }
    Vector weights;
    for (const std::int64_t i : rows)
      if (!problem.weights.empty()) weights.push_back(problem.weight(i));
    return with_data(select_rows(problem.x, rows), column(select_rows(problem.y, rows), output), weights, own,
                     select_rows(f, rows));
  }
  static Labels selected(const Labels& labels, const std::vector<std::int64_t>& rows) {
    Labels out;
    for (const std::int64_t i : rows) out.push_back(labels[static_cast<std::size_t>(i)]);
    return out;
  }
  static Matrix only(const Matrix& all, const std::vector<std::int64_t>& rows, std::int64_t output) {
    return column(select_rows(all, rows), output);
  }

  // What a model says of new points; the ends of intervals without rows, and below these without its groups.
  struct New {
    Matrix f, variance, lower, upper;
    Vector noise;
  };
  New of_points(const Model& of, std::int64_t outputs) const {
    const std::int64_t m = points.rows;
    New out{Matrix(m, outputs), Matrix(m, outputs), Matrix(2 * m, outputs), Matrix(2 * m, outputs),
            Vector(static_cast<std::size_t>(outputs))};
    constexpr freeridge_layout layout = FREERIDGE_COL_MAJOR;
    const Points here = with(at(points), f_points);
    check(freeridge_predict_points(of.get(), here, 0, nullptr, layout, out.f.values.data(), m),
          "freeridge_predict_points");
    check(freeridge_predict_variance(of.get(), here, layout, out.variance.values.data(), m, out.noise.data()),
          "freeridge_predict_variance");
    for (const std::int64_t folds : {without_rows, without_groups}) {
      const std::int64_t first = folds == without_rows ? 0 : m;
      check(freeridge_predict_jackknife(of.get(), here, 0.8, folds, 0, layout, out.lower.values.data() + first,
                                        out.upper.values.data() + first, 2 * m),
            "freeridge_predict_jackknife");
    }
    return out;
  }
  // More answers, those of each output in a row: effects with their covariances, variance components, the objective and its
  // parts, averages of derivatives and differences with errors, coefficients of linear kernels with theirs.
  Matrix numbers(const Model& of, std::int64_t outputs) const {
    std::vector<Vector> rows(static_cast<std::size_t>(outputs));
    const auto take = [&](const Matrix& table) {  // of several columns for an output all
      const std::int64_t wide = table.cols / outputs;
      for (std::int64_t k = 0; k < table.cols; ++k)
        for (std::int64_t i = 0; i < table.rows; ++i)
          rows[static_cast<std::size_t>(k / wide)].push_back(std::isnan(table(i, k)) ? -1 : table(i, k));
    };
    const std::int64_t q = f.cols, d = problem.x.cols, m = points.rows;
    const auto defined = [](freeridge_status status) {
      EXPECT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_UNDEFINED) << freeridge_last_error();
    };
    Matrix effects(q, outputs), errors(q, outputs), covariance(q, q * outputs);
    if (q > 0) {
      defined(freeridge_get_unpenalised(of.get(), nullptr, nullptr, effects.values.data(), errors.values.data(), q));
      defined(freeridge_get_unpenalised_covariance(of.get(), covariance.values.data(), q));
      for (const Matrix& each : {effects, errors, covariance}) take(each);
    }
    std::vector<Matrix> parts(3, Matrix(1, outputs));
    parts.emplace_back(2, outputs);
    defined(freeridge_variance_components(of.get(), nullptr, parts[0].values.data(), parts[1].values.data(),
                                          parts[2].values.data(), parts[3].values.data()));
    for (const Matrix& each : parts) take(each);
    parts.assign(3, Matrix(3, outputs));
    const bool tall = GetParam().route == FREERIDGE_ROUTE_PRIMAL && GetParam().n > GetParam().d && !GetParam().sparse;
    const Vector lambdas = {tall ? 0 : 0.01, 0.5, 40};
    defined(freeridge_objective(of.get(), 3, lambdas.data(), parts[0].values.data(), parts[1].values.data(),
                                parts[2].values.data(), 3));
    for (const Matrix& each : parts) take(each);
    if (GetParam().landmarks) return table_of(rows);
    Matrix average(d, outputs), average_errors(d, outputs), difference(2, outputs);
    if (!GetParam().sparse) {
      defined(freeridge_average_gradient(of.get(), at(points), nullptr, FREERIDGE_COVARIANCE_BAYESIAN,
                                         average.values.data(), average_errors.values.data(), d));
      Vector both(static_cast<std::size_t>(2 * outputs)), a(static_cast<std::size_t>(m), 1);
      a.back() = 1 - static_cast<double>(m);
      defined(freeridge_predict_combinations(of.get(), with(at(points), f_points), 1, nullptr, a.data(),
                                             FREERIDGE_COVARIANCE_BAYESIAN, both.data(),
                                             &both[static_cast<std::size_t>(outputs)], 1, nullptr, 0));
      for (std::int64_t k = 0; k < 2 * outputs; ++k)
        difference(k / outputs, k % outputs) = both[static_cast<std::size_t>(k)];
      for (const Matrix& each : {average, average_errors, difference}) take(each);
    }
    if (problem.kernel.family != Family::linear) return table_of(rows);
    take(of.hyperplane());
    const std::int64_t side = d + (problem.intercept ? 1 : 0), all = side * outputs;
    for (const freeridge_covariance_type type : {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST}) {
      Matrix w(d, outputs), b(1, outputs), whole(all, all), own(side, all);
      defined(freeridge_coefficient_errors(of.get(), type, w.values.data(), d, b.values.data()));
      defined(freeridge_coefficient_covariance(of.get(), type, whole.values.data(), all));
      for (std::int64_t k = 0; k < all; ++k)
        for (std::int64_t i = 0; i < side; ++i) own(i, k) = whole(k / side * side + i, k);
      for (const Matrix& each : {w, b, own}) take(each);
    }
    return table_of(rows);
  }
  static Matrix table_of(const std::vector<Vector>& rows) {
    Matrix out(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size()));
    for (std::int64_t j = 0; j < out.rows; ++j)
      for (std::int64_t k = 0; k < out.cols; ++k)
        out(j, k) = rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
    return out;
  }

  Problem problem;
  Matrix points, f, f_points;
  Model model{Kernel::linear()};
};

TEST_P(Missing, AnswersAreThoseOfTheObservedRows) {
  for (const bool weighted : {false, true})
    for (const bool shared : {false, true}) {
      SCOPED_TRACE(::testing::Message() << (weighted ? "weights" : "intercept") << (shared ? ", one lambda" : ""));
      make(weighted, !weighted || GetParam().route == FREERIDGE_ROUTE_BAND, weighted == shared ? 2 : 0);
      Vector lambdas = {0.3, 0.05, 2, 0.7, 11};
      if (shared) lambdas.assign(t, 0.3);
      model.lambdas(lambdas);
      const Matrix loo = model.loo(), fitted = model.fitted(), leverage = model.leverage(), more = numbers(model, t),
                   cooks = model.cooks_distance();
      const Labels group = modulo_groups(problem.x.rows, 6);
      const Matrix groups = model.group_errors(group);
      const Vector df = model.degrees_of_freedom(), sigma2 = model.error_variance(), b = model.intercepts();
      model.groups(group);
      const New at_points = of_points(model, t);
      std::vector<std::int64_t> rows;
      for (std::int64_t j = 0; j < t; ++j) {
        SCOPED_TRACE("output " + std::to_string(j));
        const auto at = static_cast<std::size_t>(j);
        Model refit = refitted(j, rows);
        refit.lambda(lambdas[at]).groups(selected(group, rows));
        EXPECT_CLOSE(only(loo, rows, j), refit.loo(), tolerance);
        EXPECT_CLOSE(only(fitted, rows, j), refit.fitted(), tolerance);
        EXPECT_CLOSE(only(leverage, rows, j), refit.leverage(), tolerance);
        EXPECT_CLOSE(only(groups, rows, j), refit.group_errors(selected(group, rows)), tolerance);
        EXPECT_NEAR(df[at], refit.degrees_of_freedom()[0], tolerance * df[at]);
        EXPECT_NEAR(sigma2[at], refit.error_variance()[0], tolerance * sigma2[at]);
        EXPECT_NEAR(b[at], refit.intercepts()[0], tolerance * (1 + std::abs(b[at])));
        EXPECT_EQ(model.lambda_flags().below[at], refit.lambda_flags().below[0]);
        EXPECT_CLOSE(select_rows(more, {j}), numbers(refit, 1), 1e-8);  // each by itself
        EXPECT_CLOSE(only(cooks, rows, j), refit.cooks_distance(), 1e-9);
        const New of_refit = of_points(refit, 1);
        EXPECT_CLOSE(column(at_points.f, j), of_refit.f, tolerance);
        EXPECT_CLOSE(column(at_points.variance, j), of_refit.variance, tolerance);
        EXPECT_NEAR(at_points.noise[at], of_refit.noise[0], tolerance * at_points.noise[at]);
        EXPECT_CLOSE(column(at_points.lower, j), of_refit.lower, tolerance);
        EXPECT_CLOSE(column(at_points.upper, j), of_refit.upper, tolerance);
        if (!GetParam().landmarks) {
          EXPECT_CLOSE(only(model.coefficients(), rows, j), refit.coefficients(), 1e-9);
        }
        for (std::int64_t i = 0; i < problem.x.rows; ++i) {
          if (!missing(i, j)) continue;
          EXPECT_TRUE(std::isnan(loo(i, j)) && std::isnan(groups(i, j)));
          EXPECT_TRUE(leverage(i, j) == 0 && cooks(i, j) == 0);
        }
      }
    }
}

TEST_P(Missing, CriteriaAndSearchesAreThoseOfTheObservedRows) {
  make(true, true, 2);
  const Vector lambdas = {0.02, 0.4, 30};
  const Labels group = modulo_groups(problem.x.rows, 6), gap = modulo_groups(problem.x.rows, 11);
  model.groups(group, 1, gap);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
    SCOPED_TRACE("criterion " + std::to_string(criterion));
    const bool mean = criterion == FREERIDGE_LOO || criterion == FREERIDGE_GROUPS;
    const Matrix scores = model.score(criterion, lambdas);
    const Matrix errors = mean ? model.score_with_error(criterion, lambdas).errors : Matrix();
    const LambdaChoice chosen = model.select_lambda(criterion, 1e-3, 1e3);
    const Vector b = model.intercepts();
    std::vector<std::int64_t> rows;
    for (std::int64_t j = 0; j < t; ++j) {
      SCOPED_TRACE("output " + std::to_string(j));
      const auto at = static_cast<std::size_t>(j);
      Model refit = refitted(j, rows);
      refit.groups(selected(group, rows), 1, selected(gap, rows));
      EXPECT_CLOSE(column(scores, j), refit.score(criterion, lambdas), tolerance);
      if (mean) {
        EXPECT_CLOSE(column(errors, j), refit.score_with_error(criterion, lambdas).errors, tolerance);
      }
      const LambdaChoice of_refit = refit.select_lambda(criterion, 1e-3, 1e3);
      EXPECT_NEAR(chosen.score[at], of_refit.score[0], tolerance * (1 + std::abs(of_refit.score[0])));
      EXPECT_NEAR(std::log(chosen.lambda[at] / of_refit.lambda[0]), 0, 1e-4);
      EXPECT_NEAR(b[at], refit.lambda(chosen.lambda[at]).intercepts()[0], tolerance * (1 + std::abs(b[at])));
    }
  }
}

struct Gradient {
  double score, log_lambda;
  Vector kernel;
};

Gradient gradient_of(const Model& model, freeridge_criterion criterion, double lambda, std::size_t hyperparameters) {
  Gradient out{0, 0, Vector(hyperparameters)};
  check(freeridge_score_gradient(model.get(), criterion, lambda, &out.score, &out.log_lambda, out.kernel.data()),
        "freeridge_score_gradient");
  return out;
}

// What LOO, GCV and GROUPS of an output are divided by: the weighted variance of what is observed of it; 1 for REML.
double divisor(const Problem& problem, std::int64_t output, freeridge_criterion criterion) {
  if (criterion == FREERIDGE_REML) return 1;
  double weight = 0, mean = 0, variance = 0;
  for (std::int64_t i = 0; i < problem.x.rows; ++i)
    if (!missing(i, output)) weight += problem.weight(i), mean += problem.weight(i) * problem.y(i, output);
  mean /= weight;
  for (std::int64_t i = 0; i < problem.x.rows; ++i)
    if (!missing(i, output))
      variance += problem.weight(i) / weight * (problem.y(i, output) - mean) * (problem.y(i, output) - mean);
  return variance;
}

TEST_P(Missing, GradientsAreSumsOverTheObservedRows) {
  make(true, true, 2);
  const Labels group = modulo_groups(problem.x.rows, 6);
  model.groups(group);
  const std::size_t numbers = problem.kernel.family == Family::linear ? 0 : 1;
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
    SCOPED_TRACE("criterion " + std::to_string(criterion));
    const Gradient found = gradient_of(model, criterion, 0.4, numbers);
    Gradient sum{0, 0, Vector(numbers)};
    std::vector<std::int64_t> rows;
    for (std::int64_t j = 0; j < t; ++j) {
      Model refit = refitted(j, rows);
      refit.groups(selected(group, rows));
      const double share = 1 / divisor(problem, j, criterion);
      const Gradient one = gradient_of(refit, criterion, 0.4, numbers);
      sum.score += share * one.score;
      sum.log_lambda += share * one.log_lambda;
      for (std::size_t k = 0; k < numbers; ++k) sum.kernel[k] += share * one.kernel[k];
    }
    EXPECT_NEAR(found.score, sum.score, 1e-9 * std::abs(sum.score));
    EXPECT_NEAR(found.log_lambda, sum.log_lambda, 1e-9 * std::abs(sum.score));
    for (std::size_t k = 0; k < numbers; ++k) EXPECT_NEAR(found.kernel[k], sum.kernel[k], 1e-9 * std::abs(sum.score));
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Missing, ::testing::ValuesIn(ways), [](const auto& of) { return of.param.name; });

Matrix with_gaps(Matrix y) {
  for (std::int64_t j = 0; j < y.cols; ++j)
    for (std::int64_t i = 0; i < y.rows; ++i)
      if (missing(i, j)) y(i, j) = nan;
  return y;
}

Model gappy(const Problem& problem, freeridge_layout layout = FREERIDGE_COL_MAJOR) {
  Model out(oracle::make_kernel(problem.kernel));
  check(freeridge_set_parameter(out.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
  out.data(problem.x, with_gaps(problem.y), layout, 2).route(FREERIDGE_ROUTE_SPECTRAL);
  return out;
}

// Landmarks in rows that are not observed, and more of them than there are observed rows, and none: derivatives against
// central differences of the criterion.
TEST(MissingValues, GradientsWithLandmarksThatAreNotObserved) {
  Random random(14);
  for (const bool precomputed : {false, true})
    for (const freeridge_intercept intercept : {FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED})
      for (const std::int64_t count : {7, 20, 0}) {
        SCOPED_TRACE(::testing::Message()
                     << "precomputed " << precomputed << ", intercept " << intercept << ", " << count << " landmarks");
        const Problem problem = random_problem(random, kernel_of(Family::matern32, 2), 30, 2, t, true, true);
        std::vector<std::int64_t> own;
        for (std::int64_t k = 0; k < count; ++k) own.push_back((7 * k + 1) % 30);
        const Matrix y = with_gaps(problem.y);
        const auto model_at = [&](double length) {
          const Kernel kernel = Kernel::matern(1.5, length);
          Matrix x = problem.x;
          if (precomputed) {
            x = Matrix(30, 30);
            check(freeridge_kernel_evaluate(kernel.get(), at(problem.x), at(problem.x), FREERIDGE_COL_MAJOR,
                                            x.values.data(), 30),
                  "freeridge_kernel_evaluate");
          }
          Model out(precomputed ? Kernel::precomputed() : Kernel::matern(1.5, length));
          check(freeridge_set_parameter(out.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
          out.data(x, y).weights(problem.weights).groups(modulo_groups(30, 6));
          check(freeridge_set_parameter(out.get(), FREERIDGE_INTERCEPT, intercept), "freeridge_set_parameter");
          if (count > 0) set_landmarks(out, own);
          return out;
        };
        for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
          SCOPED_TRACE("criterion " + std::to_string(criterion));
          const auto score = [&](double log_lambda, double log_length) {
            const Matrix scores = model_at(std::exp(log_length)).factorize().score(criterion, {std::exp(log_lambda)});
            double sum = 0;
            for (std::int64_t j = 0; j < t; ++j) sum += scores(0, j) / divisor(problem, j, criterion);
            return sum;
          };
          const auto slope = [](const std::function<double(double)>& f) {
            const double h = 1e-3;
            return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
          };
          const double at = std::log(0.3), length = std::log(0.8);
          Model model = model_at(0.8);
          for (const bool factorized : {false, true}) {
            if (factorized) model.factorize();
            const Gradient found = gradient_of(model, criterion, 0.3, precomputed ? 0 : 1);
            const double expected = score(at, length);
            EXPECT_NEAR(found.score, expected, 1e-10 * std::abs(expected));
            EXPECT_NEAR(found.log_lambda, slope([&](double h) { return score(at + h, length); }),
                        1e-8 * std::abs(expected));
            if (!precomputed) {
              EXPECT_NEAR(found.kernel[0], slope([&](double h) { return score(at, length + h); }),
                          1e-8 * std::abs(expected));
            }
          }
        }
      }
}

TEST(MissingValues, AreKeptByLayoutsCopiesAndSavedBytes) {
  Random random(8);
  const Problem problem = random_problem(random, kernel_of(Family::gaussian, 2), 22, 2, t, false, true);
  Model model = gappy(problem);
  model.factorize().lambda(0.4);
  const Matrix loo = model.loo(), f = model.predict(problem.x), c = model.coefficients();
  Model by_rows = gappy(problem, FREERIDGE_ROW_MAJOR);
  by_rows.factorize().lambda(0.4);
  EXPECT_CLOSE(by_rows.loo(), loo, 1e-13);
  const auto expect_same = [&](const freeridge_model* other, const char* what) {
    SCOPED_TRACE(what);
    Matrix again(22, t);
    ASSERT_EQ(freeridge_loo(other, again.values.data(), 22), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_CLOSE(again, loo, 0);
    ASSERT_EQ(freeridge_coefficients(other, 0, nullptr, again.values.data(), 22, nullptr), FREERIDGE_OK)
        << freeridge_last_error();
    EXPECT_CLOSE(again, c, 0);
  };
  freeridge_model* clone = nullptr;
  check(freeridge_clone(model.get(), &clone), "freeridge_clone");
  expect_same(clone, "clone");
  freeridge_destroy(clone);
  const Bytes bytes = saved(model.get());
  expect_same(loaded(bytes).get(), "loaded");
  // Output 1 misses the rows 3, 6, 9, ...: two of them the other way round, or twice the same.
  std::size_t place = frame::payload;
  const auto found = [&] {
    return frame::get(bytes, place) == 3 && frame::get(bytes, place + 8) == 6 && frame::get(bytes, place + 16) == 9;
  };
  while (place + 24 < bytes.size() && !found()) place += 8;
  ASSERT_LT(place + 24, bytes.size());
  for (const std::uint64_t row : {6, 9}) {
    Bytes forged = bytes;
    frame::put(forged, place, row);
    freeridge_status status = FREERIDGE_OK;
    loaded(frame::with_checksum(forged), &status);
    EXPECT_EQ(status, FREERIDGE_CORRUPT);
    EXPECT_NE(std::string(freeridge_last_error()).find("ascend"), std::string::npos) << freeridge_last_error();
  }
  const Handle predictor = loaded(saved_predictor(model.get()));
  Matrix out(22, t);
  check(freeridge_predict(predictor.get(), FREERIDGE_COL_MAJOR, 22, problem.x.values.data(), 22, out.values.data(), 22),
        "freeridge_predict");
  EXPECT_CLOSE(out, f, 1e-14);

  // at many lambdas, and after a bandwidth was chosen
  Matrix path(22, 2 * t);
  const double lambdas[] = {0.4, 3};
  check(freeridge_predict_points(model.get(), at(problem.x), 2, lambdas, FREERIDGE_COL_MAJOR, path.values.data(), 22),
        "freeridge_predict_points");
  const Matrix there = model.lambda(3).predict(problem.x);
  for (std::int64_t j = 0; j < t; ++j) {
    EXPECT_CLOSE(column(path, j), column(f, j), 1e-13);
    EXPECT_CLOSE(column(path, t + j), column(there, j), 1e-13);
  }
  double sigma = 0;
  ASSERT_EQ(freeridge_select_bandwidth(model.get(), FREERIDGE_LOO, 0.3, 3, 5, &sigma), FREERIDGE_OK)
      << freeridge_last_error();
}

// An output with missing values alone is the complete output of the other rows; the points of those rows take part in the
// bounds of the search alone, which ends where the criterion is flat.
TEST(MissingValues, KernelsAreLearntOnTheObservedRows) {
  Random random(11);
  const Problem problem = random_problem(random, kernel_of(Family::gaussian, 2), 60, 2, 1, true, true);
  Matrix y = problem.y;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < 60; ++i)
    if (i % 4 == 1)
      y(i, 0) = nan;
    else
      rows.push_back(i);
  const auto learnt = [](const Matrix& x, const Matrix& values, const Vector& weight, freeridge_criterion criterion) {
    Model model(Kernel::parse("scaled([1, 1], gaussian(sigma = 1))"));
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
    model.data(x, values).weights(weight).groups(modulo_groups(x.rows, 5));
    return model.select_kernel(criterion, {0, 1, -1}).score;
  };
  Vector weights;
  for (const std::int64_t i : rows) weights.push_back(problem.weight(i));
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML}) {
    const double refit = learnt(select_rows(problem.x, rows), select_rows(problem.y, rows), weights, criterion);
    EXPECT_NEAR(learnt(problem.x, y, problem.weights, criterion), refit, 1e-3 * std::abs(refit));
  }
  // drawn rows in which an output has one value or none
  for (std::int64_t i = 3; i < 60; ++i) y(i, 0) = nan;
  Model model(Kernel::gaussian(1));
  check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
  model.data(problem.x, y);
  double score = 0;
  EXPECT_EQ(freeridge_select_kernel(model.get(), FREERIDGE_REML, nullptr, 0, 10, 1, 0, &score),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(freeridge_last_error()).find("learn the kernel on more rows"), std::string::npos);
}

TEST(MissingValues, WhatIsNotMadeOfThemIsRefused) {
  Random random(9);
  const Problem problem = random_problem(random, KernelSpec::linear(), 22, 2, t, false, true);
  Model model = gappy(problem);
  model.factorize().lambda(0.4);
  Matrix out(22, 22), whole(15, 15);
  double* const room = out.values.data();
  const auto refused = [](freeridge_status status) {
    EXPECT_EQ(status, FREERIDGE_INVALID_STATE);
    EXPECT_NE(std::string(freeridge_last_error()).find("missing"), std::string::npos) << freeridge_last_error();
  };
  refused(freeridge_hat_matrix(model.get(), 0.4, room, nullptr, 22));
  // no covariances of outputs that are not observed in the same rows; the third and the fourth are
  check(freeridge_coefficient_covariance(model.get(), FREERIDGE_COVARIANCE_BAYESIAN, whole.values.data(), 15),
        "freeridge_coefficient_covariance");
  EXPECT_TRUE(std::isnan(whole(0, 3)) && std::isnan(whole(7, 0)) && std::isnan(whole(14, 9)));
  EXPECT_TRUE(std::isfinite(whole(6, 9)) && std::isfinite(whole(0, 2)));
  check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 1), "freeridge_set_parameter");
  refused(freeridge_factorize(model.get()));
  check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 0), "freeridge_set_parameter");
  check(freeridge_set_parameter(model.get(), FREERIDGE_ROUTE, FREERIDGE_ROUTE_LANDMARK), "freeridge_set_parameter");
  set_landmarks(model, landmarks);
  model.factorize().lambda(0.4);
  refused(freeridge_coefficient_covariance(model.get(), FREERIDGE_COVARIANCE_BAYESIAN, whole.values.data(), 15));
  refused(freeridge_coefficient_errors(model.get(), FREERIDGE_COVARIANCE_BAYESIAN, room, 22, nullptr));
  Model iterative(Kernel::gaussian(1));
  check(freeridge_set_parameter(iterative.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
  iterative.data(problem.x, with_gaps(problem.y)).route(FREERIDGE_ROUTE_ITERATIVE);
  refused(freeridge_factorize(iterative.get()));
}

// A column of F that is zero but in rows in which an output is not observed.
TEST(MissingValues, EffectsThatTheObservedRowsLeaveUndetermined) {
  Random random(15);
  const Problem problem = random_problem(random, kernel_of(Family::gaussian, 2), 22, 2, t, true, true);
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_BAND}) {
    Model model = gappy(problem);
    Matrix f(22, 1);
    for (const std::int64_t i : {3, 9}) f(i, 0) = 1;  // output 1
    set_unpenalised(model, f);
    model.route(route).factorize();
    EXPECT_EQ(freeridge_set_lambda(model.get(), 0.4), FREERIDGE_UNDEFINED);
    EXPECT_NE(std::string(freeridge_last_error()).find("output 1"), std::string::npos) << freeridge_last_error();
    Matrix scores(1, t);
    EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_LOO, 1, &f.values[3], scores.values.data(), nullptr, 1),
              FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(scores(0, 1)) && !std::isnan(scores(0, 0)));
    EXPECT_EQ(freeridge_objective(model.get(), 1, &f.values[3], nullptr, nullptr, scores.values.data(), 1),
              FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(scores(0, 1)) && !std::isnan(scores(0, 0)));
  }
}

// A row that is far off and weighs next to nothing is seen by no other row, whatever else is missing.
TEST(MissingValues, AFarRowOfNextToNoWeightLeavesTheOthersTheirDigits) {
  for (const Way& way : ways) {
    if (way.sparse || way.landmarks || way.route == FREERIDGE_ROUTE_BAND) continue;  // (BAND refuses such weights)
    SCOPED_TRACE(way.name);
    Random random(12);
    KernelSpec kernel;
    kernel.family = way.family;
    Problem problem = random_problem(random, kernel, way.n, way.d, 2, true, true);
    problem.weights[3] = std::ldexp(1.0, -200);
    problem.y(3, 0) = std::ldexp(1.0, 90);
    Matrix y = problem.y;
    y(7, 0) = y(11, 0) = nan;
    const auto loo_of = [&](const Matrix& outputs, const Vector& weights) {
      Model model(oracle::make_kernel(problem.kernel));
      check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
      model.data(problem.x, outputs).route(way.route).weights(weights).factorize().lambda(0.7);
      return model.loo();
    };
    const Matrix found = loo_of(y, problem.weights);
    Matrix near = y;
    near(3, 0) = 0;  // (times a weight of 2^-200 it is 0 all the same)
    const Matrix expected = loo_of(near, problem.weights);
    for (std::int64_t i = 0; i < way.n; ++i) {
      if (i == 3 || std::isnan(expected(i, 0))) continue;
      EXPECT_NEAR(found(i, 0), expected(i, 0), 1e-10) << i;
    }
  }
}

TEST(MissingValues, NoDegreesOfFreedomAreLeft) {
  Random random(16);
  const Problem problem = random_problem(random, KernelSpec::linear(), 9, 2, 2, false, true);
  Matrix y = problem.y, w(2, 2), average(2, 2);
  for (std::int64_t i = 3; i < 9; ++i) y(i, 1) = nan;  // a plane through three points
  Model model(Kernel::linear());
  check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
  model.data(problem.x, y).factorize().lambda(0);
  for (const freeridge_status status :
       {freeridge_coefficient_errors(model.get(), FREERIDGE_COVARIANCE_BAYESIAN, w.values.data(), 2, nullptr),
        freeridge_average_gradient(model.get(), at(problem.x), nullptr, FREERIDGE_COVARIANCE_BAYESIAN,
                                   average.values.data(), w.values.data(), 2)}) {
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_NE(std::string(freeridge_last_error()).find("as output 1"), std::string::npos) << freeridge_last_error();
    EXPECT_TRUE(std::isfinite(w(0, 0)) && std::isnan(w(0, 1)));
  }
}

TEST(MissingValues, OutputsOfOneValueOrNoneAreRefused) {
  Random random(10);
  const Problem problem = random_problem(random, KernelSpec::linear(), 9, 2, 2, false, true);
  for (const std::int64_t observed : {0, 1, 2}) {
    Matrix y = problem.y;
    for (std::int64_t i = observed; i < 9; ++i) y(i, 1) = nan;
    const auto set = [&](freeridge_model* model) {
      return freeridge_set_data(model, FREERIDGE_COL_MAJOR, 9, 2, problem.x.values.data(), 9, 2, y.values.data(), 9);
    };
    Model model(Kernel::linear());
    EXPECT_EQ(set(model.get()), FREERIDGE_NOT_FINITE);
    EXPECT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, -3), FREERIDGE_INVALID_ARGUMENT);
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
    EXPECT_EQ(set(model.get()), observed < 2 ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_OK) << freeridge_last_error();
    y(0, 0) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(set(model.get()), observed < 2 ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_NOT_FINITE);
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 0), "freeridge_set_parameter");
    EXPECT_EQ(set(model.get()), FREERIDGE_NOT_FINITE);
    if (observed < 2) continue;
    y(0, 0) = 1;  // a line through two points, the slope of which is penalised, and no error without either
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
    EXPECT_EQ(set(model.get()), FREERIDGE_OK);
    check(freeridge_factorize(model.get()), "freeridge_factorize");
    check(freeridge_set_lambda(model.get(), 0.5), "freeridge_set_lambda");
    Matrix errors(9, 2);
    EXPECT_EQ(freeridge_loo(model.get(), errors.values.data(), 9), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_NEAR(errors(0, 1), y(0, 1) - y(1, 1), 1e-12);
  }
}

// A level of a factor that only a row without the output has: no effect of it is known, nor what follows from it.
TEST(MissingRows, ThatAloneDetermineAFixedEffect) {
  Random random(11);
  const Matrix x = random.uniform_matrix(20, 1, -1, 1);
  Matrix y = random.uniform_matrix(20, 1, -1, 1), f(20, 1);
  f(9, 0) = 1;
  y(9, 0) = nan;
  for (const std::int64_t more : {9, 12}) {  // the level is that of row 9 alone, and that of row 12, too
    f(more, 0) = 1;
    for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND}) {
      SCOPED_TRACE(route_name(route));
      Model model(Kernel::gaussian(1.0));
      check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
      model.data(x, y).route(route);
      set_unpenalised(model, f);
      model.factorize();
      EXPECT_EQ(freeridge_set_lambda(model.get(), 0.01), more == 9 ? FREERIDGE_UNDEFINED : FREERIDGE_OK);
      if (more == 9) continue;
      Matrix errors(20, 1);
      EXPECT_EQ(freeridge_loo(model.get(), errors.values.data(), 20), FREERIDGE_UNDEFINED);
      for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(std::isnan(errors(i, 0)), i == 9 || i == 12) << i;
    }
  }
}

}  // namespace missing_test
