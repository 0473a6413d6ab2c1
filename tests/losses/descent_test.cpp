// Gradient descent: it reaches the minima of the exact solvers, where it must and as fast as the theory says; each step
// is the one of the definition; the same seed draws the same batches; and it can be heard and cancelled.
#include "losses/classifier.hpp"
#include "losses/gradients.hpp"

namespace descent_test {

using namespace gradients;

// Ridge regression's and, by Newton's method, logistic regression's minimum: [w; b].
Vector exact(const Data& data) {
  if (data.loss == FREERIDGE_LOSS_SQUARED) {
    const Regression fit = ridge({data.x, to_column(data.y), data.intercept}, data.lambda);
    Vector out = fit.w.values;
    out.push_back(fit.b[0]);
    return out;
  }
  losses::Classifier classifier(Kernel::linear(), data.loss);
  classifier.data(data.x, data.y)
      .weights(data.weights)
      .intercept(data.intercept)
      .control(1e-10, 100000)
      .fit(data.lambda);
  const Vector c = classifier.c();
  Vector out(static_cast<std::size_t>(data.x.cols), 0.0);
  for (std::int64_t j = 0; j < data.x.cols; ++j)
    for (std::int64_t i = 0; i < data.x.rows; ++i)
      out[static_cast<std::size_t>(j)] += data.x(i, j) * c[static_cast<std::size_t>(i)];
  out.push_back(classifier.b());
  return out;
}

double minimum(const Data& data) {
  return static_cast<double>(objective_of(data, in_reals(exact(data))));
}

// With the step 1 / L the objective never rises, and the exact solvers' minimum is reached to 1e-8.
TEST(Descent, ReachesNewtonAndRidge) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_SQUARED})
    for (const bool intercept : {true, false})
      for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
        SCOPED_TRACE(testing::Message() << "loss " << loss << ", intercept " << intercept);
        Data data = some_data(loss, 11, 60, 3, loss == FREERIDGE_LOSS_LOGISTIC);
        data.lambda = 0.8, data.intercept = intercept, data.layout = layout, data.padding = 1;
        const Path path = descend(data, {.steps = {0, 1, 2, 5, 20, 100, 500, 2000}});
        for (std::size_t l = 1; l < path.objective.size(); ++l)
          EXPECT_LE(path.objective[l], path.objective[l - 1] * (1 + 1e-15));
        const Vector expected = exact(data), found = path.last();
        for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-8);
        EXPECT_TRUE(intercept || found.back() == 0);
      }
}

// The rate of gradient descent with the step 1 / L: J(w_k) - J* <= (1 - lambda / L)^k (J(w_0) - J*), without intercept.
TEST(Descent, HasTheLinearRateOfItsLipschitzConstant) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_SQUARED}) {
    Data data = some_data(loss, 12, 50, 4);
    data.lambda = 3, data.intercept = false;
    const Plan plan{.steps = {0, 1, 3, 10, 30}};
    const Path path = descend(data, plan);
    const double best = minimum(data);
    for (std::size_t l = 0; l < plan.steps.size(); ++l) {
      const double rate = std::pow(1 - data.lambda * path.step, static_cast<double>(plan.steps[l]));
      EXPECT_LE(path.objective[l] - best, rate * (path.objective[0] - best) + 1e-12);
    }
    // No other gradient is steeper than 1 / step says: steps twice as long diverge on the squared loss.
    if (loss != FREERIDGE_LOSS_SQUARED) continue;
    EXPECT_GT(descend(data, {.steps = {200}, .step = 2.2 * path.step}).objective[0], path.objective[0]);
  }
}

// Pegasos with all rows: step 1 / lambda, the averaged iterate. With G >= every subgradient, J - J* <= 5 G^2 / (lambda T);
// here |w_t| <= A / lambda, A = sum_i |x_i|, so that G = 2 A.
TEST(Descent, HingeReachesTheSupportVectorMachine) {
  for (const std::int64_t batch : {40, 5, 1}) {
    Data data = some_data(FREERIDGE_LOSS_HINGE, 13, 40, 2);
    data.lambda = 8, data.intercept = false;
    const Plan plan{.steps = {10, 100, 1000, 10000},
                    .batch = batch,
                    .step = 1 / data.lambda,
                    .rule = FREERIDGE_STEP_INVERSE,
                    .average = true};
    const Path path = descend(data, plan);
    const double best = minimum(data);
    double longest = 0;
    for (std::int64_t i = 0; i < 40; ++i) longest = std::max(longest, std::hypot(data.x(i, 0), data.x(i, 1)));
    const double bound = 2 * 40 * longest;
    for (std::size_t l = 0; l < plan.steps.size(); ++l) {
      EXPECT_GE(path.objective[l], best * (1 - 1e-12));
      EXPECT_LE(path.objective[l] - best, 5 * bound * bound / (data.lambda * static_cast<double>(plan.steps[l])));
    }
    EXPECT_LE(path.objective.back(), best * 1.002) << "batch " << batch;
  }
}

// The defaults, with an intercept: all losses, all rows or batches.
TEST(Descent, DefaultsComeNearTheMinimum) {
  for (const freeridge_loss loss : all_losses)
    for (const std::int64_t batch : {50, 7, 1}) {
      SCOPED_TRACE(testing::Message() << "loss " << loss << ", batch " << batch);
      Data data = some_data(loss, 14, 50, 2, loss != FREERIDGE_LOSS_SQUARED);
      data.lambda = loss == FREERIDGE_LOSS_ABSOLUTE ? 0 : 2;
      const bool corner = loss == FREERIDGE_LOSS_HINGE || loss == FREERIDGE_LOSS_ABSOLUTE;
      const Path path = descend(data, {.steps = {0, 50000}, .batch = batch, .average = corner || batch < 50});
      double best = 0;
      if (loss == FREERIDGE_LOSS_ABSOLUTE) {  // a line through three of the points
        Plan fine{.steps = {400000}, .average = true};
        best = descend(data, fine).objective[0];
      } else {
        best = minimum(data);
      }
      EXPECT_LE(path.objective[1] - best, 0.01 * (path.objective[0] - best));
    }
}

// Three steps by the definition, in long double; whole passes, weights, every rule.
TEST(Descent, StepsAreThoseOfTheDefinition) {
  for (const freeridge_loss loss : all_losses)
    for (const freeridge_step_rule rule : {FREERIDGE_STEP_CONSTANT, FREERIDGE_STEP_INVERSE, FREERIDGE_STEP_ROOT}) {
      Data data = some_data(loss, 15, 9, 2, true);
      data.lambda = 0.9;
      const Plan plan{
          .steps = {3}, .step = 0.05, .rule = rule, .average = true, .done = 4, .start_w = {0.3, -0.2}, .start_b = 0.1};
      Vector at = {0.3, -0.2, 0.1}, sum(3, 0.0);
      for (int t = 0; t < 3; ++t) {
        const auto objective = [&](const auto& point) { return objective_of(data, point); };
        const Vector gradient = complex_step(at, objective);
        const double eta = rule == FREERIDGE_STEP_CONSTANT  ? 0.05
                           : rule == FREERIDGE_STEP_INVERSE ? 0.05 / (1 + 0.05 * 0.9 * (t + 4))
                                                            : 0.05 / std::sqrt(t + 5.0);
        for (std::size_t k = 0; k < 3; ++k) {
          at[k] -= eta * gradient[k];
          sum[k] += (t + 1) * at[k] / 6;
        }
      }
      EXPECT_CLOSE(descend(data, plan).last(), sum, 1e-14);
    }
}

// A step with the rows of one batch is a step of all rows with only their weights, n / |S| times as large. As each pass
// has every row once, the steps of a pass from the same w, that is of a tiny step, add up to the gradient.
TEST(Descent, BatchesOfAPassAreAllRows) {
  for (const freeridge_loss loss : all_losses)
    for (const std::int64_t batch : {1, 3, 4, 11}) {
      Data data = some_data(loss, 16, 12, 3, true);
      const double step = 1e-9;
      const std::int64_t steps = (12 + batch - 1) / batch, rest = 12 - (steps - 1) * batch;
      if (rest != batch) continue;  // a smaller last batch counts more for each of its rows
      const Path path =
          descend(data, {.steps = {steps}, .batch = batch, .step = step, .rule = FREERIDGE_STEP_CONSTANT});
      const Gradient gradient = gradient_at(data, Matrix(3, 1), {0});
      Vector expected;
      for (const double value : gradient.gradient.values)
        expected.push_back(-step * static_cast<double>(steps) * value);
      expected.push_back(-step * static_cast<double>(steps) * gradient.intercept[0]);
      EXPECT_CLOSE(path.last(), expected, 1e-6) << "batch " << batch;
    }
}

TEST(Descent, GoesOnAndRepeats) {
  Data data = some_data(FREERIDGE_LOSS_LOGISTIC, 17, 30, 3);
  data.lambda = 1;
  for (const freeridge_step_rule rule : {FREERIDGE_STEP_CONSTANT, FREERIDGE_STEP_INVERSE, FREERIDGE_STEP_ROOT}) {
    const Path whole = descend(data, {.steps = {4, 10}, .rule = rule});
    Plan second{.steps = {6}, .rule = rule, .done = 4, .start_b = whole.b[0]};
    second.start_w.assign(whole.w.values.begin(), whole.w.values.begin() + 3);
    EXPECT_TRUE(bit_equal(descend(data, second).last(), whole.last()));
  }
  const Plan one{.steps = {25}, .batch = 4, .seed = 5};
  Plan other = one;
  other.seed = 6;
  Data by_rows = data;
  by_rows.layout = FREERIDGE_ROW_MAJOR;
  EXPECT_TRUE(bit_equal(descend(data, one).last(), descend(data, one).last()));
  EXPECT_CLOSE(descend(by_rows, one).last(), descend(data, one).last(), 1e-13);
  EXPECT_FALSE(bit_equal(descend(data, one).last(), descend(data, other).last()));
}

TEST(Descent, DefaultStepIsItsFormula) {
  const Data data = some_data(FREERIDGE_LOSS_SQUARED, 18, 6, 1);
  double mu = 0, longest = 0;
  for (const double value : data.x.values) {
    mu += value * value;
    longest = std::max(longest, value * value);
  }
  Data plain = data;
  plain.intercept = false, plain.lambda = 0.3;
  for (const double s : {1.0, 2.0, 6.0}) {
    const double seen = 6 * (s - 1) / (s * 5) * mu + (6 - s) / (s * 5) * 6 * longest;
    const double step = descend(plain, {.steps = {1}, .batch = static_cast<std::int64_t>(s)}).step;
    EXPECT_NEAR(step, 1 / (seen + 0.3), 1e-14 * step);
  }
}

TEST(Descent, ExtremeData) {
  Data constant = some_data(FREERIDGE_LOSS_SQUARED, 19, 5, 2);
  constant.x = Matrix(5, 2, 0.0), constant.intercept = false;
  EXPECT_EQ(descend(constant, {.steps = {3}}).last(), Vector(3, 0.0));  // every gradient is zero
  Data wide = some_data(FREERIDGE_LOSS_LOGISTIC, 20, 3, 40);
  wide.lambda = 0.5, wide.y = {1, -1, 1};
  const Path path = descend(wide, {.steps = {20000}});
  EXPECT_NEAR(path.objective[0], minimum(wide), 1e-8);
  Data one = some_data(FREERIDGE_LOSS_HINGE, 21, 1, 1);
  EXPECT_NEAR(descend(one, {.steps = {5000}}).objective[0], 0, 1e-2);
  Data large = some_data(FREERIDGE_LOSS_SQUARED, 22, 8, 2);
  for (double& value : large.x.values) value *= 1e100;
  EXPECT_LT(descend(large, {.steps = {0, 500}}).objective[1], descend(large, {.steps = {0}}).objective[0]);
  Data beyond = large;
  for (double& value : beyond.x.values) value *= 1e100;
  for (const std::int64_t batch : {8, 1})
    EXPECT_EQ(descend(beyond, {.batch = batch}, true).status, FREERIDGE_NOT_FINITE);          // the default step
  EXPECT_EQ(descend(large, {.steps = {100}, .step = 1}, true).status, FREERIDGE_NOT_FINITE);  // the iterates
}

struct Heard {
  std::vector<double> fractions;
  std::size_t cancel_at = std::numeric_limits<std::size_t>::max();

  static std::int32_t hear(double fraction, void* user) {
    Heard& heard = *static_cast<Heard*>(user);
    heard.fractions.push_back(fraction);
    return heard.fractions.size() > heard.cancel_at ? 1 : 0;
  }
};

TEST(Descent, IsHeardAndCancelled) {
  const Data data = some_data(FREERIDGE_LOSS_SQUARED, 23, 30, 3);
  for (const std::int64_t batch : {30, 4}) {
    Heard heard;
    descend(data, {.steps = {10, 50}, .batch = batch, .callback = Heard::hear, .user = &heard});
    EXPECT_EQ(heard.fractions.front(), 0);
    EXPECT_EQ(heard.fractions.back(), 1);
    EXPECT_TRUE(std::is_sorted(heard.fractions.begin(), heard.fractions.end()));
    EXPECT_GT(heard.fractions.size(), 20U);
    for (std::size_t place = 0; place < heard.fractions.size(); ++place) {
      Heard cancelling{{}, place};
      const Path path =
          descend(data, {.steps = {10, 50}, .batch = batch, .callback = Heard::hear, .user = &cancelling}, true);
      EXPECT_EQ(path.status, FREERIDGE_CANCELLED);
      EXPECT_TRUE(std::isnan(path.w(0, 0)) && std::isnan(path.b[0]) && std::isnan(path.objective[0]) &&
                  std::isnan(path.step));
    }
  }
}

}  // namespace descent_test
