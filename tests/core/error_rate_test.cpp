// The criterion ERROR_RATE against explicit refits without each point; ties; a Y that names no classes; the searches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "support/compare.hpp"
#include "support/criteria.hpp"
#include "support/problems.hpp"

namespace error_rate_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

const Vector lambda_values = {1e-3, 0.1, 1.0, 30.0};

// Classes that overlap: one output of -1 and +1, or one +1 among t outputs a row.
Problem classes(Random& random, const oracle::KernelSpec& kernel, std::int64_t n, std::int64_t d, std::int64_t t,
                bool weighted, bool intercept) {
  Problem problem = random_problem(random, kernel, n, d, t, weighted, intercept);
  for (std::int64_t i = 0; i < n; ++i) {
    const double place = problem.x(i, 0) + 0.5 * problem.x(i, d - 1) + 0.4 * random.normal();
    if (t == 1) problem.y(i, 0) = place > 0 ? 1.0 : -1.0;
    const auto own =
        std::clamp<std::int64_t>(static_cast<std::int64_t>((place + 1.0) / 2.0 * static_cast<double>(t)), 0, t - 1);
    for (std::int64_t j = 0; j < t && t > 1; ++j) problem.y(i, j) = j == own ? 1.0 : -1.0;
  }
  return problem;
}

TEST(ErrorRate, CountsTheRefitsThatClassifyWrongly) {
  Random random(71);
  std::set<double> rates;
  for (const std::int64_t t : {1, 2, 4})
    for (const Family family : {Family::linear, Family::gaussian})
      for (const bool weighted : {false, true})
        for (const freeridge_route route : std::vector<freeridge_route>{
                 FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL,
                 FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device}) {
          if (route == FREERIDGE_ROUTE_PRIMAL && family != Family::linear) continue;
          SCOPED_TRACE(::testing::Message() << t << " outputs, " << family_name(family) << " " << route_name(route)
                                            << (weighted ? ", weights" : ""));
          const Problem problem = classes(random, kernel_of(family, 2), 25, 2, t, weighted, t != 2);
          Model model = oracle::make_model(problem, route);
          const ScoresWithErrors found = model.factorize().score_with_error(FREERIDGE_ERROR_RATE, lambda_values);
          EXPECT_TRUE(bit_equal(found.scores, model.score(FREERIDGE_ERROR_RATE, lambda_values)));
          for (std::int64_t l = 0; l < 4; ++l) {
            Real margin = 0;
            const double lambda = lambda_values[static_cast<std::size_t>(l)];
            const auto expected = static_cast<double>(oracle::error_rate(problem, lambda, &margin));
            ASSERT_GT(margin, 1e-9);
            rates.insert(expected);
            for (std::int64_t j = 0; j < t; ++j) {
              EXPECT_NEAR(found.scores(l, j), expected, 1e-13);
              EXPECT_NEAR(found.errors(l, j), std::sqrt(expected * (1 - expected) / 24.0), 1e-12);
            }
          }
        }
  EXPECT_GT(rates.size(), 10u);  // the problems have errors to count
}

// A row of zeros has the left-out value zero for every output, exactly: a tie, which counts as wrong.
TEST(ErrorRate, ATieIsWrong) {
  for (const std::int64_t t : {1, 2, 3}) {
    SCOPED_TRACE(t);
    Matrix x(6, 1), y(6, t, -1.0);
    for (std::int64_t i = 0; i < 6; ++i) {
      x(i, 0) = i < 4 ? (i % 2 == 0 ? 1.0 : -1.0) : 0.0;
      y(i, t == 1 ? 0 : i % 2) = t == 1 ? (i % 2 == 0 ? 1.0 : -1.0) : 1.0;
    }
    Model model(Kernel::linear());
    model.data(x, y).intercept(false).route(FREERIDGE_ROUTE_PRIMAL).factorize();
    EXPECT_NEAR(model.score(FREERIDGE_ERROR_RATE, {0.5})(0, 0), 2.0 / 6.0, 1e-15);
  }
}

TEST(ErrorRate, AllRightAndAllWrongHaveNoSpread) {
  Matrix x(4, 1), y(4, 1);
  x.values = {1.0, 2.0, -1.0, -2.0};
  y.values = {1.0, 1.0, -1.0, -1.0};
  Model model(Kernel::linear());
  model.data(x, y).weights({0.1, 0.2, 0.3, 0.7}).intercept(false).factorize();
  const ScoresWithErrors right = model.score_with_error(FREERIDGE_ERROR_RATE, {1.0});
  EXPECT_EQ(right.scores(0, 0), 0.0);
  EXPECT_EQ(right.errors(0, 0), 0.0);
  // One point of each class with an intercept: what is left has the other class.
  Matrix pair(2, 1), labels(2, 1);
  pair.values = {1.0, -1.0};
  labels.values = {1.0, -1.0};
  Model two(Kernel::linear());
  const ScoresWithErrors wrong = two.data(pair, labels).factorize().score_with_error(FREERIDGE_ERROR_RATE, {1.0});
  EXPECT_EQ(wrong.scores(0, 0), 1.0);
  EXPECT_EQ(wrong.errors(0, 0), 0.0);
}

TEST(ErrorRate, UndefinedWhereLeaveOneOutIs) {
  Model model(Kernel::linear());
  Matrix x(4, 1), y(4, 2, -1.0);
  x(0, 0) = 1.0;  // the only row that says anything about the slope
  y(0, 0) = y(1, 1) = y(2, 0) = y(3, 1) = 1.0;
  model.data(x, y).factorize();
  freeridge_status status = FREERIDGE_OK;
  const Matrix found = model.score(FREERIDGE_ERROR_RATE, {0.0, 1.0}, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  for (std::int64_t j = 0; j < 2; ++j) {
    EXPECT_TRUE(std::isnan(found(0, j)));
    EXPECT_GE(found(1, j), 0.0);
  }
}

TEST(ErrorRate, AYThatNamesNoClassesIsRefusedWithTheRow) {
  Random random(72);
  const Problem one = classes(random, oracle::KernelSpec::gaussian(1.0), 12, 2, 1, false, true);
  const Problem three = classes(random, oracle::KernelSpec::gaussian(1.0), 12, 2, 3, false, true);
  struct Bad {
    Problem problem;
    std::int64_t row;
  };
  std::vector<Bad> all;
  for (const double value : {0.0, 2.0, 1.0 + 1e-15, -1.0000001, 1e300}) {
    all.push_back({one, 7});
    all.back().problem.y(7, 0) = value;
    all.push_back({three, 11});
    all.back().problem.y(11, 1) = value;
  }
  for (const double value : {-1.0, 1.0}) {  // no +1, and three of them
    all.push_back({three, 5});
    for (std::int64_t j = 0; j < 3; ++j) all.back().problem.y(5, j) = value;
  }
  for (const Bad& bad : all) {
    Model model = oracle::make_model(bad.problem);
    model.factorize();
    Vector lambda(3, -1.0), scores(3, -1.0), errors(3, -1.0);
    const auto expect_refused = [&](freeridge_status status) {
      EXPECT_EQ(status, FREERIDGE_INVALID_ARGUMENT);
      const std::string message = freeridge_last_error(), row = std::to_string(bad.row);
      EXPECT_TRUE(message.find("y[" + row + ",") != std::string::npos ||
                  message.find("row " + row + " ") != std::string::npos)
          << message;
    };
    const double at = 1.0;
    expect_refused(freeridge_score(model.get(), FREERIDGE_ERROR_RATE, 1, &at, scores.data(), nullptr, 1));
    expect_refused(freeridge_score(model.get(), FREERIDGE_ERROR_RATE, 1, &at, scores.data(), errors.data(), 1));
    expect_refused(freeridge_select_lambda(model.get(), FREERIDGE_ERROR_RATE, 0, 0, lambda.data(), scores.data()));
    expect_refused(freeridge_select_bandwidth(model.get(), FREERIDGE_ERROR_RATE, 0, 0, 3, lambda.data()));
    EXPECT_EQ(scores, Vector(3, -1.0));
    EXPECT_EQ(lambda, Vector(3, -1.0));
  }
}

TEST(ErrorRate, TheSearchTakesTheLargestBestLambdaOfTheGridForAllOutputs) {
  Random random(73);
  for (const std::int64_t t : {1, 3}) {
    SCOPED_TRACE(t);
    const Problem problem = classes(random, oracle::KernelSpec::gaussian(1.0), 40, 2, t, true, true);
    Model model = oracle::make_model(problem);
    const LambdaChoice choice = model.factorize().select_lambda(FREERIDGE_ERROR_RATE, 1e-4, 1e3);
    const Search search = model.search();
    ASSERT_EQ(search.lambdas.size(), 100u);
    const Matrix scores = model.score(FREERIDGE_ERROR_RATE, search.lambdas);
    double least = 2, lambda = 0;
    for (std::int64_t k = 0; k < 100; ++k)
      if (scores(k, 0) <= least) least = scores(k, 0), lambda = search.lambdas[static_cast<std::size_t>(k)];
    EXPECT_EQ(choice.lambda, Vector(static_cast<std::size_t>(t), lambda));
    EXPECT_EQ(choice.score, Vector(static_cast<std::size_t>(t), least));
    EXPECT_EQ(model.lambda_in_force(), choice.lambda);

    const OneStandardError rule = model.one_standard_error();
    const double error = std::sqrt(least * (1 - least) / 39.0);
    EXPECT_NEAR(rule.standard_error[0], error, 1e-12);
    double expected = lambda;
    for (std::int64_t k = 0; k < 100; ++k) {
      const double at = search.lambdas[static_cast<std::size_t>(k)];
      if (at <= lambda) continue;
      if (scores(k, 0) > least + rule.standard_error[0]) break;
      expected = at;
    }
    EXPECT_EQ(rule.lambda, Vector(static_cast<std::size_t>(t), expected));
  }
}

TEST(ErrorRate, TheBandwidthIsChosenByTheOneNumber) {
  Random random(74);
  const Problem problem = classes(random, oracle::KernelSpec::gaussian(1.0), 40, 2, 3, false, true);
  Model model = oracle::make_model(problem);
  const BandwidthChoice choice = model.select_bandwidth(FREERIDGE_ERROR_RATE, 0.2, 10.0, 9);
  double least = 2, chosen = 2;
  for (std::int64_t k = 0; k < choice.tried.rows; ++k) {
    Problem at = problem;
    at.kernel.sigma = choice.tried(k, 0);
    Model one = oracle::make_model(at);
    EXPECT_EQ(choice.tried(k, 1), one.factorize().select_lambda(FREERIDGE_ERROR_RATE).score[0]);
    least = std::min(least, choice.tried(k, 1));
    if (choice.tried(k, 0) == choice.sigma) chosen = choice.tried(k, 1);
  }
  EXPECT_LE(chosen, 1.003 * least);  // which of such: SelectBandwidthTies
  EXPECT_EQ(model.search_count(), 100);
}

}  // namespace error_rate_test
