// freeridge_score with errors: the scores are those without, and the standard errors follow their definition
// on refits; small spreads beside large means, and scales near the ends of what a double holds, keep their digits.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/problems.hpp"

namespace standard_error_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

const Vector lambda_values = {1e-2, 0.3, 1.0, 1e2};

// The terms of the mean: squares of single rows, or weighted means over groups.
Real expected_error(const Problem& problem, const Matrix& errors, const Labels& group, std::int64_t output) {
  std::vector<Real> weights, terms;
  for (std::int32_t label = 0; label < static_cast<std::int32_t>(group.size()); ++label) {
    Real weight = 0, sum = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (group[i] != label) continue;
      const auto row = static_cast<std::int64_t>(i);
      const Real error = errors(row, output);
      weight += static_cast<Real>(problem.weight(row));
      sum += static_cast<Real>(problem.weight(row)) * error * error;
    }
    if (weight == 0) continue;
    weights.push_back(weight);
    terms.push_back(sum / weight);
  }
  return oracle::standard_error(weights, terms);
}

TEST(StandardError, FollowsItsDefinitionOnRefits) {
  Random random(61);
  for (const Family family : {Family::linear, Family::gaussian})
    for (const bool weighted : {false, true})
      for (const freeridge_route route :
           {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL}) {
        if (route == FREERIDGE_ROUTE_PRIMAL && family != Family::linear) continue;
        SCOPED_TRACE(::testing::Message()
                     << family_name(family) << " " << route_name(route) << (weighted ? ", weights" : ""));
        const Problem problem = random_problem(random, kernel_of(family, 3), 17, 3, 2, weighted, true);
        Labels uneven = modulo_groups(17, 5);
        uneven[1] = uneven[6] = -1;
        uneven[0] = 9;
        Model model = oracle::make_model(problem, route);
        model.groups(uneven).factorize();
        for (const bool groups : {false, true}) {
          const Labels group = groups ? uneven : single_groups(17);
          const freeridge_criterion criterion = groups ? FREERIDGE_GROUPS : FREERIDGE_LOO;
          const ScoresWithErrors found = model.score_with_error(criterion, lambda_values);
          EXPECT_TRUE(bit_equal(found.scores, model.score(criterion, lambda_values)));
          Matrix expected(4, 2);
          for (std::int64_t l = 0; l < 4; ++l)
            for (std::int64_t j = 0; j < 2; ++j)
              expected(l, j) = static_cast<double>(expected_error(
                  problem, oracle::group_errors(problem, group, lambda_values[static_cast<std::size_t>(l)]), group, j));
          for (std::int64_t l = 0; l < 4; ++l)
            EXPECT_CLOSE(select_rows(found.errors, {l}), select_rows(expected, {l}), 1e-9);
        }
      }
}

// Thousands of rows go by in tiles; at this lambda the fit is nearly zero, so that e is nearly y: 1 and a little.
TEST(StandardError, ASmallSpreadBesideALargeMeanKeepsItsDigits) {
  Random random(62);
  constexpr std::int64_t n = 3500;
  for (const double spread : {1e-2, 1e-7}) {
    Problem problem{Problem{oracle::KernelSpec::linear(), random.uniform_matrix(n, 2, -1.0, 1.0), Matrix(n, 1),
                            random.uniform_vector(n, 0.5, 2.0), false}};
    for (double& value : problem.y.values)
      value = (random.index(2) == 0 ? -1.0 : 1.0) * (1.0 + spread * random.uniform(-1.0, 1.0));
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
    constexpr double lambda = 1e15;
    const ScoresWithErrors found = model.factorize().score_with_error(FREERIDGE_LOO, {lambda});
    const Matrix errors = model.lambda(lambda).loo();
    EXPECT_CLOSE(errors, problem.y, 1e-9);
    const auto expected = static_cast<double>(expected_error(problem, errors, single_groups(n), 0));
    EXPECT_NEAR(found.errors(0, 0), expected, 1e-7 * expected);
    EXPECT_NEAR(found.errors(0, 0), spread * 2 / std::sqrt(3.0 * n), 0.1 * spread * 2 / std::sqrt(3.0 * n));
  }
}

// y times a power of two: the errors of the squares scale with its square, although the squares of the squares
// overflow.
TEST(StandardError, HugeAndTinyOutputs) {
  Random random(63);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 25, 2, 2, true, true);
  const Labels group = modulo_groups(25, 6);
  Model plain = oracle::make_model(problem);
  plain.groups(group).factorize();
  for (const int power : {490, -490}) {
    SCOPED_TRACE(power);
    Problem far = problem;
    far.y = scaled(problem.y, std::ldexp(1.0, power));
    Model model = oracle::make_model(far);
    model.groups(group).factorize();
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GROUPS}) {
      const ScoresWithErrors expected = plain.score_with_error(criterion, lambda_values);
      const ScoresWithErrors found = model.score_with_error(criterion, lambda_values);
      EXPECT_CLOSE(found.scores, scaled(expected.scores, std::ldexp(1.0, 2 * power)), 1e-12);
      EXPECT_CLOSE(found.errors, scaled(expected.errors, std::ldexp(1.0, 2 * power)), 1e-12);
    }
  }
  // Squares that overflow have no mean.
  Problem beyond = problem;
  beyond.y = scaled(problem.y, std::ldexp(1.0, 600));
  Model model = oracle::make_model(beyond);
  freeridge_status status = FREERIDGE_OK;
  const ScoresWithErrors none = model.factorize().score_with_error(FREERIDGE_LOO, {1.0}, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  for (std::int64_t j = 0; j < 2; ++j) {
    EXPECT_TRUE(std::isnan(none.scores(0, j)));
    EXPECT_TRUE(std::isnan(none.errors(0, j)));
  }
}

// A row that weighs next to nothing and is far off: e^2 overflows, W e^2 does not, and neither does what the row adds to
// the standard error.
TEST(StandardError, ARowOfTinyWeightMayBeFarOff) {
  Random random(65);
  Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 20, 2, 2, true, true);
  problem.weights[3] = std::ldexp(1.0, -200);
  problem.y(3, 0) = std::ldexp(1.0, 530);
  Model model = oracle::make_model(problem);
  freeridge_status status = FREERIDGE_OK;
  const ScoresWithErrors found = model.factorize().score_with_error(FREERIDGE_LOO, {0.3}, &status);
  EXPECT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
  const Matrix errors = oracle::loo(problem, 0.3);
  const double expected = static_cast<double>(expected_error(problem, errors, single_groups(20), 0));
  ASSERT_TRUE(std::isfinite(expected));
  EXPECT_NEAR(found.errors(0, 0) / expected, 1.0, 1e-10);

  // Farther off, the standard error overflows: no value, and the message says so, whatever the sums on the way are; also
  // where another row is not observed.
  problem.y(3, 0) = std::ldexp(1.0, 570);
  for (const bool missing : {false, true}) {
    SCOPED_TRACE(missing ? "missing" : "all observed");
    Matrix y = problem.y;
    if (missing) y(7, 0) = std::nan("");
    Model beyond(oracle::make_kernel(problem.kernel));
    check(freeridge_set_parameter(beyond.get(), FREERIDGE_MISSING, missing ? 1 : 0), "freeridge_set_parameter");
    beyond.data(problem.x, y).weights(problem.weights).factorize();
    const ScoresWithErrors none = beyond.score_with_error(FREERIDGE_LOO, {0.3}, &status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_NE(std::string(freeridge_last_error()).find("standard error of output 0 overflows"), std::string::npos)
        << freeridge_last_error();
    EXPECT_TRUE(std::isfinite(none.scores(0, 0)));
    EXPECT_TRUE(std::isnan(none.errors(0, 0)));
    EXPECT_TRUE(std::isfinite(none.errors(0, 1)));
  }
}

TEST(StandardError, OneTermHasNone) {
  Model one(Kernel::gaussian(1.0));
  one.data(Matrix(1, 1, 0.5), Matrix(1, 1, 2.0)).intercept(false).factorize();
  freeridge_status status = FREERIDGE_OK;
  const ScoresWithErrors point = one.score_with_error(FREERIDGE_LOO, {0.1, 1.0}, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  for (std::int64_t l = 0; l < 2; ++l) {
    EXPECT_NEAR(point.scores(l, 0), 4.0, 1e-14);  // nothing is left to predict from
    EXPECT_TRUE(std::isnan(point.errors(l, 0)));
  }

  Random random(64);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 12, 2, 2, false, true);
  Labels group(12, -1);
  group[2] = group[5] = group[6] = 4;
  Model model = oracle::make_model(problem);
  model.groups(group).factorize();
  const ScoresWithErrors mean = model.score_with_error(FREERIDGE_GROUPS, {0.1}, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(bit_equal(mean.scores, model.score(FREERIDGE_GROUPS, {0.1})));
  for (std::int64_t j = 0; j < 2; ++j) EXPECT_TRUE(std::isnan(mean.errors(0, j)));
}

// Leverage one at lambda = 0 (the only row that says anything about the slope): no value there; all else is valid.
TEST(StandardError, NoErrorWhereThereIsNoScore) {
  Model model(Kernel::linear());
  Matrix x(4, 1), y(4, 1);
  x(0, 0) = 1.0;
  y.values = {1.0, 2.0, 4.0, 3.0};
  model.data(x, y).factorize();
  freeridge_status status = FREERIDGE_OK;
  const ScoresWithErrors found = model.score_with_error(FREERIDGE_LOO, {0.0, 1.0}, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(found.scores(0, 0)));
  EXPECT_TRUE(std::isnan(found.errors(0, 0)));
  EXPECT_GT(found.scores(1, 0), 0.0);
  EXPECT_GT(found.errors(1, 0), 0.0);
}

}  // namespace standard_error_test
