// The weighted median and the slope of least absolute error, against the objective at every candidate.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/model.hpp"
#include "support/random.hpp"

namespace median_test {

using namespace support;

double median(const Vector& values, const Vector& weights) {
  double out = -7;
  check(freeridge_weighted_median(static_cast<std::int64_t>(values.size()), values.data(), weights.data(), &out),
        "freeridge_weighted_median");
  return out;
}

double slope(const Vector& x, const Vector& y) {
  double out = -7;
  check(freeridge_absolute_slope(static_cast<std::int64_t>(x.size()), x.data(), y.data(), &out),
        "freeridge_absolute_slope");
  return out;
}

TEST(WeightedMedian, ByHand) {
  EXPECT_EQ(median({3.0}, {0.1}), 3.0);
  EXPECT_EQ(median({3.0, 1.0}, {1.0, 1.0}), 2.0);
  EXPECT_EQ(median({3.0, 1.0, 2.0}, {1.0, 1.0, 1.0}), 2.0);
  EXPECT_EQ(median({3.0, 1.0, 2.0}, {5.0, 1.0, 1.0}), 3.0);
  EXPECT_EQ(median({4.0, 1.0, 2.0, 3.0}, {2.0, 1.0, 1.0, 1.0}), 3.0);
  EXPECT_EQ(median({1.0, 2.0, 4.0}, {1.0, 1.0, 2.0}), 3.0);            // half at 2: the mean of 2 and 4
  EXPECT_EQ(median({1.0, 2.0, 3.0, 4.0}, {1.0, 1.0, 0.0, 2.0}), 3.0);  // 3 has no weight: of 2 and 4
  EXPECT_EQ(median({1.0, 2.0, 2.5, 4.0}, {1.0, 1.0, 0.0, 2.0}), 3.0);
  EXPECT_EQ(median({2.0, 1.0, 2.0, 5.0}, {1.0, 1.0, 1.0, 3.0}), 3.5);  // equal values are one value
  EXPECT_EQ(median({1.0, 2.0}, {0.1, 0.1}), 1.5);
  EXPECT_EQ(median({1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}),
            2.0);  // in doubles 0.1 + 0.2 exceeds 0.3, by 2^-55: more than half
  EXPECT_DOUBLE_EQ(median({-1e308, 1.7e308}, {1e308, 1e308}), 3.5e307);
  EXPECT_DOUBLE_EQ(median({1.7e308, 1.6e308}, {1e-320, 1e-320}), 1.65e308);
  EXPECT_EQ(median({1.0, 2.0, 3.0}, {5e-324, 5e-324, 5e-324}), 2.0);
}

TEST(WeightedMedian, MinimisesTheSum) {
  Random random(71);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t n = 1 + random.index(12);
    Vector values(static_cast<std::size_t>(n)), weights(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(random.index(6));  // with ties, and sums that are exactly half
      weights[i] = static_cast<double>(random.index(4));
    }
    weights[0] += 1;
    const auto objective = [&](double m) {
      Real sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) sum += Real(weights[i]) * std::abs(Real(values[i]) - m);
      return sum;
    };
    const double found = median(values, weights);
    for (const double value : values) EXPECT_LE(objective(found), objective(value));
    // the middle of all minimisers
    double low = 1e9, high = -1e9;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (objective(values[i]) == objective(found)) low = std::min(low, values[i]), high = std::max(high, values[i]);
    EXPECT_TRUE(found >= low && found <= high);
  }
}

// Weights of all sizes in two halves that are equal by the way they are made: each is split into parts of a quarter, a
// quarter and a half, or not, on either side. The least weight more on one side decides.
TEST(WeightedMedian, ExactlyHalfAtEverySize) {
  Random random(73);
  for (int round = 0; round < 200; ++round) {
    Vector values, weights;
    const int span = round % 2 == 0 ? 2030 : 130;  // binary orders between the weights: beyond twice the precision
    const auto put = [&](double low, double weight) {
      values.push_back(low + random.uniform(0.0, 1.0));
      weights.push_back(weight);
    };
    for (int i = 0; i < 1 + round / 10; ++i) {
      const int exponent = (round % 4 < 2 ? 1020 - span : -1018) + static_cast<int>(random.index(span));
      const double weight = std::ldexp(exponent < -960 ? 1.0 : random.uniform(0.5, 1.0), exponent);
      for (const double low : {0.0, 2.0}) {
        if (random.index(2) == 0) {
          put(low, weight);
        } else {
          for (const double part : {weight / 4, weight / 4, weight / 2}) put(low, part);
        }
      }
    }
    double below = 0, above = 3;
    for (const double value : values) value < 1.5 ? below = std::max(below, value) : above = std::min(above, value);
    SCOPED_TRACE(round);
    EXPECT_EQ(median(values, weights), (below + above) / 2);
    values.push_back(1.5);
    weights.push_back(5e-324);
    EXPECT_EQ(median(values, weights), 1.5);
    values.back() = 0.0;
    EXPECT_EQ(median(values, weights), below);
    values.back() = 4.0;
    EXPECT_EQ(median(values, weights), above);
  }
}

TEST(AbsoluteSlope, MinimisesTheSum) {
  Random random(72);
  for (int round = 0; round < 100; ++round) {
    const std::int64_t n = 1 + random.index(10);
    Vector x = random.uniform_vector(n, -1.0, 1.0);
    const Vector y = random.uniform_vector(n, -1.0, 1.0);
    if (n > 2) x[1] = 0;
    const auto objective = [&](double m) {
      Real sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += std::abs(Real(y[i]) - Real(m) * x[i]);
      return sum;
    };
    const double found = slope(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == 0) continue;
      EXPECT_LE(objective(found), objective(y[i] / x[i]) * (1 + 1e-15L));
    }
  }
}

TEST(AbsoluteSlope, ByHand) {
  EXPECT_EQ(slope({1.0, 2.0, 2.5}, {2.0, 4.0, 100.0}), 2.0);
  EXPECT_EQ(slope({1.0, 2.0, 3.0}, {2.0, 4.0, 102.0}), 18.0);  // half at 2: the mean of 2 and 34
  EXPECT_EQ(slope({1.0, -1.0}, {3.0, -3.0}), 3.0);
  EXPECT_EQ(slope({0.0, 2.0, 0.0}, {5.0, 3.0, -8.0}), 1.5);
  EXPECT_EQ(slope({1e-300, 1.0}, {1e300, 2.0}), 2.0);  // one ratio overflows, and does not matter
  double out = -7;
  const Vector zeros = {0.0, -0.0}, y = {1.0, 2.0}, tiny = {1e-300, 1e-300}, huge = {1e300, 1e300};
  EXPECT_EQ(freeridge_absolute_slope(2, zeros.data(), y.data(), &out), FREERIDGE_UNDEFINED);
  EXPECT_EQ(freeridge_absolute_slope(2, tiny.data(), huge.data(), &out), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(out, -7);
}

}  // namespace median_test
