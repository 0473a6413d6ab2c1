// freeridge_select_kernel on input that leaves little or nothing to learn, or asks for what there is not: a sentence, or
// an answer that is finite; the model stays as it was where the call fails.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/problems.hpp"
#include "support/sparse.hpp"

namespace select_kernel_hostile_test {

using namespace support;

constexpr double infinite = std::numeric_limits<double>::infinity();

Matrix random_x(std::uint64_t seed, std::int64_t n, std::int64_t d) {
  Random random(seed);
  return random.uniform_matrix(n, d, -1, 1);
}

Matrix smooth_y(const Matrix& x, double noise = 0.1) {
  Random random(77);
  Matrix y(x.rows, 1);
  for (std::int64_t i = 0; i < x.rows; ++i) y(i, 0) = std::sin(3 * x(i, 0)) + noise * random.normal();
  return y;
}

Kernel lengths(std::int64_t d) {
  return Kernel::scaled(Kernel::gaussian(1), Vector(static_cast<std::size_t>(d), 1.0));
}

freeridge_status try_to_learn(Model& model, freeridge_criterion criterion, const Labels& label = {}) {
  double score = -7;
  const freeridge_status status =
      freeridge_select_kernel(model.get(), criterion, label.empty() ? nullptr : label.data(), 0, 0, 1, 0, &score);
  if (status != FREERIDGE_OK) {
    EXPECT_EQ(score, -7);
  }
  return status;
}

// Finite numbers, whatever was learnt.
void expect_learnt(Model& model, const Matrix& x, freeridge_criterion criterion) {
  const KernelChoice choice = model.select_kernel(criterion);
  for (const double value : model.kernel_in_force().hyperparameters()) {
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_GT(value, 0);
  }
  for (const double value : model.predict(x).values) EXPECT_TRUE(std::isfinite(value));
  for (const std::int32_t end : choice.end) EXPECT_NE(end, FREERIDGE_SEARCH_BUDGET);
}

TEST(SelectKernelHostile, NothingToLearnIsSaid) {
  const Matrix x = random_x(1, 12, 2), y = smooth_y(x);
  Model linear(Kernel::linear());
  linear.data(x, y).factorize().lambda(1);
  const Matrix before = linear.predict(x);
  EXPECT_EQ(try_to_learn(linear, FREERIDGE_LOO), FREERIDGE_INVALID_STATE);
  EXPECT_NE(std::string(freeridge_last_error()).find("no hyperparameters"), std::string::npos);
  EXPECT_TRUE(bit_equal(linear.predict(x), before));
  Model held(lengths(2));
  held.data(x, y);
  EXPECT_EQ(try_to_learn(held, FREERIDGE_LOO, {-1, -1, -1}), FREERIDGE_UNDEFINED);
  Model empty(lengths(2));
  EXPECT_EQ(try_to_learn(empty, FREERIDGE_LOO), FREERIDGE_INVALID_STATE);
  Model precomputed(Kernel::precomputed());
  precomputed.data(random_x(1, 12, 12), y);
  EXPECT_EQ(try_to_learn(precomputed, FREERIDGE_LOO), FREERIDGE_INVALID_STATE);
}

TEST(SelectKernelHostile, AllFeaturesConstant) {
  Matrix x(12, 2, 4.0);
  for (const char* text :
       {"scaled([1, 1], gaussian(sigma = 1))", "gaussian(sigma = 1)", "scaled([1, 1], matern(nu = 1.5, length = 2))"}) {
    Model model(Kernel::parse(text));
    model.data(x, smooth_y(random_x(2, 12, 1)));
    EXPECT_EQ(try_to_learn(model, FREERIDGE_LOO), FREERIDGE_UNDEFINED) << text;
    EXPECT_TRUE(model.kernel_in_force() == Kernel::parse(text));
  }
}

// It has no part in the kernel learnt, so that other values of it change nothing; a label can hold its scale.
TEST(SelectKernelHostile, AConstantFeatureHasNoPart) {
  Matrix x = random_x(3, 30, 3);
  for (std::int64_t i = 0; i < 30; ++i) x(i, 1) = 1e6;
  Matrix elsewhere = x;
  for (std::int64_t i = 0; i < 30; ++i) elsewhere(i, 1) = i % 2 == 0 ? -3e6 : 1e6 + static_cast<double>(i);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML}) {
    for (const char* text :
         {"scaled([1, 1, 1], gaussian(sigma = 1))", "scaled([1, 1, 1], matern(nu = 0.5, length = 1))",
          "scaled([1, 1e-3, 1], 1 * matern(nu = 1.5, length = 1) + 1 * additive(gaussian(sigma = 1)))"}) {
      Model model(Kernel::parse(text));
      model.data(x, smooth_y(x));
      const KernelChoice choice = model.select_kernel(criterion);
      EXPECT_EQ(choice.variable[1], -1);
      EXPECT_EQ(model.kernel_in_force().hyperparameters()[1], 0x1p500);
      EXPECT_TRUE(bit_equal(model.predict(elsewhere), model.predict(x))) << text;
    }
    Model held(lengths(3));
    held.data(x, smooth_y(x)).select_kernel(criterion, {0, -1, 1, -1});
    EXPECT_EQ(held.kernel_in_force().hyperparameters()[1], 1);
  }
}

TEST(SelectKernelHostile, DuplicateRowsAndAnExactResponse) {
  Matrix x = random_x(4, 40, 2);
  for (std::int64_t i = 20; i < 40; ++i)
    for (std::int64_t k = 0; k < 2; ++k) x(i, k) = x(i - 20, k);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML})
    for (const double noise : {0.1, 0.0}) {
      Model model(lengths(2));
      model.data(x, smooth_y(x, noise));
      expect_learnt(model, x, criterion);
    }
}

TEST(SelectKernelHostile, FewRows) {
  for (const std::int64_t n : {2, 3, 4})
    for (const bool intercept : {true, false})
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML}) {
        const Matrix x = random_x(5, n, 2);
        Model model(lengths(2));
        model.data(x, smooth_y(x)).intercept(intercept);
        const freeridge_status status = try_to_learn(model, criterion);
        if (status == FREERIDGE_OK) {
          for (const double value : model.predict(x).values) EXPECT_TRUE(std::isfinite(value));
        } else {
          EXPECT_EQ(status, FREERIDGE_UNDEFINED) << freeridge_last_error();
        }
      }
  Model one(lengths(2));
  one.data(random_x(6, 1, 2), Matrix(1, 1, 2.0));
  EXPECT_EQ(try_to_learn(one, FREERIDGE_LOO), FREERIDGE_UNDEFINED);
}

TEST(SelectKernelHostile, AConstantResponse) {
  const Matrix x = random_x(7, 20, 2);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML}) {
    Model model(lengths(2));
    model.data(x, Matrix(20, 1, 5.0));
    const freeridge_status status = try_to_learn(model, criterion);
    if (status == FREERIDGE_OK) {
      for (const double value : model.predict(x).values) EXPECT_NEAR(value, 5, 1e-9);
    } else {
      EXPECT_EQ(status, FREERIDGE_UNDEFINED) << freeridge_last_error();
    }
  }
}

TEST(SelectKernelHostile, MoreFeaturesThanRows) {
  const Matrix x = random_x(8, 15, 40);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML}) {
    Model model(lengths(40));
    model.data(x, smooth_y(x));
    expect_learnt(model, x, criterion);
  }
}

TEST(SelectKernelHostile, HugeAndTinyScales) {
  for (const double size : {1e-120, 1e-8, 1e8, 1e120}) {
    Matrix x = random_x(9, 25, 2), y = smooth_y(x);
    for (double& value : x.values) value *= size;
    Model model(Kernel::scaled(Kernel::gaussian(1), {size, size}));
    model.data(x, y);
    expect_learnt(model, x, FREERIDGE_LOO);
    Matrix large = y;
    for (double& value : large.values) value *= std::min(size, 1e100);
    Model other(lengths(2));
    other.data(random_x(9, 25, 2), large);
    expect_learnt(other, random_x(9, 25, 2), FREERIDGE_LOO);
  }
}

// Given lengths that are far off: the first stage finds the others.
TEST(SelectKernelHostile, AStartThatIsFarAway) {
  const Matrix x = random_x(10, 40, 2), y = smooth_y(x);
  double best = infinite;
  for (const double length : {1.0, 1e-3, 1e3, 1e-6, 1e6}) {
    Model model(Kernel::scaled(Kernel::gaussian(1), {length, length}));
    model.data(x, y);
    const double score = model.select_kernel(FREERIDGE_REML).score;
    if (length == 1) best = score;
    EXPECT_NEAR(score, best, 0.05) << length;
  }
}

TEST(SelectKernelHostile, CriteriaThatCannotLearn) {
  const Matrix x = random_x(11, 20, 2);
  Matrix y(20, 1);
  for (std::int64_t i = 0; i < 20; ++i) y(i, 0) = i % 2 == 0 ? 1 : -1;
  Model model(lengths(2));
  model.data(x, y);
  EXPECT_EQ(try_to_learn(model, FREERIDGE_GCV), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(freeridge_last_error()).find("GCV"), std::string::npos);
  EXPECT_EQ(try_to_learn(model, FREERIDGE_ERROR_RATE), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(try_to_learn(model, FREERIDGE_GROUPS), FREERIDGE_INVALID_STATE);
  model.kernel(Kernel::gaussian(1));
  EXPECT_EQ(try_to_learn(model, FREERIDGE_GCV), FREERIDGE_OK) << freeridge_last_error();
}

TEST(SelectKernelHostile, NoneOfTheRowsDrawnIsInAGroup) {
  const Matrix x = random_x(12, 200, 2);
  Labels group(200, -1);
  group[17] = 0;
  Model model(lengths(2));
  model.data(x, smooth_y(x)).groups(group);
  double score = 0;
  int refused = 0;
  for (std::int64_t seed = 0; seed < 5; ++seed)
    if (freeridge_select_kernel(model.get(), FREERIDGE_GROUPS, nullptr, 0, 20, seed, 5, &score) ==
        FREERIDGE_INVALID_ARGUMENT)
      ++refused;
  EXPECT_GT(refused, 0);
}

TEST(SelectKernelHostile, AZeroWeightStaysZero) {
  const Matrix x = random_x(13, 30, 2);
  Model model(
      Kernel::parse("0 * linear() + 1 * gaussian(sigma = 1) + 0.5 * polynomial(degree = 2, scale = 1, offset = 0)"));
  model.data(x, smooth_y(x));
  const KernelChoice choice = model.select_kernel(FREERIDGE_LOO);
  const Vector learnt = model.kernel_in_force().hyperparameters();
  EXPECT_EQ(learnt[0], 0);
  EXPECT_EQ(learnt[5], 0);
  EXPECT_EQ(choice.variable[0], -1);
  EXPECT_EQ(choice.variable[5], -1);
  EXPECT_EQ(choice.learnt, 4);
}

// Sparse rows, in both formats and on a part of the rows, learn what an ordinary matrix does.
TEST(SelectKernelHostile, SparseRows) {
  Matrix x = random_x(14, 60, 3);
  for (std::int64_t i = 0; i < 60; ++i)
    for (std::int64_t k = 0; k < 3; ++k)
      if ((i + k) % 3 == 0) x(i, k) = 0;
  const Matrix y = smooth_y(x);
  for (const std::int64_t rows : {0, 30}) {
    Model dense(lengths(3));
    dense.data(x, y);
    const double score = dense.select_kernel(FREERIDGE_LOO, {}, 0, rows).score;
    for (const freeridge_sparse_format format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
      Model model(lengths(3));
      const Sparse sparse(x, format);
      ASSERT_EQ(set_sparse(model.get(), sparse, y, false), FREERIDGE_OK);
      double other = 0;
      ASSERT_EQ(freeridge_select_kernel(model.get(), FREERIDGE_LOO, nullptr, 0, rows, 1, 0, &other), FREERIDGE_OK)
          << freeridge_last_error();
      EXPECT_NEAR(other, score, 1e-6 * score);
    }
  }
}

TEST(SelectKernelHostile, LandmarksAndEveryIntercept) {
  const Matrix x = random_x(15, 80, 2), y = smooth_y(x);
  for (const std::int32_t intercept :
       {FREERIDGE_INTERCEPT_NONE, FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED})
    for (const std::int64_t landmarks : {0, 15})
      for (const char* text : {"scaled([1, 1], gaussian(sigma = 1))", "scaled([1, 1], linear())"}) {
        Model model(Kernel::parse(text));
        model.data(x, y);
        ASSERT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_INTERCEPT, intercept), FREERIDGE_OK);
        if (landmarks > 0) {
          ASSERT_EQ(freeridge_set_landmarks(model.get(), landmarks, nullptr), FREERIDGE_OK);
        }
        const freeridge_status status = try_to_learn(model, FREERIDGE_LOO);
        EXPECT_EQ(status, FREERIDGE_OK) << text << " intercept " << intercept << ": " << freeridge_last_error();
        if (status == FREERIDGE_OK && landmarks > 0) {
          EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_LANDMARK);
        }
      }
}

}  // namespace select_kernel_hostile_test
