// freeridge_select_kernel: at its end the gradient is zero by central differences of freeridge_score, as far as bounds
// leave room; no other start finds more; it is never worse than the kernel that was given; what labels, shrinkage, rows
// and seeds do. Bad input: select_kernel_hostile_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"

namespace select_kernel_test {

using namespace support;

constexpr std::int64_t n = 48, d = 3;
constexpr double infinite = std::numeric_limits<double>::infinity();
const std::vector<freeridge_criterion> criteria = {FREERIDGE_LOO, FREERIDGE_REML, FREERIDGE_GROUPS};

// Features of different relevance and units.
struct Data {
  Matrix x, y;
  Vector weights;
};

Data data_of(std::uint64_t seed, std::int64_t rows = n, std::int64_t outputs = 1, bool weighted = false) {
  Random random(seed);
  Data out{random.uniform_matrix(rows, d, -1, 1), Matrix(rows, outputs), {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < outputs; ++j)
      out.y(i, j) = 3 + std::sin(3 * out.x(i, 0)) + 0.4 * out.x(i, 1) * out.x(i, 1) + 0.1 * random.normal();
    out.x(i, 1) *= 50;
  }
  if (weighted) out.weights = random.uniform_vector(rows, 0.4, 2.5);
  return out;
}

Model model_of(const Kernel& kernel, const Data& data, bool intercept = true) {
  Model model(kernel);
  model.data(data.x, data.y);
  if (!data.weights.empty()) model.weights(data.weights);
  model.intercept(intercept).groups(modulo_groups(data.x.rows, 5));
  return model;
}

struct KernelCase {
  const char* text;
  bool bandwidths;  // in it
};
const std::vector<KernelCase> kernels = {
    {"scaled([0.5, 30, 0.5], gaussian(sigma = 1))", true},
    {"scaled([0.5, 30, 0.5], matern(nu = 2.5, length = 1))", true},
    {"scaled([1, 50, 1], 0.2 * linear() + 1 * gaussian(sigma = 2))", true},
    {"product(scaled([1, 30, 2], gaussian(sigma = 1)), scaled([5, 90, 5], laplacian(sigma = 3)))", true},
    {"scaled([1, 30, 1], polynomial(degree = 3, scale = 0.5, offset = 1))", false},
    {"scaled([1, 30, 1], linear())", false}};

// One number for all outputs (of like variance: their weighted variances are what LOO and GROUPS are divided by).
double criterion_at(const Kernel& kernel, const Data& data, bool intercept, freeridge_criterion criterion,
                    double lambda) {
  Model model = model_of(kernel, data, intercept);
  model.route(FREERIDGE_ROUTE_CHOLESKY).factorize();
  return model.score(criterion, {lambda}).values[0];
}

// What is minimised: REML or n / 2 log(score), and the penalty on scaled kernels at a relative to the kernel given.
double minimised(const Kernel& kernel, const Data& data, bool intercept, freeridge_criterion criterion, double lambda) {
  const double score = criterion_at(kernel, data, intercept, criterion, lambda);
  return criterion == FREERIDGE_REML ? score : static_cast<double>(data.x.rows) / 2 * std::log(score);
}

// The variance over the rows that a function of the kernel has in the mean, times the mean weight.
double spread_of(const Kernel& kernel, const Data& data) {
  const Packed x = pack(data.x, FREERIDGE_COL_MAJOR, 0);
  const auto rows = static_cast<std::size_t>(data.x.rows);
  Vector k(rows * rows);
  EXPECT_EQ(freeridge_kernel_evaluate(kernel.get(), at(x, data.x.rows, d), at(x, data.x.rows, d), FREERIDGE_COL_MAJOR,
                                      k.data(), data.x.rows),
            FREERIDGE_OK);
  double trace = 0, sum = 0, weight = data.weights.empty() ? static_cast<double>(rows) : 0;
  for (std::size_t i = 0; i < rows; ++i) trace += k[i * rows + i];
  for (const double value : k) sum += value;
  for (const double value : data.weights) weight += value;
  const auto m = static_cast<double>(rows);
  return weight / m * (trace - sum / m) / m;
}

// What the prior of the noise adds to REML.
double noise_penalty(double spread, double lambda) {
  return std::log(1 + spread / lambda) / 2;
}

// The lowest criterion of the kernel given, with the penalty of the noise where the search has it.
double best_given(const Kernel& kernel, const Data& data, freeridge_criterion criterion, bool penalised) {
  Model model = model_of(kernel, data);
  model.factorize();
  if (!penalised) return model.select_lambda(criterion).score[0];
  const Vector lambdas = model.lambda_grid(2000);
  const Matrix scores = model.score(criterion, lambdas);
  const double spread = spread_of(kernel, data);
  double best = infinite;
  for (std::size_t l = 0; l < lambdas.size(); ++l)
    best = std::min(best, scores.values[l] + noise_penalty(spread, lambdas[l]));
  return best;
}

TEST(SelectKernel, AtTheEndTheGradientIsZero) {
  for (const KernelCase& given : kernels)
    for (const freeridge_criterion criterion : criteria)
      for (const bool plain : {true, false}) {
        SCOPED_TRACE(std::string(given.text) + " by " + std::to_string(criterion));
        const Data data = data_of(3, n, 1, !plain);
        Model model = model_of(Kernel::parse(given.text), data, plain);
        const KernelChoice choice = model.select_kernel(criterion, {}, infinite);
        const Kernel learnt = model.kernel_in_force();
        const Vector numbers = learnt.hyperparameters();
        const double lambda = model.lambda_in_force()[0], step = 1e-4;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          if (choice.variable[i] < 0) continue;
          Vector up = numbers, down = numbers;
          up[i] *= std::exp(step), down[i] *= std::exp(-step);
          const double slope = (minimised(learnt.with_hyperparameters(up), data, plain, criterion, lambda) -
                                minimised(learnt.with_hyperparameters(down), data, plain, criterion, lambda)) /
                               (2 * step);
          const double limit = 8e-3 * static_cast<double>(n);  // where it begins slopes are some n / 10
          if (choice.at[i] <= 0) {
            EXPECT_GT(slope, -limit) << i << " end " << choice.end[3] << choice.end[4] << " gradient "
                                     << choice.gradient.back() << " score " << choice.score << " "
                                     << choice.tried.back() << " lambda " << lambda << " " << choice.lambda.back()
                                     << " plain " << plain;
          }
          if (choice.at[i] >= 0) {
            EXPECT_LT(slope, limit) << i;
          }
        }
        EXPECT_EQ(choice.kept, 0);
      }
}

TEST(SelectKernel, NeverWorseThanTheKernelGiven) {
  for (const KernelCase& given : kernels)
    for (const freeridge_criterion criterion : criteria)
      for (const std::int64_t evaluations : {1, 2, 3, 5, 9, 0})
        for (const double shrinkage : {0.0, infinite}) {
          SCOPED_TRACE(std::string(given.text) + " by " + std::to_string(criterion) + " in " +
                       std::to_string(evaluations));
          const Data data = data_of(5);
          const Kernel kernel = Kernel::parse(given.text);
          Model model = model_of(kernel, data);
          const KernelChoice choice = model.select_kernel(criterion, {}, shrinkage, 0, 1, evaluations);
          const bool penalised = criterion == FREERIDGE_REML && shrinkage == 0;
          const double before = best_given(kernel, data, criterion, penalised);
          const double noise =
              penalised ? noise_penalty(spread_of(model.kernel_in_force(), data), model.lambda_in_force()[0]) : 0;
          EXPECT_LE(choice.score + noise, before + 1e-6 * std::abs(before));
          if (evaluations == 1) {
            EXPECT_TRUE(model.kernel_in_force() == kernel);
            EXPECT_EQ(choice.kept, 1);
          }
          if (evaluations > 0) {
            EXPECT_LE(std::ranges::count_if(choice.stage, [](std::int32_t stage) { return stage >= 4; }),
                      evaluations - 1);
          }
        }
}

// The learnt kernel, learnt again, stays, or gets better still.
TEST(SelectKernel, LearningAgainLosesNothing) {
  for (const freeridge_criterion criterion : criteria) {
    const Data data = data_of(6);
    Model model = model_of(Kernel::parse(kernels[0].text), data);
    const double once = model.select_kernel(criterion, {}, infinite).score;
    const double again = model.select_kernel(criterion, {}, infinite).score;
    EXPECT_LE(again, once + 1e-6 * std::abs(once));
  }
}

TEST(SelectKernel, OtherStartsFindNothingBetter) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Data data = data_of(seed);
    Model model = model_of(Kernel::parse("scaled([0.6, 30, 0.6], gaussian(sigma = 1))"), data);
    const double found = model.select_kernel(FREERIDGE_REML, {}, infinite).score;
    Random random(seed + 100);
    double best = found;
    for (int start = 0; start < 20; ++start) {
      const Vector factor = random.uniform_vector(d, -2, 2);
      const Kernel other = Kernel::scaled(
          Kernel::gaussian(1), {0.6 * std::exp(factor[0]), 30 * std::exp(factor[1]), 0.6 * std::exp(factor[2])});
      Model again = model_of(other, data);
      best = std::min(best, again.select_kernel(FREERIDGE_REML, {}, infinite).score);
    }
    if (std::exp(2 * (found - best) / static_cast<double>(n)) > 1.01) ++lost;  // as a ratio of variances
  }
  EXPECT_LE(lost, 1);
}

// Without shrinkage a search from equal lengths alone ends, for these data, in minima of REML that are 14 to 23 above the
// one near the lengths that the data have. (The lengths of columns without influence make many minima, which differ by
// little.)
TEST(SelectKernel, TheNearestMinimumIsNotTheLast) {
  const std::string inner = "], gaussian(sigma = 1))";
  for (const std::uint64_t seed : {11, 19, 40}) {
    Random random(seed);
    Data data{random.uniform_matrix(40, 8, -1, 1), Matrix(40, 1), {}};
    for (std::int64_t i = 0; i < 40; ++i)
      data.y(i, 0) = std::sin(5 * data.x(i, 0) * data.x(i, 1)) + data.x(i, 2) + 0.1 * random.normal();
    Model from_equal = model_of(Kernel::parse("scaled([1, 1, 1, 1, 1, 1, 1, 1" + inner), data),
          from_near = model_of(Kernel::parse("scaled([0.5, 0.5, 2, 10, 10, 10, 10, 10" + inner), data);
    const double best = from_near.select_kernel(FREERIDGE_REML, {}, infinite).score;
    EXPECT_LE(from_equal.select_kernel(FREERIDGE_REML, {}, infinite).score, best + 1) << "seed " << seed;
  }
}

TEST(SelectKernel, WhatIsSaidIsWhatWasSeen) {
  for (const freeridge_criterion criterion : criteria) {
    const Data data = data_of(8, n, 2);
    Model model = model_of(Kernel::parse(kernels[0].text), data);
    const KernelChoice choice = model.select_kernel(criterion);
    EXPECT_EQ(choice.learnt, d);
    EXPECT_EQ(choice.rows, n);
    EXPECT_EQ(choice.sample, n);
    EXPECT_TRUE(std::ranges::is_sorted(choice.stage));
    EXPECT_EQ(choice.end[1], FREERIDGE_SEARCH_NONE);  // all rows are in the sample
    EXPECT_EQ(choice.end[4] == FREERIDGE_SEARCH_NONE, criterion == FREERIDGE_REML);
    for (std::size_t k = 0; k < choice.stage.size(); ++k) {
      EXPECT_GT(choice.lambda[k], 0);
      if (choice.stage[k] == 1 || std::isnan(choice.tried[k])) {
        EXPECT_TRUE(std::isnan(choice.gradient[k]));
      } else if (choice.stage[k] == 3) {  // the others may search lambda alone once more
        EXPECT_GE(choice.gradient[k], 0);
      }
    }
    // The first score is REML of the given kernel at its best lambda.
    const std::size_t given = 0;
    EXPECT_EQ(choice.stage[given], 1);
    EXPECT_LT(choice.tried.back(), *std::ranges::max_element(choice.tried));
    const Vector numbers = model.kernel_in_force().hyperparameters();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_GE(numbers[i], choice.low[i] * (1 - 1e-12));
      EXPECT_LE(numbers[i], choice.high[i] * (1 + 1e-12));
      EXPECT_EQ(choice.variable[i], i < d ? static_cast<std::int64_t>(i) : -1);
    }
    EXPECT_EQ(choice.low[d], 1);
    EXPECT_EQ(choice.high[d], 1);
  }
}

TEST(SelectKernel, BoundsAreThoseOfTheHeader) {
  const Data data = data_of(9);
  const struct {
    const char* text;
    Vector unit;  // of the scales: the scales and the bandwidth within; without a bandwidth none
  } cases[] = {{"scaled([0.5, 30, 0.5], gaussian(sigma = 2))", {2, 2, 2}},
               {"scaled([0.5, 30, 0.5], scaled([2, 3, 4], gaussian(sigma = 2)))", {4, 6, 8}},
               {"scaled([0.5, 30, 0.5], 1 * linear() + 0.5 * matern(nu = 1.5, length = 4))", {4, 4, 4}},
               {"scaled([0.5, 30, 0.5], 1 * linear() + 0.5 * polynomial(degree = 2, scale = 1, offset = 1))", {}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Kernel kernel = Kernel::parse(c.text);
    const Vector given = kernel.hyperparameters();
    Model model = model_of(kernel, data);
    const KernelChoice choice = model.select_kernel(FREERIDGE_REML, {}, 0, 0, 1, 3);
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) {
      const auto column = static_cast<std::int64_t>(k);
      double mean = 0, square = 0, low = infinite, high = -infinite;
      for (std::int64_t i = 0; i < n; ++i) {
        mean += data.x(i, column) / static_cast<double>(n);
        low = std::min(low, data.x(i, column));
        high = std::max(high, data.x(i, column));
      }
      for (std::int64_t i = 0; i < n; ++i) square += std::pow(data.x(i, column) - mean, 2) / static_cast<double>(n);
      const bool bandwidth = !c.unit.empty();
      const double shortest = bandwidth ? std::sqrt(square) / 100 / c.unit[k] : given[k] / 1e3;
      const double longest =
          bandwidth ? 100 * std::sqrt(static_cast<double>(d)) * (high - low) / c.unit[k] : given[k] * 1e3;
      EXPECT_NEAR(choice.low[k], shortest, 1e-9 * shortest);
      EXPECT_NEAR(choice.high[k], longest, 1e-9 * longest);
    }
  }
}

TEST(SelectKernel, LabelsHoldAndTie) {
  const Data data = data_of(10);
  const Kernel kernel = Kernel::parse("scaled([0.5, 30, 0.7], 0.3 * linear() + 2 * gaussian(sigma = 1.5))");
  const Vector given = kernel.hyperparameters();  // 0.5 30 0.7 0.3 2 1.5
  Model model = model_of(kernel, data);
  const KernelChoice choice = model.select_kernel(FREERIDGE_LOO, {4, 4, -1, -2, 9, -7});
  const Vector learnt = model.kernel_in_force().hyperparameters();
  EXPECT_EQ(choice.learnt, 2);
  EXPECT_EQ(choice.variable, (std::vector<std::int64_t>{0, 0, -1, -1, 1, -1}));
  EXPECT_NEAR(learnt[0] / given[0], learnt[1] / given[1], 1e-12 * learnt[0] / given[0]);
  EXPECT_NE(learnt[0], given[0]);
  for (const std::size_t held : {2, 3, 5}) EXPECT_EQ(learnt[held], given[held]);
  // All together is one factor; GCV may choose it.
  Model one = model_of(Kernel::parse(kernels[0].text), data);
  EXPECT_EQ(one.select_kernel(FREERIDGE_GCV, {0, 0, 0, -1}).learnt, 1);
  const Vector lengths = one.kernel_in_force().hyperparameters();
  EXPECT_NEAR(lengths[0] / 0.5, lengths[1] / 30, 1e-12 * lengths[0]);
}

TEST(SelectKernel, ShrinkageKeepsTheRatios) {
  const Data data = data_of(11);
  double last = 0;
  for (const double shrinkage : {1e-4, 0.1, 0.5, infinite}) {
    Model model = model_of(Kernel::parse(kernels[0].text), data);
    model.select_kernel(FREERIDGE_REML, {}, shrinkage);
    const Vector learnt = model.kernel_in_force().hyperparameters();
    const double spread = std::log(learnt[2] / 0.5) - std::log(learnt[0] / 0.5);  // the last feature does not matter
    EXPECT_GT(spread, last - 1e-3);
    last = spread;
    if (shrinkage == 1e-4) {
      EXPECT_LT(std::abs(spread), 1e-3);
    }
  }
  EXPECT_GT(last, 1);
  Model half = model_of(Kernel::parse(kernels[0].text), data), usual = model_of(Kernel::parse(kernels[0].text), data);
  EXPECT_EQ(half.select_kernel(FREERIDGE_LOO, {}, 0.5).score, usual.select_kernel(FREERIDGE_LOO, {}, 0).score);
}

// REML and its penalty are flat in log lambda where the search ends, for each output; without shrinkage REML alone is, and
// the search for lambda alone knows no penalty.
TEST(SelectKernel, APriorOfTheNoise) {
  for (const char* text : {kernels[0].text, kernels[2].text})
    for (const std::int64_t outputs : {1, 2})
      for (const bool penalised : {true, false}) {
        SCOPED_TRACE(std::string(text) + (penalised ? " penalised" : " plain"));
        const Data data = data_of(12, n, outputs, true);
        Model model = model_of(Kernel::parse(text), data);
        model.select_kernel(FREERIDGE_REML, {}, penalised ? 0 : infinite);
        const Kernel learnt = model.kernel_in_force();
        const Vector chosen = model.lambda_in_force();
        const double spread = penalised ? spread_of(learnt, data) : 0;
        const auto penalty = [&](double lambda) { return noise_penalty(spread, lambda); };
        for (std::size_t j = 0; j < chosen.size(); ++j) {
          const double low = chosen[j] * std::exp(-1e-3), high = chosen[j] * std::exp(1e-3);
          const Matrix scores = model.score(FREERIDGE_REML, {low, high});
          const auto output = static_cast<std::int64_t>(j);
          const double slope = (scores(1, output) + penalty(high) - scores(0, output) - penalty(low)) / 2e-3;
          EXPECT_NEAR(slope, 0, 1e-5 * static_cast<double>(n)) << j;
        }
        const Vector alone = model.select_lambda(FREERIDGE_REML).lambda;
        for (std::size_t j = 0; j < chosen.size(); ++j) {
          if (penalised) {
            EXPECT_GT(chosen[j], alone[j] * 1.001);
          } else {
            EXPECT_NEAR(std::log(chosen[j] / alone[j]), 0, 1e-5);
          }
        }
      }
}

// Units of the features change nothing but the units of the lengths.
TEST(SelectKernel, UnitsDoNotMatter) {
  Data data = data_of(12);
  Model model = model_of(Kernel::parse("scaled([0.5, 30, 0.5], gaussian(sigma = 1))"), data);
  const double score = model.select_kernel(FREERIDGE_LOO).score;
  for (std::int64_t i = 0; i < n; ++i) data.x(i, 1) /= 1024;
  Model other = model_of(Kernel::scaled(Kernel::gaussian(1), {0.5, 30.0 / 1024, 0.5}), data);
  EXPECT_NEAR(other.select_kernel(FREERIDGE_LOO).score, score, 1e-8 * score);
}

// A common factor of the weights is a factor of lambda, and units of y are factors of f and of the errors. Neither moves
// the kernel, whatever the size of the factor, with landmarks neither. (Where the criterion is flat rounding moves the
// numbers of the kernel, but not f.)
TEST(SelectKernel, WeightsAndOutputsHaveUnits) {
  const Data plain = data_of(19, n, 1, true);
  const Matrix points = data_of(20).x;
  struct Learnt {
    Matrix f;
    double log_lambda;
  };
  const auto learnt = [&](const Data& data, freeridge_criterion criterion, bool landmarks) {
    Model model = model_of(Kernel::parse(kernels[0].text), data);
    if (landmarks) choose_landmarks(model, 20, FREERIDGE_LANDMARKS_PIVOTED);
    model.select_kernel(criterion);
    return Learnt{model.predict(points), std::log(model.lambda_in_force()[0])};
  };
  for (const freeridge_criterion criterion : criteria)
    for (const bool landmarks : {false, true}) {
      const Learnt expected = learnt(plain, criterion, landmarks);
      const auto expect_same = [&](const Data& data, double weight, double unit) {
        SCOPED_TRACE("criterion " + std::to_string(criterion) + ", factors " + std::to_string(std::log10(weight)) +
                     " " + std::to_string(std::log10(unit)));
        const Learnt found = learnt(data, criterion, landmarks);
        EXPECT_NEAR(found.log_lambda, expected.log_lambda + std::log(weight), 1e-2);
        for (std::size_t i = 0; i < found.f.values.size(); ++i)
          EXPECT_NEAR(found.f.values[i] / unit, expected.f.values[i], 1e-4);
      };
      for (const double factor : {1e-12, 1e-3, 1e3, 1e12}) {
        Data heavy = plain;
        for (double& weight : heavy.weights) weight *= factor;
        expect_same(heavy, factor, 1);
      }
      for (const double unit : {1e-100, 1e100}) {
        Data other = plain;
        for (double& value : other.y.values) value *= unit;
        expect_same(other, 1, unit);
      }
    }
}

TEST(SelectKernel, RowsAreDrawnByTheSeed) {
  const Data data = data_of(13, 120, 1, true);
  for (const freeridge_criterion criterion : criteria) {
    const auto learnt = [&](std::int64_t rows, std::int64_t seed) {
      Model model = model_of(Kernel::parse(kernels[0].text), data);
      const KernelChoice choice = model.select_kernel(criterion, {}, infinite, rows, seed);
      EXPECT_EQ(choice.rows, std::min<std::int64_t>(rows, 120));
      // Lambda is that of all rows (without shrinkage by the criterion alone).
      Model again = model_of(model.kernel_in_force(), data);
      EXPECT_EQ(again.factorize().select_lambda(criterion).score[0], choice.score);
      EXPECT_EQ(again.lambda_in_force(), model.lambda_in_force());
      return model.kernel_in_force().hyperparameters();
    };
    EXPECT_EQ(learnt(40, 7), learnt(40, 7));
    EXPECT_NE(learnt(40, 7), learnt(40, 8));
    EXPECT_EQ(learnt(120, 7), learnt(5000, 8));
  }
}

// The rows drawn take their labels and gaps along: the kernel is that of a model of these rows with theirs, as far as a
// search within other bounds finds it.
TEST(SelectKernel, RowsDrawnKeepTheirGroupsAndGaps) {
  const Data data = data_of(17, 90);
  const Labels group = modulo_groups(90, 5);
  Labels gap(180, -1);  // two layers
  for (std::size_t i = 0; i < 180; ++i)
    if (i % 3 != 0) gap[i] = static_cast<std::int32_t>((i / 7) % 5);
  const Kernel kernel = Kernel::parse(kernels[0].text);
  Model whole = model_of(kernel, data);
  const KernelChoice choice = whole.groups(group, 1, gap, 2).select_kernel(FREERIDGE_GROUPS, {}, 0, 50, 3);
  Labels own_group, own_gap;
  for (const std::int64_t i : choice.row) own_group.push_back(group[static_cast<std::size_t>(i)]);
  for (const std::size_t layer : {0, 90})
    for (const std::int64_t i : choice.row) own_gap.push_back(gap[layer + static_cast<std::size_t>(i)]);
  const Data drawn{select_rows(data.x, choice.row), select_rows(data.y, choice.row), {}};
  const auto learnt = [&](const Labels& gaps) {
    Model model = model_of(kernel, drawn);
    model.groups(own_group, 1, gaps, 2).select_kernel(FREERIDGE_GROUPS);
    return model.kernel_in_force().hyperparameters();
  };
  const std::vector<double> found = whole.kernel_in_force().hyperparameters(), expected = learnt(own_gap);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-3 * expected[i]) << i;
  EXPECT_GT(std::abs(learnt({})[0] - expected[0]), 0.02 * expected[0]);  // the gaps matter
}

// A model of all rows that does not fit into memory is refused before the kernel is learnt.
TEST(SelectKernel, WhatDoesNotFitIsRefusedBeforeLearning) {
  const Data data = data_of(14, 2000);
  Model model = model_of(Kernel::parse(kernels[0].text), data);
  std::int64_t calls = 0;
  model.progress(
      [](double, void* user) {
        ++*static_cast<std::int64_t*>(user);
        return 0;
      },
      &calls);
  check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, 4'000'000), "freeridge_set_parameter");
  double score = -7;
  EXPECT_EQ(freeridge_select_kernel(model.get(), FREERIDGE_REML, nullptr, 0, 40, 1, 0, &score),
            FREERIDGE_OUT_OF_MEMORY);
  EXPECT_LE(calls, 1);  // that it begins
  EXPECT_EQ(score, -7);
}

// The search has the part of the fraction that it has of the work: where few rows are learnt on and many are
// factorized, the bar does not stand at the end of the search.
TEST(SelectKernel, TheFractionMovesWithTheWork) {
  const Data data = data_of(16, 1500);
  Model model = model_of(Kernel::parse(kernels[0].text), data);
  Vector fractions;
  model.progress(
      [](double fraction, void* user) {
        static_cast<Vector*>(user)->push_back(fraction);
        return 0;
      },
      &fractions);
  model.select_kernel(FREERIDGE_REML, {}, 0.5, 40, 1);
  ASSERT_GT(fractions.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  const double middle = fractions[fractions.size() / 2];  // calls come at equal amounts of work
  EXPECT_GT(middle, 0.02);
  EXPECT_LT(middle, 0.7);
}

// The kernel is the same whatever the outputs of the other rows are, and another where one of a row learnt on is.
TEST(SelectKernel, OtherRowsTakeNoPart) {
  const Data data = data_of(15, 90);
  for (const freeridge_criterion criterion : criteria) {
    std::vector<std::int64_t> row;
    const auto learnt = [&](const Data& seen) {
      Model model = model_of(Kernel::parse(kernels[0].text), seen);
      row = model.select_kernel(criterion, {}, 0, 50, 3).row;
      return model.kernel_in_force().hyperparameters();
    };
    const std::vector<double> hyperparameters = learnt(data);
    std::vector<char> among(90, 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      ASSERT_TRUE(row[i] >= 0 && row[i] < 90 && (i == 0 || row[i] > row[i - 1]));
      among[static_cast<std::size_t>(row[i])] = 1;
    }
    Data others = data, own = data;
    for (std::int64_t i = 0; i < 90; ++i)
      if (among[static_cast<std::size_t>(i)] == 0) others.y(i, 0) += 5 + static_cast<double>(i);
    own.y(row[20], 0) += 1;
    EXPECT_EQ(learnt(others), hyperparameters);
    EXPECT_NE(learnt(own), hyperparameters);
  }
}

// More rows than the sample has: the stage of the sample comes first, and all rows have the last word.
TEST(SelectKernel, ASampleGoesAhead) {
  const Data data = data_of(14, 640);
  Model model = model_of(Kernel::parse(kernels[0].text), data);
  const KernelChoice choice = model.select_kernel(FREERIDGE_REML, {}, infinite);
  EXPECT_EQ(choice.sample, 512);
  EXPECT_EQ(choice.rows, 640);
  EXPECT_NE(choice.end[1], FREERIDGE_SEARCH_NONE);
  EXPECT_NE(choice.end[1], FREERIDGE_SEARCH_BUDGET);
  const auto on_all = std::ranges::count(choice.stage, 4);
  EXPECT_LE(on_all, 15);
  // The same without a sample: its rows alone would have another optimum.
  Model same = model_of(model.kernel_in_force(), data);
  EXPECT_GE(same.select_kernel(FREERIDGE_REML, {}, infinite).score, choice.score - 1e-3);
}

// The smoothness: of a smoother kernel, with the lengths of Matern 3/2 but for one factor, where REML is lower with it, and
// so is its sum with n / 2 log LOO. By a grid of factors and of lambdas. With 700 rows the factor comes from the sample.
TEST(SelectKernel, SmoothnessIsThatOfTheLeastReml) {
  const auto rough = [](double a) {
    double sum = 0;  // steps of all sizes
    for (int k = 1; k < 9; ++k) sum += std::pow(0.6, k) * (std::fmod(a * std::pow(2, k) + 7, 2) < 1 ? 1 : -1);
    return sum;
  };
  const std::function<double(double)> smooth = [](double a) { return std::sin(4 * a); }, kinked = [](double a) {
    return std::abs(std::fmod(std::abs(a) * 2, 1.0) - 0.5) * 3;
  };
  const struct {
    std::function<double(double)> f;
    double noise;
    std::int64_t rows;
  } cases[] = {{smooth, 0.01, 60}, {rough, 0.05, 60}, {kinked, 0.01, 60}, {smooth, 0.02, 700}, {rough, 0.02, 700}};
  const std::vector<std::string> families = {"matern(nu = 1.5, length = 1)", "matern(nu = 2.5, length = 1)",
                                             "gaussian(sigma = 1)"};
  std::vector<std::string> chosen_families;
  for (const auto& given : cases) {
    SCOPED_TRACE(given.rows);
    Random random(31);
    Data data{random.uniform_matrix(given.rows, d, -1, 1), Matrix(given.rows, 1), {}};
    for (std::int64_t i = 0; i < given.rows; ++i)
      data.y(i, 0) = given.f(data.x(i, 0)) + data.x(i, 1) * data.x(i, 1) + given.noise * random.normal();
    const auto kernel_of = [](const std::string& family) {
      return Kernel::parse("scaled([0.6, 0.6, 0.6], 0.4 * additive(" + family + ") + 1 * " + family + ")");
    };
    const auto learnt = [&](double on, freeridge_criterion criterion) {
      Model model(kernel_of(families[0]));
      model.data(data.x, data.y);
      check(freeridge_set_parameter(model.get(), FREERIDGE_SMOOTHNESS, on), "freeridge_set_parameter");
      model.select_kernel(criterion, {0, 1, 2, 3, -1, -1, -1});
      return model;
    };
    struct Least {
      double f = infinite, with_errors = infinite;
    };
    const auto least = [&](const Kernel& kernel, const Vector& lambdas) {
      Model model(kernel);
      model.data(data.x, data.y).route(FREERIDGE_ROUTE_CHOLESKY).factorize();
      const Vector scores = model.score(FREERIDGE_REML, lambdas).values,
                   errors = model.score(FREERIDGE_LOO, lambdas).values;
      const double spread = spread_of(kernel, data), half = static_cast<double>(given.rows) / 2;
      Least out;
      for (std::size_t l = 0; l < lambdas.size(); ++l)
        if (const double f = scores[l] + noise_penalty(spread, lambdas[l]); f < out.f)
          out = {f, f + half * std::log(errors[l])};
      return out;
    };
    const Model plain = learnt(0, FREERIDGE_REML), chosen = learnt(1, FREERIDGE_REML);
    const Vector of_plain = plain.kernel_in_force().hyperparameters(),
                 of_chosen = chosen.kernel_in_force().hyperparameters();
    EXPECT_NEAR(of_chosen[1], of_chosen[0] / of_plain[0] * of_plain[1], 1e-9 * of_chosen[1]);
    EXPECT_EQ(of_chosen[d], of_plain[d]);  // the weight
    const std::string found = chosen.kernel_in_force().description();
    chosen_families.push_back(
        *std::ranges::find_if(families, [&](const auto& each) { return found.find(each) != std::string::npos; }));
    const double ours = least(chosen.kernel_in_force(), chosen.lambda_in_force()).f;
    EXPECT_LE(ours, least(plain.kernel_in_force(), plain.lambda_in_force()).f + 1e-6);
    if (given.rows > 100) continue;
    Least expected;
    std::string expected_family;
    for (const std::string& family : families) {
      Least best;
      for (double by = 0.3; by < 2; by *= 1.15) {
        Vector numbers = of_plain, lambdas;
        for (std::int64_t k = 0; k < d; ++k) numbers[static_cast<std::size_t>(k)] *= by;
        for (double up = 0.02; up < 50; up *= 1.5) lambdas.push_back(up * plain.lambda_in_force()[0]);
        const Least at = least(kernel_of(family).with_hyperparameters(numbers), lambdas);
        if (at.f < best.f) best = at;
      }
      if (!(best.f < expected.f && best.with_errors < expected.with_errors)) break;
      expected = best;
      expected_family = family;
    }
    EXPECT_LE(ours, expected.f + 0.5);
    EXPECT_EQ(chosen_families.back(), expected_family);
    EXPECT_TRUE(learnt(1, FREERIDGE_LOO).kernel_in_force() == learnt(0, FREERIDGE_LOO).kernel_in_force());
  }
  EXPECT_EQ(chosen_families[0], families[2]);
  EXPECT_EQ(chosen_families[1], families[0]);
  EXPECT_EQ(chosen_families[3], families[2]);
  EXPECT_EQ(chosen_families[4], families[0]);
}

// A response with short lengths in one column beside a slope, plain, and with two outputs, weights and rows that stand
// twice: with many rows the search goes by blocks of near points. It ends at the minimum that is found from the lengths
// that the data have, and needs few evaluations on all rows.
TEST(SelectKernel, BlocksGoAhead) {
  const std::int64_t rows = 1500;
  for (const bool plain : {true, false}) {
    SCOPED_TRACE(plain);
    Random random(21);
    Data data{random.uniform_matrix(rows, d, -1, 1), Matrix(rows, plain ? 1 : 2), {}};
    for (std::int64_t i = 0; i < rows; ++i) {
      const bool copy = !plain && i % 5 == 4;
      for (std::int64_t k = 0; k < d && copy; ++k) data.x(i, k) = data.x(i - 1, k);
      for (std::int64_t j = 0; j < data.y.cols; ++j)
        data.y(i, j) = copy ? data.y(i - 1, j) : 3 * data.x(i, 0) + std::sin(20 * data.x(i, 1)) + 0.3 * random.normal();
    }
    if (!plain) data.weights = random.uniform_vector(rows, 0.4, 2.5);
    const auto learnt = [&](const char* text) {
      Model model = model_of(Kernel::parse(text), data);
      return model.select_kernel(FREERIDGE_REML);
    };
    const KernelChoice choice = learnt("scaled([0.5, 0.5, 0.5], matern(nu = 1.5, length = 1))");
    const double near = learnt("scaled([3, 0.3, 3], matern(nu = 1.5, length = 1))").score;
    EXPECT_LE(choice.score, near + 2.5e-4 * static_cast<double>(rows * data.y.cols) + 1);
    EXPECT_LE(std::ranges::count(choice.stage, 4), 10);
    EXPECT_GT(std::ranges::count(choice.stage, 2), 12);
    EXPECT_EQ(choice.end[3], FREERIDGE_SEARCH_CHANGE);
  }
}

// With landmarks and many rows the model with landmarks has the last word, by any criterion: what the search saw is what
// the model answers, and the kernel that is given does no better. LOO has an output that is not observed in some rows, among
// them a landmark.
TEST(SelectKernel, LandmarksLearnOnManyRows) {
  const std::int64_t rows = 2100;
  const Data data = data_of(16, rows, 1, true);
  Data observed = data;
  for (std::int64_t i = 5; i < rows; i += 7) observed.y(i, 0) = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int64_t> landmarks;
  for (std::int64_t i = 0; i < 24; ++i) landmarks.push_back(80 * i + 5);
  const Kernel given = Kernel::parse(kernels[1].text);
  for (const freeridge_criterion criterion : criteria) {
    SCOPED_TRACE(criterion);
    const auto model_with = [&](const Kernel& kernel) {
      Model model = model_of(kernel, data);
      if (criterion == FREERIDGE_LOO) {
        check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, 1), "freeridge_set_parameter");
        model.data(observed.x, observed.y).weights(observed.weights);
      }
      set_landmarks(model, landmarks);
      return model;
    };
    Model model = model_with(given);
    const KernelChoice choice = model.select_kernel(criterion, {}, infinite, rows, 1, 6);
    EXPECT_EQ(choice.rows, rows);
    EXPECT_EQ(choice.kept, 0);
    std::size_t best = 0;
    for (std::size_t i = 0; i < choice.stage.size(); ++i)
      if (choice.stage[i] == 5 && !(choice.stage[best] == 5 && choice.tried[best] <= choice.tried[i])) best = i;
    ASSERT_EQ(choice.stage[best], 5);
    Model same = model_with(model.kernel_in_force());
    const double seen = same.factorize().score(criterion, {choice.lambda[best]}).values[0];
    EXPECT_NEAR(seen, choice.tried[best], 1e-9 * std::abs(seen));
    EXPECT_EQ(same.select_lambda(criterion).score[0], choice.score);
    EXPECT_LT(choice.score, model_with(given).factorize().select_lambda(criterion).score[0]);
  }
  // Landmarks are chosen among the rows drawn, and drawn again the same.
  const auto learnt = [&] {
    Model model = model_of(given, data);
    choose_landmarks(model, 20, FREERIDGE_LANDMARKS_AUTO);
    const KernelChoice choice = model.select_kernel(FREERIDGE_LOO, {}, 0, 2050, 3, 4);
    EXPECT_EQ(choice.rows, 2050);
    EXPECT_EQ(std::ranges::count(choice.stage, 5), 2);
    return model.kernel_in_force().hyperparameters();
  };
  EXPECT_EQ(learnt(), learnt());
}

TEST(SelectKernel, SavedAndLoaded) {
  const Data data = data_of(15);
  Model model = model_of(Kernel::parse(kernels[0].text), data);
  model.select_kernel(FREERIDGE_LOO);
  freeridge_model* copy = nullptr;
  ASSERT_EQ(freeridge_clone(model.get(), &copy), FREERIDGE_OK);
  freeridge_kernel_search search = no_kernel_search();
  EXPECT_EQ(freeridge_get_kernel_search(copy, &search), FREERIDGE_OK);
  freeridge_destroy(copy);
  const support::Handle loaded = support::loaded(support::saved(model.get()));
  Matrix out(n, 1);
  ASSERT_EQ(freeridge_predict(loaded.get(), FREERIDGE_COL_MAJOR, n, data.x.values.data(), n, out.values.data(), n),
            FREERIDGE_OK);
  EXPECT_TRUE(bit_equal(out, model.predict(data.x)));
  EXPECT_EQ(freeridge_get_kernel_search(loaded.get(), &search), FREERIDGE_INVALID_STATE);
}

}  // namespace select_kernel_test
