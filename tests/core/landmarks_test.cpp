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

namespace landmarks_test {

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
            Model model = oracle::make_model(problem, FREERIDGE_ROUTE_AUTO, layout, 3);
            set_reduction(set_landmarks(model, rows), GetParam().reduction).factorize();
            ASSERT_EQ(model.route_used(), FREERIDGE_ROUTE_LANDMARK);
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
  for (const Family family : oracle::all_families)
    for (const freeridge_reduction reduction :
         {FREERIDGE_REDUCTION_AUTO, FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM})
      out.push_back({family, reduction});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, Landmarks, ::testing::ValuesIn(cases()), ::testing::PrintToStringParamName());

}  // namespace landmarks_test
