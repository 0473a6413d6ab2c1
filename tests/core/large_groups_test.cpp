// Groups with more rows than a factorization has directions: hold-outs of most of the data against refits, against the
// routes that invert a matrix of the group's own size, and where too few rows are left.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/landmark_oracle.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/tall_oracle.hpp"

namespace large_groups_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;
using oracle::TallProblem;

TallProblem tall(const Problem& problem) {
  return {problem.x, problem.y, problem.weights, problem.intercept};
}

// All rows but `left` are in group 0.
Labels all_but(Random& random, std::int64_t n, std::int64_t left) {
  Labels out(static_cast<std::size_t>(n), 0);
  const auto order = random.permutation(n);
  for (std::int64_t i = 0; i < left; ++i) out[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = -1;
  return out;
}

// The primal route that keeps B, and the one that streams.
constexpr freeridge_reduction reductions[] = {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM};

Model primal(const Problem& problem, freeridge_reduction reduction) {
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  set_reduction(model, reduction).factorize();
  return model;
}

TEST(LargeGroups, HoldOutOfMostRows) {
  Random random(400);
  for (const bool intercept : {false, true}) {
    const Problem problem = random_problem(random, KernelSpec::linear(), 5000, 6, 3, true, intercept);
    const Labels hold_out = all_but(random, 5000, 2000);
    for (const freeridge_reduction reduction : reductions) {
      Model model = primal(problem, reduction);
      for (const double lambda : {0.0, 1e-3, 10.0, 1e5}) {
        SCOPED_TRACE(::testing::Message() << reduction_name(reduction) << ", lambda = " << lambda);
        model.lambda(lambda);
        EXPECT_CLOSE(model.group_errors(hold_out), oracle::group_errors(tall(problem), hold_out, lambda), 1e-10);
        const Labels folds = modulo_groups(5000, 3);
        EXPECT_CLOSE(model.group_errors(folds), oracle::group_errors(tall(problem), folds, lambda), 1e-10);
      }
      model.groups(hold_out);
      const Vector lambdas = {0.0, 1e-3, 10.0, 1e5};
      const Matrix scores = model.score(FREERIDGE_GROUPS, lambdas);
      for (std::int64_t l = 0; l < 4; ++l) {
        const Matrix errors = oracle::group_errors(tall(problem), hold_out, lambdas[static_cast<std::size_t>(l)]);
        for (std::int64_t j = 0; j < 3; ++j) {
          Real sum = 0, weights = 0;
          for (std::int64_t i = 0; i < 5000; ++i) {
            if (hold_out[static_cast<std::size_t>(i)] < 0) continue;
            sum += static_cast<Real>(problem.weight(i)) * errors(i, j) * errors(i, j);
            weights += static_cast<Real>(problem.weight(i));
          }
          EXPECT_NEAR(scores(l, j), static_cast<double>(sum / weights), 1e-10 * scores(l, j));
        }
      }
    }
  }
}

TEST(LargeGroups, Landmarks) {
  Random random(401);
  for (const bool intercept : {false, true}) {
    const Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 1500, 2, 2, true, intercept);
    Rows rows = random.permutation(1500);
    rows.resize(8);
    const oracle::LandmarkOracle oracle(problem, rows);
    Model model = oracle::make_model(problem);
    set_landmarks(model, rows).factorize();
    for (const double lambda : {1e-3, 1.0, 1e3}) {
      model.lambda(lambda);
      for (const std::int64_t left : {600, 30, 9}) {
        const Labels group = all_but(random, 1500, left);
        EXPECT_CLOSE(model.group_errors(group), oracle.group_errors(group, lambda), 1e-9)
            << "lambda = " << lambda << ", " << left << " rows left";
      }
    }
  }
}

// The dual routes invert an s x s matrix. Weights over six orders of magnitude.
TEST(LargeGroups, AgainstTheDualRoutes) {
  Random random(402);
  for (const bool intercept : {false, true}) {
    Problem problem = random_problem(random, KernelSpec::linear(), 300, 6, 2, true, intercept);
    for (double& weight : problem.weights) weight = std::pow(10.0, random.uniform(-3.0, 3.0));
    Model spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL),
          cholesky = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
    spectral.factorize();
    cholesky.factorize();
    for (const freeridge_reduction reduction : reductions) {
      Model model = primal(problem, reduction);
      for (const double lambda : {0.1, 10.0}) {
        for (Model* each : {&model, &spectral, &cholesky}) each->lambda(lambda);
        for (const std::int64_t left : {120, 20}) {
          const Labels group = all_but(random, 300, left);
          const Matrix errors = model.group_errors(group);
          EXPECT_CLOSE(errors, spectral.group_errors(group), 1e-8);
          EXPECT_CLOSE(errors, cholesky.group_errors(group), 1e-8);
          EXPECT_CLOSE(errors, oracle::group_errors(tall(problem), group, lambda), 1e-10);
        }
      }
    }
  }
}

// With many more outputs than rows of a group, and than columns in one product of rows of B.
TEST(LargeGroups, ManyOutputs) {
  Random random(404);
  const Problem problem = random_problem(random, KernelSpec::linear(), 140, 8, 260, true, true);
  const Labels group = modulo_groups(140, 9), points = modulo_groups(140, 140);
  for (const double lambda : {1e-2, 100.0}) {
    const Matrix errors = oracle::group_errors(tall(problem), group, lambda),
                 loo = oracle::group_errors(tall(problem), points, lambda);
    for (const freeridge_route route : {FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_CHOLESKY}) {
      SCOPED_TRACE(::testing::Message() << "route " << route << ", lambda = " << lambda);
      Model model = oracle::make_model(problem, route);
      model.groups(group).factorize().lambda(lambda);
      EXPECT_CLOSE(model.group_errors(group), errors, 1e-10);
      const Matrix scores = model.score(FREERIDGE_LOO, {lambda}), of_groups = model.score(FREERIDGE_GROUPS, {lambda});
      for (std::int64_t j = 0; j < 260; ++j) {
        Real sum = 0, group_sum = 0, weights = 0;
        for (std::int64_t i = 0; i < 140; ++i) {
          const auto weight = static_cast<Real>(problem.weight(i));
          sum += weight * loo(i, j) * loo(i, j);
          group_sum += weight * errors(i, j) * errors(i, j);
          weights += weight;
        }
        EXPECT_NEAR(scores(0, j), static_cast<double>(sum / weights), 1e-10 * scores(0, j));
        EXPECT_NEAR(of_groups(0, j), static_cast<double>(group_sum / weights), 1e-10 * of_groups(0, j));
      }
    }
  }
}

// 400 rows in 6 features, and `left` of them remain. With a penalty one row (none without an intercept) is enough; the
// error of the answer is that of p = lambda / (Lambda + lambda), which is what holds the system together then.
TEST(LargeGroups, AllRowsButAFew) {
  Random random(403);
  for (const bool intercept : {false, true}) {
    const Problem problem = random_problem(random, KernelSpec::linear(), 400, 6, 2, true, intercept);
    for (const freeridge_reduction reduction : reductions) {
      Model model = primal(problem, reduction);
      for (const std::int64_t left : {20, 7, 6, 3, 1, 0}) {
        const Labels group = all_but(random, 400, left);
        for (const double lambda : {1e-3, 1.0, 1e3}) {
          SCOPED_TRACE(::testing::Message() << reduction_name(reduction) << (intercept ? ", intercept, " : ", ") << left
                                            << " rows left, lambda = " << lambda);
          model.lambda(lambda);
          if (intercept && left == 0) {
            freeridge_status status = FREERIDGE_OK;
            const Matrix errors = model.group_errors(group, &status);
            EXPECT_EQ(status, FREERIDGE_UNDEFINED);
            for (const double error : errors.values) EXPECT_TRUE(std::isnan(error));
          } else {
            EXPECT_CLOSE(model.group_errors(group), oracle::group_errors(tall(problem), group, lambda), 1e-9);
          }
        }
      }
    }
  }
}

// Without penalty the rows that remain must determine the plane: 7 do (6 without an intercept), fewer do not.
TEST(LargeGroups, WithoutPenaltyEnoughRowsMustRemain) {
  Random random(404);
  for (const bool intercept : {false, true}) {
    const Problem problem = random_problem(random, KernelSpec::linear(), 400, 6, 2, true, intercept);
    const std::int64_t enough = intercept ? 7 : 6;
    for (const freeridge_reduction reduction : reductions) {
      Model model = primal(problem, reduction);
      model.lambda(0);
      for (const std::int64_t left :
           {enough + 20, enough + 3, enough, enough - 1, enough - 3, std::int64_t{1}, std::int64_t{0}}) {
        SCOPED_TRACE(::testing::Message()
                     << reduction_name(reduction) << (intercept ? ", intercept, " : ", ") << left << " rows left");
        const Labels group = all_but(random, 400, left);
        freeridge_status status = FREERIDGE_OK;
        const Matrix errors = model.group_errors(group, &status);
        if (left >= enough) {
          EXPECT_EQ(status, FREERIDGE_OK);
          EXPECT_CLOSE(errors, oracle::group_errors(tall(problem), group, 0), 1e-7);
        } else {
          EXPECT_EQ(status, FREERIDGE_UNDEFINED);
          for (std::size_t i = 0; i < errors.values.size(); ++i) EXPECT_TRUE(std::isnan(errors.values[i]));
        }
      }
    }
  }
}

// A group without an answer beside one that has its own.
TEST(LargeGroups, OneGroupWithoutAnAnswer) {
  Random random(405);
  Problem problem = random_problem(random, KernelSpec::linear(), 60, 3, 1, false, true);
  for (std::int64_t i = 0; i < 40; ++i) problem.x(i, 2) = 0.5;  // only the rows from 40 on tell the third column
  Labels group(60, -1);
  for (std::size_t i = 0; i < 60; ++i) group[i] = i >= 40 ? 1 : i >= 20 ? 0 : -1;
  for (const freeridge_reduction reduction : reductions) {
    Model model = primal(problem, reduction);
    model.lambda(0);
    freeridge_status status = FREERIDGE_OK;
    const Matrix errors = model.group_errors(group, &status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    Labels defined = group;
    for (std::int32_t& label : defined)
      if (label == 1) label = -1;
    EXPECT_CLOSE(errors, oracle::group_errors(tall(problem), defined, 0), 1e-10);
    model.lambda(0.1);
    EXPECT_CLOSE(model.group_errors(group), oracle::group_errors(tall(problem), group, 0.1), 1e-10);
  }
}

// Rows with nearly all the leverage: two columns are zero but in the rows of the group, which have no answer when they
// are left out. Of their P_GG = q q' + (what the other columns add, tiny here) the row of the large q_i is as exact as
// any, and in the others rounding is a large part of q_i^2: it must not be taken for a third direction.
TEST(LargeGroups, NoAnswerThatRoundingMakesUp) {
  Random random(406);
  const std::int64_t n = 40, d = 4;
  for (const bool intercept : {false, true})
    for (int trial = 0; trial < 40; ++trial) {
      Problem problem = random_problem(random, KernelSpec::linear(), n, d, 1, false, intercept);
      // The two columns are orthogonal to q = (1, s, t) up to rounding, and so is nothing else of these rows.
      const double s = std::pow(10.0, random.uniform(-6.0, -4.0)), t = std::pow(10.0, random.uniform(-6.0, -4.0));
      for (std::int64_t i = 0; i < n; ++i) problem.x(i, 2) = problem.x(i, 3) = 0;
      const Vector u = random.uniform_vector(2, -2.0, 2.0), v = random.uniform_vector(2, -2.0, 2.0);
      problem.x(0, 2) = -(s * u[0] + t * u[1]);
      problem.x(1, 2) = u[0];
      problem.x(2, 2) = u[1];
      problem.x(0, 3) = -(s * v[0] + t * v[1]);
      problem.x(1, 3) = v[0];
      problem.x(2, 3) = v[1];
      Labels group(static_cast<std::size_t>(n), -1);
      group[0] = group[1] = group[2] = 0;
      for (const freeridge_reduction reduction : reductions) {
        SCOPED_TRACE(::testing::Message()
                     << reduction_name(reduction) << (intercept ? ", intercept" : "") << ", trial " << trial);
        Model model = primal(problem, reduction);
        model.lambda(0);
        freeridge_status status = FREERIDGE_OK;
        const Matrix errors = model.group_errors(group, &status);
        EXPECT_EQ(status, FREERIDGE_UNDEFINED);
        for (std::int64_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(errors(i, 0)));
      }
    }
}

}  // namespace large_groups_test
