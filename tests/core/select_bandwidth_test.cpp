// freeridge_select_bandwidth: no worse than a grid of bandwidths, each with its own whole search over lambda; what it says
// it tried; which of nearly equal ones it takes, and what it says about that; the model it leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace select_bandwidth_test {

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

double median_distance(const Problem& problem) {
  Vector distances;
  for (std::int64_t i = 0; i < problem.x.rows; ++i)
    for (std::int64_t j = 0; j < i; ++j) {
      double square = 0;
      for (std::int64_t k = 0; k < problem.x.cols; ++k) {
        const double scale = problem.kernel.columns.empty() ? 1 : problem.kernel.columns[static_cast<std::size_t>(k)];
        square += std::pow((problem.x(i, k) - problem.x(j, k)) / scale, 2);
      }
      distances.push_back(std::sqrt(square));
    }
  std::sort(distances.begin(), distances.end());
  return distances[distances.size() / 2];
}

// Sigma and criterion of everything tried, ascending.
std::vector<std::pair<double, double>> sorted(const BandwidthChoice& choice) {
  std::vector<std::pair<double, double>> out;
  for (std::int64_t k = 0; k < choice.tried.rows; ++k) out.emplace_back(choice.tried(k, 0), choice.tried(k, 1));
  std::sort(out.begin(), out.end());
  return out;
}

// So much above the lowest, relative to it, or for REML in units of 50.
double limit_of(const std::vector<std::pair<double, double>>& tried, freeridge_criterion criterion, double above) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [sigma, value] : tried) least = std::min(least, value);
  return least + above * (criterion == FREERIDGE_REML ? 50 : std::abs(least));
}

// The choice as documented, and the shape: by the definitions.
void expect_choice_and_shape(const BandwidthChoice& choice, const Model& model, const Problem& problem,
                             freeridge_criterion criterion) {
  const auto tried = sorted(choice);
  const double typical = median_distance(problem), tie = limit_of(tried, criterion, 0.003);
  std::size_t chosen = tried.size();
  for (std::size_t i = 0; i < tried.size(); ++i)
    if (tried[i].second <= tie && (chosen == tried.size() || std::abs(std::log(tried[i].first / typical)) <=
                                                                 std::abs(std::log(tried[chosen].first / typical))))
      chosen = i;
  ASSERT_LT(chosen, tried.size());
  EXPECT_EQ(choice.sigma, tried[chosen].first);

  const BandwidthShape shape = model.bandwidth_shape();
  EXPECT_EQ(shape.edge, chosen == 0 ? -1 : chosen + 1 == tried.size() ? 1 : 0);
  const double flat = limit_of(tried, criterion, 0.01);
  const auto reach = [&](std::ptrdiff_t step) {
    auto at = static_cast<std::ptrdiff_t>(chosen);
    const auto x = [&](std::ptrdiff_t i) { return std::log10(tried[static_cast<std::size_t>(i)].first); };
    const auto f = [&](std::ptrdiff_t i) { return tried[static_cast<std::size_t>(i)].second; };
    while (at + step >= 0 && at + step < std::ssize(tried) && f(at + step) <= flat) at += step;
    if (at + step < 0 || at + step >= std::ssize(tried)) return x(at);
    return x(at) + (x(at + step) - x(at)) * (flat - f(at)) / (f(at + step) - f(at));
  };
  EXPECT_NEAR(shape.decades, reach(1) - reach(-1), 1e-9);
  std::int32_t dips = 0;
  for (std::size_t i = 0; i < tried.size(); ++i)
    dips += (i == 0 || tried[i].second < tried[i - 1].second) &&
            (i + 1 == tried.size() || tried[i].second < tried[i + 1].second);
  EXPECT_EQ(shape.dips, dips);
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
  double best_tried = std::numeric_limits<double>::infinity();
  for (std::int64_t k = 0; k < choice.tried.rows; ++k) {
    const double sigma = choice.tried(k, 0), value = choice.tried(k, 1);
    EXPECT_GE(sigma, low * (1 - 1e-12));
    EXPECT_LE(sigma, high * (1 + 1e-12));
    const double expected = criterion_at(problem, c.criterion, sigma, group);
    EXPECT_NEAR(value, expected, 1e-9 * std::abs(expected)) << "sigma = " << sigma;
    best_tried = std::min(best_tried, value);
  }
  expect_choice_and_shape(choice, model, problem, c.criterion);

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

// Functions with little noise at 40 points: their scores fall by decades into narrow dips, several of them. A quarter of 24
// may be missed by more than 5 %; a scan of ten sigmas with a line search in the best of its cells misses 11 to 15.
TEST(SelectBandwidthSweep, FindsMostDipsThat100BandwidthsSee) {
  using Function = double (*)(double, double);
  const Function functions[] = {[](double x, double c) { return 1 / (1 + (20 + 5 * c) * x * x); },
                                [](double x, double c) { return std::sin((5 + c) * std::exp(x)); },
                                [](double x, double c) { return std::sin(2 * x) + 0.3 * std::sin((10 + c) * x); }};
  constexpr std::int64_t points = 40;
  int missed = 0;
  std::uint64_t seed = 0;
  for (const Function function : functions)
    for (const double c : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}) {
      Random random(++seed);
      Problem problem;
      problem.kernel = oracle::KernelSpec::gaussian(1.0);
      problem.x = problem.y = Matrix(points, 1);
      for (std::int64_t i = 0; i < points; ++i) {
        problem.x(i, 0) = -1 + 2 * static_cast<double>(i) / (points - 1);
        problem.y(i, 0) = function(problem.x(i, 0), c) + 1e-3 * random.normal();
      }
      const double typical = median_distance(problem);
      Model model = oracle::make_model(problem);
      double least = std::numeric_limits<double>::infinity(), found = least;
      for (int k = 0; k < 100; ++k)
        least = std::min(least, criterion_at(problem, FREERIDGE_LOO, typical / 16 * std::pow(1024, k / 99.0), {}));
      for (const auto& [sigma, value] : sorted(model.select_bandwidth(FREERIDGE_LOO, 0, 0, 15)))
        found = std::min(found, value);
      missed += found > 1.05 * least;
    }
  EXPECT_LE(missed, 6);
}

// A straight line in noise: every large sigma scores the same. The choice stays by the typical distance, and what it
// says about itself is what was seen; a range that ends before the optimum is said to.
TEST(SelectBandwidthTies, GoToTheMedianDistance) {
  int moved = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), n, d, 1, false, true, 0.1);
    for (std::int64_t i = 0; i < n; ++i) problem.y(i, 0) = problem.x(i, 0) + 0.3 * random.normal();
    const double typical = median_distance(problem);
    Model model = oracle::make_model(problem);
    const BandwidthChoice choice = model.select_bandwidth(FREERIDGE_LOO, 0, 0, 15);
    expect_choice_and_shape(choice, model, problem, FREERIDGE_LOO);
    EXPECT_LT(choice.sigma, 32 * typical);
    double least = std::numeric_limits<double>::infinity(), lowest = 0;
    for (const auto& [sigma, value] : sorted(choice))
      if (value < least) least = value, lowest = sigma;
    moved += choice.sigma < lowest;
    const BandwidthChoice low = model.select_bandwidth(FREERIDGE_LOO, typical / 16, typical / 8, 6);
    expect_choice_and_shape(low, model, problem, FREERIDGE_LOO);
    EXPECT_EQ(model.bandwidth_shape().edge, 1);
    const BandwidthChoice one = model.select_bandwidth(FREERIDGE_LOO, typical, typical, 6);
    EXPECT_EQ(one.tried.rows, 1);
    EXPECT_EQ(model.bandwidth_shape().edge, 0);
    EXPECT_EQ(model.bandwidth_shape().decades, 0);
  }
  EXPECT_GE(moved, 3);
}

TEST(SelectBandwidthRange, DefaultRangeFollowsTheUnitsOfX) {
  Problem problem = problem_with(1, false, false, 5);
  Model model = oracle::make_model(problem);
  const BandwidthChoice small = model.select_bandwidth(FREERIDGE_LOO, 0, 0, 15);
  problem.x = scaled(problem.x, 1024.0);
  Model larger = oracle::make_model(problem);
  const BandwidthChoice large = larger.select_bandwidth(FREERIDGE_LOO, 0, 0, 15);
  // The first five are the same; what comes after follows the last digits of a flat criterion.
  for (std::int64_t k = 0; k < 5; ++k) {
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

// Without an intercept a constant output counts with the mean of its squares: in any units, and never by the rounding of
// its variance.
TEST(SelectBandwidthOutputs, AConstantOutputCountsByItsSize) {
  Random random(7);
  const Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 30, 2, 1, true, false, 0.1);
  double weights = 0, mean = 0, variance = 0;
  for (std::int64_t i = 0; i < 30; ++i) {
    weights += problem.weight(i);
    mean += problem.weight(i) * problem.y(i, 0);
  }
  for (std::int64_t i = 0; i < 30; ++i)
    variance += problem.weight(i) * std::pow(problem.y(i, 0) - mean / weights, 2) / weights;
  Vector chosen;
  for (const double constant : {0.1, 0.1 * 0x1p40, 3e-7}) {
    Problem two = problem;
    two.y = Matrix(30, 2, constant);
    for (std::int64_t i = 0; i < 30; ++i) two.y(i, 0) = problem.y(i, 0);
    Model model = oracle::make_model(two);
    model.factorize();
    const Matrix scores = model.score(FREERIDGE_LOO, {0.1});
    double score = 0, by_lambda = 0, by_sigma = 0;
    check(freeridge_score_gradient(model.get(), FREERIDGE_LOO, 0.1, &score, &by_lambda, &by_sigma),
          "freeridge_score_gradient");
    const double expected = scores(0, 0) / variance + scores(0, 1) / (constant * constant);
    EXPECT_NEAR(score, expected, 1e-10 * expected);
    chosen.push_back(model.select_bandwidth(FREERIDGE_LOO, 0, 0, 15).sigma);
    EXPECT_NEAR(std::log(chosen.back() / chosen.front()), 0, 1e-3);
  }
}

TEST(SelectBandwidthRange, NeedsDataABandwidthAndPointsThatDiffer) {
  Model empty(Kernel::gaussian(1.0));
  double sigma = 0;
  const auto select = [&](const Model& model, freeridge_criterion criterion) {
    return freeridge_select_bandwidth(model.get(), criterion, 0, 0, 5, &sigma);
  };
  EXPECT_EQ(select(empty, FREERIDGE_LOO), FREERIDGE_INVALID_STATE);
  const Problem problem = problem_with(1, false, false, 7);
  Model linear(Kernel::linear());
  linear.data(problem.x, problem.y);
  EXPECT_EQ(select(linear, FREERIDGE_LOO), FREERIDGE_INVALID_STATE);
  Model model = oracle::make_model(problem);
  EXPECT_EQ(select(model, FREERIDGE_GROUPS), FREERIDGE_INVALID_STATE);
  model.groups(Labels(static_cast<std::size_t>(n), 0));  // nothing stays to fit, whatever the bandwidth is
  EXPECT_EQ(select(model, FREERIDGE_GROUPS), FREERIDGE_UNDEFINED);
  EXPECT_NE(std::string(freeridge_last_error()).find("at any bandwidth"), std::string::npos) << freeridge_last_error();
  Model coincide(Kernel::gaussian(1.0));
  coincide.data(Matrix(9, 2, 3.5), Matrix(9, 1, 1.0));
  EXPECT_EQ(select(coincide, FREERIDGE_LOO), FREERIDGE_UNDEFINED);
  for (const double unit : {0x1p1019, 0x1p-1073}) {  // 64 times the median is infinite, a sixteenth of it 0
    Model extreme(Kernel::gaussian(1.0));
    Matrix x(9, 1);
    for (std::int64_t i = 0; i < 9; ++i) x(i, 0) = unit * static_cast<double>(i);
    extreme.data(x, Matrix(9, 1, 1.0));
    EXPECT_EQ(select(extreme, FREERIDGE_LOO), FREERIDGE_NOT_FINITE);
    EXPECT_NE(std::string(freeridge_last_error()).find("rescale x"), std::string::npos) << freeridge_last_error();
  }
}

// Whatever the kernel with the bandwidth stands in stays, and the score is that of a model with the chosen one.
TEST(SelectBandwidthKernels, AroundTheOneWithABandwidthStay) {
  const Problem problem = problem_with(1, true, false, 9);
  for (const char* text :
       {"additive(gaussian(sigma = %.17g))", "additive([0, 1, 0], laplacian(sigma = %.17g))",
        "scaled([1, 2, 3], laplacian(sigma = %.17g))", "0.5 * linear() + 2 * matern(nu = 1.5, length = %.17g)",
        "product(polynomial(degree = 1, scale = 1, offset = 2), gaussian(sigma = %.17g))"}) {
    SCOPED_TRACE(text);
    const auto with = [&](double sigma) {
      char out[200];
      std::snprintf(out, sizeof out, text, sigma);
      return Kernel::parse(out);
    };
    Model model(with(1));
    model.data(problem.x, problem.y).weights(problem.weights);
    double sigma = 0;
    check(freeridge_select_bandwidth(model.get(), FREERIDGE_LOO, 0.3, 20, 6, &sigma), "freeridge_select_bandwidth");
    EXPECT_EQ(model.kernel_in_force().description(), with(sigma).description());
    Model same(with(sigma));
    same.data(problem.x, problem.y).weights(problem.weights).factorize().lambdas(model.lambda_in_force());
    EXPECT_CLOSE(model.loo(), same.loo(), 1e-10);
    EXPECT_CLOSE(model.predict(problem.x), same.predict(problem.x), 1e-10);
  }
}

}  // namespace select_bandwidth_test
