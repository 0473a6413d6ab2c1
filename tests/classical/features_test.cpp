// Polynomial features: their number and order, their values, and the kernel they are the features of.
#include <gtest/gtest.h>

#include <set>

#include "support/classical.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"

namespace features_test {

using namespace support;

std::int64_t feature_count(std::int64_t d, std::int32_t degree, bool bias) {
  std::int64_t out = -1;
  check(freeridge_polynomial_exponents(d, degree, bias ? 1 : 0, &out, nullptr), "freeridge_polynomial_exponents");
  return out;
}

Table<std::int32_t> exponents(std::int64_t d, std::int32_t degree, bool bias) {
  Table<std::int32_t> out(feature_count(d, degree, bias), d, -1);
  std::int64_t count = -1;
  check(freeridge_polynomial_exponents(d, degree, bias ? 1 : 0, &count, out.values.data()),
        "freeridge_polynomial_exponents");
  EXPECT_EQ(count, out.rows);
  return out;
}

Matrix features(const Matrix& x, std::int32_t degree, bool bias, freeridge_layout layout = FREERIDGE_COL_MAJOR,
                std::int64_t padding = 0) {
  const Packed in = pack(x, layout, padding);
  Matrix out(x.rows, feature_count(x.cols, degree, bias));
  Packed to = pack(out, layout, padding);
  check(freeridge_polynomial_features(layout, x.rows, x.cols, in.values.data(), in.ld, degree, bias ? 1 : 0,
                                      to.values.data(), to.ld),
        "freeridge_polynomial_features");
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = to.values[packed_index(layout, to.ld, i, j)];
  return out;
}

Vector factors(std::int64_t d, std::int32_t degree, double scale, double offset) {
  Vector out(static_cast<std::size_t>(feature_count(d, degree, true)));
  check(freeridge_polynomial_feature_factors(d, degree, scale, offset, out.data()),
        "freeridge_polynomial_feature_factors");
  return out;
}

TEST(PolynomialFeatures, Count) {
  EXPECT_EQ(feature_count(1, 1, true), 2);
  EXPECT_EQ(feature_count(1, 1, false), 1);
  EXPECT_EQ(feature_count(2, 2, true), 6);
  EXPECT_EQ(feature_count(3, 2, false), 9);
  EXPECT_EQ(feature_count(10, 5, true), 3003);
  EXPECT_EQ(feature_count(2147483647, 1, false), 2147483647);  // the largest there is
  EXPECT_EQ(feature_count(1, 2147483647, false), 2147483647);
  EXPECT_EQ(feature_count(65534, 2, false), 2147450879);  // 65536 65535 / 2 - 1
  std::int64_t out = -7;
  EXPECT_EQ(freeridge_polynomial_exponents(2147483647, 1, 1, &out, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_polynomial_exponents(65535, 2, 0, &out, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_polynomial_exponents(1000000, 1000000, 0, &out, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_polynomial_exponents(2147483647, 2147483647, 0, &out, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(out, -7);
}

TEST(PolynomialFeatures, OrderOfTheHeader) {
  const Table<std::int32_t> two = exponents(2, 2, true);  // 1; x1, x2; x1^2, x1 x2, x2^2
  EXPECT_EQ(two.values, (Labels{0, 1, 0, 2, 1, 0, 0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(exponents(2, 2, false).values, (Labels{1, 0, 2, 1, 0, 0, 1, 0, 1, 2}));
}

// By degree, then lexicographic in the lists of features in ascending order; each once.
TEST(PolynomialFeatures, OrderInGeneral) {
  for (const std::int64_t d : {1, 2, 4})
    for (const std::int32_t degree : {1, 3, 5}) {
      const Table<std::int32_t> e = exponents(d, degree, true);
      std::vector<std::vector<std::int64_t>> words;
      for (std::int64_t j = 0; j < e.rows; ++j) {
        std::vector<std::int64_t> word;
        for (std::int64_t k = 0; k < d; ++k)
          for (std::int32_t p = 0; p < e(j, k); ++p) word.push_back(k);
        EXPECT_LE(word.size(), static_cast<std::size_t>(degree));
        if (!words.empty()) {
          EXPECT_TRUE(words.back().size() < word.size() || (words.back().size() == word.size() && words.back() < word));
        }
        words.push_back(word);
      }
      EXPECT_EQ(static_cast<std::int64_t>(std::set(words.begin(), words.end()).size()), feature_count(d, degree, true));
    }
}

TEST(PolynomialFeatures, ValuesAreThePowers) {
  Random random(61);
  const Matrix x = random.uniform_matrix(7, 3, -2.0, 2.0);
  for (const bool bias : {true, false}) {
    const Table<std::int32_t> e = exponents(3, 4, bias);
    const Matrix z = features(x, 4, bias);
    for (std::int64_t j = 0; j < z.cols; ++j)
      for (std::int64_t i = 0; i < 7; ++i) {
        double expected = 1;  // the same order of multiplications: the same bits
        for (std::int64_t k = 0; k < 3; ++k)
          for (std::int32_t p = 0; p < e(j, k); ++p) expected *= x(i, k);
        EXPECT_EQ(z(i, j), expected);
      }
    EXPECT_TRUE(bit_equal(features(x, 4, bias, FREERIDGE_ROW_MAJOR, 3), z));
    EXPECT_TRUE(bit_equal(features(x, 4, bias, FREERIDGE_COL_MAJOR, 1), z));
  }
}

TEST(PolynomialFeatures, OverflowIsRefusedBeforeAnythingIsWritten) {
  const Vector x = {1e60, 1.0, 1.0, 1e200};  // 2 x 2: neither row overflows by x1 x2 alone, x2^2 does
  Vector out(12, -7.0);
  for (const auto layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
    EXPECT_EQ(freeridge_polynomial_features(layout, 2, 2, x.data(), 2, 2, 1, out.data(), 6), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(out, Vector(12, -7.0));
  const Vector fine = {1e200, 1e-200};  // the largest number alone would not do, and is not in a power
  EXPECT_EQ(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, 1, 2, fine.data(), 1, 1, 0, out.data(), 1),
            FREERIDGE_OK);
}

// The Gram matrix of the features is the kernel, and ridge on them is kernel ridge.
TEST(PolynomialFeatures, FactorsMakeThePolynomialKernel) {
  Random random(62);
  for (const std::int64_t d : {1, 3})
    for (const std::int32_t degree : {1, 2, 5})
      for (const double scale : {1.0, 0.3})
        for (const double offset : {0.0, 1.0, 2.5}) {
          const Matrix x = random.uniform_matrix(6, d, -1.0, 1.0);
          Matrix z = features(x, degree, true);
          const Vector factor = factors(d, degree, scale, offset);
          for (std::int64_t j = 0; j < z.cols; ++j)
            for (std::int64_t i = 0; i < z.rows; ++i) z(i, j) *= factor[static_cast<std::size_t>(j)];
          const Matrix gram = to_double(multiply(to_quad(z), transpose(to_quad(z))));
          Matrix kernel(6, 6);
          for (std::int64_t i = 0; i < 6; ++i)
            for (std::int64_t j = 0; j < 6; ++j) {
              Real dot = 0;
              for (std::int64_t k = 0; k < d; ++k) dot += Real(x(i, k)) * x(j, k);
              kernel(i, j) = static_cast<double>(std::pow(Real(scale) * dot + offset, Real(degree)));
            }
          EXPECT_CLOSE(gram, kernel, 1e-14);
        }
}

TEST(PolynomialFeatures, KernelRidgeIsRidgeOnFeatures) {
  Random random(63);
  RegressionData data;
  const Matrix x = random.uniform_matrix(12, 2, -1.0, 1.0);
  data.y = random.uniform_matrix(12, 1, -1.0, 1.0);
  data.x = features(x, 3, true);
  const Vector factor = factors(2, 3, 0.7, 1.2);
  for (std::int64_t j = 0; j < data.x.cols; ++j)
    for (std::int64_t i = 0; i < 12; ++i) data.x(i, j) *= factor[static_cast<std::size_t>(j)];
  const Regression fit = ridge(data, 0.1);
  Model model(Kernel::polynomial(3, 0.7, 1.2));
  model.data(x, data.y).factorize().lambda(0.1);
  Matrix fitted(12, 1);
  for (std::int64_t i = 0; i < 12; ++i) {
    fitted(i, 0) = fit.b[0];
    for (std::int64_t j = 0; j < data.x.cols; ++j) fitted(i, 0) += data.x(i, j) * fit.w(j, 0);
  }
  EXPECT_CLOSE(fitted, model.fitted(), 1e-12);
}

TEST(PolynomialFeatures, FactorsOfHighDegree) {
  // d = 1, scale = offset = 1: the square roots of binomial coefficients; C(1000, 500) is near the largest double.
  const Vector factor = factors(1, 1000, 1.0, 1.0);
  Quad binomial = 1;
  for (int e = 0; e <= 1000; ++e) {
    EXPECT_GE(digits(factor[static_cast<std::size_t>(e)], square_root(binomial)), 12.5) << e;
    binomial = binomial * (1000 - e) / (e + 1);
  }
  EXPECT_EQ(factors(2, 2, 1.0, 1.0), (Vector{1, std::sqrt(2.0), std::sqrt(2.0), 1, std::sqrt(2.0), 1}));
  EXPECT_EQ(factors(1, 2, 0x1p600, 0x1p-600), (Vector{0x1p-600, std::sqrt(2.0), 0x1p600}));  // no overflow on the way
  Vector out(3, -7.0);
  EXPECT_EQ(freeridge_polynomial_feature_factors(1, 2, 1e300, 1e300, out.data()), FREERIDGE_OK);
  EXPECT_EQ(freeridge_polynomial_feature_factors(1, 2, 1e308, 1e308, out.data()), FREERIDGE_OK);
  out.assign(8, -7.0);
  EXPECT_EQ(freeridge_polynomial_feature_factors(1, 7, 1e308, 1.0, out.data()), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(out, Vector(8, -7.0));
}

}  // namespace features_test
