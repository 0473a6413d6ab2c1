// Total least squares against quadruple precision and published solutions; exact columns; the cases without a solution.
#include <gtest/gtest.h>

#include "support/classical.hpp"
#include "support/compare.hpp"
#include "support/problems.hpp"

namespace tls_test {

using namespace support;

// The columns of a less their projection on the columns of e (orthonormalised twice, in place).
QuadMatrix project_off(QuadMatrix a, QuadMatrix e) {
  const auto remove = [](QuadMatrix& from, std::int64_t j, const QuadMatrix& unit, std::int64_t k) {
    for (int pass = 0; pass < 3; ++pass) {
      Quad dot = 0;
      for (std::int64_t i = 0; i < from.rows; ++i) dot += from(i, j) * unit(i, k);
      for (std::int64_t i = 0; i < from.rows; ++i) from(i, j) -= dot * unit(i, k);
    }
  };
  for (std::int64_t j = 0; j < e.cols; ++j) {
    for (std::int64_t k = 0; k < j; ++k) remove(e, j, e, k);
    Quad square = 0;
    for (std::int64_t i = 0; i < e.rows; ++i) square += e(i, j) * e(i, j);
    for (std::int64_t i = 0; i < e.rows; ++i) e(i, j) /= square_root(square);
  }
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t k = 0; k < e.cols; ++k) remove(a, j, e, k);
  return a;
}

QuadRegression total(const RegressionData& data, const Labels& exact = {}) {
  const std::int64_t n = data.x.rows, d = data.x.cols, t = data.y.cols, ones = data.intercept ? 1 : 0;
  std::vector<std::int64_t> known, noisy;
  for (std::int64_t k = 0; k < d; ++k)
    (!exact.empty() && exact[static_cast<std::size_t>(k)] != 0 ? known : noisy).push_back(k);
  const auto e = static_cast<std::int64_t>(known.size()), inner = static_cast<std::int64_t>(noisy.size());
  QuadMatrix fixed(n, ones + e), rest(n, inner + t);
  for (std::int64_t i = 0; i < n; ++i) {
    if (ones > 0) fixed(i, 0) = 1;
    for (std::int64_t k = 0; k < e; ++k) fixed(i, ones + k) = data.x(i, known[static_cast<std::size_t>(k)]);
    for (std::int64_t k = 0; k < inner; ++k) rest(i, k) = data.x(i, noisy[static_cast<std::size_t>(k)]);
    for (std::int64_t j = 0; j < t; ++j) rest(i, inner + j) = data.y(i, j);
  }
  const QuadSvd svd = jacobi_svd(project_off(rest, fixed));
  QuadMatrix v12(t, inner), v22(t, t);  // transposed
  for (std::int64_t j = 0; j < t; ++j) {
    for (std::int64_t k = 0; k < inner; ++k) v12(j, k) = -svd.v(k, inner + j);
    for (std::int64_t k = 0; k < t; ++k) v22(j, k) = svd.v(inner + k, inner + j);
  }
  const QuadMatrix w = transpose(solve(v22, v12));
  // The exact columns: least squares of what is left.
  QuadMatrix y(n, t);
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      y(i, j) = rest(i, inner + j);
      for (std::int64_t k = 0; k < inner; ++k) y(i, j) -= rest(i, k) * w(k, j);
    }
  QuadRegression out{QuadMatrix(d, t), QuadMatrix(1, t)};
  if (ones + e > 0) {
    const QuadMatrix z = solve(multiply(transpose(fixed), fixed), multiply(transpose(fixed), y));
    for (std::int64_t j = 0; j < t; ++j) {
      if (ones > 0) out.b(0, j) = z(0, j);
      for (std::int64_t k = 0; k < e; ++k) out.w(known[static_cast<std::size_t>(k)], j) = z(ones + k, j);
    }
  }
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t k = 0; k < inner; ++k) out.w(noisy[static_cast<std::size_t>(k)], j) = w(k, j);
  return out;
}

RegressionData from_file(const char* name) {
  const CsvFile file = read_csv(name);
  std::vector<std::string> features;
  for (const std::string& column : file.header)
    if (column[0] == 'x') features.push_back(column);
  return {numbers(file, features), numbers(file, {"y"})};
}

double published(const std::string& set, const std::string& method, const std::string& quantity) {
  for (const auto& row : read_csv("tls/published_tls.csv").rows)
    if (row[0] == set && row[1].starts_with(method) && row[2].starts_with(quantity)) return std::stod(row[3]);
  throw std::runtime_error("no published value " + quantity);
}

// sum of squared orthogonal distances
double distance(const RegressionData& data, const Regression& fit) {
  double sum = 0, norm = 1;
  for (const double w : fit.w.values) norm += w * w;
  for (std::int64_t i = 0; i < data.x.rows; ++i) {
    double r = data.y(i, 0) - fit.b[0];
    for (std::int64_t k = 0; k < data.x.cols; ++k) r -= data.x(i, k) * fit.w(k, 0);
    sum += r * r / norm;
  }
  return sum;
}

void expect_digits(const RegressionData& data, double least) {
  const Regression fit = tls(data);
  const QuadRegression expected = total(data);
  EXPECT_GE(digits(fit.w, expected.w), least);
  EXPECT_GE(digits(to_column(fit.b), transpose(expected.b)), least);
}

TEST(Tls, Pearson) {
  const RegressionData data = from_file("tls/pearson_york.csv");
  expect_digits(data, 14.0);
  const Regression fit = tls(data);
  EXPECT_NEAR(fit.b[0], published("pearson_york", "TLS unweighted", "intercept"), 0.6e-10);
  EXPECT_NEAR(fit.w(0, 0), published("pearson_york", "TLS unweighted", "slope"), 0.6e-10);
  EXPECT_NEAR(distance(data, fit), published("pearson_york", "TLS unweighted", "chi2_min"), 0.6e-12);
  // As Pearson printed it in 1901, where the last digit of the intercept is off by 16.
  EXPECT_NEAR(fit.w(0, 0), published("pearson_york", "Pearson 1901", "slope"), 0.6e-3);
  const Regression least_squares = ols(data);
  EXPECT_NEAR(least_squares.w(0, 0), published("pearson_york", "OLS", "slope"), 0.6e-12);
  EXPECT_NEAR(least_squares.b[0], published("pearson_york", "OLS", "intercept"), 0.6e-8);
}

TEST(Tls, PublishedSmallSets) {
  const RegressionData one = from_file("tls/pracma_odregress_1.csv"), two = from_file("tls/pracma_odregress_2.csv");
  expect_digits(one, 14.0);
  expect_digits(two, 14.0);
  const Regression first = tls(one), second = tls(two);
  EXPECT_NEAR(first.w(0, 0), published("pracma_odregress_1", "TLS", "slope"), 0.6e-8);
  EXPECT_NEAR(first.b[0], published("pracma_odregress_1", "TLS", "intercept"), 0.6e-8);
  EXPECT_NEAR(second.w(0, 0), published("pracma_odregress_2", "TLS", "slope_x1"), 0.6e-7);
  EXPECT_NEAR(second.w(1, 0), published("pracma_odregress_2", "TLS", "slope_x2"), 0.6e-7);
  EXPECT_NEAR(second.b[0], published("pracma_odregress_2", "TLS", "intercept"), 0.6e-7);
  EXPECT_NEAR(distance(two, second), published("pracma_odregress_2", "TLS", "sum_sq"), 0.6e-8);
}

TEST(Tls, NorrisAndLongley) {
  expect_digits(nist_set("Norris").data, 11.5);
  expect_digits(nist_set("Longley").data, 11.5);
}

// The largest error of an intercept beside the largest sum |mean y| + sum_k |mean x_k w_k| of what it is a difference of:
// data about zero have an intercept that is much smaller than these.
double intercept_digits(const RegressionData& data, const Matrix& b, const QuadRegression& expected) {
  const auto rows = static_cast<double>(data.x.rows);
  double error = 0, size = 0;
  for (std::int64_t j = 0; j < data.y.cols; ++j) {
    const auto mean = [&](const Matrix& a, std::int64_t column) {
      double sum = 0;
      for (std::int64_t i = 0; i < a.rows; ++i) sum += a(i, column);
      return sum / rows;
    };
    double terms = std::abs(mean(data.y, j));
    for (std::int64_t k = 0; k < data.x.cols; ++k)
      terms += std::abs(mean(data.x, k) * static_cast<double>(expected.w(k, j)));
    size = std::max(size, terms);
    error = std::max(error, static_cast<double>(absolute(Quad(b(j, 0)) - expected.b(0, j))));
  }
  return error > 0 ? -std::log10(error / size) : 17;
}

TEST(Tls, EveryShape) {
  Random random(51);
  for (const std::int64_t d : {1, 3})
    for (const std::int64_t t : {1, 2})
      for (const bool intercept : {true, false})
        for (const std::int64_t spare : {0, 9}) {
          RegressionData data;
          data.intercept = intercept;
          data.x = random.uniform_matrix(d + t + (intercept ? 1 : 0) + spare, d, -1.0, 1.0);
          data.y = Matrix(data.x.rows, t);
          for (std::int64_t j = 0; j < t; ++j)
            for (std::int64_t i = 0; i < data.x.rows; ++i)
              data.y(i, j) = data.x(i, 0) * 0.5 + data.x(i, d - 1) + 0.01 * random.normal();
          const Regression fit = tls(data);
          const QuadRegression expected = total(data);
          EXPECT_GE(norm_digits(fit.w, expected.w), 13.0);
          EXPECT_GE(intercept_digits(data, to_column(fit.b), expected), 13.0);
          data.layout = FREERIDGE_ROW_MAJOR;
          data.padding = 4;
          EXPECT_TRUE(bit_equal(tls(data).w, fit.w));
        }
}

TEST(Tls, ExactColumns) {
  Random random(52);
  for (const bool intercept : {true, false})
    for (const std::int64_t t : {1, 2})
      for (const Labels& exact : {Labels{1, 0, 0, 0}, Labels{0, 0, -3, 1}, Labels{1, 1, 0, 1}, Labels{0, 0, 0, 0}}) {
        RegressionData data;
        data.intercept = intercept;
        data.x = random.uniform_matrix(25, 4, -1.0, 3.0);
        // The units of an exact column do not matter.
        const double unit = exact[3] != 0 ? 0x1p100 : 1;
        data.y = Matrix(25, t);
        for (std::int64_t j = 0; j < t; ++j)
          for (std::int64_t i = 0; i < 25; ++i)
            data.y(i, j) = data.x(i, 0) - data.x(i, 1) + 2 * data.x(i, 2) + data.x(i, 3) + random.normal() / 10;
        for (std::int64_t i = 0; i < 25; ++i) data.x(i, 3) *= unit;
        const Regression fit = tls(data, exact);
        const QuadRegression expected = total(data, exact);
        EXPECT_GE(digits(fit.w, expected.w), 12.5);
        EXPECT_GE(norm_digits(to_column(fit.b), transpose(expected.b)), 12.5);
      }
}

TEST(Tls, AllColumnsExactIsOls) {
  Random random(53);
  RegressionData data;
  data.x = random.uniform_matrix(12, 2, -1.0, 1.0);
  data.y = responses(random, data.x, 2, 0.1);
  EXPECT_TRUE(bit_equal(tls(data, {1, 1}).w, ols(data).w));
  for (std::int64_t i = 0; i < 12; ++i) data.x(i, 1) = 3 * data.x(i, 0);
  const Regression fit = tls(data, {1, 1}, true);
  EXPECT_EQ(fit.status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(fit.w(0, 0)) && std::isnan(fit.b[0])) << "an output was written";
}

TEST(Tls, PowersOfTwoChangeNoDigit) {
  const RegressionData data = from_file("tls/pracma_odregress_2.csv");
  const Regression fit = tls(data);
  for (const int unit : {500, -500, 900, -900}) {
    RegressionData other = data;
    other.x = scaled(data.x, std::ldexp(1.0, unit));
    other.y = scaled(data.y, std::ldexp(1.0, unit));
    const Regression scaled_fit = tls(other);
    EXPECT_TRUE(bit_equal(scaled_fit.w, fit.w));
    EXPECT_EQ(scaled_fit.b[0], std::ldexp(fit.b[0], unit));
  }
}

// An exact fit is found as it is.
TEST(Tls, ConsistentData) {
  Random random(54);
  RegressionData data;
  data.x = random.uniform_matrix(10, 2, -1.0, 1.0);
  data.y = Matrix(10, 1);
  for (std::int64_t i = 0; i < 10; ++i) data.y(i, 0) = 2 * data.x(i, 0) - data.x(i, 1) + 0.5;
  const Regression fit = tls(data);
  EXPECT_NEAR(fit.w(0, 0), 2.0, 1e-14);
  EXPECT_NEAR(fit.w(1, 0), -1.0, 1e-14);
  EXPECT_NEAR(fit.b[0], 0.5, 1e-14);
}

void expect_undefined(const RegressionData& data, const Labels& exact, const char* words) {
  const Regression fit = tls(data, exact, true);
  EXPECT_EQ(fit.status, FREERIDGE_UNDEFINED);
  EXPECT_NE(std::string(freeridge_last_error()).find(words), std::string::npos) << freeridge_last_error();
  for (const double value : fit.w.values) EXPECT_TRUE(std::isnan(value)) << "an output was written";
  for (const double value : fit.b) EXPECT_TRUE(std::isnan(value)) << "an output was written";
}

TEST(Tls, NoSolutionOrManyAreUndefined) {
  RegressionData data;
  data.intercept = false;
  data.x = Matrix(4, 1);
  data.y = Matrix(4, 1);
  data.x.values = {1, -1, 0, 0};  // orthogonal to y, and shorter: the best line is vertical
  data.y.values = {0, 0, 3, 3};
  expect_undefined(data, {}, "no solution exists");
  data.y.values = {0, 0, 1, 1};  // as long as y: every line through the origin is as good
  expect_undefined(data, {}, "more than one solution");
  data.x.values = {0, 0, 0, 0};
  expect_undefined(data, {}, "solution exists");
  data.y.values = {0, 0, 0, 0};
  expect_undefined(data, {}, "more than one solution");
  data.intercept = true;
  data.x.values = {5, 5, 5, 5};
  data.y.values = {1, 2, 3, 4};
  expect_undefined(data, {}, "solution exists");

  Random random(55);
  data.x = random.uniform_matrix(10, 3, -1.0, 1.0);
  data.y = random.uniform_matrix(10, 1, -1.0, 1.0);
  for (std::int64_t i = 0; i < 10; ++i) data.x(i, 2) = data.x(i, 1);
  expect_undefined(data, {}, "no solution exists");  // ever larger weights of opposite sign come ever closer
  expect_undefined(data, {0, 1, 1}, "linearly dependent");
  for (std::int64_t i = 0; i < 10; ++i) data.x(i, 2) = 7;
  expect_undefined(data, {0, 0, 1}, "linearly dependent");  // on the ones
}

}  // namespace tls_test
