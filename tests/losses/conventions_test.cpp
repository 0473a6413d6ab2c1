// freeridge_convert_lambda for the losses: each convention's objective as it is written, minimised by brute force in long
// double over w and b of one feature, against the fit at the converted lambda.
#include <functional>

#include "losses/classifier.hpp"

namespace conventions_test {

using namespace losses;

using Objective = std::function<Real(Real w, Real b)>;

// The minimum of a convex function on [low, high], by golden sections.
Real least(Real low, Real high, const std::function<Real(Real)>& f) {
  const Real ratio = (std::sqrt(Real(5)) - 1) / 2;
  Real left = high - ratio * (high - low), right = low + ratio * (high - low), at_left = f(left), at_right = f(right);
  for (int step = 0; step < 75; ++step) {
    if (at_left < at_right) {
      high = right, right = left, at_right = at_left;
      left = high - ratio * (high - low), at_left = f(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + ratio * (high - low), at_right = f(right);
    }
  }
  return (low + high) / 2;
}

struct Plane {
  Real w, b;
};

Plane minimum(const Objective& objective) {
  const auto best_b = [&](Real w) { return least(-20, 20, [&](Real b) { return objective(w, b); }); };
  const Real w = least(-20, 20, [&](Real candidate) { return objective(candidate, best_b(candidate)); });
  return {w, best_b(w)};
}

const Vector x = {-1.3, -0.4, 0.1, 0.5, 0.9, 1.6, 2.2}, y = {-1, -1, 1, -1, 1, 1, 1};
const Real n = 7;

// sum_i V_i as it stands in the objective, of the three losses.
Real total(freeridge_loss loss, Real w, Real b) {
  Real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real f = w * x[i] + b, z = y[i] * f;
    sum += loss == 0 ? (y[i] - f) * (y[i] - f) : loss == FREERIDGE_LOSS_LOGISTIC ? logistic_loss(z) : hinge_loss(z);
  }
  return sum;
}

Plane fitted(freeridge_loss loss, double lambda) {
  const Matrix points = to_column(x), at = to_column({0.0, 1.0});
  Vector f;
  if (loss == 0) {
    Model model(Kernel::linear());
    f = model.data(points, to_column(y)).factorize().lambda(lambda).predict(at).values;
  } else {
    Classifier classifier(Kernel::linear(), loss);
    f = classifier.data(points, y).control(1e-10, 10000).fit(lambda).decision(at);
  }
  return {f[1] - f[0], f[0]};
}

TEST(Conventions, EachWrittenObjectiveHasTheMinimumOfTheConvertedLambda) {
  struct Row {
    freeridge_convention convention;
    freeridge_loss loss;  // 0: squared
    std::function<Real(Real sum, Real square, Real l)> written;
  };
  const auto tikhonov = [](Real sum, Real square, Real l) { return sum / n + l * square; };
  const auto cost = [](Real sum, Real square, Real l) { return l * sum + square / 2; };
  const auto cost_mean = [](Real sum, Real square, Real l) { return l / n * sum + square / 2; };
  const auto cost_mean_norm = [](Real sum, Real square, Real l) { return l / n * sum + square; };
  std::vector<Row> rows = {
      {FREERIDGE_CONVENTION_TIKHONOV_SQUARED, 0, tikhonov},
      {FREERIDGE_CONVENTION_MEAN, 0, [](Real sum, Real square, Real l) { return sum / (2 * n) + l / 2 * square; }},
      {FREERIDGE_CONVENTION_TIKHONOV_HALF, 0, [](Real sum, Real square, Real l) { return sum / (2 * n) + l * square; }},
      {FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC, FREERIDGE_LOSS_LOGISTIC, tikhonov},
      {FREERIDGE_CONVENTION_TIKHONOV_HINGE, FREERIDGE_LOSS_HINGE, tikhonov},
  };
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    rows.push_back(
        {FREERIDGE_CONVENTION_TOTAL, loss, [](Real sum, Real square, Real l) { return sum + l / 2 * square; }});
    rows.push_back(
        {FREERIDGE_CONVENTION_MEAN, loss, [](Real sum, Real square, Real l) { return sum / n + l / 2 * square; }});
    rows.push_back({FREERIDGE_CONVENTION_COST, loss, cost});
    rows.push_back({FREERIDGE_CONVENTION_COST_MEAN, loss, cost_mean});
    rows.push_back({FREERIDGE_CONVENTION_COST_MEAN_NORM, loss, cost_mean_norm});
  }
  for (const Row& row : rows)
    for (const double l : {0.05, 0.7}) {
      SCOPED_TRACE(::testing::Message() << "convention " << row.convention << ", loss " << row.loss << ", " << l);
      double lambda = 0;
      ASSERT_EQ(freeridge_convert_lambda(row.convention, FREERIDGE_CONVENTION_TOTAL, 7, 1.0, l, &lambda), FREERIDGE_OK);
      const Plane ours = fitted(row.loss, lambda);
      const Plane theirs =
          minimum([&](Real w, Real b) { return row.written(total(row.loss, w, b), w * w, static_cast<Real>(l)); });
      EXPECT_NEAR(static_cast<double>(ours.w), static_cast<double>(theirs.w), 1e-6);
      // b of the hinge loss may be any number of an interval
      if (row.loss != FREERIDGE_LOSS_HINGE) {
        EXPECT_NEAR(static_cast<double>(ours.b), static_cast<double>(theirs.b), 1e-6);
      }
      EXPECT_LE(static_cast<double>(row.written(total(row.loss, ours.w, ours.b), ours.w * ours.w, l)),
                static_cast<double>(row.written(total(row.loss, theirs.w, theirs.b), theirs.w * theirs.w, l)) + 1e-9);
    }
}

}  // namespace conventions_test
