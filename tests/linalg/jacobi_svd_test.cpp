// Singular values of matrices whose columns differ in scale, A = B diag(scales), to the relative accuracy that B allows:
// against one-sided Jacobi in long double, on matrices in shuffled order, with duplicate columns and zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "libcore/base/random.hpp"
#include "libcore/linalg/jacobi_svd.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/threads.hpp"

namespace jacobi_svd_test {

using freeridge::Index;
using freeridge::Matrix;
using freeridge::Random;

constexpr double eps = std::numeric_limits<double>::epsilon();

double number(Index i) {
  return static_cast<double>(i);
}

Matrix made(Index n, const std::function<double(Index, Index)>& element) {
  Matrix out(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) out(i, j) = element(i, j);
  return out;
}

// Random columns, of the scales of a random order of 0 ... n - 1.
Matrix scaled(Index n, const std::function<double(Index)>& scale) {
  Random random(3);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
  Matrix out(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      out(i, j) = (2 * random.uniform() - 1 + (i == j ? 4 : 0)) * scale(order[static_cast<std::size_t>(j)]);
  return out;
}

struct Family {
  const char* name;
  std::function<Matrix(Index)> make;
};

const Family families[] = {
    {"equal", [](Index n) { return scaled(n, [](Index) { return 1.0; }); }},
    {"two scales", [](Index n) { return scaled(n, [](Index j) { return j % 2 == 0 ? 1.0 : 1e-12; }); }},
    {"graded", [](Index n) { return scaled(n, [=](Index j) { return std::pow(10, -200 * number(j) / number(n)); }); }},
    {"huge", [](Index n) { return scaled(n, [](Index j) { return j % 3 == 0 ? 1e307 : 1e290; }); }},
    {"tiny", [](Index n) { return scaled(n, [](Index j) { return j % 3 == 0 ? 1e-300 : 1e-290; }); }},
    {"diagonal", [](Index n) { return made(n, [](Index i, Index j) { return i == j ? 1 / (1 + number(i)) : 0; }); }},
    {"permutation", [](Index n) { return made(n, [=](Index i, Index j) { return i + j == n - 1 ? 1.0 : 0; }); }},
};
const Index sizes[] = {1, 2, 3, 15, 16, 17, 33, 50, 67};

// Singular values, descending.
std::vector<long double> oracle(const Matrix& a) {
  const Index n = a.rows();
  std::vector<std::vector<long double>> x;
  for (Index j = 0; j < n; ++j) {
    x.emplace_back();
    for (Index i = 0; i < n; ++i) x.back().push_back(a(i, j));
  }
  const auto product = [](const auto& u, const auto& v) {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0L);
  };
  std::ranges::sort(x, std::greater<>(), [&](const auto& v) { return product(v, v); });
  for (bool rotated = true; rotated;) {
    rotated = false;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = i + 1; j < x.size(); ++j) {
        const long double p = product(x[i], x[i]), q = product(x[j], x[j]), d = product(x[i], x[j]);
        if (d == 0 || std::abs(d) <= 1e-18L * std::sqrt(p) * std::sqrt(q)) continue;
        rotated = true;
        const long double zeta = (p - q) / (2 * d);
        const long double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1.0L, zeta)), zeta);
        const long double c = 1 / std::hypot(1.0L, t), s = c * t;
        for (std::size_t k = 0; k < x.size(); ++k) {
          const long double first = x[i][k], second = x[j][k];
          x[i][k] = c * first + s * second;
          x[j][k] = c * second - s * first;
        }
      }
  }
  std::vector<long double> out;
  for (const auto& v : x) out.push_back(std::sqrt(product(v, v)));
  std::ranges::sort(out, std::greater<>());
  return out;
}

struct Svd {
  std::vector<double> s;
  Matrix u, vt;

  explicit Svd(const Matrix& a) : s(static_cast<std::size_t>(a.rows())), u(a.rows(), a.rows()), vt(a.rows(), a.rows()) {
    Matrix copy(a.rows(), a.rows());
    std::ranges::copy(a.values(), copy.values().begin());
    freeridge::jacobi_svd(copy.view(), s, u.view(), vt.view());
  }
};

// |M'M - I|, the largest element.
double orthonormality(const Matrix& m) {
  double worst = 0;
  for (Index i = 0; i < m.cols(); ++i)
    for (Index j = 0; j < m.cols(); ++j) {
      long double sum = i == j ? -1 : 0;
      for (Index k = 0; k < m.rows(); ++k) sum += static_cast<long double>(m(k, i)) * m(k, j);
      worst = std::max(worst, static_cast<double>(std::abs(sum)));
    }
  return worst;
}

// |a_j - (U S V')_j| / |a_j|, the largest of the columns that are not zero.
double column_errors(const Matrix& a, const Svd& svd) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    long double error = 0, norm = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      long double sum = a(i, j);
      norm = std::hypot(norm, sum);
      for (Index k = 0; k < a.rows(); ++k)
        sum -= static_cast<long double>(svd.u(i, k)) * svd.s[static_cast<std::size_t>(k)] * svd.vt(k, j);
      error = std::hypot(error, sum);
    }
    if (norm > 0) worst = std::max(worst, static_cast<double>(error / norm));
  }
  return worst;
}

void expect_decomposed(const Matrix& a, const Svd& svd, double columns) {
  const double n = number(a.rows());
  EXPECT_LE(orthonormality(svd.u), 10 * n * eps);
  EXPECT_LE(orthonormality(svd.vt), 10 * n * eps);
  EXPECT_LE(column_errors(a, svd), columns * n * eps);
  EXPECT_TRUE(std::ranges::is_sorted(svd.s, std::greater<>()));
}

TEST(JacobiSvd, SmallSingularValuesHaveTheirDigits) {
  for (const Family& family : families)
    for (const Index n : sizes) {
      SCOPED_TRACE(std::string(family.name) + " " + std::to_string(n));
      const Matrix a = family.make(n);
      const Svd svd(a);
      expect_decomposed(a, svd, 10);
      const std::vector<long double> expected = oracle(a);
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_NEAR(static_cast<double>(svd.s[k] / expected[k]), 1, 100 * number(n) * eps) << k;
    }
}

TEST(JacobiSvd, DependentColumnsAndZeros) {
  for (const Index n : sizes) {
    SCOPED_TRACE(n);
    Matrix a = scaled(n, [](Index j) { return std::pow(10, -number(j % 9)); });
    for (Index i = 0; i < n; ++i) a(i, n / 2) = n > 1 ? 1e-8 * a(i, 0) : 0;
    for (Index i = 0; i < n; ++i) a(i, n - 1) = 0;
    const Svd svd(a);
    expect_decomposed(a, svd, 1e3);
    EXPECT_EQ(svd.s.back(), 0);
    if (n > 3) {
      EXPECT_LE(svd.s[static_cast<std::size_t>(n - 2)], 1e3 * eps * svd.s.front());
    }
    const Svd of_zero(Matrix(n, n, 0.0));
    expect_decomposed(Matrix(n, n, 0.0), of_zero, 1);
    EXPECT_EQ(of_zero.s.front(), 0);
  }
}

// The triangle of 8 x 6 rows of weights over eight decades, two columns equal: with OpenBLAS's kernels for Haswell, Zen and
// old processors the rotations of columns do not end for one in ten of these.
TEST(JacobiSvd, EqualColumnsInRowsOverDecades) {
  Random random(17);
  for (int count = 0; count < 300; ++count) {
    SCOPED_TRACE(count);
    Matrix x(8, 6), a(6, 6);
    for (Index i = 0; i < 8; ++i) {
      const double scale = std::pow(10, 4 * random.uniform() - 2);
      for (Index j = 0; j < 6; ++j) x(i, j) = scale * (2 * random.uniform() - 1);
      x(i, 1) = x(i, 0);
    }
    std::vector<double> tau(6);
    freeridge::geqrf(x.view(), tau);
    for (Index j = 0; j < 6; ++j) std::copy_n(x.col(j), j + 1, a.col(j));
    const Svd svd(a);
    expect_decomposed(a, svd, 10);
    EXPECT_LE(svd.s.back(), 100 * eps * svd.s.front());
  }
}

TEST(JacobiSvd, TheSameBitsEachTimeAndTheSameAnswersOnOneThread) {
  const Matrix a = families[1].make(130);
  const Svd svd(a), again(a);
  EXPECT_EQ(svd.s, again.s);
  EXPECT_TRUE(std::ranges::equal(svd.u.values(), again.u.values()));
  EXPECT_TRUE(std::ranges::equal(svd.vt.values(), again.vt.values()));
  freeridge::set_thread_count(1);
  const Svd alone(a);
  freeridge::set_thread_count(0);
  for (std::size_t k = 0; k < svd.s.size(); ++k) EXPECT_NEAR(svd.s[k] / alone.s[k], 1, 1e-13) << k;
}

}  // namespace jacobi_svd_test
