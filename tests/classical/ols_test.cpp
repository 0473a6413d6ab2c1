// Ordinary least squares against quadruple precision: full rank and deficient, tall and wide; units, scales, layouts;
// the summary against its definitions.
#include <gtest/gtest.h>

#include "support/classical.hpp"
#include "support/compare.hpp"
#include "support/problems.hpp"

namespace ols_test {

using namespace support;

struct Shape {
  const char* name;
  std::int64_t n, d, rank;  // rank of x before centring; beyond it columns are sums of others
  bool intercept;
  std::int64_t expected;  // rank of the centred x
};

// x of the rank: the columns after `rank` are differences of two and sums of three of the first (exact in doubles).
RegressionData deficient(Random& random, const Shape& shape, std::int64_t t) {
  RegressionData data;
  data.intercept = shape.intercept;
  data.x = random.uniform_matrix(shape.n, shape.d, -1.0, 1.0);
  for (double& value : data.x.values) value = std::round(value * 0x1p30) * 0x1p-30 + 2;
  for (std::int64_t k = shape.rank; k < shape.d; ++k)
    for (std::int64_t i = 0; i < shape.n; ++i) {
      const double a = data.x(i, k % shape.rank), b = data.x(i, (k + 1) % shape.rank);
      data.x(i, k) = k % 2 == 0 ? a - b : a + b + data.x(i, 0);
    }
  data.y = responses(random, data.x, t, 0.3);
  return data;
}

class OlsShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(OlsShapes, MinimumNormSolutionOfTheCentredProblem) {
  Random random(11);
  const RegressionData data = deficient(random, GetParam(), 2);
  const Regression fit = ols(data);
  const QuadRegression expected = penalised(data, 0);
  EXPECT_EQ(fit.rank, GetParam().expected);
  EXPECT_GE(norm_digits(fit.w, expected.w), 14.5);
  EXPECT_GE(norm_digits(to_column(fit.b), transpose(expected.b)), 14.5);
}

INSTANTIATE_TEST_SUITE_P(
    All, OlsShapes,
    ::testing::Values(Shape{"Tall", 30, 5, 5, true, 5}, Shape{"TallNoIntercept", 30, 5, 5, false, 5},
                      Shape{"TallDeficient", 30, 6, 4, true, 4}, Shape{"TallDeficientNoIntercept", 30, 6, 4, false, 4},
                      Shape{"VeryDeficient", 40, 20, 3, true, 3}, Shape{"RankOne", 12, 4, 1, false, 1},
                      Shape{"Square", 8, 8, 8, false, 8}, Shape{"SquareWithIntercept", 8, 8, 8, true, 7},
                      Shape{"AsManyAsDegrees", 8, 7, 7, true, 7}, Shape{"Wide", 8, 30, 30, true, 7},
                      Shape{"WideNoIntercept", 8, 30, 30, false, 8}, Shape{"WideDeficient", 10, 25, 4, true, 4},
                      Shape{"WideDeficientNoIntercept", 10, 25, 4, false, 4}, Shape{"OnePoint", 1, 3, 3, true, 0},
                      Shape{"OnePointNoIntercept", 1, 3, 3, false, 1}, Shape{"TwoPoints", 2, 1, 1, true, 1}),
    [](const auto& shape) { return shape.param.name; });

// Rows that are there twice with other outputs: wide, deficient, and not consistent.
TEST(Ols, DuplicateRowsOfAWideProblem) {
  Random random(12);
  RegressionData data;
  data.x = random.uniform_matrix(9, 20, -1.0, 1.0);
  for (std::int64_t k = 0; k < 20; ++k)
    for (std::int64_t i = 5; i < 9; ++i) data.x(i, k) = data.x(i - 5, k);
  data.y = random.uniform_matrix(9, 2, -1.0, 1.0);
  for (const bool intercept : {true, false}) {
    data.intercept = intercept;
    const Regression fit = ols(data);
    EXPECT_EQ(fit.rank, intercept ? 4 : 5);
    EXPECT_GE(norm_digits(fit.w, penalised(data, 0).w), 14.5);
  }
}

// What changes in other units of x and y, changes by exactly those units.
TEST(Ols, PowersOfTwoChangeNoDigit) {
  Random random(13);
  RegressionData data;
  data.x = random.uniform_matrix(20, 4, -1.0, 3.0);
  data.y = responses(random, data.x, 2, 0.1);
  const Regression fit = ols(data);
  const int units[4] = {500, -500, 0, -470};
  for (const int y_unit : {0, 500, -500}) {
    RegressionData other = data;
    for (std::int64_t k = 0; k < 4; ++k)
      for (std::int64_t i = 0; i < 20; ++i) other.x(i, k) = std::ldexp(data.x(i, k), units[k]);
    for (double& value : other.y.values) value = std::ldexp(value, y_unit);
    const Regression scaled_fit = ols(other);
    EXPECT_EQ(scaled_fit.rank, 4);
    for (std::int64_t j = 0; j < 2; ++j) {
      EXPECT_EQ(scaled_fit.b[static_cast<std::size_t>(j)], std::ldexp(fit.b[static_cast<std::size_t>(j)], y_unit));
      for (std::int64_t k = 0; k < 4; ++k) EXPECT_EQ(scaled_fit.w(k, j), std::ldexp(fit.w(k, j), y_unit - units[k]));
    }
  }
}

TEST(Ols, LayoutsAndPaddingChangeNothing) {
  Random random(14);
  for (const std::int64_t d : {3, 40}) {
    RegressionData data;
    data.x = random.uniform_matrix(17, d, -1.0, 1.0);
    data.y = responses(random, data.x, 2, 0.1);
    const Regression fit = ols(data);
    for (const auto layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      data.layout = layout;
      data.padding = 5;
      const Regression other = ols(data);
      EXPECT_EQ(other.w.values, fit.w.values);
      EXPECT_EQ(other.b, fit.b);
    }
  }
}

TEST(Ols, RankDoesNotDependOnUnits) {
  Random random(15);
  RegressionData data;
  data.x = random.uniform_matrix(25, 3, -1.0, 1.0);
  data.y = random.uniform_matrix(25, 1, -1.0, 1.0);
  for (std::int64_t i = 0; i < 25; ++i) data.x(i, 0) *= 1e-150, data.x(i, 1) *= 1e150;
  const Regression fit = ols(data);
  EXPECT_EQ(fit.rank, 3);
  for (std::int64_t i = 0; i < 25; ++i) data.x(i, 0) *= 0x1p498, data.x(i, 1) *= 0x1p-498;  // near one, and exactly so
  QuadRegression expected = penalised(data, 0);
  expected.w(0, 0) *= Quad(0x1p498);
  expected.w(1, 0) *= Quad(0x1p-498);
  EXPECT_GE(digits(fit.w, expected.w), 15.0);
}

// A small column beside two large ones that are the same: what they share is halved, the small one is not touched.
TEST(Ols, MinimumNormWithColumnsOfVeryDifferentUnits) {
  Random random(16);
  RegressionData data;
  data.x = random.uniform_matrix(25, 3, -1.0, 1.0);
  data.y = random.uniform_matrix(25, 1, -1.0, 1.0);
  for (std::int64_t i = 0; i < 25; ++i) data.x(i, 2) = data.x(i, 1);
  RegressionData two = data;
  two.x = Matrix(25, 2);
  std::copy_n(data.x.values.begin(), 50, two.x.values.begin());
  const Regression expected = ols(two);
  for (const int unit : {0, 400, -400}) {
    RegressionData other = data;
    for (std::int64_t i = 0; i < 25; ++i) other.x(i, 0) = std::ldexp(data.x(i, 0), unit);
    const Regression fit = ols(other);
    EXPECT_EQ(fit.rank, 2);
    EXPECT_NEAR(std::ldexp(fit.w(0, 0), unit), expected.w(0, 0), 1e-15);
    EXPECT_NEAR(fit.w(1, 0), expected.w(1, 0) / 2, 1e-15);
    EXPECT_NEAR(fit.w(2, 0), expected.w(1, 0) / 2, 1e-15);
  }
}

TEST(Ols, ConstantColumnsHaveNoWeight) {
  Random random(17);
  RegressionData data;
  data.x = random.uniform_matrix(10, 3, -1.0, 1.0);
  for (std::int64_t i = 0; i < 10; ++i) data.x(i, 1) = 0.1;
  data.y = random.uniform_matrix(10, 1, -1.0, 1.0);
  Regression fit = ols(data);
  EXPECT_EQ(fit.rank, 2);
  EXPECT_EQ(fit.w(1, 0), 0.0);
  EXPECT_GE(norm_digits(fit.w, penalised(data, 0).w), 15.0);

  data.intercept = false;  // a column as any other
  fit = ols(data);
  EXPECT_EQ(fit.rank, 3);
  EXPECT_GE(digits(fit.w, penalised(data, 0).w), 14.5);

  for (double& value : data.x.values) value = 0;
  for (const bool intercept : {true, false}) {
    data.intercept = intercept;
    fit = ols(data);
    EXPECT_EQ(fit.rank, 0);
    EXPECT_EQ(fit.w.values, Vector(3, 0.0));
    Quad mean = 0;
    for (const double value : data.y.values) mean += Quad(value) / 10;
    EXPECT_EQ(fit.b[0], intercept ? static_cast<double>(mean) : 0.0);
  }
}

TEST(Ols, SolutionsThatOverflowAreRefused) {
  RegressionData data;
  data.x = Matrix(3, 1);
  data.y = Matrix(3, 1);
  data.x.values = {0.0, 1e-300, 2e-300};
  data.y.values = {0.0, 1e300, 3e300};
  const Regression fit = ols(data, true);
  EXPECT_EQ(fit.status, FREERIDGE_NOT_FINITE);
  EXPECT_TRUE(std::isnan(fit.w(0, 0)) && std::isnan(fit.b[0]) && fit.rank == -1) << "an output was written";
  data.x.values = {1e308, -1e308, 1.5e308};
  data.y.values = {1e308, -1e308, 1.5e308};
  EXPECT_NEAR(ols(data).w(0, 0), 1.0, 1e-15);
}

// ---- the summary ----

TEST(OlsSummary, ByItsDefinitions) {
  Random random(18);
  for (const bool intercept : {true, false}) {
    RegressionData data;
    data.intercept = intercept;
    data.x = random.uniform_matrix(20, 4, -1.0, 3.0);
    data.y = responses(random, data.x, 2, 0.5);
    const Summary fit = ols_summary(data);
    const QuadRegression expected = penalised(data, 0);
    // [1 x], its Gram matrix's inverse, and sums of squares
    const std::int64_t ones = intercept ? 1 : 0;
    QuadMatrix design(20, 4 + ones), identity(4 + ones, 4 + ones);
    for (std::int64_t i = 0; i < 20; ++i) {
      design(i, 0) = 1;
      for (std::int64_t k = 0; k < 4; ++k) design(i, ones + k) = data.x(i, k);
    }
    for (std::int64_t k = 0; k < 4 + ones; ++k) identity(k, k) = 1;
    const QuadMatrix inverse = solve(multiply(transpose(design), design), identity);
    for (std::int64_t j = 0; j < 2; ++j) {
      const auto at_j = static_cast<std::size_t>(j);
      Quad rest = 0, total = 0, mean = 0;
      for (std::int64_t i = 0; i < 20; ++i) mean += Quad(data.y(i, j)) / 20;
      if (!intercept) mean = 0;
      for (std::int64_t i = 0; i < 20; ++i) {
        Quad r = Quad(data.y(i, j)) - expected.b(0, j);
        for (std::int64_t k = 0; k < 4; ++k) r -= Quad(data.x(i, k)) * expected.w(k, j);
        rest += r * r;
        total += (Quad(data.y(i, j)) - mean) * (Quad(data.y(i, j)) - mean);
      }
      const Quad variance = rest / (20 - 4 - ones);
      EXPECT_GE(digits(fit.sigma[at_j], square_root(variance)), 15.0);
      EXPECT_GE(digits(fit.r_squared[at_j], 1 - rest / total), 15.0);
      EXPECT_GE(digits(fit.b_error[at_j], intercept ? square_root(variance * inverse(0, 0)) : Quad(0)), 14.5);
      for (std::int64_t k = 0; k < 4; ++k)
        EXPECT_GE(digits(fit.w_error(k, j), square_root(variance * inverse(ones + k, ones + k))), 14.5);
    }
    EXPECT_EQ(fit.w.values, ols(data).w.values);
  }
}

void expect_all_nan(const Vector& values) {
  for (const double value : values) EXPECT_TRUE(std::isnan(value)) << value;
}

// w is 0, as y is orthogonal to x, and its standard error is beyond the range of double.
TEST(OlsSummary, ErrorsThatOverflowAreRefused) {
  const double tiny = 0x1p-40, huge = 0x1p1000;
  const std::vector<double> x = {tiny, -tiny, tiny, -tiny}, y = {huge, huge, -huge, -huge};
  double w = 5, b = 5, w_error = 5, sigma = 5;
  const auto summary = [&](double* error) {
    freeridge_ols_answers answers{};
    answers.size = sizeof answers, answers.w = &w, answers.b = &b, answers.w_error = error, answers.sigma = &sigma;
    return freeridge_ols(FREERIDGE_COL_MAJOR, 4, 1, x.data(), 4, 1, y.data(), 4, 1, &answers);
  };
  EXPECT_EQ(summary(&w_error), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(w, 5);
  EXPECT_EQ(w_error, 5);
  EXPECT_EQ(sigma, 5);
  EXPECT_EQ(summary(nullptr), FREERIDGE_OK);  // what is not asked for does not matter
  EXPECT_EQ(w, 0);
  EXPECT_NEAR(sigma / (huge * std::sqrt(2.0)), 1.0, 1e-14);
}

TEST(OlsSummary, UndefinedWithoutDegreesOfFreedom) {
  Random random(19);
  RegressionData data;
  data.x = random.uniform_matrix(4, 3, -1.0, 1.0);
  data.y = random.uniform_matrix(4, 1, -1.0, 1.0);
  const Summary fit = ols_summary(data, true);
  EXPECT_EQ(fit.status, FREERIDGE_UNDEFINED);
  EXPECT_EQ(fit.rank, 3);
  EXPECT_EQ(fit.w.values, ols(data).w.values);
  expect_all_nan(fit.w_error.values);
  expect_all_nan(fit.b_error);
  expect_all_nan(fit.sigma);
  EXPECT_NEAR(fit.r_squared[0], 1.0, 1e-15);

  // Each is said when it is asked for, and only then.
  const auto status = [&](double* w_error, double* b_error, double* sigma, double* r_squared) {
    freeridge_ols_answers answers{};
    answers.size = sizeof answers, answers.w_error = w_error, answers.b_error = b_error;
    answers.sigma = sigma, answers.r_squared = r_squared;
    return freeridge_ols(FREERIDGE_COL_MAJOR, 4, 3, data.x.values.data(), 4, 1, data.y.values.data(), 4, 1, &answers);
  };
  Vector out(3);
  EXPECT_EQ(status(out.data(), nullptr, nullptr, nullptr), FREERIDGE_UNDEFINED);
  EXPECT_EQ(status(nullptr, out.data(), nullptr, nullptr), FREERIDGE_UNDEFINED);
  EXPECT_EQ(status(nullptr, nullptr, out.data(), nullptr), FREERIDGE_UNDEFINED);
  EXPECT_EQ(status(nullptr, nullptr, nullptr, out.data()), FREERIDGE_OK);
}

TEST(OlsSummary, UndefinedErrorsOfADeficientX) {
  Random random(20);
  RegressionData data;
  data.x = random.uniform_matrix(10, 2, -1.0, 1.0);
  for (std::int64_t i = 0; i < 10; ++i) data.x(i, 1) = 2 * data.x(i, 0);
  data.y = random.uniform_matrix(10, 1, -1.0, 1.0);
  const Summary fit = ols_summary(data, true);
  EXPECT_EQ(fit.status, FREERIDGE_UNDEFINED);
  expect_all_nan(fit.w_error.values);
  expect_all_nan(fit.b_error);
  EXPECT_GT(fit.sigma[0], 0.0);
  EXPECT_GT(fit.r_squared[0], 0.0);

  Vector w(2), b(1), sigma(1), r_squared(1);  // not asked for: no complaint
  const auto asked = [&](freeridge_ols_answers answers) {
    answers.size = sizeof answers;
    return freeridge_ols(FREERIDGE_COL_MAJOR, 10, 2, data.x.values.data(), 10, 1, data.y.values.data(), 10, 1,
                         &answers);
  };
  freeridge_ols_answers some{};
  some.w = w.data(), some.b = b.data(), some.sigma = sigma.data(), some.r_squared = r_squared.data();
  EXPECT_EQ(asked(some), FREERIDGE_OK);
  EXPECT_EQ(sigma, fit.sigma);
  EXPECT_EQ(asked({}), FREERIDGE_OK);
}

TEST(OlsSummary, UndefinedRSquaredOfAConstantOutput) {
  Random random(21);
  RegressionData data;
  data.x = random.uniform_matrix(10, 2, -1.0, 1.0);
  data.y = random.uniform_matrix(10, 2, -1.0, 1.0);
  for (std::int64_t i = 0; i < 10; ++i) data.y(i, 0) = 0.1;
  const Summary fit = ols_summary(data, true);
  EXPECT_EQ(fit.status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(fit.r_squared[0]));
  EXPECT_FALSE(std::isnan(fit.r_squared[1]));
  EXPECT_NEAR(fit.sigma[0], 0.0, 1e-16);
  for (std::int64_t k = 0; k < 2; ++k) EXPECT_NEAR(fit.w_error(k, 0), 0.0, 1e-16);
  data.intercept = false;  // then only zeros are constant
  EXPECT_EQ(ols_summary(data).status, FREERIDGE_OK);
}

}  // namespace ols_test
