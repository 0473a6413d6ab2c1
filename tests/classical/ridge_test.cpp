// Ridge regression against quadruple precision, primal and dual, with penalty factors and without.
#include <gtest/gtest.h>

#include "support/classical.hpp"
#include "support/compare.hpp"
#include "support/problems.hpp"

namespace ridge_test {

using namespace support;

RegressionData random_data(std::uint64_t seed, std::int64_t n, std::int64_t d, bool intercept) {
  Random random(seed);
  RegressionData data;
  data.intercept = intercept;
  data.x = random.uniform_matrix(n, d, -1.0, 3.0);
  data.y = responses(random, data.x, 2, 0.3);
  return data;
}

struct Shape {
  std::int64_t n, d;
};
const std::vector<Shape> shapes = {{30, 4}, {12, 12}, {12, 11}, {7, 25}, {1, 3}, {2, 1}, {20, 19}};

TEST(Ridge, ExactForEveryShapeAndLambda) {
  for (const Shape shape : shapes)
    for (const bool intercept : {true, false})
      for (const double lambda : {0x1p-60, 0x1p-20, 1.0, 0x1p20}) {
        SCOPED_TRACE(testing::Message() << shape.n << " x " << shape.d << ", intercept " << intercept << ", lambda "
                                        << lambda);
        const RegressionData data = random_data(31, shape.n, shape.d, intercept);
        const Regression fit = ridge(data, lambda);
        const QuadRegression expected = penalised(data, lambda);
        EXPECT_GE(norm_digits(fit.w, expected.w), 15.0);
        EXPECT_GE(norm_digits(to_column(fit.b), transpose(expected.b)), 15.0);
      }
}

TEST(Ridge, ReferenceSets) {
  for (const std::string& name : nist_sets())
    for (const double lambda : {0x1p-40, 0x1p-20, 0x1p-10, 1.0}) {
      SCOPED_TRACE(testing::Message() << name << ", lambda " << lambda);
      const NistSet set = nist_set(name);
      const Regression fit = ridge(set.data, lambda);
      const QuadRegression expected = penalised(set.data, lambda);
      EXPECT_GE(digits(fit.w, expected.w), 15.0);
      EXPECT_GE(digits(to_column(fit.b), transpose(expected.b)), 15.0);
    }
}

// Columns without penalty, one of which is there twice; columns with penalties of very different size.
TEST(Ridge, PenaltyFactors) {
  for (const Shape shape : {Shape{30, 8}, Shape{8, 30}, Shape{12, 12}, Shape{12, 11}})
    for (const bool intercept : {true, false})
      for (const bool twice : {false, true})
        for (const double lambda : {0x1p-10, 3.0}) {
          SCOPED_TRACE(testing::Message() << shape.n << " x " << shape.d << ", intercept " << intercept << ", twice "
                                          << twice << ", lambda " << lambda);
          RegressionData data = random_data(32, shape.n, shape.d, intercept);
          Vector penalty(static_cast<std::size_t>(shape.d));
          for (std::size_t k = 0; k < penalty.size(); ++k)
            penalty[k] = std::ldexp(1.0 + static_cast<double>(k), 3 - static_cast<int>(k) % 7);
          penalty[1] = penalty[3] = penalty[4] = 0;
          for (std::int64_t i = 0; twice && i < shape.n; ++i) data.x(i, 4) = data.x(i, 1);
          const Regression fit = ridge(data, lambda, penalty);
          const QuadRegression expected = penalised(data, lambda, penalty);
          EXPECT_GE(norm_digits(fit.w, expected.w), 14.5);
          EXPECT_GE(norm_digits(to_column(fit.b), transpose(expected.b)), 14.5);
        }
}

TEST(Ridge, PenaltiesOfOneAreRidge) {
  for (const Shape shape : shapes) {
    const RegressionData data = random_data(33, shape.n, shape.d, true);
    const Vector ones(static_cast<std::size_t>(shape.d), 1.0), zeros(ones.size(), 0.0);
    EXPECT_EQ(ridge(data, 0.7, ones).w.values, ridge(data, 0.7).w.values);
    EXPECT_EQ(ridge(data, 0.0, ones).w.values, ols(data).w.values);
    EXPECT_EQ(ridge(data, 0.7, zeros).w.values, ols(data).w.values);
    EXPECT_EQ(ridge(data, 0.0, zeros).w.values, ols(data).w.values);
  }
}

// Lambda to zero: the least squares solution of minimum norm, and no jump on the way.
TEST(Ridge, TendsToOls) {
  for (const Shape shape : shapes)
    for (const std::int64_t copies : {0, 3}) {
      RegressionData data = random_data(34, shape.n, shape.d, true);
      for (std::int64_t k = shape.d - std::min(copies, shape.d - 1); k < shape.d; ++k)
        for (std::int64_t i = 0; i < shape.n; ++i) data.x(i, k) = data.x(i, 0);
      SCOPED_TRACE(testing::Message() << shape.n << " x " << shape.d << ", copies " << copies);
      // Quadruple precision itself loses 1e-34 / lambda where x is deficient.
      for (const double lambda : {1e-8, 1e-12, 1e-16}) {
        SCOPED_TRACE(lambda);
        EXPECT_GE(norm_digits(ridge(data, lambda).w, penalised(data, lambda).w), 14.5);
      }
      const Regression limit = ols(data);
      for (const double lambda : {1e-18, 1e-24, 1e-28, 1e-30, 1e-33, 1e-36, 1e-60, 1e-300, 5e-324}) {
        SCOPED_TRACE(lambda);
        EXPECT_CLOSE(ridge(data, lambda).w, limit.w, 1e-13);
      }
    }
}

TEST(Ridge, TendsToTheMean) {
  const RegressionData data = random_data(35, 20, 3, true);
  for (const double lambda : {1e30, 1e300}) {
    const Regression fit = ridge(data, lambda);
    const QuadRegression expected = penalised(data, lambda);
    EXPECT_GE(digits(fit.w, expected.w), 14.5);
    EXPECT_GE(digits(to_column(fit.b), transpose(expected.b)), 15.0);
  }
}

TEST(Ridge, PowersOfTwoChangeNoDigit) {
  for (const Shape shape : {Shape{20, 4}, Shape{6, 15}}) {
    const RegressionData data = random_data(36, shape.n, shape.d, true);
    const Regression fit = ridge(data, 0.5);
    for (const int unit : {500, -500}) {
      RegressionData other = data;
      other.x = scaled(data.x, std::ldexp(1.0, unit));
      EXPECT_EQ(scaled(ridge(other, std::ldexp(0.5, 2 * unit)).w, std::ldexp(1.0, unit)).values, fit.w.values);
      other = data;
      other.y = scaled(data.y, std::ldexp(1.0, unit));
      EXPECT_EQ(ridge(other, 0.5).w.values, scaled(fit.w, std::ldexp(1.0, unit)).values);
    }
  }
}

// A penalty of p and a column divided by sqrt(p) are the same.
TEST(Ridge, PenaltiesAreUnits) {
  for (const Shape shape : {Shape{20, 4}, Shape{6, 15}}) {
    RegressionData data = random_data(37, shape.n, shape.d, true);
    Vector penalty(static_cast<std::size_t>(shape.d));
    for (std::size_t k = 0; k < penalty.size(); ++k) penalty[k] = std::ldexp(1.0, 40 * (static_cast<int>(k) % 5) - 80);
    const Regression fit = ridge(data, 2.0, penalty);
    for (std::int64_t k = 0; k < shape.d; ++k)
      for (std::int64_t i = 0; i < shape.n; ++i) data.x(i, k) /= std::sqrt(penalty[static_cast<std::size_t>(k)]);
    const Regression other = ridge(data, 2.0);
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t k = 0; k < shape.d; ++k)
        EXPECT_NEAR(fit.w(k, j) * std::sqrt(penalty[static_cast<std::size_t>(k)]), other.w(k, j),
                    1e-14 * std::abs(other.w(k, j)));
  }
}

TEST(Ridge, LayoutsChangeNothing) {
  for (const Shape shape : shapes) {
    RegressionData data = random_data(38, shape.n, shape.d, true);
    const Regression fit = ridge(data, 0.1);
    data.layout = FREERIDGE_ROW_MAJOR;
    data.padding = 2;
    EXPECT_EQ(ridge(data, 0.1).w.values, fit.w.values);
  }
}

TEST(Ridge, ConstantColumnsHaveNoWeight) {
  for (const Shape shape : {Shape{20, 4}, Shape{6, 15}}) {
    RegressionData data = random_data(39, shape.n, shape.d, true);
    for (std::int64_t i = 0; i < shape.n; ++i) data.x(i, 1) = data.x(i, 2) = 1e20;
    Vector penalty(static_cast<std::size_t>(shape.d), 1.0);
    penalty[2] = 0;
    const Regression fit = ridge(data, 0.5, penalty);
    EXPECT_EQ(fit.w(1, 0), 0.0);
    EXPECT_EQ(fit.w(2, 0), 0.0);
    EXPECT_GE(norm_digits(fit.w, penalised(data, 0.5, penalty).w), 14.5);
  }
}

}  // namespace ridge_test
