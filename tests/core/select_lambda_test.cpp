// freeridge_select_lambda: never worse than a grid of 400 lambdas on the same range; its own account of the search; the
// range it searches by default; flags at the ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace select_lambda_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr freeridge_criterion all_criteria[] = {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS};

Vector log_spaced(double low, double high, std::int64_t count) {
  Vector out(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = low * std::pow(high / low, static_cast<double>(k) / static_cast<double>(count - 1));
  out.back() = high;
  return out;
}

double smallest(const Matrix& scores, std::int64_t output) {
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t k = 0; k < scores.rows; ++k)
    if (scores(k, output) < best) best = scores(k, output);
  return best;
}

struct Case {
  Family family;
  freeridge_route route;
  std::int64_t n, d;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << family_name(c.family) << route_name(c.route) << (c.d < c.n ? "" : "Wide");
}

class SelectLambda : public ::testing::TestWithParam<Case> {
 protected:
  // body(model) for a few problems of several noise levels, with three outputs, groups set, factorized.
  template <class Body>
  void for_each_model(Body body) {
    const Case c = GetParam();
    Random random(909);
    for (const double noise : {0.02, 0.3, 3.0})
      for (const bool weighted : {false, true}) {
        const bool intercept = weighted || noise < 1.0;
        SCOPED_TRACE(::testing::Message()
                     << "noise " << noise << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
        const Problem problem =
            random_problem(random, kernel_of(c.family, c.d), c.n, c.d, 3, weighted, intercept, noise);
        Model model = oracle::make_model(problem, c.route);
        model.groups(modulo_groups(c.n, 6)).factorize();
        body(model);
      }
  }
};

// A minimum is flat: the score of what a search has found agrees with the best one far closer than its lambda does.
constexpr double as_good = 1e-10;

void expect_no_worse_than_grid(Model& model, freeridge_criterion criterion, double low, double high) {
  const bool by_default = low == 0;
  const Vector grid = by_default ? model.lambda_grid(400) : log_spaced(low, high, 400);
  const Matrix scores = model.score(criterion, grid);
  const LambdaChoice choice = model.select_lambda(criterion, low, high);
  EXPECT_EQ(model.lambda_in_force(), choice.lambda);
  for (std::int64_t j = 0; j < scores.cols; ++j) {
    const auto output = static_cast<std::size_t>(j);
    const double best = smallest(scores, j);
    EXPECT_LE(choice.score[output], best + as_good * std::abs(best)) << "output " << j;
    EXPECT_GE(choice.lambda[output], grid.front() * (1 - 1e-12));
    EXPECT_LE(choice.lambda[output], grid.back() * (1 + 1e-12));
    const double again = model.score(criterion, {choice.lambda[output]})(0, j);
    EXPECT_NEAR(choice.score[output], again, 1e-11 * std::abs(again)) << "output " << j;
  }
}

TEST_P(SelectLambda, IsNeverWorseThanAGridOf400) {
  for_each_model([](Model& model) {
    for (const freeridge_criterion criterion : all_criteria) {
      SCOPED_TRACE(criterion);
      expect_no_worse_than_grid(model, criterion, 1e-4, 1e2);
      // The default range starts at eps times the largest eigenvalue, where a Cholesky factor is rounding noise, if
      // there is one at all: lower dips of noise are no better lambdas.
      if (model.route_used() != FREERIDGE_ROUTE_CHOLESKY) expect_no_worse_than_grid(model, criterion, 0, 0);
    }
  });
}

TEST_P(SelectLambda, KeepsEveryScore) {
  for_each_model([](Model& model) {
    for (const freeridge_criterion criterion : all_criteria) {
      SCOPED_TRACE(criterion);
      const double low = 1e-3, high = 1e3;
      const LambdaChoice choice = model.select_lambda(criterion, low, high);
      const Search search = model.search();
      EXPECT_TRUE(std::is_sorted(search.lambdas.begin(), search.lambdas.end()));
      EXPECT_GE(search.lambdas.front(), low * (1 - 1e-12));
      EXPECT_LE(search.lambdas.back(), high * (1 + 1e-12));
      const Matrix again = model.score(criterion, search.lambdas);
      for (std::int64_t j = 0; j < again.cols; ++j) {
        const auto output = static_cast<std::size_t>(j);
        std::int64_t tried = 0;
        bool holds_the_choice = false;
        for (std::int64_t k = 0; k < again.rows; ++k) {
          const double score = search.scores(k, j);
          if (std::isnan(score)) continue;
          ++tried;
          EXPECT_NEAR(score, again(k, j), 1e-11 * std::abs(again(k, j)));
          EXPECT_GE(score, choice.score[output]);
          if (search.lambdas[static_cast<std::size_t>(k)] == choice.lambda[output])
            holds_the_choice = score == choice.score[output];
        }
        EXPECT_GE(tried, 50) << "output " << j;
        EXPECT_TRUE(holds_the_choice) << "output " << j;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Every, SelectLambda,
                         ::testing::Values(Case{Family::linear, FREERIDGE_ROUTE_PRIMAL, 60, 5},
                                           Case{Family::linear, FREERIDGE_ROUTE_SPECTRAL, 30, 45},
                                           Case{Family::linear, FREERIDGE_ROUTE_CHOLESKY, 25, 4},
                                           Case{Family::polynomial, FREERIDGE_ROUTE_SPECTRAL, 50, 4},
                                           Case{Family::gaussian, FREERIDGE_ROUTE_SPECTRAL, 60, 3},
                                           Case{Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 25, 3}),
                         ::testing::PrintToStringParamName());

// Small samples make criteria with several dips.
TEST(SelectLambdaDips, ManySmallProblems) {
  Random random(4711);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const Family family = trial % 2 == 0 ? Family::linear : Family::gaussian;
    const std::int64_t n = 8 + trial % 7, d = 2 + trial % 5;
    const oracle::KernelSpec kernel =
        family == Family::linear ? kernel_of(family, d) : oracle::KernelSpec::gaussian(0.4 + 0.05 * (trial % 10));
    Problem problem = random_problem(random, kernel, n, d, 2, trial % 3 == 0, true, 0.5);
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    model.factorize();
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
      SCOPED_TRACE(criterion);
      expect_no_worse_than_grid(model, criterion, 1e-6, 1e4);
    }
  }
}

// Problems with two dips, on a range so wide that the 100 values of the first scan are more than a decade apart: the
// dip that looks deeper to the scan is the shallower one.
TEST(SelectLambdaDips, TheDeepestIsFoundWhereItDoesNotLookDeepest) {
  for (const std::uint64_t seed : {1947u, 2937u, 3555u, 3633u, 4695u, 4839u}) {
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
    const double best = smallest(model.score(FREERIDGE_LOO, log_spaced(1e-5, 1e4, 1500)), 0);
    EXPECT_LE(model.select_lambda(FREERIDGE_LOO, 1e-60, 1e60).score[0], best * (1 + as_good));
  }
}

class SelectLambdaEnds : public ::testing::Test {
 protected:
  SelectLambdaEnds() {
    Random random(12);
    problem = random_problem(random, oracle::KernelSpec::gaussian(1.2), 50, 2, 1, false, true, 0.2);
  }
  Problem problem;
};

TEST_F(SelectLambdaEnds, FlagsTellWhereTheOptimumLies) {
  Model model = oracle::make_model(problem);
  model.factorize();
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
    SCOPED_TRACE(criterion);
    const double best = model.select_lambda(criterion, 1e-5, 1e5).lambda[0];
    ASSERT_GT(best, 1e-4);
    ASSERT_LT(best, 1e4);
    EXPECT_EQ(model.search().edge, Labels{0});

    EXPECT_EQ(model.select_lambda(criterion, 10 * best, 100 * best).lambda[0], 10 * best);
    EXPECT_EQ(model.search().edge, Labels{-1});

    EXPECT_EQ(model.select_lambda(criterion, best / 100, best / 10).lambda[0], best / 10);
    EXPECT_EQ(model.search().edge, Labels{1});
  }
}

// Sixteen outputs alike, which share a grid of few lambdas, have the minimum of one, however near it is to the end.
TEST(SelectLambdaDips, InTheLastCellOfAFewLambdas) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    Random random(seed);
    const Matrix x = random.uniform_matrix(30, 1, -2, 2);
    Matrix y(30, 1), many(30, 16);
    for (std::int64_t i = 0; i < 30; ++i) y(i, 0) = std::sin(2 * x(i, 0)) + 1e-4 * random.normal();
    for (std::int64_t j = 0; j < 16; ++j) std::copy_n(y.values.begin(), 30, many.values.begin() + 30 * j);
    Model one(Kernel::gaussian(1.0)), all(Kernel::gaussian(1.0));
    one.data(x, y).factorize();
    all.data(x, many).factorize();
    const LambdaChoice best = one.select_lambda(FREERIDGE_LOO);
    for (const double beyond : {0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", e^" << beyond << " beyond the end");
      const double low = best.lambda[0] * std::exp(-beyond);
      for (const double score : all.select_lambda(FREERIDGE_LOO, low, 1e12 * low).score)
        EXPECT_LE(score, best.score[0] * (1 + 1e-9));
    }
  }
}

TEST_F(SelectLambdaEnds, FlagsArePerOutput) {
  // Pairs of rows with the same x. Output 0 is a line in x without noise: no penalty is wanted. Output 1 is 1 and -1
  // within each pair, so that x says nothing about it: all penalty is wanted.
  Problem two = problem;
  two.kernel = oracle::KernelSpec::linear();
  two.y = Matrix(50, 2);
  for (std::int64_t i = 0; i < 50; ++i) {
    for (std::int64_t k = 0; k < 2; ++k) two.x(i, k) = problem.x(i - i % 2, k);
    two.y(i, 0) = 3.0 * two.x(i, 0) - two.x(i, 1) + 1.0;
    two.y(i, 1) = i % 2 == 0 ? 1.0 : -1.0;
  }
  Model model = oracle::make_model(two);
  model.factorize().select_lambda(FREERIDGE_LOO, 1e-3, 1e3);
  EXPECT_EQ(model.search().edge, (Labels{-1, 1}));
}

TEST_F(SelectLambdaEnds, ARangeOfOneLambdaIsThatLambda) {
  Model model = oracle::make_model(problem);
  const LambdaChoice choice = model.factorize().select_lambda(FREERIDGE_LOO, 0.5, 0.5);
  EXPECT_EQ(choice.lambda, Vector{0.5});
  EXPECT_CLOSE(choice.score, model.score(FREERIDGE_LOO, {0.5}).values, 1e-13);
}

TEST_F(SelectLambdaEnds, TheGridSpansTheEigenvalues) {
  problem.kernel = oracle::KernelSpec::radial(Family::laplacian, 1.2);  // all of them far above rounding
  Model model = oracle::make_model(problem);
  const Vector grid = model.factorize().lambda_grid(50);
  for (std::size_t k = 1; k < grid.size(); ++k)
    EXPECT_NEAR(std::log(grid[k] / grid[k - 1]), std::log(grid[49] / grid[0]) / 49, 1e-9);
  // A thousand times the largest eigenvalue (between the largest diagonal entry and the trace of the centred K): almost
  // nothing is left of the fit there, and a thousandth of the smallest that matters leaves almost every freedom.
  const auto degrees_of_freedom = [&](double lambda) {
    const Vector leverage = model.lambda(lambda).leverage().values;
    return std::accumulate(leverage.begin(), leverage.end(), 0.0);
  };
  EXPECT_NEAR(degrees_of_freedom(grid.back()), 1.0, 0.01);
  EXPECT_GT(degrees_of_freedom(grid.front()), 49.0);
  EXPECT_LE(degrees_of_freedom(grid.front()), 50.0 * (1 + 1e-12));
  model.select_lambda(FREERIDGE_LOO);
  const Search search = model.search();
  EXPECT_NEAR(search.lambdas.front() / grid.front(), 1.0, 1e-12);
  EXPECT_NEAR(search.lambdas.back() / grid.back(), 1.0, 1e-12);
}

TEST_F(SelectLambdaEnds, TheGridReachesFromAThousandthOfTheSmallestToAThousandTimesTheLargest) {
  Problem diagonal{oracle::KernelSpec::linear(), Matrix(4, 4), Matrix(4, 1, 1.0), {}, false};
  for (std::int64_t k = 0; k < 4; ++k) diagonal.x(k, k) = static_cast<double>(k + 1);  // K = diag(1, 4, 9, 16)
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL}) {
    Model model = oracle::make_model(diagonal, route);
    EXPECT_CLOSE(model.factorize().lambda_grid(3), (Vector{1e-3, 4.0, 16e3}), 1e-12);
  }
}

TEST_F(SelectLambdaEnds, EachCriterionAndEachOutputHasItsOwnChoice) {
  Random random(14);
  const Problem three = random_problem(random, oracle::KernelSpec::gaussian(1.0), 40, 2, 3, false, true, 0.4);
  Model model = oracle::make_model(three);
  const LambdaChoice together = model.factorize().select_lambda(FREERIDGE_REML);
  for (std::int64_t j = 0; j < 3; ++j) {
    Problem alone = three;
    alone.y = column(three.y, j);
    Model one = oracle::make_model(alone);
    const LambdaChoice choice = one.factorize().select_lambda(FREERIDGE_REML);
    const auto output = static_cast<std::size_t>(j);
    EXPECT_NEAR(together.score[output], choice.score[0], 1e-9 * std::abs(choice.score[0]));
    EXPECT_NEAR(std::log(together.lambda[output] / choice.lambda[0]), 0.0, 1e-3);
  }
  EXPECT_NE(together.lambda[0], together.lambda[1]);
}

TEST_F(SelectLambdaEnds, ATieGoesToTheLargerLambda) {
  // Y is constant: with an intercept every lambda fits it exactly, and the errors left out are all zero.
  Problem constant = problem;
  constant.y = Matrix(50, 1, 4.0);
  Model model = oracle::make_model(constant, FREERIDGE_ROUTE_SPECTRAL);
  model.factorize();
  const LambdaChoice choice = model.select_lambda(FREERIDGE_LOO, 1e-2, 1e2);
  EXPECT_NEAR(choice.score[0], 0.0, 1e-24);
  const Search search = model.search();
  for (std::size_t k = 0; k < search.lambdas.size(); ++k) {
    if (search.lambdas[k] <= choice.lambda[0]) continue;
    EXPECT_GT(search.scores(static_cast<std::int64_t>(k), 0), choice.score[0]);
  }
}

}  // namespace select_lambda_test
