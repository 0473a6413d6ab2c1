// Early stopping in closed form against the iteration itself in quadruple precision, against freeridge_gradient_descent,
// and the ridge beside it against freeridge_ridge and its degrees of freedom by definition.
#include <gtest/gtest.h>

#include "support/classical.hpp"
#include "support/compare.hpp"
#include "support/problems.hpp"

namespace early_stopping_test {

using namespace support;

struct Path {
  Matrix w, ridge_w;
  Vector b, df, lambda, ridge_b, ridge_df;
  double step = 0;
};

Path early_stopping(const RegressionData& data, double step, const std::vector<std::int64_t>& steps) {
  const auto count = static_cast<std::int64_t>(steps.size());
  const Vector column(steps.size());
  Path out{Matrix(data.x.cols, count), Matrix(data.x.cols, count), column, column, column, column, column};
  const Packed x = pack(data.x, data.layout, data.padding);
  freeridge_early_stopping_answers answers{sizeof answers,
                                           0,
                                           out.w.values.data(),
                                           out.b.data(),
                                           out.df.data(),
                                           out.lambda.data(),
                                           out.ridge_w.values.data(),
                                           out.ridge_b.data(),
                                           out.ridge_df.data()};
  check(freeridge_early_stopping(data.layout, data.x.rows, data.x.cols, x.values.data(), x.ld, data.y.values.data(),
                                 data.intercept ? 1 : 0, step, count, steps.data(), &answers),
        "freeridge_early_stopping");
  out.step = answers.step_used;
  return out;
}

RegressionData stopping_data(std::int64_t n, std::int64_t d, bool intercept) {
  Random random(41);
  RegressionData data;
  data.intercept = intercept, data.padding = 1;
  data.layout = intercept ? FREERIDGE_COL_MAJOR : FREERIDGE_ROW_MAJOR;
  data.x = random.uniform_matrix(n, d, -1.0, 3.0);
  data.y = responses(random, data.x, 1, 0.3);
  return data;
}

// k steps w <- w + eta X_c'(y_c - X_c w).
QuadMatrix iterated(const RegressionData& data, double step, std::int64_t k) {
  QuadMatrix x = to_quad(data.x), y = to_quad(data.y), w(data.x.cols, 1);
  std::vector<Quad> x_mean(static_cast<std::size_t>(data.x.cols)), y_mean(1);
  if (data.intercept) x = centred(x, x_mean), y = centred(y, y_mean);
  for (; k > 0; --k) {
    QuadMatrix residual = multiply(x, w);
    for (std::int64_t i = 0; i < x.rows; ++i) residual(i, 0) = y(i, 0) - residual(i, 0);
    const QuadMatrix gradient = multiply(transpose(x), residual);
    for (std::int64_t j = 0; j < x.cols; ++j) w(j, 0) += Quad(step) * gradient(j, 0);
  }
  return w;
}

struct Shape {
  std::int64_t n, d;
};

TEST(EarlyStopping, IsTheIteration) {
  const std::vector<std::int64_t> steps = {1, 2, 17, 300};
  for (const Shape shape : {Shape{20, 4}, Shape{5, 9}, Shape{2, 1}, Shape{1, 3}})
    for (const bool intercept : {true, false})
      for (const double longer : {0.0, 0.3, 1.9}) {
        if (shape.n == 1 && intercept) continue;  // every column is constant
        SCOPED_TRACE(testing::Message() << shape.n << " x " << shape.d << ", intercept " << intercept);
        const RegressionData data = stopping_data(shape.n, shape.d, intercept);
        const double first = early_stopping(data, 0, {1}).step, step = longer > 0 ? longer * first : first;
        const Path path = early_stopping(data, longer > 0 ? step : 0, steps);
        EXPECT_EQ(path.step, step);
        for (std::size_t l = 0; l < steps.size(); ++l) {
          const auto at = static_cast<std::int64_t>(l);
          EXPECT_GE(norm_digits(column(path.w, at), iterated(data, step, steps[l])), 12.5) << steps[l] << " steps";
          EXPECT_EQ(path.lambda[l], 1 / step / static_cast<double>(steps[l]));
          const Regression fit = ridge(data, path.lambda[l]);
          EXPECT_CLOSE(column(path.ridge_w, at), fit.w, 1e-12);
          EXPECT_NEAR(path.ridge_b[l], fit.b[0], 1e-12);
        }
      }
}

// Degrees of freedom: the trace of the matrix that makes the fit of y, column by column. And b is the best one for w.
TEST(EarlyStopping, DegreesOfFreedomAreTheTrace) {
  for (const bool intercept : {true, false}) {
    RegressionData data = stopping_data(12, 3, intercept);
    const std::vector<std::int64_t> steps = {1, 8};
    const Path path = early_stopping(data, 0, steps);
    Vector trace(2, 0.0), ridge_trace(2, 0.0);
    for (std::int64_t i = 0; i < 12; ++i) {
      RegressionData unit = data;
      unit.y = Matrix(12, 1), unit.y(i, 0) = 1;
      const Path of_unit = early_stopping(unit, 0, steps);
      for (std::size_t l = 0; l < 2; ++l) {
        trace[l] += of_unit.b[l], ridge_trace[l] += of_unit.ridge_b[l];
        for (std::int64_t j = 0; j < 3; ++j) {
          trace[l] += data.x(i, j) * of_unit.w(j, static_cast<std::int64_t>(l));
          ridge_trace[l] += data.x(i, j) * of_unit.ridge_w(j, static_cast<std::int64_t>(l));
        }
      }
    }
    EXPECT_CLOSE(path.df, trace, 1e-13);
    EXPECT_CLOSE(path.ridge_df, ridge_trace, 1e-13);
    double rest = 0;
    for (std::int64_t i = 0; i < 12; ++i) {
      rest += data.y(i, 0) - path.b[1];
      for (std::int64_t j = 0; j < 3; ++j) rest -= data.x(i, j) * path.w(j, 1);
    }
    EXPECT_NEAR(intercept ? rest : path.b[1], 0, 1e-12);
  }
}

// The same steps by freeridge_gradient_descent, without intercept.
TEST(EarlyStopping, IsGradientDescent) {
  const RegressionData data = stopping_data(15, 3, false);
  const std::vector<std::int64_t> steps = {1, 10, 100};
  const Path path = early_stopping(data, 0, steps);
  Matrix w(3, 3);
  Vector b(3);
  const Packed x = pack(data.x, data.layout, 0);
  freeridge_descent descent{};
  descent.size = sizeof descent;
  check(freeridge_gradient_descent(FREERIDGE_LOSS_SQUARED, data.layout, 15, 3, x.values.data(), x.ld,
                                   data.y.values.data(), nullptr, 0, 3, steps.data(), &descent, w.values.data(),
                                   b.data(), nullptr),
        "freeridge_gradient_descent");
  EXPECT_NEAR(descent.step_used, path.step, 1e-14 * path.step);
  EXPECT_CLOSE(w, path.w, 1e-12);
}

// Many steps: the least squares solution of minimum norm. Constant columns, and sizes from 1e-150 to 1e150.
TEST(EarlyStopping, LimitsAndExtremes) {
  for (const Shape shape : {Shape{20, 4}, Shape{4, 9}}) {
    const RegressionData data = stopping_data(shape.n, shape.d, true);
    const Path path = early_stopping(data, 0, {std::int64_t{1} << 50});
    EXPECT_CLOSE(path.w, ols(data).w, 1e-11);
    for (const double size : {1e-100, 1e100}) {
      RegressionData scaled_data = data;
      scaled_data.x = scaled(data.x, size);
      EXPECT_CLOSE(scaled(early_stopping(scaled_data, 0, {5}).w, size), early_stopping(data, 0, {5}).w, 1e-12);
    }
  }
  for (const double size : {1e-170, 1e170}) {  // 1 / s_1^2 is infinite, or 0
    RegressionData extreme = stopping_data(6, 2, true);
    extreme.x = scaled(extreme.x, size);
    try {
      early_stopping(extreme, 0, {1});
      ADD_FAILURE() << "there is no default step";
    } catch (const StatusError& error) {
      EXPECT_EQ(error.status, FREERIDGE_NOT_FINITE) << error.what();
    }
  }
  RegressionData constant = stopping_data(6, 2, true);
  constant.x = Matrix(6, 2, 3.0);
  const Path path = early_stopping(constant, 0, {1, 4});
  EXPECT_EQ(path.w.values, Vector(4, 0.0));
  EXPECT_EQ(path.df, Vector(2, 1.0));
}

}  // namespace early_stopping_test
