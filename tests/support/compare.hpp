// Comparing matrices. "Relative" means: column by column, the largest difference over the largest expected magnitude of
// that column. A NaN is expected where and only where `expected` has one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/matrix.hpp"

namespace support {

// Infinity when the shapes or the NaN patterns differ. A column whose expected values are all zero must be zero
// exactly.
inline double relative_difference(const Matrix& actual, const Matrix& expected) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (actual.rows != expected.rows || actual.cols != expected.cols) return infinity;
  double worst = 0;
  for (std::int64_t j = 0; j < expected.cols; ++j) {
    double size = 0, difference = 0;
    for (std::int64_t i = 0; i < expected.rows; ++i) {
      if (std::isnan(expected(i, j)) != std::isnan(actual(i, j))) return infinity;
      if (std::isnan(expected(i, j))) continue;
      size = std::max(size, std::abs(expected(i, j)));
      const double here = std::abs(actual(i, j) - expected(i, j));
      difference = std::isnan(here) ? infinity : std::max(difference, here);
    }
    if (difference > 0) worst = std::max(worst, size > 0 ? difference / size : infinity);
  }
  return worst;
}

inline ::testing::AssertionResult close_to(const char* actual_text, const char* expected_text, const char*,
                                           const Matrix& actual, const Matrix& expected, double tolerance) {
  const double difference = relative_difference(actual, expected);
  if (difference <= tolerance) return ::testing::AssertionSuccess();
  ::testing::AssertionResult result = ::testing::AssertionFailure();
  result << actual_text << " differs from " << expected_text << " by " << difference << " relative, more than "
         << tolerance;
  if (actual.rows == expected.rows && actual.cols == expected.cols)
    for (std::int64_t i = 0; i < std::min<std::int64_t>(expected.rows, 8); ++i)
      for (std::int64_t j = 0; j < expected.cols; ++j)
        result << "\n  (" << i << ", " << j << "): " << actual(i, j) << " against " << expected(i, j);
  return result;
}

inline ::testing::AssertionResult close_to(const char* actual_text, const char* expected_text,
                                           const char* tolerance_text, const Vector& actual, const Vector& expected,
                                           double tolerance) {
  return close_to(actual_text, expected_text, tolerance_text, to_column(actual), to_column(expected), tolerance);
}

inline bool bit_equal(const Vector& a, const Vector& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline bool bit_equal(const Matrix& a, const Matrix& b) {
  return a.rows == b.rows && a.cols == b.cols && bit_equal(a.values, b.values);
}

#define EXPECT_CLOSE(actual, expected, tolerance) EXPECT_PRED_FORMAT3(::support::close_to, actual, expected, tolerance)

}  // namespace support
