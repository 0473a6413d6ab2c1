// Folds and hold-outs: sizes, the same labels for a seed everywhere, chance; lambda in the conventions of other
// systems.
#include <algorithm>
#include <cmath>
#include <set>

#include "capi/support/refusals.hpp"
#include "capi/support/selection_calls.hpp"

namespace folds_and_conventions_test {

using support::Labels;

Labels folds(int64_t n, int32_t count, int64_t seed) {
  Labels out(static_cast<std::size_t>(n), -7);
  EXPECT_EQ(freeridge_make_folds(n, count, seed, out.data()), FREERIDGE_OK) << freeridge_last_error();
  return out;
}

Labels holdout(int64_t n, double fraction, int64_t seed) {
  Labels out(static_cast<std::size_t>(n), -7);
  EXPECT_EQ(freeridge_make_holdout(n, fraction, seed, out.data()), FREERIDGE_OK) << freeridge_last_error();
  return out;
}

std::int64_t count_of(const Labels& labels, int32_t label) {
  return std::count(labels.begin(), labels.end(), label);
}

TEST(ContractFolds, SizesDifferByOneAtMost) {
  for (int64_t n : {2, 3, 10, 97, 1000})
    for (int32_t count : {2, 3, 5, 10, 97}) {
      if (count > n) continue;
      const Labels labels = folds(n, count, 42);
      std::int64_t all = 0;
      for (int32_t label = 0; label < count; ++label) {
        const std::int64_t size = count_of(labels, label);
        EXPECT_GE(size, n / count);
        EXPECT_LE(size, (n + count - 1) / count);
        all += size;
      }
      EXPECT_EQ(all, n);  // and no other label
    }
}

TEST(ContractFolds, HoldoutsHaveTheSizeAskedFor) {
  for (int64_t n : {2, 3, 10, 999})
    for (double fraction : {1e-9, 0.1, 0.25, 0.5, 0.9, 1 - 1e-9}) {
      const Labels labels = holdout(n, fraction, 7);
      const auto wanted = static_cast<int64_t>(std::round(fraction * static_cast<double>(n)));
      EXPECT_EQ(count_of(labels, 0), std::clamp<int64_t>(wanted, 1, n - 1));
      EXPECT_EQ(count_of(labels, 0) + count_of(labels, -1), n);
    }
}

// Worked out by another program from the published descriptions of the generators.
TEST(ContractFolds, ASeedGivesTheSameLabelsEverywhere) {
  EXPECT_EQ(folds(12, 5, 1), (Labels{1, 3, 2, 1, 2, 3, 0, 0, 4, 0, 4, 1}));
  EXPECT_EQ(folds(12, 5, 0), (Labels{3, 1, 0, 2, 0, 4, 0, 3, 4, 2, 1, 1}));
  EXPECT_EQ(folds(7, 2, -3), (Labels{0, 1, 1, 0, 0, 1, 0}));
  EXPECT_EQ(folds(10, 10, int64_t{1} << 40), (Labels{4, 2, 6, 7, 0, 1, 9, 8, 3, 5}));
  EXPECT_EQ(holdout(12, 0.25, 1), (Labels{0, -1, 0, -1, -1, -1, 0, -1, -1, -1, -1, -1}));
  EXPECT_EQ(holdout(10, 0.4, INT64_MIN), (Labels{-1, 0, 0, -1, -1, -1, -1, 0, -1, 0}));
}

// Over many seeds each row is in each fold equally often: chi-squared of 3 x 7 cells with 12 degrees of freedom stays
// below its 1 - 1e-6 quantile; and no two seeds deal alike.
TEST(ContractFolds, EachRowIsAsLikelyInEachFold) {
  constexpr int seeds = 3000, n = 7, count = 3;
  double seen[n][count] = {};
  for (int seed = 0; seed < seeds; ++seed) {
    const Labels labels = folds(n, count, seed);
    for (int i = 0; i < n; ++i) seen[i][labels[static_cast<std::size_t>(i)]] += 1;
  }
  const double share[count] = {3.0 / 7, 2.0 / 7, 2.0 / 7};
  double chi_squared = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < count; ++k) chi_squared += std::pow(seen[i][k] - seeds * share[k], 2) / (seeds * share[k]);
  EXPECT_LT(chi_squared, 51.0);
  EXPECT_GT(chi_squared, 0.5);  // too even would not be chance either

  std::set<Labels> dealt;
  for (int seed = -50; seed < 50; ++seed) dealt.insert(folds(200, 10, seed));
  EXPECT_EQ(dealt.size(), 100u);
}

TEST(ContractFolds, TheLabelsAreGroups) {
  Model model = sample::model(sample::State::factorized);
  for (const Labels& labels : {folds(sample::n, 4, 3), holdout(sample::n, 0.3, 3)}) {
    model.groups(labels).select_lambda(FREERIDGE_GROUPS, 1e-3, 1e3);
    const support::Matrix errors = model.group_errors(labels);
    for (int64_t i = 0; i < sample::n; ++i) EXPECT_EQ(std::isnan(errors(i, 0)), labels[sample::size(i)] < 0);
  }
}

// --- conventions ----------------------------------------------------------------------------------------------------

const std::vector<freeridge_convention> conventions = {
    FREERIDGE_CONVENTION_TOTAL,          FREERIDGE_CONVENTION_MEAN,
    FREERIDGE_CONVENTION_GLMNET,         FREERIDGE_CONVENTION_SKLEARN,
    FREERIDGE_CONVENTION_LM_RIDGE,       FREERIDGE_CONVENTION_KRLS,
    FREERIDGE_CONVENTION_GURLS,          FREERIDGE_CONVENTION_TIKHONOV_SQUARED,
    FREERIDGE_CONVENTION_TIKHONOV_HALF,  FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC,
    FREERIDGE_CONVENTION_TIKHONOV_HINGE, FREERIDGE_CONVENTION_COST,
    FREERIDGE_CONVENTION_COST_MEAN,      FREERIDGE_CONVENTION_COST_MEAN_NORM};

bool is_cost(freeridge_convention c) {
  return c >= FREERIDGE_CONVENTION_COST;
}

double convert(freeridge_convention from, freeridge_convention to, int64_t n, double sd_y, double lambda) {
  double out = NaN;
  EXPECT_EQ(freeridge_convert_lambda(from, to, n, sd_y, lambda, &out), FREERIDGE_OK) << freeridge_last_error();
  return out;
}

TEST(ContractConvention, Refuses) {
  ConvertLambda overflows;
  overflows.from = FREERIDGE_CONVENTION_MEAN;
  overflows.to = FREERIDGE_CONVENTION_TOTAL;
  overflows.lambda = 1e307;
  expect_failure(overflows, FREERIDGE_NOT_FINITE, {"lambda"});
  for (const freeridge_convention other : {FREERIDGE_CONVENTION_COST, FREERIDGE_CONVENTION_COST_MEAN_NORM}) {
    ConvertLambda infinite;  // C at lambda = 0
    infinite.to = other;
    infinite.lambda = 0;
    expect_failure(infinite, FREERIDGE_INVALID_ARGUMENT, {"lambda"});
    std::swap(infinite.from, infinite.to);
    expect_failure(infinite, FREERIDGE_INVALID_ARGUMENT, {"lambda"});
    infinite.lambda = 1e-310;
    expect_failure(infinite, FREERIDGE_NOT_FINITE, {"lambda"});
  }
}

// The table of README.md.
TEST(ContractConvention, EachIsThatOfItsSystem) {
  constexpr int64_t n = 80;
  constexpr double sd = 2.5, lambda = 7.0;
  const auto from_total = [&](freeridge_convention to) {
    return convert(FREERIDGE_CONVENTION_TOTAL, to, n, sd, lambda);
  };
  EXPECT_EQ(from_total(FREERIDGE_CONVENTION_TOTAL), lambda);
  EXPECT_EQ(from_total(FREERIDGE_CONVENTION_SKLEARN), lambda);
  EXPECT_EQ(from_total(FREERIDGE_CONVENTION_LM_RIDGE), lambda);
  EXPECT_EQ(from_total(FREERIDGE_CONVENTION_KRLS), lambda);
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_MEAN), lambda / n);
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_GURLS), lambda / n);
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_GLMNET), lambda * sd / n);
  EXPECT_DOUBLE_EQ(convert(FREERIDGE_CONVENTION_GLMNET, FREERIDGE_CONVENTION_TOTAL, n, sd, lambda), n * lambda / sd);
  EXPECT_DOUBLE_EQ(convert(FREERIDGE_CONVENTION_GLMNET, FREERIDGE_CONVENTION_MEAN, n, sd, lambda), lambda / sd);
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_TIKHONOV_SQUARED), lambda / n);
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_TIKHONOV_HALF), lambda / (2 * n));
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC), lambda / (2 * n));
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_TIKHONOV_HINGE), lambda / (2 * n));
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_COST), 1 / lambda);
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_COST_MEAN), n / lambda);
  EXPECT_DOUBLE_EQ(from_total(FREERIDGE_CONVENTION_COST_MEAN_NORM), 2 * n / lambda);
  EXPECT_DOUBLE_EQ(convert(FREERIDGE_CONVENTION_COST_MEAN, FREERIDGE_CONVENTION_COST, n, 1.0, 40.0), 0.5);
  EXPECT_DOUBLE_EQ(convert(FREERIDGE_CONVENTION_TIKHONOV_HINGE, FREERIDGE_CONVENTION_COST_MEAN_NORM, n, 1.0, 4.0),
                   0.25);
  // sd_y is GLMNET's alone
  EXPECT_DOUBLE_EQ(convert(FREERIDGE_CONVENTION_MEAN, FREERIDGE_CONVENTION_SKLEARN, n, -3.0, lambda), n * lambda);
}

TEST(ContractConvention, ThereAndBackIsTheSame) {
  for (freeridge_convention from : conventions)
    for (freeridge_convention to : conventions)
      for (double lambda : {0.0, 1e-290, 0.03, 5.0, 1e290})
        for (double sd : {1e-5, 1.0, 3e4}) {
          if (lambda == 0 && (is_cost(from) || is_cost(to))) continue;
          const double there = convert(from, to, 1000, sd, lambda);
          EXPECT_NEAR(convert(to, from, 1000, sd, there), lambda, 1e-15 * lambda);
          for (freeridge_convention by : conventions) {
            if (lambda == 0 && is_cost(by)) continue;
            EXPECT_NEAR(convert(by, to, 1000, sd, convert(from, by, 1000, sd, lambda)), there, 2e-15 * there);
          }
        }
  // What cancels does not overflow on the way.
  EXPECT_EQ(convert(FREERIDGE_CONVENTION_MEAN, FREERIDGE_CONVENTION_GURLS, INT32_MAX, 1.0, 1e307), 1e307);
  EXPECT_DOUBLE_EQ(convert(FREERIDGE_CONVENTION_GLMNET, FREERIDGE_CONVENTION_MEAN, INT32_MAX, 2.0, 1e307), 5e306);
  EXPECT_DOUBLE_EQ(convert(FREERIDGE_CONVENTION_GLMNET, FREERIDGE_CONVENTION_TOTAL, 1000, 1e5, 1e306), 1e304);
}

// glmnet's problem, solved by its definition: 1/(2n) sum (y_i - b - x_i'w)^2 / sd^2 + (L/sd)/2 |w/sd|^2: the
// gradient of our solution at the converted lambda vanishes in it.
TEST(ContractConvention, GlmnetsGradientVanishes) {
  const support::Matrix x = sample::matrix(sample::n, sample::x());
  const support::Matrix y = support::column(sample::matrix(sample::n, sample::y()), 0);
  constexpr auto n = static_cast<double>(sample::n);
  double mean = 0, variance = 0;
  for (double value : y.values) mean += value / n;
  for (double value : y.values) variance += (value - mean) * (value - mean) / n;
  const double sd = std::sqrt(variance), glmnet = 0.4;
  Model model(Kernel::linear());
  model.data(x, y).factorize().lambda(
      convert(FREERIDGE_CONVENTION_GLMNET, FREERIDGE_CONVENTION_TOTAL, sample::n, sd, glmnet));
  const support::Matrix w = model.hyperplane(), fitted = model.fitted();
  for (int64_t k = 0; k < sample::d; ++k) {
    double gradient = glmnet / sd * (w(k, 0) / sd), size = std::abs(gradient);  // in units of y / sd
    for (int64_t i = 0; i < sample::n; ++i) {
      const double term = x(i, k) * (y(i, 0) - fitted(i, 0)) / sd / n;
      gradient -= term;
      size += std::abs(term);
    }
    EXPECT_NEAR(gradient / size, 0.0, 1e-13);
  }
}

}  // namespace folds_and_conventions_test
