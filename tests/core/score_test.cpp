// The criteria equal their definitions, written out with explicit matrices, hat matrices and refits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/gauss.hpp"
#include "support/problems.hpp"

namespace score_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

const Vector lambda_values = {1e-3, 0.05, 1.0, 1e3};

// The same from where it comes: minus the log-density of m = n - 1 error contrasts A'Y, normal with covariance s2 A'MA,
// at the s2 that makes it greatest. A'1 = 0, A'A = I. It differs by 1/2 log n, which no lambda changes.
Real reml_of_contrasts(const Problem& problem, double lambda, std::int64_t output) {
  const std::int64_t n = problem.x.rows;
  Dense m = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  for (std::int64_t i = 0; i < n; ++i) m(i, i) += static_cast<Real>(lambda) / static_cast<Real>(problem.weight(i));
  Dense a(n, n - 1);  // Helmert's contrasts
  for (std::int64_t k = 1; k < n; ++k) {
    const Real size = std::sqrt(static_cast<Real>(k) * static_cast<Real>(k + 1));
    for (std::int64_t i = 0; i < k; ++i) a(i, k - 1) = 1 / size;
    a(k, k - 1) = -static_cast<Real>(k) / size;
  }
  const Dense contrasts = multiply(transpose(a), to_real(column(problem.y, output)));
  const Dense covariance = multiply(transpose(a), multiply(m, a));
  const Real quadratic = multiply(transpose(contrasts), solve(covariance, contrasts))(0, 0);
  const auto size = static_cast<Real>(n - 1);
  const Real two_pi = 6.28318530717958647692528676655900577L;
  return (size * std::log(two_pi * quadratic / size) + size + log_determinant(covariance) +
          std::log(static_cast<Real>(n))) /
         2;
}

class Score : public ::testing::Test {
 protected:
  // body(problem, model) for all kernels and routes, weights or none, intercept or none, n > d and n < d.
  template <class Body>
  void for_each_model(Body body) {
    Random random(555);
    for (const Family family : {Family::linear, Family::polynomial, Family::gaussian})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true})
          for (const std::int64_t d : {3, 21}) {
            const Problem problem = random_problem(random, kernel_of(family, d), 16, d, 2, weighted, intercept);
            for (const freeridge_route route :
                 {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL}) {
              if (route == FREERIDGE_ROUTE_PRIMAL && family != Family::linear) continue;
              SCOPED_TRACE(::testing::Message()
                           << family_name(family) << " " << route_name(route) << (weighted ? ", weights" : "")
                           << (intercept ? ", intercept" : "") << ", d = " << d);
              Model model = oracle::make_model(problem, route);
              body(problem, model.factorize());
            }
          }
  }

  // Each score on its own: |actual - expected| <= tolerance * max(|expected|, floor).
  template <class Definition>
  static void expect_scores(const Model& model, freeridge_criterion criterion, double tolerance, double floor,
                            Definition definition) {
    const Matrix scores = model.score(criterion, lambda_values);
    for (std::int64_t k = 0; k < scores.rows; ++k)
      for (std::int64_t j = 0; j < scores.cols; ++j) {
        const double lambda = lambda_values[static_cast<std::size_t>(k)];
        const auto expected = static_cast<double>(definition(lambda, j));
        EXPECT_NEAR(scores(k, j), expected, tolerance * std::max(std::abs(expected), floor))
            << "lambda = " << lambda << ", output " << j;
      }
  }
};

TEST_F(Score, LeaveOneOutIsTheWeightedMeanSquareOfRefits) {
  for_each_model([](const Problem& problem, const Model& model) {
    expect_scores(model, FREERIDGE_LOO, 1e-9, 0.0, [&](double lambda, std::int64_t j) {
      return oracle::mean_square(problem, oracle::loo(problem, lambda), j);
    });
  });
}

TEST_F(Score, GcvFollowsTheHatMatrix) {
  for_each_model([](const Problem& problem, const Model& model) {
    expect_scores(model, FREERIDGE_GCV, 1e-9, 0.0,
                  [&](double lambda, std::int64_t j) { return oracle::gcv(problem, lambda, j); });
  });
}

TEST_F(Score, RemlIsTheRestrictedLikelihood) {
  for_each_model([](const Problem& problem, const Model& model) {
    const auto size = static_cast<double>(problem.x.rows);  // the order of its terms, which may cancel
    expect_scores(model, FREERIDGE_REML, 1e-10, size,
                  [&](double lambda, std::int64_t j) { return oracle::reml(problem, lambda, j); });
    if (problem.intercept)
      expect_scores(model, FREERIDGE_REML, 1e-10, size,
                    [&](double lambda, std::int64_t j) { return reml_of_contrasts(problem, lambda, j); });
  });
}

TEST_F(Score, GroupsIsTheWeightedMeanSquareOverTheRowsLeftOut) {
  for_each_model([](const Problem& problem, Model& model) {
    Labels some = modulo_groups(problem.x.rows, 4);
    some[2] = some[9] = -1;
    some[0] = 17;
    for (const Labels& group : {modulo_groups(problem.x.rows, 5), some}) {
      model.groups(group);
      expect_scores(model, FREERIDGE_GROUPS, 1e-9, 0.0, [&](double lambda, std::int64_t j) {
        return oracle::mean_square(problem, oracle::group_errors(problem, group, lambda), j);
      });
    }
    model.groups(single_groups(problem.x.rows));
    EXPECT_CLOSE(model.score(FREERIDGE_GROUPS, lambda_values), model.score(FREERIDGE_LOO, lambda_values), 1e-12);
  });
}

TEST_F(Score, DegreesOfFreedomAreTheColumnSumsOfLeverage) {
  for_each_model([](const Problem& problem, Model& model) {
    for (const double lambda : lambda_values) {
      const Dense hat = oracle::hat_matrix(problem, lambda);
      Real trace = 0;
      for (std::int64_t i = 0; i < hat.rows; ++i) trace += hat(i, i);
      const Matrix leverage = model.lambda(lambda).leverage();
      for (std::int64_t j = 0; j < leverage.cols; ++j) {
        double sum = 0;
        for (std::int64_t i = 0; i < leverage.rows; ++i) sum += leverage(i, j);
        EXPECT_NEAR(sum, static_cast<double>(trace), 1e-11 * static_cast<double>(trace));
      }
    }
  });
}

TEST_F(Score, OneLambdaAtATimeOrManyOrAgainIsTheSame) {
  for_each_model([](const Problem&, const Model& model) {
    const Vector repeated = {0.3, 0.01, 0.3, 50.0, 0.01};
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
      const Matrix together = model.score(criterion, repeated);
      for (std::int64_t k = 0; k < together.rows; ++k)
        EXPECT_CLOSE(model.score(criterion, {repeated[static_cast<std::size_t>(k)]}), select_rows(together, {k}),
                     1e-13);
    }
  });
}

TEST_F(Score, ManyLambdasInOneCallEqualSingleCalls) {
  Random random(556);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.5), 90, 4, 3, true, true);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  model.factorize();
  const Vector grid = model.lambda_grid(150);
  const Matrix scores = model.score(FREERIDGE_LOO, grid);
  for (std::int64_t k = 0; k < scores.rows; k += 13)
    EXPECT_CLOSE(model.score(FREERIDGE_LOO, {grid[static_cast<std::size_t>(k)]}), select_rows(scores, {k}), 1e-12);
}

}  // namespace score_test
