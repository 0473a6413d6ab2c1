// The errors that freeridge_tls asks for, against their definition in quadruple precision: with R = Y - X w - b and Z =
// [w; -I] in the columns with errors
//     [E F] = R (Z'Z)^-1 Z',      (X + E) w + b = Y + F,      |row i of [E F]| = distances_i
// and the singular values of [E F] are the t smallest of [X Y] less its projection on the ones and the exact columns.
#include <gtest/gtest.h>

#include "support/classical.hpp"
#include "support/compare.hpp"
#include "support/problems.hpp"

namespace tls_errors_test {

using namespace support;

bool is_exact(const Labels& exact, std::int64_t k) {
  return !exact.empty() && exact[static_cast<std::size_t>(k)] != 0;
}

// The columns of [X Y] with errors, less their projection on the others and the ones.
QuadMatrix projected(const RegressionData& data, const Labels& exact) {
  const std::int64_t n = data.x.rows;
  std::vector<Quad> fixed, others;
  if (data.intercept) fixed.assign(static_cast<std::size_t>(n), 1);
  for (std::int64_t k = 0; k < data.x.cols; ++k)
    for (std::int64_t i = 0; i < n; ++i) (is_exact(exact, k) ? fixed : others).push_back(data.x(i, k));
  for (const double value : data.y.values) others.push_back(value);
  QuadMatrix e(n, static_cast<std::int64_t>(fixed.size()) / n), c(n, static_cast<std::int64_t>(others.size()) / n);
  e.values = fixed;
  c.values = others;
  if (e.cols == 0) return c;
  const QuadMatrix t = transpose(e);
  return subtract(c, multiply(e, solve(multiply(t, e), multiply(t, c))));
}

// [E F] of all columns, n x (d + t).
QuadMatrix errors_by_definition(const RegressionData& data, const Labels& exact, const Regression& fit) {
  const std::int64_t n = data.x.rows, d = data.x.cols, t = data.y.cols;
  QuadMatrix r = subtract(to_quad(data.y), multiply(to_quad(data.x), to_quad(fit.w))), z(d + t, t);
  for (std::int64_t j = 0; j < t; ++j) {
    Quad mean = 0;  // of the residuals: b with all its digits
    for (std::int64_t i = 0; i < n; ++i) mean += r(i, j) / n;
    for (std::int64_t i = 0; i < n && data.intercept; ++i) r(i, j) -= mean;
    for (std::int64_t k = 0; k < d; ++k) z(k, j) = is_exact(exact, k) ? 0 : Quad(fit.w(k, j));
    z(d + j, j) = -1;
  }
  return transpose(multiply(z, solve(multiply(transpose(z), z), transpose(r))));
}

void expect_errors(const RegressionData& data, const Labels& exact, double least = 12) {
  const Total fit = tls_errors(data, exact);
  const std::int64_t n = data.x.rows, d = data.x.cols, t = data.y.cols;
  EXPECT_TRUE(bit_equal(fit.w, tls(data, exact).w));
  const QuadMatrix expected = errors_by_definition(data, exact, fit);
  Matrix found(n, d + t);
  std::copy(fit.x_correction.values.begin(), fit.x_correction.values.end(), found.values.begin());
  std::copy(fit.y_correction.values.begin(), fit.y_correction.values.end(),
            found.values.begin() + static_cast<std::ptrdiff_t>(fit.x_correction.values.size()));
  EXPECT_GE(norm_digits(found, expected), least);
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t i = 0; i < n && is_exact(exact, k); ++i) EXPECT_EQ(fit.x_correction(i, k), 0);

  QuadMatrix norms(n, 1);
  Quad total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    Quad square = 0;
    for (std::int64_t k = 0; k < d + t; ++k) square += expected(i, k) * expected(i, k);
    norms(i, 0) = square_root(square);
    total += square;
  }
  EXPECT_GE(norm_digits(to_column(fit.distances), norms), least);

  const QuadSvd svd = jacobi_svd(projected(data, exact));
  const auto inner = svd.s.size() - static_cast<std::size_t>(t);
  double squares = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(t); ++j) {
    EXPECT_LE(absolute(Quad(fit.singular_values[j]) - svd.s[inner + j]), 1e-14 * svd.s[0]);
    squares += fit.singular_values[j] * fit.singular_values[j];
  }
  EXPECT_NEAR(squares, static_cast<double>(total), std::pow(10.0, -least) * squares);
}

RegressionData noisy(Random& random, std::int64_t n, std::int64_t d, std::int64_t t, bool intercept) {
  RegressionData data{random.uniform_matrix(n, d, -1.0, 3.0), Matrix(n, t), intercept};
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      data.y(i, j) = (intercept ? 2 : 0) + random.normal() / 10;
      for (std::int64_t k = 0; k < d; ++k) data.y(i, j) += static_cast<double>(k - j + 1) * data.x(i, k) / 2;
    }
  return data;
}

TEST(TlsErrors, FollowTheirDefinition) {
  Random random(61);
  for (const bool intercept : {false, true})
    for (const std::int64_t t : {1, 2, 3})
      for (const std::int64_t d : {1, 2, 4})
        for (const std::int64_t spare : {0, 12})
          for (std::int64_t known = 0; known <= d; ++known) {
            SCOPED_TRACE(::testing::Message() << d << " features, " << known << " of them exact, " << t << " outputs, "
                                              << spare << " points more" << (intercept ? ", intercept" : ""));
            Labels exact(static_cast<std::size_t>(d), 0);
            for (std::int64_t k = 0; k < known; ++k) exact[static_cast<std::size_t>(k)] = 1;
            RegressionData data = noisy(random, d + t + (intercept ? 1 : 0) + spare, d, t, intercept);
            expect_errors(data, known == 0 ? Labels() : exact, spare == 0 ? 10 : 12);
            const Total by_columns = tls_errors(data, exact);
            data.layout = FREERIDGE_ROW_MAJOR;
            data.padding = 3;
            const Total by_rows = tls_errors(data, exact);
            EXPECT_TRUE(bit_equal(by_rows.x_correction, by_columns.x_correction));
            EXPECT_TRUE(bit_equal(by_rows.y_correction, by_columns.y_correction));
            EXPECT_TRUE(bit_equal(by_rows.distances, by_columns.distances));
          }
}

// Pearson's data and its published sum of squared distances.
TEST(TlsErrors, Pearson) {
  const CsvFile file = read_csv("tls/pearson_york.csv");
  const RegressionData data{numbers(file, {"x"}), numbers(file, {"y"})};
  expect_errors(data, {}, 13);
  for (const auto& row : read_csv("tls/published_tls.csv").rows) {
    if (row[0] == "pearson_york" && row[1].starts_with("TLS unweighted") && row[2].starts_with("chi2_min")) {
      EXPECT_NEAR(std::pow(tls_errors(data).singular_values[0], 2), std::stod(row[3]), 0.6e-12);
    }
  }
}

// Powers of two change no digit, and means that are 2^30 times the noise cost none: the data are multiples of 2^-20.
TEST(TlsErrors, UnitsAndMeans) {
  Random random(62);
  RegressionData data = noisy(random, 20, 2, 2, true);
  for (Matrix* a : {&data.x, &data.y})
    for (double& value : a->values) value = std::ldexp(std::round(std::ldexp(value, 20)), -20);
  const Total fit = tls_errors(data);
  for (const int unit : {500, -500, 1000, -900}) {
    RegressionData other = data;
    other.x = scaled(data.x, std::ldexp(1.0, unit));
    other.y = scaled(data.y, std::ldexp(1.0, unit));
    const Total moved = tls_errors(other);
    EXPECT_TRUE(bit_equal(moved.x_correction, scaled(fit.x_correction, std::ldexp(1.0, unit))));
    EXPECT_TRUE(bit_equal(moved.y_correction, scaled(fit.y_correction, std::ldexp(1.0, unit))));
    EXPECT_EQ(moved.distances[3], std::ldexp(fit.distances[3], unit));
    EXPECT_EQ(moved.singular_values[1], std::ldexp(fit.singular_values[1], unit));
  }
  RegressionData far = data;
  for (double& value : far.x.values) value += 0x1p30;
  for (double& value : far.y.values) value -= 0x1p29;
  const Total away = tls_errors(far);
  EXPECT_CLOSE(away.x_correction, fit.x_correction, 1e-12);
  EXPECT_CLOSE(away.y_correction, fit.y_correction, 1e-12);
  EXPECT_CLOSE(away.distances, fit.distances, 1e-12);
}

// Points on a plane: nothing to correct but rounding. Two points, one feature: a line through both.
TEST(TlsErrors, ConsistentData) {
  Random random(63);
  RegressionData data{random.uniform_matrix(10, 2, -1.0, 1.0), Matrix(10, 1)};
  for (std::int64_t i = 0; i < 10; ++i) data.y(i, 0) = 2 * data.x(i, 0) - data.x(i, 1) + 0.5;
  const Total fit = tls_errors(data);
  EXPECT_LE(fit.singular_values[0], 1e-14);
  for (const double value : fit.distances) EXPECT_LE(value, 1e-14);
}

TEST(TlsErrors, WhatFailsWritesNothing) {
  RegressionData data{Matrix(4, 1), Matrix(4, 1), false};
  data.x.values = {1, -1, 0, 0};
  data.y.values = {0, 0, 3, 3};
  const auto expect_untouched = [&](const Labels& exact, freeridge_status status) {
    const Total fit = tls_errors(data, exact, true);
    EXPECT_EQ(fit.status, status) << freeridge_last_error();
    for (const Vector* out : {&fit.singular_values, &fit.distances, &fit.x_correction.values, &fit.y_correction.values,
                              &fit.w.values, &fit.b})
      for (const double value : *out) EXPECT_TRUE(std::isnan(value)) << "an output was written";
  };
  expect_untouched({}, FREERIDGE_UNDEFINED);
  data.x.values[2] = std::numeric_limits<double>::quiet_NaN();
  expect_untouched({}, FREERIDGE_NOT_FINITE);
  data.x.values = {1e-200, 2e-200, -1e-200, 3e-200};  // the slope
  data.y.values = {1e200, 1e200, -1e200, 3e200};
  expect_untouched({1}, FREERIDGE_NOT_FINITE);
  // The distance of the last point, and the singular value, are beyond what doubles hold.
  const double most = std::numeric_limits<double>::max();
  data.x.values = {most, -most, most, -most};
  data.y.values = {most, -most, -most, most};
  expect_untouched({1}, FREERIDGE_NOT_FINITE);
}

}  // namespace tls_errors_test
