// The landmark route against problem (2) of freeridge.h solved by brute force (support/landmark_oracle.hpp), to 1e-9
// relative, for every kernel and reduction, and in each of them for weights or none, intercept or none, 1 and 3
// outputs, both layouts, n > d and n < d, lambda = 1e-3, 1 and 1e3, one lambda per output, and the searches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/landmark_oracle.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"

namespace {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::LandmarkOracle;
using oracle::Problem;

constexpr double tolerance = 1e-9;
const Vector lambda_values = {1e-3, 1.0, 1e3};

struct Case {
  Family family;
  freeridge_reduction reduction;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << family_name(c.family) << reduction_name(c.reduction);
}

// Some rows in no order; as many as leave K_RR well conditioned.
Rows some_landmarks(Random& random, std::int64_t n, std::int64_t count) {
  Rows rows = random.permutation(n);
  rows.resize(static_cast<std::size_t>(count));
  return rows;
}

Labels hold_out(Random& random, std::int64_t n, std::int64_t count) {
  Labels out(static_cast<std::size_t>(n), -1);
  for (const std::int64_t row : some_landmarks(random, n, count)) out[static_cast<std::size_t>(row)] = 0;
  return out;
}

bool is_linear(const Problem& problem) {
  return problem.kernel.family == Family::linear;
}

class Landmarks : public ::testing::TestWithParam<Case> {
 protected:
  // body(problem, oracle, model): the model is factorized.
  template <class Body>
  void for_each_problem(std::int64_t outputs, Body body) {
    struct Shape {
      std::int64_t n, d;
    };
    Random random(1990);
    for (const Shape shape : {Shape{20, 4}, Shape{13, 17}})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          const bool scaled_columns = weighted != intercept;
          const KernelSpec kernel = kernel_of(GetParam().family, shape.d, scaled_columns);
          const Problem problem = random_problem(random, kernel, shape.n, shape.d, outputs, weighted, intercept);
          const std::int64_t count = is_linear(problem) ? 3 : 5;
          const Rows rows = some_landmarks(random, shape.n, count);
          const LandmarkOracle oracle(problem, rows);
          for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
            SCOPED_TRACE(::testing::Message() << "n = " << shape.n << ", d = " << shape.d << ", outputs = " << outputs
                                              << (weighted ? ", weights" : "") << (intercept ? ", intercept" : "")
                                              << (layout == FREERIDGE_COL_MAJOR ? ", column-major" : ", row-major"));
            Model model = oracle::make_model(problem, FREERIDGE_AUTO, layout, 3);
            set_reduction(set_landmarks(model, rows), GetParam().reduction).factorize();
            ASSERT_EQ(model.route_used(), FREERIDGE_LANDMARK);
            EXPECT_EQ(landmark_rows(model), rows);
            EXPECT_EQ(rank_of(model), std::min(count, shape.n - (intercept ? 1 : 0)));
            body(problem, oracle, model);
          }
        }
  }

  template <class Body>
  void for_each_fit(Body body) {
    for (const std::int64_t outputs : {1, 3})
      for_each_problem(outputs, [&](const Problem& problem, const LandmarkOracle& oracle, Model& model) {
        for (const double lambda : lambda_values) {
          SCOPED_TRACE(::testing::Message() << "lambda = " << lambda);
          body(problem, oracle, model.lambda(lambda), lambda);
        }
      });
  }
};

TEST_P(Landmarks, LeaveOneOut) {
  for_each_fit([](const Problem& problem, const LandmarkOracle& oracle, const Model& model, double lambda) {
    const Matrix errors = model.loo();
    EXPECT_CLOSE(errors, oracle.loo(lambda), tolerance);
    EXPECT_CLOSE(model.group_errors(single_groups(problem.x.rows)), errors, tolerance);
  });
}

// The hold-outs have more rows than landmarks, and fewer.
TEST_P(Landmarks, LeaveGroupsOut) {
  for_each_fit([](const Problem& problem, const LandmarkOracle& oracle, const Model& model, double lambda) {
    const std::int64_t n = problem.x.rows;
    Random random(12);
    Labels mixed = modulo_groups(n, 4);
    mixed[0] = -1;
    mixed[5] = std::numeric_limits<std::int32_t>::max();
    for (const Labels& group : {modulo_groups(n, 5), hold_out(random, n, n / 3), hold_out(random, n, n / 2 + 1),
                                hold_out(random, n, n - 2), mixed})
      EXPECT_CLOSE(model.group_errors(group), oracle.group_errors(group, lambda), tolerance);
  });
}

TEST_P(Landmarks, FitPredictionsAndLeverage) {
  for_each_fit([](const Problem& problem, const LandmarkOracle& oracle, const Model& model, double lambda) {
    const oracle::Fit fit = oracle.fit(lambda);
    EXPECT_CLOSE(model.coefficients(), to_double(fit.c), tolerance);
    EXPECT_CLOSE(model.intercepts(), to_double(fit.b).values, tolerance);
    EXPECT_CLOSE(model.fitted(), oracle.fitted(lambda), tolerance);
    EXPECT_CLOSE(model.leverage(), oracle.leverage(lambda), tolerance);
    if (is_linear(problem)) {
      EXPECT_CLOSE(model.hyperplane(), oracle::hyperplane(problem, fit), tolerance);
    }
    Random random(5);
    const Matrix points = random.uniform_matrix(7, problem.x.cols, -1.5, 1.5);
    const Matrix expected = oracle::predict(problem, fit, points);
    EXPECT_CLOSE(model.predict(points, FREERIDGE_COL_MAJOR, 2), expected, tolerance);
    EXPECT_CLOSE(model.predict(points, FREERIDGE_ROW_MAJOR, 2), expected, tolerance);
    EXPECT_CLOSE(model.predict(problem.x), model.fitted(), tolerance);
  });
}

TEST_P(Landmarks, OneLambdaPerOutput) {
  const Vector lambda = {1.0, 1e3, 1e-3};
  for_each_problem(3, [&](const Problem& problem, const LandmarkOracle& oracle, Model& model) {
    model.lambdas(lambda);
    const auto each = [&](auto answer) { return oracle::per_output(lambda, answer); };
    const Labels folds = modulo_groups(problem.x.rows, 4);
    EXPECT_CLOSE(model.loo(), each([&](double l) { return oracle.loo(l); }), tolerance);
    EXPECT_CLOSE(model.group_errors(folds), each([&](double l) { return oracle.group_errors(folds, l); }), tolerance);
    EXPECT_CLOSE(model.fitted(), each([&](double l) { return oracle.fitted(l); }), tolerance);
    EXPECT_CLOSE(model.coefficients(), each([&](double l) { return to_double(oracle.fit(l).c); }), tolerance);
    EXPECT_CLOSE(model.leverage(), each([&](double l) { return oracle.leverage(l); }), tolerance);
    const Matrix b = each([&](double l) { return to_double(oracle.fit(l).b); });
    EXPECT_CLOSE(model.intercepts(), b.values, tolerance);
    Random random(6);
    const Matrix points = random.uniform_matrix(5, problem.x.cols, -1.5, 1.5);
    EXPECT_CLOSE(model.predict(points), each([&](double l) { return oracle::predict(problem, oracle.fit(l), points); }),
                 tolerance);
  });
}

TEST_P(Landmarks, CriteriaAtManyLambdas) {
  Vector lambdas;
  for (int k = -6; k <= 6; ++k) lambdas.push_back(std::pow(10.0, 0.5 * k));
  for_each_problem(2, [&](const Problem& problem, const LandmarkOracle& oracle, Model& model) {
    const Labels folds = modulo_groups(problem.x.rows, 4);
    model.groups(folds);
    const auto path = [&](auto answer) {
      Matrix out(static_cast<std::int64_t>(lambdas.size()), 2);
      for (std::int64_t l = 0; l < out.rows; ++l) {
        const Matrix scores = answer(lambdas[static_cast<std::size_t>(l)]);
        for (std::int64_t j = 0; j < 2; ++j) out(l, j) = scores(0, j);
      }
      return out;
    };
    EXPECT_CLOSE(model.score(FREERIDGE_LOO, lambdas), path([&](double l) { return oracle.loo_score(l); }), tolerance);
    EXPECT_CLOSE(model.score(FREERIDGE_GCV, lambdas), path([&](double l) { return oracle.gcv(l); }), tolerance);
    EXPECT_CLOSE(model.score(FREERIDGE_REML, lambdas), path([&](double l) { return oracle.reml(l); }), tolerance);
    EXPECT_CLOSE(model.score(FREERIDGE_GROUPS, lambdas), path([&](double l) { return oracle.group_score(folds, l); }),
                 tolerance);
  });
}

// The choice has the score that the definition gives there, and none of 60 others is better.
TEST_P(Landmarks, TheSearchFindsTheBestLambda) {
  for_each_problem(2, [&](const Problem&, const LandmarkOracle& oracle, Model& model) {
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
      SCOPED_TRACE(::testing::Message() << "criterion " << criterion);
      const auto expected = [&](double lambda) {
        return criterion == FREERIDGE_LOO   ? oracle.loo_score(lambda)
               : criterion == FREERIDGE_GCV ? oracle.gcv(lambda)
                                            : oracle.reml(lambda);
      };
      const LambdaChoice choice = model.select_lambda(criterion, 1e-3, 1e3);
      EXPECT_EQ(model.lambda_in_force(), choice.lambda);
      for (std::int64_t j = 0; j < 2; ++j) {
        const double lambda = choice.lambda[static_cast<std::size_t>(j)],
                     score = choice.score[static_cast<std::size_t>(j)];
        EXPECT_NEAR(score, expected(lambda)(0, j), tolerance * std::abs(score));
      }
      for (int k = 0; k <= 60; ++k) {
        const Matrix other = expected(std::pow(10.0, -3 + 0.1 * k));
        for (std::int64_t j = 0; j < 2; ++j) {
          const double score = choice.score[static_cast<std::size_t>(j)];
          EXPECT_LE(score, other(0, j) + 1e-6 * std::abs(score)) << "k = " << k << ", output " << j;
        }
      }
    }
  });
}

// Without penalty: weighted least squares in the landmarks' functions.
TEST_P(Landmarks, LambdaZero) {
  for_each_problem(2, [&](const Problem& problem, const LandmarkOracle& oracle, Model& model) {
    model.lambda(0);
    EXPECT_CLOSE(model.fitted(), oracle.fitted(0), tolerance);
    EXPECT_CLOSE(model.loo(), oracle.loo(0), tolerance);
    EXPECT_CLOSE(model.coefficients(), to_double(oracle.fit(0).c), 1e-8);
    const Labels folds = modulo_groups(problem.x.rows, 4);
    EXPECT_CLOSE(model.group_errors(folds), oracle.group_errors(folds, 0), 1e-8);
  });
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Family family : {Family::linear, Family::polynomial, Family::gaussian, Family::laplacian, Family::matern32,
                              Family::matern52, Family::sum, Family::product})
    for (const freeridge_reduction reduction :
         {FREERIDGE_REDUCTION_AUTO, FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM})
      out.push_back({family, reduction});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, Landmarks, ::testing::ValuesIn(cases()), ::testing::PrintToStringParamName());

constexpr freeridge_reduction reductions[] = {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM};

// ---- all points, one point, more than enough ----

// All answers of two models of one problem.
void expect_same_answers(const Problem& problem, Model& a, Model& b, double lambda, double near) {
  SCOPED_TRACE(::testing::Message() << "lambda = " << lambda);
  a.lambda(lambda);
  b.lambda(lambda);
  EXPECT_CLOSE(a.fitted(), b.fitted(), near);
  EXPECT_CLOSE(a.loo(), b.loo(), near);
  EXPECT_CLOSE(a.leverage(), b.leverage(), near);
  EXPECT_CLOSE(a.intercepts(), b.intercepts(), near);
  const Labels folds = modulo_groups(problem.x.rows, 3);
  EXPECT_CLOSE(a.group_errors(folds), b.group_errors(folds), near);
  Random random(7);
  const Matrix points = random.uniform_matrix(6, problem.x.cols, -1.5, 1.5);
  EXPECT_CLOSE(a.predict(points), b.predict(points), near);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(a.score(criterion, {lambda}), b.score(criterion, {lambda}), near);
}

// r = n: nothing is restricted.
TEST(LandmarkLimits, AllPointsAreTheFullModel) {
  Random random(100);
  for (const Family family : {Family::linear, Family::polynomial, Family::gaussian, Family::laplacian, Family::matern32,
                              Family::matern52, Family::sum, Family::product})
    for (const freeridge_reduction reduction : reductions)
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << family_name(family) << reduction_name(reduction) << (intercept ? ", intercept" : ""));
        const Problem problem = random_problem(random, kernel_of(family, 3), 24, 3, 2, true, intercept);
        Model full = oracle::make_model(problem, FREERIDGE_SPECTRAL), all = oracle::make_model(problem);
        full.factorize();
        set_reduction(set_landmarks(all, random.permutation(24)), reduction).factorize();
        for (const double lambda : {1e-2, 1.0, 1e2}) expect_same_answers(problem, all, full, lambda, 1e-8);
        if (family == Family::laplacian) {  // its K is well conditioned
          EXPECT_EQ(rank_of(all), intercept ? 23 : 24);
          EXPECT_CLOSE(all.coefficients(), full.coefficients(), 1e-8);
        }
      }
}

// A kernel matrix in place of a kernel, with asked-for and chosen landmarks.
TEST(LandmarkLimits, PrecomputedKernels) {
  Random random(101);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      const Problem problem = random_problem(random, KernelSpec::gaussian(1.4), 30, 3, 2, true, intercept);
      const Matrix k = to_double(oracle::kernel_matrix(problem.kernel, problem.x, problem.x));
      const Rows rows = {17, 4, 8, 29, 0, 11};
      const LandmarkOracle oracle(problem, rows, to_real(k));
      Model model = precomputed_model(k, problem.y);
      model.weights(problem.weights).intercept(intercept);
      set_reduction(set_landmarks(model, rows), reduction).factorize().lambda(0.1);
      EXPECT_EQ(model.route_used(), FREERIDGE_LANDMARK);
      EXPECT_CLOSE(model.loo(), oracle.loo(0.1), tolerance);
      EXPECT_CLOSE(model.fitted(), oracle.fitted(0.1), tolerance);
      EXPECT_CLOSE(model.coefficients(), to_double(oracle.fit(0.1).c), tolerance);
      EXPECT_CLOSE(model.group_errors(modulo_groups(30, 2)), oracle.group_errors(modulo_groups(30, 2), 0.1), tolerance);
      const Matrix points = random.uniform_matrix(5, 3, -1.0, 1.0);
      EXPECT_CLOSE(model.predict(to_double(oracle::kernel_matrix(problem.kernel, points, problem.x))),
                   oracle::predict(problem, oracle.fit(0.1), points), tolerance);
      const Traces traces = landmark_traces(model);
      EXPECT_NEAR(traces.left, static_cast<double>(oracle.trace_left()), 1e-12 * traces.all);
      EXPECT_NEAR(traces.all, static_cast<double>(oracle.trace()), 1e-12 * traces.all);

      // The choice is that of the kernel it came from.
      for (const freeridge_landmark_method method :
           {FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED}) {
        Model of_kernel = oracle::make_model(problem);
        choose_landmarks(model, 7, method, 5).factorize();
        choose_landmarks(of_kernel, 7, method, 5).factorize();
        EXPECT_EQ(landmark_rows(model), landmark_rows(of_kernel)) << "method " << method;
      }
    }
}

TEST(LandmarkLimits, OneLandmark) {
  Random random(102);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      const Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 15, 2, 2, true, intercept);
      const LandmarkOracle oracle(problem, {6});
      Model model = oracle::make_model(problem);
      set_reduction(set_landmarks(model, {6}), reduction).factorize();
      EXPECT_EQ(rank_of(model), 1);
      for (const double lambda : {0.0, 0.1, 10.0}) {
        model.lambda(lambda);
        EXPECT_CLOSE(model.fitted(), oracle.fitted(lambda), 1e-12);
        EXPECT_CLOSE(model.loo(), oracle.loo(lambda), 1e-12);
        EXPECT_CLOSE(model.coefficients(), to_double(oracle.fit(lambda).c), 1e-12);
        EXPECT_CLOSE(model.group_errors(modulo_groups(15, 2)), oracle.group_errors(modulo_groups(15, 2), lambda),
                     1e-12);
      }
    }
}

TEST(LandmarkLimits, OnePoint) {
  Matrix x(1, 2, 0.7), y(1, 1, 3.0);
  for (const freeridge_reduction reduction : reductions) {
    Model with(Kernel::gaussian(1.0)), without(Kernel::gaussian(1.0));
    with.data(x, y);
    set_reduction(set_landmarks(with, {0}), reduction).factorize().lambda(0.5);
    EXPECT_EQ(rank_of(with), 0);
    EXPECT_CLOSE(with.fitted(), y, 1e-15);
    EXPECT_CLOSE(with.intercepts(), y.values, 1e-15);
    freeridge_status status = FREERIDGE_OK;
    EXPECT_TRUE(std::isnan(with.loo(&status)(0, 0)));
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);

    without.data(x, y).intercept(false);
    set_reduction(set_landmarks(without, {0}), reduction).factorize().lambda(0.5);
    EXPECT_EQ(rank_of(without), 1);
    EXPECT_CLOSE(without.fitted(), Matrix(1, 1, 2.0), 1e-15);  // 3 / (1 + lambda)
    EXPECT_CLOSE(without.loo(), y, 1e-15);
  }
}

// ---- landmarks that depend on others ----

TEST(DependentLandmarks, EqualRowsAddNothing) {
  Random random(103);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 22, 2, 2, true, intercept);
      for (std::int64_t k = 0; k < 2; ++k) {
        problem.x(9, k) = problem.x(3, k);
        problem.x(20, k) = problem.x(14, k);
      }
      const LandmarkOracle oracle(problem, {3, 5, 14, 1});
      Model once = oracle::make_model(problem), twice = oracle::make_model(problem);
      set_reduction(set_landmarks(once, {3, 5, 14, 1}), reduction).factorize();
      set_reduction(set_landmarks(twice, {9, 3, 5, 20, 1, 14}), reduction).factorize();
      EXPECT_EQ(rank_of(once), 4);
      EXPECT_EQ(rank_of(twice), 4);
      EXPECT_EQ(landmark_rows(twice), (Rows{9, 3, 5, 20, 1, 14}));
      for (const double lambda : {0.0, 1e-3, 1.0}) {
        once.lambda(lambda);
        twice.lambda(lambda);
        EXPECT_CLOSE(twice.fitted(), oracle.fitted(lambda), tolerance);
        EXPECT_CLOSE(twice.loo(), oracle.loo(lambda), tolerance);
        EXPECT_CLOSE(once.loo(), oracle.loo(lambda), tolerance);
      }
      EXPECT_NEAR(landmark_traces(twice).left, static_cast<double>(oracle.trace_left()), 1e-12);
    }
}

// Ten landmarks of a linear kernel in three features: three are enough, and the restriction is none.
TEST(DependentLandmarks, MoreThanTheKernelsRank) {
  Random random(104);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      const Problem problem = random_problem(random, KernelSpec::linear(), 25, 3, 2, true, intercept);
      Model many = oracle::make_model(problem), full = oracle::make_model(problem, FREERIDGE_PRIMAL);
      set_reduction(set_landmarks(many, some_landmarks(random, 25, 10)), reduction).factorize();
      full.factorize();
      EXPECT_EQ(rank_of(many), 3);
      EXPECT_EQ(landmark_count(many), 10);
      for (const double lambda : {1e-3, 1.0}) expect_same_answers(problem, many, full, lambda, tolerance);
      for (const double lambda : {0.0, 1e-3, 1.0}) {
        many.lambda(lambda);
        full.lambda(lambda);
        EXPECT_CLOSE(many.hyperplane(), full.hyperplane(), tolerance);
        EXPECT_CLOSE(many.loo(), full.loo(), tolerance);
      }
      EXPECT_LE(landmark_traces(many).left, 1e-12 * landmark_traces(many).all);
    }
}

// Twelve landmarks at four different places.
TEST(DependentLandmarks, MoreThanDistinctPoints) {
  Random random(105);
  Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 20, 2, 1, false, true);
  for (std::int64_t i = 4; i < 20; ++i)
    for (std::int64_t k = 0; k < 2; ++k) problem.x(i, k) = problem.x(i % 4, k);
  const LandmarkOracle oracle(problem, {0, 1, 2, 3});
  for (const freeridge_reduction reduction : reductions) {
    Model model = oracle::make_model(problem);
    set_reduction(set_landmarks(model, some_landmarks(random, 20, 12)), reduction).factorize();
    Model all = oracle::make_model(problem);
    set_reduction(set_landmarks(all, random.permutation(20)), reduction).factorize();
    for (Model* each : {&model, &all}) {
      EXPECT_LE(rank_of(*each), 3);  // 4 - 1: the intercept has the constant direction of four indicator functions
      for (const double lambda : {1e-4, 1e-2, 1.0}) {
        each->lambda(lambda);
        EXPECT_CLOSE(each->fitted(), oracle.fitted(lambda), tolerance);
        EXPECT_CLOSE(each->loo(), oracle.loo(lambda), tolerance);
      }
    }
    // Without penalty the fit is the mean at each place.
    model.lambda(0);
    Matrix means(20, 1);
    for (std::int64_t i = 0; i < 20; ++i) means(i % 4, 0) += problem.y(i, 0) / 5;
    for (std::int64_t i = 4; i < 20; ++i) means(i, 0) = means(i % 4, 0);
    EXPECT_CLOSE(model.fitted(), means, tolerance);
  }
}

// A linear kernel and landmarks at the origin: no function but zero is left.
TEST(DependentLandmarks, LandmarksWithoutAFunction) {
  Matrix x(6, 2), y(6, 1);
  for (std::int64_t i = 0; i < 6; ++i) y(i, 0) = static_cast<double>(i);
  for (std::int64_t i = 3; i < 6; ++i) x(i, 0) = x(i, 1) = static_cast<double>(i);
  for (const freeridge_reduction reduction : reductions) {
    Model model(Kernel::linear());
    model.data(x, y);
    set_reduction(set_landmarks(model, {0, 2}), reduction).factorize().lambda(1.0);
    EXPECT_EQ(rank_of(model), 0);
    EXPECT_CLOSE(model.fitted(), Matrix(6, 1, 2.5), 1e-15);
    EXPECT_CLOSE(model.hyperplane(), Matrix(2, 1), 0.0);
    Matrix expected(6, 1);  // the error from the mean of the others
    for (std::int64_t i = 0; i < 6; ++i) expected(i, 0) = (y(i, 0) - 2.5) * 6 / 5;
    EXPECT_CLOSE(model.loo(), expected, 1e-14);
    EXPECT_EQ(landmark_traces(model).left, landmark_traces(model).all);
  }
}

// ---- scales ----

// k -> s^2 k for the linear kernel on s x: lambda -> s^2 lambda has the same answers.
TEST(LandmarkScales, HugeAndTiny) {
  Random random(106);
  const Problem problem = random_problem(random, KernelSpec::linear(), 25, 3, 1, true, true);
  Model one = oracle::make_model(problem);
  set_landmarks(one, {2, 7, 11}).factorize().lambda(0.5);
  for (const double exponent : {-250.0, -150.0, 150.0, 250.0}) {  // powers of two: the same digits
    const double scale = std::pow(2.0, exponent);
    for (const freeridge_reduction reduction : reductions) {
      SCOPED_TRACE(::testing::Message() << "2^" << exponent << " " << reduction_name(reduction));
      Problem scaled_problem = problem;
      scaled_problem.x = scaled(problem.x, scale);
      Model model = oracle::make_model(scaled_problem);
      set_reduction(set_landmarks(model, {2, 7, 11}), reduction).factorize().lambda(0.5 * scale * scale);
      EXPECT_CLOSE(model.fitted(), one.fitted(), 1e-12);
      EXPECT_CLOSE(model.loo(), one.loo(), 1e-12);
      EXPECT_CLOSE(model.hyperplane(), scaled(one.hyperplane(), 1 / scale), 1e-12);
      const Matrix points = random_problem(random, KernelSpec::linear(), 5, 3, 1, false, false).x;
      const PredictedVariance moved = model.predict_variance(scaled(points, scale));
      EXPECT_CLOSE(moved.variance, one.predict_variance(points).variance, 1e-11);
      EXPECT_CLOSE(moved.noise, one.predict_variance(points).noise, 1e-12);
    }
  }
}

// Rows that differ by more magnitudes than there are digits: what cannot be told is not made up. No leverage is beyond
// one but for rounding, which is at most one here, and the heavy row is fitted.
TEST(LandmarkScales, WeightsOfAllMagnitudes) {
  Random random(107);
  for (const std::int64_t landmarks : {4, 8, 12})
    for (const bool intercept : {false, true})
      for (const double weight : {1e20, 1e40, 1e100, 1e200, 1e300})
        for (const freeridge_reduction reduction : reductions) {
          SCOPED_TRACE(::testing::Message() << landmarks << " landmarks, intercept: " << intercept << ", weight "
                                            << weight << " " << reduction_name(reduction));
          Problem problem = random_problem(random, KernelSpec::gaussian(2.0), 24, 2, 1, true, intercept);
          problem.weights[1] = weight;
          problem.weights[2] = std::sqrt(weight);
          problem.weights[3] = 1 / weight;
          Model model = oracle::make_model(problem);
          set_reduction(set_landmarks(model, some_landmarks(random, 24, landmarks)), reduction).factorize().lambda(0.1);
          const Matrix leverage = model.leverage();
          for (std::int64_t i = 0; i < 24; ++i) {
            EXPECT_GE(leverage(i, 0), 0.0);
            EXPECT_LE(leverage(i, 0), 2.0) << i;
          }
          EXPECT_GE(leverage(1, 0), 1 - 1e-6);
          EXPECT_NEAR(model.fitted()(1, 0), problem.y(1, 0), 1e-9);
        }
}

}  // namespace
