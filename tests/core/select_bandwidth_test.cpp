// freeridge_select_bandwidth: no worse than a grid of 40 bandwidths, each with its own whole search over lambda; what
// it says it tried; the model it leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace {

using namespace support;
using oracle::Problem;

constexpr std::int64_t n = 60, d = 3;

// The criterion as documented: the score itself for REML and for one output; else each output's score over the weighted
// variance of its Y, summed.
double criterion_at(const Problem& problem, freeridge_criterion criterion, double sigma, const Labels& group) {
  Problem at = problem;
  at.kernel.sigma = sigma;
  Model model = oracle::make_model(at);
  const LambdaChoice choice = model.groups(group).factorize().select_lambda(criterion);
  if (problem.y.cols == 1) return choice.score[0];
  double sum = 0;
  for (std::int64_t j = 0; j < problem.y.cols; ++j) {
    double weights = 0, mean = 0, variance = 0;
    for (std::int64_t i = 0; i < problem.y.rows; ++i) {
      weights += problem.weight(i);
      mean += problem.weight(i) * problem.y(i, j);
    }
    mean /= weights;
    for (std::int64_t i = 0; i < problem.y.rows; ++i)
      variance += problem.weight(i) * (problem.y(i, j) - mean) * (problem.y(i, j) - mean) / weights;
    const double score = choice.score[static_cast<std::size_t>(j)];
    sum += criterion == FREERIDGE_REML ? score : score / variance;
  }
  return sum;
}

Problem problem_with(std::int64_t outputs, bool weighted, bool scaled_columns, std::uint64_t seed) {
  Random random(seed);
  oracle::KernelSpec kernel = oracle::KernelSpec::gaussian(1.0);
  if (scaled_columns) kernel = kernel.with_columns(column_scales(d));
  Problem problem = random_problem(random, kernel, n, d, outputs, weighted, true, 0.1);
  for (std::int64_t j = 0; j < outputs; ++j)  // outputs of different sizes, so that their weight in the sum matters
    for (std::int64_t i = 0; i < n; ++i) problem.y(i, j) *= 1.0 + 4.0 * static_cast<double>(j);
  return problem;
}

struct Case {
  const char* name;
  freeridge_criterion criterion;
  std::int64_t outputs;
  bool weighted;
  bool scaled_columns;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class SelectBandwidth : public ::testing::TestWithParam<Case> {};

TEST_P(SelectBandwidth, IsNoWorseThanAGridOf40AndSaysWhatItTried) {
  const Case c = GetParam();
  const Problem problem = problem_with(c.outputs, c.weighted, c.scaled_columns, 321);
  const Labels group = modulo_groups(n, 6);
  constexpr double low = 0.2, high = 20.0;
  constexpr std::int64_t budget = 30;
  Model model = oracle::make_model(problem);
  model.groups(group);
  const BandwidthChoice choice = model.select_bandwidth(c.criterion, low, high, budget);

  // Every bandwidth tried is in the range, and its criterion is that of a model of its own.
  double best_tried = std::numeric_limits<double>::infinity(), best_sigma = 0;
  for (std::int64_t k = 0; k < choice.tried.rows; ++k) {
    const double sigma = choice.tried(k, 0), value = choice.tried(k, 1);
    EXPECT_GE(sigma, low * (1 - 1e-12));
    EXPECT_LE(sigma, high * (1 + 1e-12));
    const double expected = criterion_at(problem, c.criterion, sigma, group);
    EXPECT_NEAR(value, expected, 1e-9 * std::abs(expected)) << "sigma = " << sigma;
    if (value < best_tried) best_tried = value, best_sigma = sigma;
  }
  EXPECT_EQ(choice.sigma, best_sigma);

  // No worse than a grid: a fine scan that ends near a minimum, where the criterion is flat.
  double best_of_grid = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 40; ++k)
    best_of_grid =
        std::min(best_of_grid, criterion_at(problem, c.criterion, low * std::pow(high / low, k / 39.0), group));
  EXPECT_LE(best_tried, best_of_grid + 1e-3 * std::abs(best_of_grid));

  // The model is fitted at the choice.
  EXPECT_EQ(model.bandwidth(), choice.sigma);
  Problem at = problem;
  at.kernel.sigma = choice.sigma;
  Model expected = oracle::make_model(at);
  expected.groups(group).factorize().select_lambda(c.criterion);
  EXPECT_CLOSE(model.lambda_in_force(), expected.lambda_in_force(), 1e-9);
  EXPECT_CLOSE(model.loo(), expected.loo(), 1e-9);
  EXPECT_CLOSE(model.predict(problem.x), expected.predict(problem.x), 1e-9);
  EXPECT_GE(model.search_count(), 100);
}

INSTANTIATE_TEST_SUITE_P(Every, SelectBandwidth,
                         ::testing::Values(Case{"Loo", FREERIDGE_LOO, 1, false, false},
                                           Case{"LooThreeOutputsWeights", FREERIDGE_LOO, 3, true, false},
                                           Case{"GcvScaledKernel", FREERIDGE_GCV, 2, false, true},
                                           Case{"Reml", FREERIDGE_REML, 2, false, false},
                                           Case{"RemlOneOutput", FREERIDGE_REML, 1, true, true},
                                           Case{"Groups", FREERIDGE_GROUPS, 2, true, false}),
                         ::testing::PrintToStringParamName());

TEST(SelectBandwidthRange, DefaultRangeFollowsTheUnitsOfX) {
  Problem problem = problem_with(1, false, false, 5);
  Model model = oracle::make_model(problem);
  const BandwidthChoice small = model.select_bandwidth(FREERIDGE_LOO, 0, 0, 15);
  problem.x = scaled(problem.x, 1024.0);
  Model larger = oracle::make_model(problem);
  const BandwidthChoice large = larger.select_bandwidth(FREERIDGE_LOO, 0, 0, 15);
  // The scan, two thirds of the budget, is the same; Brent's steps after it follow the last digits of a flat criterion.
  for (std::int64_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(large.tried(k, 0) / small.tried(k, 0), 1024.0, 1e-9);
    EXPECT_NEAR(large.tried(k, 1), small.tried(k, 1), 1e-4 * small.tried(k, 1));
  }
  // The range holds the typical distance of two points: sqrt(2 d / 3) for uniform (-1, 1) data.
  const double typical = std::sqrt(2.0 * d / 3.0);
  EXPECT_LT(column(small.tried, 0).values.front(), typical);
  const Vector sigmas = column(small.tried, 0).values;
  EXPECT_GT(*std::max_element(sigmas.begin(), sigmas.end()), typical);
}

// Columns in other units, which the kernel's scales take back, are the same problem: powers of two, so to the last bit.
TEST(SelectBandwidthRange, ScalesOfTheColumnsTakeUnitsBack) {
  const Problem problem = problem_with(1, false, false, 8);
  const Vector units = {0.125, 64.0, 2.0};
  Matrix x = problem.x;
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t i = 0; i < n; ++i) x(i, k) *= units[static_cast<std::size_t>(k)];
  Model plain = oracle::make_model(problem);
  const BandwidthChoice expected = plain.select_bandwidth(FREERIDGE_LOO, 0, 0, 12);
  std::vector<Kernel> once, part;
  once.push_back(Kernel::scaled(Kernel::gaussian(1.0), units));
  once.push_back(Kernel::scaled(Kernel::scaled(Kernel::gaussian(1.0), {1.0, 64.0, 0.5}), {0.125, 1.0, 4.0}));
  part.push_back(Kernel::scaled(Kernel::gaussian(1.0), units));
  once.push_back(Kernel::product(part));
  for (const Kernel& kernel : once) {
    SCOPED_TRACE(kernel.description());
    Model model(kernel);
    model.data(x, problem.y);
    EXPECT_TRUE(bit_equal(model.select_bandwidth(FREERIDGE_LOO, 0, 0, 12).tried, expected.tried));
  }
}

TEST(SelectBandwidthRange, SmallestBudgetAndAnySequence) {
  const Problem problem = problem_with(1, false, false, 6);
  Model model = oracle::make_model(problem);
  const BandwidthChoice three = model.select_bandwidth(FREERIDGE_LOO, 0.5, 5.0, 3);
  EXPECT_LE(three.tried.rows, 3);
  const BandwidthChoice many = model.select_bandwidth(FREERIDGE_LOO, 0.5, 5.0, 40);
  EXPECT_LE(*std::min_element(many.tried.values.begin() + many.tried.rows, many.tried.values.end()),
            *std::min_element(three.tried.values.begin() + three.tried.rows, three.tried.values.end()));
  // Nothing of the search stays behind: the same model, used on, equals a fresh one.
  model.kernel(Kernel::gaussian(0.9)).factorize().lambda(0.1);
  Problem at = problem;
  at.kernel.sigma = 0.9;
  Model expected = oracle::make_model(at);
  EXPECT_TRUE(bit_equal(model.loo(), expected.factorize().lambda(0.1).loo()));
}

TEST(SelectBandwidthRange, NeedsDataABandwidthAndPointsThatDiffer) {
  Model empty(Kernel::gaussian(1.0));
  double sigma = 0;
  Matrix tried(5, 2);
  std::int64_t used = 0;
  const auto select = [&](const Model& model, freeridge_criterion criterion) {
    return freeridge_select_bandwidth(model.get(), criterion, 0, 0, 5, &sigma, tried.values.data(), &used);
  };
  EXPECT_EQ(select(empty, FREERIDGE_LOO), FREERIDGE_INVALID_STATE);
  const Problem problem = problem_with(1, false, false, 7);
  Model linear(Kernel::linear());
  linear.data(problem.x, problem.y);
  EXPECT_EQ(select(linear, FREERIDGE_LOO), FREERIDGE_INVALID_STATE);
  Model model = oracle::make_model(problem);
  EXPECT_EQ(select(model, FREERIDGE_GROUPS), FREERIDGE_INVALID_STATE);
  Model coincide(Kernel::gaussian(1.0));
  coincide.data(Matrix(9, 2, 3.5), Matrix(9, 1, 1.0));
  EXPECT_EQ(select(coincide, FREERIDGE_LOO), FREERIDGE_UNDEFINED);
}

}  // namespace
