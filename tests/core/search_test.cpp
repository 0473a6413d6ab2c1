// The search over lambda against a minimisation by brute force of the criteria's definitions in long double; many
// outputs at once; how many lambdas it takes; the shape of the criterion that it tells; the one-standard-error rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/problems.hpp"

namespace search_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr freeridge_criterion analytic[] = {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS};

struct Found {
  double lambda;
  Real score;
};

// The minimum of f over [low, high]: a scan of `count` lambdas, then golden sections between the neighbours of the
// best.
template <class Function>
Found brute_force(double low, double high, int count, Function f) {
  const double step = std::log(high / low) / (count - 1);
  const auto at = [&](double x) { return f(std::clamp(std::exp(x), low, high)); };
  double best = 0;
  Real least = std::numeric_limits<Real>::infinity();
  for (int k = 0; k < count; ++k) {
    const double x = std::log(low) + step * k;
    const Real score = at(x);
    if (score <= least) best = x, least = score;
  }
  double a = best - step, b = best + step;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  while (b - a > 1e-7) {
    const double u = b - golden * (b - a), v = a + golden * (b - a);
    (at(u) < at(v) ? b : a) = at(u) < at(v) ? v : u;
  }
  return {std::clamp(std::exp((a + b) / 2), low, high), at((a + b) / 2)};
}

struct Case {
  Family family;
  freeridge_route route;
  std::int64_t n, d;
  bool weighted, intercept;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << family_name(c.family) << route_name(c.route) << (c.weighted ? "Weighted" : "")
             << (c.intercept ? "" : "NoIntercept");
}

class SearchOracle : public ::testing::TestWithParam<Case> {};

TEST_P(SearchOracle, FindsTheMinimumOfTheDefinition) {
  const Case c = GetParam();
  Random random(2024);
  const Problem problem = random_problem(random, kernel_of(c.family, c.d), c.n, c.d, 2, c.weighted, c.intercept, 0.5);
  const Labels group = modulo_groups(c.n, 5);
  Model model = oracle::make_model(problem, c.route);
  model.groups(group).factorize();
  constexpr double low = 1e-3, high = 1e3;
  for (const freeridge_criterion criterion : analytic) {
    const LambdaChoice choice = model.select_lambda(criterion, low, high);
    EXPECT_LE(model.search_count(), 100 + 20);
    for (std::int64_t j = 0; j < 2; ++j) {
      SCOPED_TRACE(::testing::Message() << "criterion " << criterion << ", output " << j);
      const auto output = static_cast<std::size_t>(j);
      const Found found = brute_force(
          low, high, 60, [&](double lambda) { return oracle::score(problem, criterion, group, lambda, j); });
      const auto expected = static_cast<double>(found.score);
      EXPECT_NEAR(choice.score[output], expected, 1e-9 * std::max(1.0, std::abs(expected)));
      // Where the choice is, by the definition itself: as good as the best to rounding.
      const auto there = static_cast<double>(oracle::score(problem, criterion, group, choice.lambda[output], j));
      EXPECT_LE(there, expected + 1e-12 * std::max(1.0, std::abs(expected)));
      if (model.search().edge[output] == 0) {
        EXPECT_NEAR(std::log(choice.lambda[output] / found.lambda), 0.0, 1e-4);
      } else {
        EXPECT_NEAR(std::log(choice.lambda[output] / found.lambda), 0.0, 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SearchOracle,
                         ::testing::Values(Case{Family::linear, FREERIDGE_ROUTE_PRIMAL, 16, 3, true, true},
                                           Case{Family::linear, FREERIDGE_ROUTE_SPECTRAL, 12, 20, false, true},
                                           Case{Family::polynomial, FREERIDGE_ROUTE_SPECTRAL, 15, 2, false, false},
                                           Case{Family::gaussian, FREERIDGE_ROUTE_SPECTRAL, 16, 2, true, true},
                                           Case{Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 16, 2, false, true},
                                           Case{Family::matern32, FREERIDGE_ROUTE_CHOLESKY, 14, 3, true, false}),
                         ::testing::PrintToStringParamName());

// Every output has its own minimum, and all are found in one search with few lambdas each.
TEST(SearchManyOutputs, FortyOutputsAtOnce) {
  Random random(30);
  constexpr std::int64_t n = 60, t = 40;  // more than are refined together
  Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.2), n, 3, t, true, true, 0.2);
  for (std::int64_t j = 0; j < t; ++j)  // from nearly no noise to nearly nothing else
    for (std::int64_t i = 0; i < n; ++i)
      problem.y(i, j) += std::pow(10.0, -2.0 + 0.1 * static_cast<double>(j)) * random.normal();
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  const Labels group = modulo_groups(n, 10);
  model.groups(group).factorize();
  for (const freeridge_criterion criterion : analytic) {
    SCOPED_TRACE(criterion);
    const LambdaChoice choice = model.select_lambda(criterion, 1e-4, 1e4);
    const Search search = model.search();
    EXPECT_LE(search.lambdas.size(), 100u + 4 * t);
    for (std::int64_t j = 0; j < t; ++j) {
      const auto output = static_cast<std::size_t>(j);
      // 401 lambdas within a fifth of a grid cell on both sides, by the call that scores given lambdas
      Vector near;
      for (int k = -200; k <= 200; ++k)
        near.push_back(
            std::clamp(choice.lambda[output] * std::exp(2e-4 * k), search.lambdas.front(), search.lambdas.back()));
      const Matrix scores = model.score(criterion, near);
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t k = 0; k < scores.rows; ++k) least = std::min(least, scores(k, j));
      EXPECT_LE(choice.score[output], least + 1e-13 * std::abs(least)) << "output " << j;
      // and no grid point is better
      for (std::int64_t k = 0; k < search.scores.rows; ++k)
        if (!std::isnan(search.scores(k, j))) {
          EXPECT_LE(choice.score[output], search.scores(k, j));
        }
    }
  }
}

// A range of 120 decades has cells far wider than the criterion's features; a range of a few digits has none.
TEST(SearchRanges, HugeAndTiny) {
  Random random(31);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 40, 2, 3, false, true, 0.3);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  model.groups(modulo_groups(40, 8)).factorize();
  for (const freeridge_criterion criterion : analytic) {
    SCOPED_TRACE(criterion);
    const LambdaChoice moderate = model.select_lambda(criterion, 1e-4, 1e4);
    for (const double wide : {1e60, 1e300}) {
      const LambdaChoice huge = model.select_lambda(criterion, 1 / wide, wide);
      EXPECT_LE(model.search_count(), 100 + 3 * 250);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_LE(huge.score[j], moderate.score[j] + 1e-12 * std::abs(moderate.score[j])) << wide;
    }
    for (const double digits : {1e-3, 1e-12, 1e-15}) {
      const double low = moderate.lambda[0], high = low * (1 + digits);
      const LambdaChoice tiny = model.select_lambda(criterion, low, high);
      EXPECT_GE(tiny.lambda[0], low);
      EXPECT_LE(tiny.lambda[0], high);
      EXPECT_NEAR(tiny.score[0], moderate.score[0], 1e-9 * std::abs(moderate.score[0]));
    }
  }
}

// --- the shape ------------------------------------------------------------------------------------------------------

TEST(SearchShape, AConstantCriterionHasNoDipAndCoversTheRange) {
  Random random(41);
  Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 20, 2, 1, false, true);
  problem.y = Matrix(20, 1, 4.0);  // fitted exactly by the intercept at any lambda
  Model model = oracle::make_model(problem);
  const LambdaChoice choice = model.factorize().select_lambda(FREERIDGE_LOO, 1e-2, 1e2);
  EXPECT_EQ(choice.lambda[0], 1e2);
  const SearchShape shape = model.search_shape();
  EXPECT_EQ(shape.dips, Labels{0});
  EXPECT_NEAR(shape.decades[0], 4.0, 1e-12);
}

// Local minima of a fine scan, ends included.
std::int32_t minima_of(const Matrix& scores) {
  std::int32_t count = 0;
  for (std::int64_t k = 0; k < scores.rows; ++k) {
    const bool falls = k == 0 || scores(k - 1, 0) > scores(k, 0);
    const bool rises = k + 1 == scores.rows || scores(k + 1, 0) > scores(k, 0);
    count += falls && rises ? 1 : 0;
  }
  return count;
}

TEST(SearchShape, DipsAndDecadesAreThoseOfAFineScan) {
  std::int32_t most = 0;
  for (const std::uint64_t seed : {1947u, 2937u, 3555u, 11u, 12u, 13u, 14u}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Problem problem{oracle::KernelSpec::gaussian(0.2 + 0.1 * static_cast<double>(seed % 9)),
                    random.uniform_matrix(9, 1, -1.0, 1.0),
                    Matrix(9, 1),
                    {},
                    true};
    for (double& value : problem.y.values) value = random.normal();
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    model.factorize();
    constexpr double low = 1e-4, high = 1e3;
    constexpr int fine = 1401;  // 200 a decade
    Vector lambdas;
    for (int k = 0; k < fine; ++k) lambdas.push_back(low * std::pow(high / low, k / (fine - 1.0)));
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML}) {
      SCOPED_TRACE(criterion);
      const LambdaChoice choice = model.select_lambda(criterion, low, high);
      const SearchShape shape = model.search_shape();
      const Matrix scores = model.score(criterion, lambdas);
      EXPECT_EQ(shape.dips[0], minima_of(scores));
      most = std::max(most, shape.dips[0]);

      const double limit =
          criterion == FREERIDGE_REML ? choice.score[0] + 0.5 : choice.score[0] + 0.01 * std::abs(choice.score[0]);
      std::int64_t first = 0;
      while (lambdas[static_cast<std::size_t>(first)] < choice.lambda[0] && first + 1 < fine) ++first;
      std::int64_t left = first, right = first;
      while (left > 0 && scores(left - 1, 0) <= limit) --left;
      while (right + 1 < fine && scores(right + 1, 0) <= limit) ++right;
      EXPECT_NEAR(shape.decades[0], static_cast<double>(right - left) / 200.0, 0.03);
    }
  }
  EXPECT_GE(most, 2);  // some of them are bimodal
}

TEST(SearchShape, BelongsToTheLastSearch) {
  Random random(43);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 20, 2, 2, false, true);
  Model model = oracle::make_model(problem);
  freeridge_search search = no_search();
  EXPECT_EQ(freeridge_get_search(model.get(), &search), FREERIDGE_INVALID_STATE);
  model.factorize().select_lambda(FREERIDGE_LOO, 1e-3, 1e3);
  const SearchShape shape = model.search_shape();
  model.lambda(7.0);
  EXPECT_EQ(model.search_shape().decades, shape.decades);
  Vector decades(2, -1.0);
  Labels dips(2, -1);
  EXPECT_EQ(freeridge_get_search(model.get(), &search), FREERIDGE_OK);
  search.decades = decades.data();
  EXPECT_EQ(freeridge_get_search(model.get(), &search), FREERIDGE_OK);
  search.decades = nullptr, search.dips = dips.data();
  EXPECT_EQ(freeridge_get_search(model.get(), &search), FREERIDGE_OK);
  EXPECT_EQ(decades, shape.decades);
  EXPECT_EQ(dips, shape.dips);
  model.weights(Vector(20, 2.0));
  EXPECT_EQ(freeridge_get_search(model.get(), &search), FREERIDGE_INVALID_STATE);
}

// --- the one-standard-error rule ------------------------------------------------------------------------------------

TEST(OneStandardErrorRule, FollowsItsDefinitionOnTheLambdasTried) {
  Random random(51);
  for (const bool weighted : {false, true})
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GROUPS}) {
      SCOPED_TRACE(criterion);
      const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 30, 2, 3, weighted, true, 0.4);
      const Labels group = modulo_groups(30, 7);
      Model model = oracle::make_model(problem);
      model.groups(group).factorize();
      const LambdaChoice choice = model.select_lambda(criterion, 1e-4, 1e4);
      const Search search = model.search();
      const OneStandardError rule = model.one_standard_error();
      EXPECT_EQ(rule.score, choice.score);
      EXPECT_EQ(model.lambda_in_force(), choice.lambda);  // it sets nothing
      for (std::int64_t j = 0; j < 3; ++j) {
        const auto output = static_cast<std::size_t>(j);
        EXPECT_NEAR(rule.standard_error[output],
                    model.score_with_error(criterion, {choice.lambda[output]}).errors(0, j),
                    1e-9 * rule.standard_error[output]);
        double expected = choice.lambda[output], there = choice.score[output];
        for (std::size_t k = 0; k < search.lambdas.size(); ++k) {
          const double score = search.scores(static_cast<std::int64_t>(k), j);
          if (search.lambdas[k] <= choice.lambda[output] || std::isnan(score)) continue;
          if (score > choice.score[output] + rule.standard_error[output]) break;
          expected = search.lambdas[k], there = score;
        }
        EXPECT_EQ(rule.lambda[output], expected);
        EXPECT_EQ(rule.score_there[output], there);
        EXPECT_GT(rule.lambda[output], choice.lambda[output]);
      }
    }
}

TEST(OneStandardErrorRule, NeedsASearchByAMean) {
  Random random(52);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 20, 2, 1, false, true);
  Model model = oracle::make_model(problem);
  double lambda = -1, best = -1, score = -1, there = -1, error = -1;
  freeridge_search all = search_of(&best, &score);  // what needs no mean
  const auto rule = [&] {
    freeridge_search search = all;
    search.one_se_lambda = &lambda, search.one_se_score = &there, search.standard_error = &error;
    return freeridge_get_search(model.get(), &search);
  };
  EXPECT_EQ(rule(), FREERIDGE_INVALID_STATE);
  model.factorize().lambda(0.1);
  EXPECT_EQ(rule(), FREERIDGE_INVALID_STATE);
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML}) {
    const LambdaChoice choice = model.select_lambda(criterion);
    best = score = -1;
    EXPECT_EQ(rule(), FREERIDGE_INVALID_STATE);
    EXPECT_EQ(best, -1);
    EXPECT_EQ(freeridge_get_search(model.get(), &all), FREERIDGE_OK);
    EXPECT_EQ(best, choice.lambda[0]);
    EXPECT_EQ(score, choice.score[0]);
  }
  EXPECT_EQ(lambda, -1);
  model.select_lambda(FREERIDGE_LOO);
  EXPECT_EQ(rule(), FREERIDGE_OK);
  EXPECT_GT(error, 0.0);

  // One group that is left out has one mean, which has no standard error.
  Labels one(20, -1);
  one[3] = one[8] = 2;
  model.groups(one).select_lambda(FREERIDGE_GROUPS);
  EXPECT_EQ(rule(), FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(lambda));
  EXPECT_TRUE(std::isnan(there));
  EXPECT_TRUE(std::isnan(error));
  EXPECT_TRUE(std::isfinite(score));
  EXPECT_EQ(freeridge_get_search(model.get(), &all), FREERIDGE_OK);  // UNDEFINED is what was asked for, alone
}

}  // namespace search_test
