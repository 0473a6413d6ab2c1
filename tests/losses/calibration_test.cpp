// Probabilities from decision values: the derivatives of Platt's objective are zero, also where the values separate the
// classes, lie far from zero or are of any size; equal values; one class.
#include "losses/gradients.hpp"

namespace calibration_test {

using namespace support;

struct Case {
  const char* name;
  Vector decision, y, weights;
};

struct Found {
  double slope = std::numeric_limits<double>::quiet_NaN(), offset = slope;
};

Found calibrate(const Case& c) {
  Found out;
  check(freeridge_calibrate(static_cast<std::int64_t>(c.y.size()), c.decision.data(), c.y.data(),
                            c.weights.empty() ? nullptr : c.weights.data(), &out.slope, &out.offset),
        "freeridge_calibrate");
  return out;
}

// Newton's decrement at the answer, in long double: how much one more step of Newton's method would change the log odds
// of a point, at most.
double next_step(const Case& c, const Found& found) {
  Real mass[2] = {0, 0};
  const auto weight = [&](std::size_t i) { return c.weights.empty() ? Real(1) : Real(c.weights[i]); };
  for (std::size_t i = 0; i < c.y.size(); ++i) mass[c.y[i] > 0] += weight(i);
  Real ga = 0, gs = 0, haa = 0, has = 0, hss = 0, mean = 0;
  for (std::size_t i = 0; i < c.y.size(); ++i) mean += c.decision[i] / Real(c.y.size());
  for (std::size_t i = 0; i < c.y.size(); ++i) {
    const Real f = c.decision[i], u = f - mean,
               target = c.y[i] > 0 ? (mass[1] + Real(0.5)) / (mass[1] + 1) : Real(0.5) / (mass[0] + 1);
    const Real p = 1 / (1 + std::exp(-(Real(found.offset) + Real(found.slope) * f)));
    ga += weight(i) * (p - target), gs += weight(i) * (p - target) * u;
    haa += weight(i) * p * (1 - p), has += weight(i) * p * (1 - p) * u, hss += weight(i) * p * (1 - p) * u * u;
  }
  const Real determinant = haa * hss - has * has;
  Real da = -ga / haa, ds = 0, worst = 0;
  if (determinant > 1e-14L * haa * hss)
    da = -(hss * ga - has * gs) / determinant, ds = -(haa * gs - has * ga) / determinant;
  for (const double f : c.decision) worst = std::max(worst, std::abs(da + ds * (Real(f) - mean)));
  return static_cast<double>(worst);
}

TEST(Calibration, IsTheMinimum) {
  Random random(3);
  Case noisy{"noisy", {}, {}, {}}, rare{"one in fifty", {}, {}, {}};
  for (int i = 0; i < 300; ++i) {
    noisy.decision.push_back(random.normal());
    noisy.y.push_back(random.uniform(-2, 2) < noisy.decision.back() ? 1 : -1);
    rare.decision.push_back(random.normal() + (i % 50 == 0 ? 2 : 0));
    rare.y.push_back(i % 50 == 0 ? 1 : -1);
  }
  Case weighted = noisy, far = noisy, tiny = noisy, huge = noisy, outlier = noisy, wrong = noisy;
  weighted.name = "weighted", weighted.weights = random.uniform_vector(300, 1e-3, 50.0);
  far.name = "far from zero", far.decision = shifted(to_column(noisy.decision), 1e3).values;
  tiny.name = "tiny", tiny.decision = scaled(to_column(noisy.decision), 1e-200).values;
  huge.name = "huge", huge.decision = scaled(to_column(noisy.decision), 1e200).values;
  outlier.name = "an outlier", outlier.decision[0] = 1e6;
  wrong.name = "wrong signs", wrong.decision = scaled(to_column(noisy.decision), -1.0).values;
  const Case separate{"separate", {-3, -2, -1, 1, 2, 5}, {-1, -1, -1, 1, 1, 1}, {}};
  const Case two{"two points", {-1, 1}, {-1, 1}, {}};
  for (const Case& c : {noisy, rare, weighted, far, tiny, huge, outlier, separate, two}) {
    SCOPED_TRACE(c.name);
    EXPECT_LE(next_step(c, calibrate(c)), 1e-11);
  }
  EXPECT_EQ(calibrate(wrong).slope, 0);
  EXPECT_NEAR(calibrate(wrong).offset, calibrate({"", Vector(300, 1.0), wrong.y, {}}).offset, 1e-13);
  EXPECT_NEAR(calibrate(huge).slope, calibrate(noisy).slope * 1e-200, 1e-212);
}

// Equal values: the log odds of the mean target. Two separate points have their targets, 3/4 and 1/4.
TEST(Calibration, ClosedForms) {
  for (const double value : {0.0, 0.1, -7e300}) {
    const Found equal = calibrate({"", Vector(5, value), {1, 1, -1, -1, -1}, {}});
    const double mean = (2 * 2.5 / 3 + 3 * 0.5 / 4) / 5;
    EXPECT_EQ(equal.slope, 0);
    EXPECT_NEAR(equal.offset, std::log(mean / (1 - mean)), 1e-14);
  }
  const Found two = calibrate({"", {-2, 2}, {-1, 1}, {}});
  EXPECT_NEAR(two.slope, std::log(3.0) / 2, 1e-14);
  EXPECT_NEAR(two.offset, 0, 1e-14);
  const Found class_alone = calibrate({"", {-2, 1, 4}, {1, 1, 1}, {}});
  EXPECT_NEAR(class_alone.slope, 0, 1e-14);
  EXPECT_NEAR(class_alone.offset, std::log(7.0), 1e-14);
  const Found extremes = calibrate({"", {-1.7e308, 1.7e308}, {-1, 1}, {}});
  EXPECT_NEAR(extremes.slope * 1.7e308, std::log(3.0), 1e-14);
}

// The slope would be beyond the largest number.
TEST(Calibration, Overflow) {
  const Vector decision = {-5e-324, 5e-324}, y = {-1, 1};
  double slope = 7, offset = 7;
  EXPECT_EQ(freeridge_calibrate(2, decision.data(), y.data(), nullptr, &slope, &offset), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(slope, 7);
}

}  // namespace calibration_test
