// LOG_LOSS and EVIDENCE, the criteria of outputs of -1 and +1: against refits without each row and the definition of the
// evidence, in long double; their gradients against differences; kernels learnt by them; data that are hostile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/gauss.hpp"
#include "support/kernel_numbers.hpp"
#include "support/problems.hpp"
#include "support/unpenalised.hpp"

namespace class_criteria_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Labels of overlapping classes, each output of its own.
Matrix labels(Random& random, const Matrix& x, std::int64_t t) {
  Matrix y(x.rows, t);
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t i = 0; i < x.rows; ++i)
      y(i, j) = std::sin(2.0 * x(i, 0) + static_cast<double>(j)) + 0.5 * x(i, x.cols - 1) + 0.4 * random.normal() > 0.2
                    ? 1
                    : -1;
  return y;
}

Problem label_problem(Random& random, const KernelSpec& kernel, std::int64_t n, std::int64_t d, std::int64_t t,
                      bool weighted, bool intercept) {
  Problem problem = random_problem(random, kernel, n, d, 1, weighted, intercept);
  problem.y = labels(random, problem.x, t);
  return problem;
}

struct Gradient {
  double score = nan, by_lambda = nan;
  Vector by_kernel;
};

freeridge_status ask(const Model& model, freeridge_criterion criterion, double lambda, Gradient& out) {
  out.by_kernel.assign(model.kernel_in_force().hyperparameters().size(), nan);
  return freeridge_score_gradient(model.get(), criterion, lambda, &out.score, &out.by_lambda, out.by_kernel.data());
}

Gradient gradient(const Model& model, freeridge_criterion criterion, double lambda) {
  Gradient out;
  check(ask(model, criterion, lambda, out), "freeridge_score_gradient");
  return out;
}

TEST(LogLoss, IsThatOfRefitsWithoutEachRow) {
  Random random(501);
  for (const std::int64_t t : {1, 3})
    for (const Family family : {Family::linear, Family::gaussian})
      for (const bool weighted : {false, true})
        for (const freeridge_route route :
             std::vector<freeridge_route>{FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                          FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_SPECTRAL + on_device}) {
          if (route == FREERIDGE_ROUTE_PRIMAL && family != Family::linear) continue;
          SCOPED_TRACE(::testing::Message() << t << " outputs, " << family_name(family) << " " << route_name(route)
                                            << (weighted ? ", weights" : ""));
          const Problem problem = label_problem(random, kernel_of(family, 2), 25, 2, t, weighted, t == 1);
          Model model = oracle::make_model(problem, route);
          const Vector lambdas = {1e-2, 0.5, 30};
          const ScoresWithErrors found = model.factorize().score_with_error(FREERIDGE_LOG_LOSS, lambdas);
          for (std::int64_t l = 0; l < 3; ++l)
            for (std::int64_t j = 0; j < t; ++j) {
              Real error = 0;
              const Real expected = oracle::log_loss(problem, lambdas[static_cast<std::size_t>(l)], j, &error);
              EXPECT_NEAR(found.scores(l, j), static_cast<double>(expected), 1e-10);
              EXPECT_NEAR(found.errors(l, j), static_cast<double>(error), 1e-9);
            }
        }
}

// Its definition: log det (I + G w) in the place of the factor of a symmetric matrix, and the mode by Newton's method on
// f. free: the columns that are not penalised.
Real evidence(const Problem& problem, double lambda, std::int64_t output, const Matrix& free) {
  const std::int64_t n = problem.x.rows;
  Dense g = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  Real mean = 0;
  for (std::int64_t i = 0; i < n; ++i) mean += static_cast<Real>(problem.weight(i)) / static_cast<Real>(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      g(i, j) *= mean / static_cast<Real>(lambda);
      for (std::int64_t k = 0; k < free.cols; ++k) g(i, j) += 25 * static_cast<Real>(free(i, k)) * free(j, k);
    }
  Dense f(n, 1, 0), alpha(n, 1, 0), matrix = identity(n);
  const auto at = [&](bool load) {  // (I + G w) f_new = G (w f + slope)
    Dense right(n, 1, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      const Real u = problem.weight(i) / mean, y = problem.y(i, output), p = 1 / (1 + std::exp(-f(i, 0)));
      const Real w = u * p * (1 - p);
      alpha(i, 0) = u * ((y + 1) / 2 - p);
      for (std::int64_t j = 0; j < n; ++j) matrix(j, i) = (i == j ? 1 : 0) + g(j, i) * w;
      right(i, 0) = w * f(i, 0) + alpha(i, 0);
    }
    if (load) f = solve(matrix, multiply(g, right));
  };
  for (int step = 0; step < 40; ++step) at(true);
  at(false);
  Real out = log_determinant(matrix) / 2;
  for (std::int64_t i = 0; i < n; ++i)
    out += alpha(i, 0) * f(i, 0) / 2 + problem.weight(i) / mean * std::log1p(std::exp(-problem.y(i, output) * f(i, 0)));
  return out;
}

TEST(Evidence, IsThatOfTheDefinition) {
  Random random(502);
  for (const std::int64_t t : {1, 2})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true})
        for (const double lambda : {0.05, 1.0, 20.0}) {
          SCOPED_TRACE(::testing::Message() << t << " outputs, lambda " << lambda << weighted << intercept);
          const Problem problem =
              label_problem(random, kernel_of(Family::matern32, 3, true), 18, 3, t, weighted, intercept);
          Real expected = 0;
          for (std::int64_t j = 0; j < t; ++j)
            expected += evidence(problem, lambda, j, Matrix(18, intercept ? 1 : 0, 1.0));
          EXPECT_NEAR(gradient(oracle::make_model(problem), FREERIDGE_EVIDENCE, lambda).score,
                      static_cast<double>(expected), 1e-10 * static_cast<double>(expected));
        }
}

TEST(Evidence, FixedEffectsHaveAPriorOfTheirOwn) {
  Random random(503);
  const Problem problem = label_problem(random, kernel_of(Family::gaussian, 2), 20, 2, 1, false, true);
  Matrix effects = random.uniform_matrix(20, 1, 5, 7), free(20, 2, 1.0);
  double mean = 0, square = 0;
  for (std::int64_t i = 0; i < 20; ++i) mean += effects(i, 0) / 20;
  for (std::int64_t i = 0; i < 20; ++i) square += std::pow(effects(i, 0) - mean, 2) / 20;
  for (std::int64_t i = 0; i < 20; ++i) free(i, 1) = (effects(i, 0) - mean) / std::sqrt(square);
  for (const double unit : {1.0, 1e6}) {
    Matrix moved = effects;
    for (double& value : moved.values) value *= unit;
    Model model = oracle::make_model(problem);
    set_unpenalised(model, moved);
    EXPECT_NEAR(gradient(model, FREERIDGE_EVIDENCE, 0.3).score, static_cast<double>(evidence(problem, 0.3, 0, free)),
                1e-9);
  }
}

double difference(const std::function<double(double)>& f) {
  constexpr double step = 0x1p-9;
  return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
}

// Against differences of the scores, relative to 1e-7 of the larger of the derivative and a hundredth of the score.
void expect_gradient(Model& model, freeridge_criterion criterion, double lambda) {
  SCOPED_TRACE("criterion " + std::to_string(criterion));
  const Gradient found = gradient(model, criterion, lambda);
  const Kernel kernel = model.kernel_in_force();
  const double floor = 1e-2 * std::abs(found.score);
  const auto expect = [&](double actual, double expected) {
    EXPECT_NEAR(actual, expected, 1e-7 * std::max(std::abs(expected), floor));
  };
  expect(found.by_lambda, difference([&](double h) { return gradient(model, criterion, lambda * std::exp(h)).score; }));
  const Vector values = kernel.hyperparameters();
  for (std::size_t i = 0; i < values.size(); ++i) {
    SCOPED_TRACE("number " + std::to_string(i));
    expect(found.by_kernel[i], difference([&](double h) {
             Vector moved = values;
             moved[i] *= std::exp(h);
             model.kernel(kernel.with_hyperparameters(moved));
             return gradient(model, criterion, lambda).score;
           }));
    model.kernel(kernel);
  }
}

const char* const usual_kernel =
    "scaled([0.7, 1.4, 3], 1 * matern(nu = 1.5, length = 1) + 0.6 * additive([0, 1, 2], matern(nu = 1.5, length = 1)))";

TEST(ClassCriteria, GradientsAreThoseOfTheScores) {
  Random random(504);
  for (const char* const text : {usual_kernel, "scaled([1, 2, 0.5], linear())", "gaussian(sigma = 1.5)"})
    for (const std::int64_t n : {40, 300})  // several tiles
      for (const freeridge_intercept intercept :
           {FREERIDGE_INTERCEPT_NONE, FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED}) {
        if (n == 300 && (text != usual_kernel || intercept != FREERIDGE_INTERCEPT_FREE)) continue;
        SCOPED_TRACE(std::string(text) + ", intercept " + std::to_string(intercept));
        const Problem problem = label_problem(random, KernelSpec::linear(), n, 3, 2, true, true);
        Model model(Kernel::parse(text));
        model.data(problem.x, problem.y).weights(problem.weights).intercept_kind(intercept);
        for (const freeridge_criterion criterion : {FREERIDGE_LOG_LOSS, FREERIDGE_EVIDENCE})
          expect_gradient(model, criterion, 0.4);
        set_unpenalised(model, random.uniform_matrix(n, 1, -1, 1));
        if (intercept == FREERIDGE_INTERCEPT_FREE && n == 40)
          for (const freeridge_criterion criterion : {FREERIDGE_LOG_LOSS, FREERIDGE_EVIDENCE})
            expect_gradient(model, criterion, 0.4);
      }
}

// Outputs with missing values are problems of the rows in which they are observed.
TEST(ClassCriteria, OfMissingOutputsAreThoseOfTheOtherRows) {
  Random random(505);
  const Problem problem = label_problem(random, KernelSpec::linear(), 40, 3, 2, false, true);
  Matrix y = problem.y, x_some(35, 3), y_some(35, 1), y_all(40, 1);
  for (std::int64_t i = 0; i < 40; ++i) {
    y_all(i, 0) = y(i, 0);
    if (i % 8 == 3) {
      y(i, 1) = nan;
      continue;
    }
    const std::int64_t to = i - (i + 4) / 8;
    for (std::int64_t k = 0; k < 3; ++k) x_some(to, k) = problem.x(i, k);
    y_some(to, 0) = y(i, 1);
  }
  const Kernel kernel = Kernel::parse(usual_kernel);
  Model model(kernel), all(kernel), some(kernel);
  check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
  model.data(problem.x, y);
  all.data(problem.x, y_all);
  some.data(x_some, y_some);
  for (const freeridge_criterion criterion : {FREERIDGE_LOG_LOSS, FREERIDGE_EVIDENCE}) {
    const Gradient found = gradient(model, criterion, 0.4);
    const Gradient first = gradient(all, criterion, 0.4), second = gradient(some, criterion, 0.4);
    EXPECT_NEAR(found.score, first.score + second.score, 1e-10 * found.score);
    EXPECT_NEAR(found.by_lambda, first.by_lambda + second.by_lambda, 1e-9);
    for (std::size_t k = 0; k < found.by_kernel.size(); ++k)
      EXPECT_NEAR(found.by_kernel[k], first.by_kernel[k] + second.by_kernel[k], 1e-9);
  }
  EXPECT_NEAR(model.factorize().score(FREERIDGE_LOG_LOSS, {0.4})(0, 1),
              some.factorize().score(FREERIDGE_LOG_LOSS, {0.4})(0, 0), 1e-12);
}

// LOG_LOSS moves the lengths that EVIDENCE finds by one factor.
TEST(ClassCriteria, LearnAKernel) {
  Random random(506);
  for (const std::int64_t t : {1, 3}) {
    const Problem problem = label_problem(random, KernelSpec::linear(), 90, 3, t, true, true);
    const Kernel kernel = Kernel::parse(usual_kernel);
    Model by_loss(kernel), by_evidence(kernel), heavy(kernel);
    for (Model* const model : {&by_loss, &by_evidence, &heavy}) model->data(problem.x, problem.y);
    Vector weights = problem.weights;
    for (double& weight : weights) weight *= 0x1p20;
    by_loss.weights(problem.weights);
    by_evidence.weights(problem.weights);
    heavy.weights(weights);
    const KernelChoice loss = by_loss.select_kernel(FREERIDGE_LOG_LOSS);
    const KernelChoice evidence_choice = by_evidence.select_kernel(FREERIDGE_EVIDENCE);
    const Vector ours = by_loss.kernel_in_force().hyperparameters();
    const Vector theirs = by_evidence.kernel_in_force().hyperparameters();
    for (const std::size_t k : {1, 2}) EXPECT_NEAR(ours[k] / ours[0], theirs[k] / theirs[0], 1e-9 * ours[k] / ours[0]);
    EXPECT_NEAR(ours[5] / ours[3], theirs[5] / theirs[3], 1e-9 * ours[5] / ours[3]);
    EXPECT_NE(ours[0], theirs[0]);

    // The lambda of EVIDENCE is that of all outputs.
    const Vector lambda = by_evidence.lambda_in_force();
    EXPECT_EQ(lambda, Vector(static_cast<std::size_t>(t), lambda[0]));
    EXPECT_NEAR(evidence_choice.score, gradient(by_evidence, FREERIDGE_EVIDENCE, lambda[0]).score, 1e-9);
    const Vector chosen = by_loss.lambda_in_force();
    double sum = 0;
    for (std::int64_t j = 0; j < t; ++j)
      sum += by_loss.score(FREERIDGE_LOG_LOSS, {chosen[static_cast<std::size_t>(j)]})(0, j);
    EXPECT_NEAR(loss.score, sum, 1e-12);

    // A common factor of the weights is one of lambda, and of nothing else.
    heavy.select_kernel(FREERIDGE_LOG_LOSS);
    EXPECT_CLOSE(heavy.kernel_in_force().hyperparameters(), ours, 1e-6);
    for (std::size_t j = 0; j < chosen.size(); ++j)
      EXPECT_NEAR(heavy.lambda_in_force()[j], 0x1p20 * chosen[j], 1e-6 * 0x1p20 * chosen[j]);
  }
}

// Left-out values of rows that stand twice would choose a fit through every point.
TEST(ClassCriteria, RowsThatStandTwiceAreNotInterpolated) {
  Random random(510);
  const Matrix x = random.uniform_matrix(60, 2, -1, 1);
  Matrix y(60, 1), x_twice(120, 2), y_twice(120, 1);
  for (std::int64_t i = 0; i < 120; ++i) {
    if (i < 60) y(i, 0) = x(i, 0) + 0.8 * random.normal() > 0 ? 1 : -1;
    for (std::int64_t k = 0; k < 2; ++k) x_twice(i, k) = x(i % 60, k);
    y_twice(i, 0) = y(i % 60, 0);
  }
  const Kernel kernel = Kernel::parse("scaled([0.6, 0.6], gaussian(sigma = 1))");
  Model once(kernel), twice(kernel);
  once.data(x, y).select_kernel(FREERIDGE_LOG_LOSS);
  twice.data(x_twice, y_twice).select_kernel(FREERIDGE_LOG_LOSS);
  const auto misfit = [&](const Model& model) {
    const Matrix f = model.predict(x);
    double sum = 0;
    for (std::int64_t i = 0; i < 60; ++i) sum += std::pow(y(i, 0) - f(i, 0), 2) / 60;
    return sum;
  };
  EXPECT_GT(misfit(once), 0.4);
  EXPECT_GT(misfit(twice), 0.05);
  EXPECT_GT(twice.lambda_in_force()[0], 0.1);
}

// Errors with the learning included search again from the end of EVIDENCE.
TEST(ClassCriteria, AreLearntAgainWithoutRows) {
  Random random(511);
  const Problem problem = label_problem(random, KernelSpec::linear(), 70, 3, 1, false, true);
  Model model(Kernel::parse(usual_kernel));
  model.data(problem.x, problem.y).select_kernel(FREERIDGE_LOG_LOSS);
  Matrix errors(70, 1, nan);
  ASSERT_EQ(freeridge_loo_learnt(model.get(), 10, 1, errors.values.data(), 70, nullptr, nullptr), FREERIDGE_OK)
      << freeridge_last_error();
  double size = 0;
  for (const double error : errors.values) {
    EXPECT_TRUE(std::isfinite(error));
    size += error * error / 70;
  }
  EXPECT_LT(size, 1);  // better than the mean
}

// A column of noise matters less by EVIDENCE than one that tells the classes.
TEST(ClassCriteria, ALengthForEachColumn) {
  Random random(507);
  const Matrix x = random.uniform_matrix(120, 3, -1, 1);
  Matrix y(120, 1);
  for (std::int64_t i = 0; i < 120; ++i) y(i, 0) = std::sin(3 * x(i, 0)) + 0.3 * random.normal() > 0 ? 1 : -1;
  Model model(Kernel::parse("scaled([0.6, 0.6, 0.6], gaussian(sigma = 1))"));
  model.data(x, y).select_kernel(FREERIDGE_LOG_LOSS);
  const Vector lengths = model.kernel_in_force().hyperparameters();
  EXPECT_GT(lengths[1], 2 * lengths[0]);
  EXPECT_GT(lengths[2], 2 * lengths[0]);
}

// Labels that are one class, one row of a class, separable, at random, or copies; learning ends, with finite numbers.
TEST(ClassCriteria, HostileLabels) {
  Random random(508);
  const Matrix x = random.uniform_matrix(40, 3, -1, 1);
  const auto labelled = [&](const std::function<bool(std::int64_t)>& positive) {
    Matrix y(40, 1);
    for (std::int64_t i = 0; i < 40; ++i) y(i, 0) = positive(i) ? 1 : -1;
    return y;
  };
  Matrix twice = x, still(40, 3, 0.5);
  for (std::int64_t i = 20; i < 40; ++i)
    for (std::int64_t k = 0; k < 3; ++k) twice(i, k) = x(i - 20, k);
  for (std::int64_t i = 0; i < 40; ++i) still(i, 0) = x(i, 0);
  const Vector tiny(40, 1e-300);
  Vector wide(40, 1.0);
  wide[3] = 1e12;
  const struct {
    const char* what;
    Matrix x, y;
    Vector weights;
  } cases[] = {
      {"one class", x, labelled([](std::int64_t) { return true; }), {}},
      {"one row of a class", x, labelled([](std::int64_t i) { return i == 7; }), {}},
      {"separable", x, labelled([&](std::int64_t i) { return x(i, 0) > 0; }), {}},
      {"at random", x, labelled([&](std::int64_t) { return random.normal() > 0; }), {}},
      {"copies", twice, labelled([&](std::int64_t i) { return x(i % 20, 0) > 0; }), {}},
      {"copies of both classes", twice, labelled([](std::int64_t i) { return i < 20; }), {}},
      {"constant columns", still, labelled([&](std::int64_t i) { return x(i, 0) > 0.1; }), {}},
      {"tiny weights", x, labelled([&](std::int64_t i) { return x(i, 1) > 0.1; }), tiny},
      {"a heavy row", x, labelled([&](std::int64_t i) { return x(i, 1) + x(i, 2) > 0.1; }), wide},
  };
  for (const auto& c : cases)
    for (const freeridge_criterion criterion : {FREERIDGE_LOG_LOSS, FREERIDGE_EVIDENCE}) {
      SCOPED_TRACE(std::string(c.what) + ", criterion " + std::to_string(criterion));
      Model model(Kernel::parse(usual_kernel));
      model.data(c.x, c.y);
      if (!c.weights.empty()) model.weights(c.weights);
      double score = nan;
      ASSERT_EQ(freeridge_select_kernel(model.get(), criterion, nullptr, 0, 0, 0, 0, &score), FREERIDGE_OK)
          << freeridge_last_error();
      EXPECT_TRUE(std::isfinite(score));
      for (const double number : model.kernel_in_force().hyperparameters()) EXPECT_TRUE(std::isfinite(number));
      for (const double value : model.predict(c.x).values) EXPECT_TRUE(std::isfinite(value));
    }
}

TEST(ClassCriteria, SayWhatTheyDoNotTake) {
  Random random(509);
  const Problem problem = label_problem(random, KernelSpec::gaussian(1.0), 20, 2, 1, false, true);
  for (const double value : {0.0, 2.0, 1.0 + 1e-15, 1e300}) {
    Matrix y = problem.y;
    y(7, 0) = value;
    Model model(Kernel::gaussian(1));
    model.data(problem.x, y).factorize();
    double score = nan;
    const double lambda = 1;
    EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_LOG_LOSS, 1, &lambda, &score, nullptr, 1),
              FREERIDGE_INVALID_ARGUMENT);
    for (const freeridge_criterion criterion : {FREERIDGE_LOG_LOSS, FREERIDGE_EVIDENCE}) {
      Gradient out;
      EXPECT_EQ(ask(model, criterion, 1, out), FREERIDGE_INVALID_ARGUMENT);
      EXPECT_NE(std::string(freeridge_last_error()).find("y[7, 0]"), std::string::npos);
      EXPECT_EQ(freeridge_select_kernel(model.get(), criterion, nullptr, 0, 0, 0, 0, &score),
                FREERIDGE_INVALID_ARGUMENT);
    }
  }
  Model model(Kernel::gaussian(1));
  model.data(problem.x, problem.y).factorize();
  double score = nan, lambda = 1;
  EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_EVIDENCE, 1, &lambda, &score, nullptr, 1),
            FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_EVIDENCE, 0, 0, &lambda, &score),
            FREERIDGE_INVALID_ARGUMENT);
  check(freeridge_set_landmarks(model.get(), 5, nullptr), "freeridge_set_landmarks");
  Gradient out;
  for (const freeridge_criterion criterion : {FREERIDGE_LOG_LOSS, FREERIDGE_EVIDENCE}) {
    EXPECT_EQ(ask(model, criterion, 1, out), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(freeridge_last_error()).find("landmarks"), std::string::npos);
    EXPECT_EQ(freeridge_select_kernel(model.get(), criterion, nullptr, 0, 0, 0, 0, &score), FREERIDGE_OK);
  }
}

}  // namespace class_criteria_test
