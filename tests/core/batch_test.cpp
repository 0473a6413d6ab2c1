// freeridge_batch: each of many small models has the answers of a model of its rows alone, on every route, with weights,
// unpenalised columns, missing values and several outputs; its lambda is as good as that of freeridge_select_lambda; a
// model without an answer spoils no other.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace batch_test {

using namespace support;
using oracle::Family;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t t = 2;

struct Case {
  const char* name;
  Family family;
  freeridge_route route;
  std::int64_t d;
  freeridge_criterion criterion = FREERIDGE_LOO;
  bool weighted = false, fixed = false, missing = false;
  freeridge_intercept intercept = FREERIDGE_INTERCEPT_FREE;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

const Case cases[] = {
    {"Tall", Family::linear, FREERIDGE_ROUTE_AUTO, 3},
    {"Wide", Family::linear, FREERIDGE_ROUTE_AUTO, 30},
    {"Weighted", Family::linear, FREERIDGE_ROUTE_AUTO, 4, FREERIDGE_LOO, true},
    {"NoIntercept", Family::linear, FREERIDGE_ROUTE_AUTO, 4, FREERIDGE_GCV, false, false, false,
     FREERIDGE_INTERCEPT_NONE},
    {"PenalisedIntercept", Family::linear, FREERIDGE_ROUTE_AUTO, 4, FREERIDGE_LOO, true, false, false,
     FREERIDGE_INTERCEPT_PENALISED},
    {"Unpenalised", Family::linear, FREERIDGE_ROUTE_AUTO, 4, FREERIDGE_REML, true, true},
    {"Missing", Family::linear, FREERIDGE_ROUTE_AUTO, 4, FREERIDGE_LOO, true, false, true},
    {"Gaussian", Family::gaussian, FREERIDGE_ROUTE_AUTO, 2, FREERIDGE_REML},
    {"Cholesky", Family::gaussian, FREERIDGE_ROUTE_CHOLESKY, 2, FREERIDGE_LOO, true},
    {"Band", Family::matern52, FREERIDGE_ROUTE_BAND, 2},
};

// Models of 17, 0, 1, 9, 40 and 23 rows.
const std::vector<std::int64_t> start = {0, 17, 17, 18, 27, 67, 90};
const std::int64_t models = std::ssize(start) - 1, n = start.back();

Matrix rows_of(const Matrix& a, std::int64_t g) {
  Matrix out(start[g + 1] - start[g], a.cols);
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = a(start[g] + i, j);
  return out;
}

Matrix columns_of(const Matrix& a, std::int64_t first, std::int64_t count) {
  Matrix out(a.rows, count);
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i < a.rows; ++i) out(i, j) = a(i, first + j);
  return out;
}

struct Answers {
  Matrix w, effects, b{t, models}, lambda{t, models}, score{t, models}, df{t, models}, sigma2{t, models}, c{n, t},
      errors{n, t};
  Labels status = Labels(static_cast<std::size_t>(models), -1);
};

struct Input {
  explicit Input(const Case& of) : c(of), settings(make_kernel(kernel_of(of.family, of.d))) {
    Random random(31);
    x = random.uniform_matrix(n, c.d, -1, 1);
    y = responses(random, x, t, 0.4);
    if (c.weighted) weights = random.uniform_vector(n, 0.3, 2.5);
    if (c.fixed) fixed = random.uniform_matrix(n, 2, -1, 1);
    if (c.missing) y(3, 1) = y(19, 0) = y(30, 0) = y(31, 0) = y(66, 1) = nan;
    configure(settings);
  }
  void configure(Model& model) const {
    model.route(c.route).intercept_kind(c.intercept);
    check(freeridge_set_parameter(model.get(), FREERIDGE_MISSING, c.missing ? 1 : 0), "freeridge_set_parameter");
  }
  // The model of the rows of model g alone.
  Model alone(std::int64_t g) const {
    Model model(make_kernel(kernel_of(c.family, c.d)));
    configure(model);
    const Matrix own_x = rows_of(x, g), own_y = rows_of(y, g);
    if (c.fixed)
      model.data(own_x, own_y, rows_of(fixed, g));
    else
      model.data(own_x, own_y);
    if (c.weighted) model.weights(Vector(weights.begin() + start[g], weights.begin() + start[g + 1]));
    model.factorize();
    return model;
  }
  freeridge_status ask(Answers& out, freeridge_layout layout = FREERIDGE_COL_MAJOR, double low = 0,
                       double high = 0) const {
    const Packed px = pack(x, layout, 1), py = pack(y, layout, 2), pf = pack(fixed, layout, 0);
    freeridge_points points = at(px, n, c.d).fields;
    if (c.fixed) {
      points.unpenalised_count = fixed.cols;
      points.unpenalised = pf.values.data();
      points.ldu = pf.ld;
      out.effects = Matrix(fixed.cols, models * t);
    }
    const bool linear = c.family == Family::linear;
    if (linear) out.w = Matrix(c.d, models * t);
    freeridge_batch_answers answers = {};
    answers.size = sizeof answers;
    answers.w = linear ? out.w.values.data() : nullptr;
    answers.effects = c.fixed ? out.effects.values.data() : nullptr;
    answers.b = out.b.values.data();
    answers.lambda = out.lambda.values.data();
    answers.score = out.score.values.data();
    answers.df = out.df.values.data();
    answers.sigma2 = out.sigma2.values.data();
    answers.c = out.c.values.data();
    answers.errors = out.errors.values.data();
    answers.status = out.status.data();
    return freeridge_batch(settings.get(), &points, layout, t, py.values.data(), py.ld,
                           weights.empty() ? nullptr : weights.data(), models, start.data(), c.criterion, low, high,
                           &answers);
  }

  Case c;
  Model settings;
  Matrix x, y, fixed;
  Vector weights;
};

class Batch : public ::testing::TestWithParam<Case> {};

TEST_P(Batch, HasTheAnswersOfEachModelAlone) {
  const Input input(GetParam());
  Answers found;
  EXPECT_EQ(input.ask(found), FREERIDGE_UNDEFINED);
  EXPECT_STREQ(freeridge_last_error(), "freeridge_batch: model 1: there are no rows");
  EXPECT_EQ(found.status[1], FREERIDGE_UNDEFINED);
  for (const std::int64_t g : {0, 3, 4, 5}) {
    SCOPED_TRACE(g);
    ASSERT_EQ(found.status[g], FREERIDGE_OK);
    Model alone = input.alone(g);
    const Vector best = alone.select_lambda(input.c.criterion).score;
    const Matrix lambda = columns_of(found.lambda, g, 1), score = columns_of(found.score, g, 1);
    for (std::int64_t j = 0; j < t; ++j) {
      const double again = alone.score(input.c.criterion, {lambda(j, 0)})(0, j);
      EXPECT_LE(again, best[j] + 1e-9 * std::abs(best[j]));
      EXPECT_NEAR(score(j, 0), again, 1e-12 * std::abs(again));
    }
    alone.lambdas(lambda.values);
    if (input.c.family == Family::linear) {
      EXPECT_PRED_FORMAT3(close_to, columns_of(found.w, g * t, t), alone.hyperplane(), 1e-12);
    }
    EXPECT_PRED_FORMAT3(close_to, columns_of(found.b, g, 1).values, alone.intercepts(), 1e-12);
    EXPECT_PRED_FORMAT3(close_to, columns_of(found.df, g, 1).values, alone.degrees_of_freedom(), 1e-12);
    EXPECT_PRED_FORMAT3(close_to, columns_of(found.sigma2, g, 1).values, alone.error_variance(), 1e-12);
    EXPECT_PRED_FORMAT3(close_to, rows_of(found.c, g), alone.coefficients(), 1e-12);
    freeridge_status status = FREERIDGE_OK;
    EXPECT_PRED_FORMAT3(close_to, rows_of(found.errors, g), alone.loo(&status), 1e-12);
    if (!input.c.fixed) continue;
    Matrix effects(2, t);
    check(freeridge_get_unpenalised(alone.get(), nullptr, nullptr, effects.values.data(), nullptr, 2),
          "freeridge_get_unpenalised");
    EXPECT_PRED_FORMAT3(close_to, columns_of(found.effects, g * t, t), effects, 1e-12);
  }
}

// All NaN where there are no rows, and nothing but those of the model itself.
TEST_P(Batch, AModelWithoutAnAnswerSpoilsNoOther) {
  const Input input(GetParam());
  Answers found;
  input.ask(found);
  const Matrix of_none = columns_of(found.b, 1, 1);
  for (const double value : of_none.values) EXPECT_TRUE(std::isnan(value));
  for (const std::int64_t g : {0, 3, 4, 5})
    for (std::int64_t j = 0; j < t; ++j) EXPECT_TRUE(std::isfinite(found.b(j, g)) && std::isfinite(found.sigma2(j, g)));
}

TEST_P(Batch, ThreadsAndTheLayoutChangeNoDigit) {
  const Input input(GetParam());
  Answers one, three, by_rows;
  check(freeridge_set_threads(1), "freeridge_set_threads");
  input.ask(one);
  check(freeridge_set_threads(3), "freeridge_set_threads");
  input.ask(three);
  input.ask(by_rows, FREERIDGE_ROW_MAJOR);
  check(freeridge_set_threads(0), "freeridge_set_threads");
  for (const Answers* other : {&three, &by_rows}) {
    EXPECT_PRED_FORMAT3(close_to, other->score, one.score, 1e-12);
    EXPECT_PRED_FORMAT3(close_to, other->b, one.b, 1e-6);  // where the score is flat lambda has few digits
    EXPECT_PRED_FORMAT3(close_to, other->errors, one.errors, 1e-6);
    EXPECT_EQ(other->status, one.status);
  }
}

TEST_P(Batch, OneLambdaForAll) {
  const Input input(GetParam());
  Answers found;
  EXPECT_EQ(input.ask(found, FREERIDGE_COL_MAJOR, 0.7, 0.7), FREERIDGE_UNDEFINED);
  for (const std::int64_t g : {0, 2, 3, 4, 5}) {  // model 2 has one row, of which no score is known
    if (input.c.fixed && g == 2) continue;        // nor a model with two columns more
    SCOPED_TRACE(g);
    Model alone = input.alone(g);
    alone.lambda(0.7);
    for (std::int64_t j = 0; j < t; ++j) EXPECT_EQ(found.lambda(j, g), 0.7);
    EXPECT_PRED_FORMAT3(close_to, rows_of(found.c, g), alone.coefficients(), 1e-12);
    EXPECT_PRED_FORMAT3(close_to, columns_of(found.b, g, 1).values, alone.intercepts(), 1e-12);
    if (g == 2) continue;
    EXPECT_EQ(found.status[g], FREERIDGE_OK);
    EXPECT_PRED_FORMAT3(close_to, columns_of(found.score, g, 1).values, alone.score(input.c.criterion, {0.7}).values,
                        1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Routes, Batch, ::testing::ValuesIn(cases), ::testing::PrintToStringParamName());

// A hundred models on three threads, each heard; the callback's nonzero ends the call.
TEST(BatchOfMany, CanBeCancelled) {
  Random random(5);
  const std::int64_t many = 100, rows = 6;
  const Matrix x = random.uniform_matrix(many * rows, 2, -1, 1), y = responses(random, x, 1, 0.4);
  std::vector<std::int64_t> of_each;
  for (std::int64_t g = 0; g <= many; ++g) of_each.push_back(g * rows);
  Model settings(Kernel::linear());
  Vector w(static_cast<std::size_t>(2 * many));
  freeridge_batch_answers answers = {};
  answers.size = sizeof answers;
  answers.w = w.data();
  const Packed px = pack(x, FREERIDGE_COL_MAJOR, 0);
  const freeridge_points points = at(px, x.rows, 2).fields;
  const auto ask = [&] {
    return freeridge_batch(settings.get(), &points, FREERIDGE_COL_MAJOR, 1, y.values.data(), y.rows, nullptr, many,
                           of_each.data(), FREERIDGE_LOO, 0, 0, &answers);
  };
  struct Heard {
    int calls = 0, stop_at = 0;
  } heard;
  settings.progress(
      [](double, void* user) {
        auto& told = *static_cast<Heard*>(user);
        return std::int32_t{++told.calls == told.stop_at};
      },
      &heard);
  ASSERT_EQ(ask(), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_GT(heard.calls, 3);
  heard = {0, 2};
  EXPECT_EQ(ask(), FREERIDGE_CANCELLED);
}

}  // namespace batch_test
