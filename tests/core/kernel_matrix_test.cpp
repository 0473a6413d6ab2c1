// Kernel matrices, products and rows in tiles, asked of the core directly, against kernel values in long double: every
// kernel, both layouts, shifts, weights, and sizes on both sides of every tile.
#include "libcore/kernel/kernel_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/kernel/kernel_text.hpp"
#include "support/problems.hpp"
#include "support/quad.hpp"

namespace kernel_matrix_test {

using freeridge::Index;
using freeridge::KernelPtr;
using freeridge::Layout;
using freeridge::LayoutView;
using freeridge::Support;
using oracle::Family;
using oracle::KernelSpec;
using support::Dense;
using support::Matrix;
using support::Random;
using support::Real;
using support::Vector;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

KernelPtr core_kernel(const KernelSpec& spec) {
  return freeridge::parse_kernel(oracle::make_kernel(spec).description());
}

std::vector<KernelSpec> every_kernel(std::int64_t d) {
  std::vector<KernelSpec> out;
  for (const Family family : oracle::all_families)
    for (const bool scaled : {false, true}) out.push_back(support::kernel_of(family, d, scaled));
  return out;
}

// A matrix of the user's in a layout, with NaN between its columns or rows.
struct Stored {
  Stored(const Matrix& x, Layout layout) {
    const bool by_col = layout == Layout::col_major;
    const std::int64_t ld = (by_col ? x.rows : x.cols) + 3;
    values.assign(static_cast<std::size_t>(ld * (by_col ? x.cols : x.rows)), nan);
    for (std::int64_t i = 0; i < x.rows; ++i)
      for (std::int64_t k = 0; k < x.cols; ++k)
        values[static_cast<std::size_t>(by_col ? i + k * ld : i * ld + k)] = x(i, k);
    view = {values.data(), x.rows, x.cols, ld, layout};
  }
  Vector values;
  LayoutView view;
};

Matrix shifted(Matrix x, const Vector& shift) {
  for (std::int64_t k = 0; k < x.cols && !shift.empty(); ++k)
    for (std::int64_t i = 0; i < x.rows; ++i) x(i, k) -= shift[static_cast<std::size_t>(k)];
  return x;
}

freeridge::MatrixView view_of(Matrix& m) {
  return {m.values.data(), m.rows, m.cols, m.rows};
}
freeridge::ConstMatrixView view_of(const Matrix& m) {
  return {m.values.data(), m.rows, m.cols, m.rows};
}

// The values are of the order of one; sums of d terms and profiles lose a few units of rounding.
constexpr Real tolerance = 1e-14L;

TEST(KernelMatrix, LowerTriangleWeighted) {
  Random random(71);
  for (const std::int64_t d : {3, 140})
    for (const std::int64_t n : {1, 70, 300, 520}) {
      if (d > 3 && n != 70) continue;
      const Matrix x = random.uniform_matrix(n, d, -1.0, 1.0);
      const Vector weights = random.uniform_vector(n, 0.5, 1.5), ones(static_cast<std::size_t>(n), 1.0);
      for (const KernelSpec& spec :
           n > 300 ? std::vector{KernelSpec::linear(), KernelSpec::gaussian(1.5)} : every_kernel(d))
        for (const bool special : {false, true}) {  // row-major, shifted and weighted, or none of it
          const KernelPtr kernel = core_kernel(spec);
          SCOPED_TRACE(testing::Message() << freeridge::describe(*kernel).substr(0, 60) << " n = " << n << special);
          const Vector shift = special ? random.uniform_vector(d, -0.2, 0.2) : Vector();
          const Vector& sqrt_w = special ? weights : ones;
          const Stored stored(x, special ? Layout::row_major : Layout::col_major);
          Matrix k(n, n);
          freeridge::weighted_kernel_matrix(*kernel, stored.view, shift, sqrt_w, view_of(k));
          const Matrix moved = shifted(x, shift);
          const Dense expected = oracle::kernel_matrix(spec, moved, moved);
          Real worst = 0, largest = 0;
          for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = j; i < n; ++i) {
              const Real w =
                  static_cast<Real>(sqrt_w[static_cast<std::size_t>(i)]) * sqrt_w[static_cast<std::size_t>(j)];
              worst = std::max(worst, std::abs(k(i, j) - w * expected(i, j)));
              largest = std::max(largest, std::abs(expected(i, j)));
            }
          EXPECT_LE(worst, tolerance * std::max<Real>(largest, 1));
        }
    }
}

TEST(KernelMatrix, ProductsRowsAndCrossValues) {
  Random random(72);
  const std::int64_t d = 5, n = 530, m = 275, t = 2;
  const Matrix x = random.uniform_matrix(n, d, -1.0, 1.0), points = random.uniform_matrix(m, d, -1.0, 1.0);
  const Matrix c = random.uniform_matrix(n, t, -1.0, 1.0);
  const Vector shift = random.uniform_vector(d, -0.2, 0.2);
  std::vector<Index> chosen;
  for (Index i = 0; i < n; i += 2) chosen.push_back((i * 7) % n);
  for (const KernelSpec& spec : every_kernel(d)) {
    const KernelPtr kernel = core_kernel(spec);
    SCOPED_TRACE(freeridge::describe(*kernel).substr(0, 60));
    const Dense expected = oracle::kernel_matrix(spec, points, x),
                across = oracle::kernel_matrix(spec, shifted(x, shift), shifted(points, shift));
    Real largest = 1;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(expected(i, j)));
    for (const Layout layout : {Layout::col_major, Layout::row_major}) {
      const Stored xs(x, layout), zs(points, layout);
      const std::int64_t first = 4;
      Matrix f(m - first, t);
      freeridge::kernel_product(*kernel, zs.view, first, xs.view, view_of(c), view_of(f));
      for (std::int64_t i = 0; i < f.rows; ++i)
        for (std::int64_t j = 0; j < t; ++j) {
          Real sum = 0;
          for (std::int64_t q = 0; q < n; ++q) sum += expected(first + i, q) * c(q, j);
          EXPECT_NEAR(f(i, j), static_cast<double>(sum), static_cast<double>(10 * tolerance * largest * n));
        }

      const Support all(kernel, xs.view), some(kernel, xs.view, chosen);
      Matrix rows(m - first, n), some_rows(m - first, some.size());
      all.evaluate(zs.view, first, view_of(rows));
      some.evaluate(zs.view, first, view_of(some_rows));
      for (std::int64_t i = 0; i < rows.rows; ++i) {
        for (std::int64_t j = 0; j < n; ++j)
          ASSERT_LE(std::abs(rows(i, j) - expected(first + i, j)), tolerance * largest);
        for (std::int64_t q = 0; q < some.size(); ++q)
          ASSERT_LE(std::abs(some_rows(i, q) - expected(first + i, chosen[static_cast<std::size_t>(q)])),
                    tolerance * largest);
      }

      for (const Index columns : {1, 3, 270}) {
        Matrix out(n, columns);
        freeridge::cross_kernel(*kernel, xs.view, shift, zs.view, first, view_of(out));
        for (Index q = 0; q < columns; ++q)
          for (Index i = 0; i < n; ++i) ASSERT_LE(std::abs(out(i, q) - across(i, first + q)), tolerance * largest);
      }
    }
  }
}

// A kernel of the distance gives a pair of points the same bits in whatever tile, order and call it comes, and equal
// points exactly one: what refines a solution may evaluate K anew.
TEST(KernelMatrix, RadialValuesAreTheSameEverywhere) {
  Random random(73);
  for (const std::int64_t d : {2, 200}) {
    const std::int64_t n = 330;
    Matrix x = random.uniform_matrix(n, d, 99.0, 101.0);
    for (std::int64_t k = 0; k < d; ++k) x(n - 1, k) = x(7, k);
    const Stored xs(x, Layout::col_major), by_row(x, Layout::row_major);
    const Vector ones(static_cast<std::size_t>(n), 1.0);
    for (const Family family : {Family::gaussian, Family::laplacian, Family::matern32, Family::matern52})
      for (const bool scaled : {false, true}) {
        const KernelPtr kernel = core_kernel(support::kernel_of(family, d, scaled));
        Matrix k(n, n), all(n, n), rows(n, n);
        freeridge::weighted_kernel_matrix(*kernel, xs.view, {}, ones, view_of(k));
        freeridge::cross_kernel(*kernel, by_row.view, {}, xs.view, 0, view_of(all));
        const Support support(kernel, by_row.view);
        for (Index i = 0; i < n; i += 11)
          support.evaluate(xs.view, i, view_of(rows).row_range(i, std::min<Index>(11, n - i)));
        EXPECT_EQ(all.values, rows.values);
        for (std::int64_t j = 0; j < n; ++j) {
          EXPECT_EQ(k(j, j), 1.0);
          for (std::int64_t i = j; i < n; ++i) {
            ASSERT_EQ(k(i, j), all(i, j)) << i << " " << j;
            ASSERT_EQ(all(i, j), all(j, i));
          }
        }
        EXPECT_EQ(k(n - 1, 7), 1.0);
      }
  }
}

// Bandwidths whose square, or whose reciprocal, no double holds: the values are still those of the formula.
TEST(KernelMatrix, ExtremeBandwidths) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const double size : {tiny, 1e-320, 2.3e-308, 1e-200, 1e-154, 1e-100, 1.0, 1e100, 1e154, 1e200, 5e307, 1.7e308})
    for (const Family family : {Family::gaussian, Family::laplacian, Family::matern32, Family::matern52}) {
      SCOPED_TRACE(testing::Message() << size << " " << static_cast<int>(family));
      const KernelSpec spec = KernelSpec::radial(family, size);
      // Points at distances of the order of the bandwidth, whose squares no double may hold, and a far one.
      Matrix x(4, 1);
      x.values = {0.0, size < 1e-300 ? 4 * size : 1.0, size, -0.3 * size};
      const Stored stored(x, Layout::col_major);
      Matrix k(4, 4);
      freeridge::cross_kernel(*core_kernel(spec), stored.view, {}, stored.view, 0, view_of(k));
      const Dense expected = oracle::kernel_matrix(spec, x, x);
      for (std::int64_t j = 0; j < 4; ++j)
        for (std::int64_t i = 0; i < 4; ++i) {
          EXPECT_NEAR(k(i, j), static_cast<double>(expected(i, j)), 1e-14) << i << " " << j;
          if (i == j) {
            EXPECT_EQ(k(i, j), 1.0);
          }
        }
    }
}

void expect_not_finite(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "accepted";
  } catch (const freeridge::Error& error) {
    EXPECT_EQ(error.status(), freeridge::Status::not_finite);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

// A kernel whose values are given has no function that could give others.
TEST(KernelMatrix, NothingIsEvaluatedOfAPrecomputedKernel) {
  const Matrix x(2, 2, 1.0);
  Matrix out(2, 2, 7.0);
  try {
    freeridge::precomputed_kernel()->evaluate(view_of(x), view_of(x), view_of(out));
    ADD_FAILURE() << "evaluated";
  } catch (const freeridge::Error& error) {
    EXPECT_EQ(error.status(), freeridge::Status::internal);
  }
  EXPECT_EQ(out.values, Matrix(2, 2, 7.0).values);
}

// One pair of points far into the second tile overflows, and is named.
TEST(KernelMatrix, OverflowIsFoundAndNamed) {
  const Index n = 600, p = 599, q = 290;
  Matrix x(n, 2);
  std::fill(x.values.begin(), x.values.end(), 0.0);
  x(p, 0) = 1e200, x(p, 1) = 1;
  x(q, 0) = 1e150, x(q, 1) = 1;  // 1e200 * 1e150 overflows, and so does 1e200^2, in row p alone
  const KernelPtr kernel = freeridge::linear_kernel();
  const Vector ones(static_cast<std::size_t>(n), 1.0);
  for (const Layout layout : {Layout::col_major, Layout::row_major}) {
    const Stored stored(x, layout);
    Matrix k(n, n), f(n, 1), c(n, 1);
    std::fill(c.values.begin(), c.values.end(), 0.0);
    expect_not_finite([&] { freeridge::weighted_kernel_matrix(*kernel, stored.view, {}, ones, view_of(k)); },
                      "the kernel of rows 599 and ");
    expect_not_finite([&] { freeridge::kernel_product(*kernel, stored.view, 0, stored.view, view_of(c), view_of(f)); },
                      "the kernel of rows ");
    const std::vector<Index> rows = {3, q};
    const Support support(kernel, stored.view, rows);
    Matrix some(n, 2);
    expect_not_finite([&] { support.evaluate(stored.view, 0, view_of(some)); },
                      "the kernel of rows 599 and 290 is inf");
    Matrix column(n, 1);
    expect_not_finite([&] { freeridge::cross_kernel(*kernel, stored.view, {}, stored.view, q, view_of(column)); },
                      "the kernel of rows 599 and 290 is inf");
  }
  // The values are finite here, the weighted ones are not.
  Vector weights(static_cast<std::size_t>(n), 1.0);
  weights[static_cast<std::size_t>(q)] = 1e100;
  x(p, 0) = 1e-10, x(q, 0) = 1e145;
  const Stored stored(x, Layout::col_major);
  Matrix k(n, n);
  expect_not_finite([&] { freeridge::weighted_kernel_matrix(*kernel, stored.view, {}, weights, view_of(k)); },
                    "the kernel of rows 290 and 290 is inf");
}

// ---- values with twice the digits ----

using support::exponential;
using support::Quad;
using support::square_root;

// Two points of three columns.
struct Pair {
  Quad x[3], z[3];
};

// |x - z|^2 and x'z of the columns [first, first + count), divided by `scale`.
Quad square(const Pair& p, std::size_t first, std::size_t count, const Quad (&scale)[3] = {1, 1, 1}) {
  Quad out = 0;
  for (std::size_t k = first; k < first + count; ++k)
    out += (p.x[k] - p.z[k]) * (p.x[k] - p.z[k]) / scale[k] / scale[k];
  return out;
}
Quad inner_product(const Pair& p) {
  return p.x[0] * p.z[0] + p.x[1] * p.z[1] + p.x[2] * p.z[2];
}

// The sine by its series, of the argument as it is.
Quad sine(Quad a) {
  Quad term = a, sum = a;
  for (int k = 2; k < 60; k += 2) sum += term = -term * a * a / (k * (k + 1));
  return sum;
}
const Quad pi = Quad(0x1.921fb54442d18p+1) + Quad(0x1.1a62633145c07p-53) + Quad(-0x1.f1976b7ed8fbcp-109);
Quad half_sine_squared(Quad a, Quad b, Quad turn) {
  const Quad s = sine(pi * (a - b) / turn);
  return s * s;
}

struct TwofoldValue {
  const char* kernel;
  Quad (*exact)(const Pair&);
};

const TwofoldValue twofold_values[] = {
    {"linear()", inner_product},
    {"polynomial(degree = 3, scale = 0.5, offset = 2)",
     [](const Pair& p) {
       const Quad base = inner_product(p) / 2 + 2;
       return base * base * base;
     }},
    {"gaussian(sigma = 0.75)", [](const Pair& p) { return exponential(-square(p, 0, 3) * 16 / 9); }},
    {"laplacian(sigma = 0.75)", [](const Pair& p) { return exponential(-square_root(square(p, 0, 3)) * 4 / 3); }},
    {"matern(nu = 0.5, length = 2)", [](const Pair& p) { return exponential(-square_root(square(p, 0, 3)) / 2); }},
    {"matern(nu = 1.5, length = 2)",
     [](const Pair& p) {
       const Quad u = square_root(3 * square(p, 0, 3)) / 2;
       return (1 + u) * exponential(-u);
     }},
    {"matern(nu = 2.5, length = 2)",
     [](const Pair& p) {
       const Quad u = square_root(5 * square(p, 0, 3)) / 2;
       return (1 + u + u * u / 3) * exponential(-u);
     }},
    {"scaled([2, 0.25, 1.5], gaussian(sigma = 1))",
     [](const Pair& p) {
       return exponential(-square(p, 0, 3, {2, Quad(0.25), Quad(1.5)}));
     }},
    {"0.5 * gaussian(sigma = 1) + 3 * linear()",
     [](const Pair& p) { return exponential(-square(p, 0, 3)) / 2 + 3 * inner_product(p); }},
    {"product(gaussian(sigma = 1), polynomial(degree = 1, scale = 1, offset = 4))",
     [](const Pair& p) { return exponential(-square(p, 0, 3)) * (inner_product(p) + 4); }},
    {"additive(gaussian(sigma = 1))",
     [](const Pair& p) {
       return (exponential(-square(p, 0, 1)) + exponential(-square(p, 1, 1)) + exponential(-square(p, 2, 1))) / 3;
     }},
    {"multiplicative([0, -1, 1], 1 * constant() + 3 * gaussian(sigma = 1))",
     [](const Pair& p) { return (1 + 3 * exponential(-square(p, 0, 1))) * (1 + 3 * exponential(-square(p, 2, 1))); }},
    {"additive([-1, 0, -1], periodic(period = 0.75, gaussian(sigma = 2)))",
     [](const Pair& p) { return exponential(-half_sine_squared(p.x[1], p.z[1], Quad(0.75))); }},
    {"additive([-1, 0, 0], sphere(laplacian(sigma = 0.03125)))",
     [](const Pair& p) {
       const auto cosine = [](Quad degrees) { return sine(pi * (90 - degrees) / 180); };
       return exponential(-64 * square_root(half_sine_squared(p.x[2], p.z[2], 360) +
                                            cosine(p.x[2]) * cosine(p.z[2]) * half_sine_squared(p.x[1], p.z[1], 360)));
     }},
    {"additive([-1, 0, 0], gaussian(sigma = 1))", [](const Pair& p) { return exponential(-square(p, 1, 2)); }},
};

// Points a whole number of periods or turns apart are the same; near ones keep their digits, also at a pole.
TEST(KernelValues, OfOtherDistancesLoseNothingNearby) {
  const auto value = [](const char* text, const Matrix& x, const Matrix& z) {
    Matrix out(x.rows, z.rows);
    freeridge::parse_kernel(text)->evaluate(view_of(x), view_of(z), view_of(out));
    return out;
  };
  Matrix x(3, 1), z(3, 1);
  x.values = {2020.5, 1e6, -0.25};
  z.values = {2020.5 + 12 * 7, 1e6 + 12 * 0x1p-30, -0.25 + 12};
  const Matrix periodic = value("periodic(period = 12, laplacian(sigma = 1e-9))", x, z);
  EXPECT_EQ(periodic(0, 0), 1);
  EXPECT_EQ(periodic(2, 2), 1);
  const double pi_value = 3.14159265358979323846, r = 2 * std::sin(pi_value * 0x1p-30);
  EXPECT_NEAR(periodic(1, 1), std::exp(-r / 1e-9), 1e-14);
  Matrix a(4, 2), b(4, 2);
  a.values = {179.5, -180, 10, 10, 45, 0, 90, 90 - 0x1p-20};
  b.values = {179.5 - 360, 180, 190, 190, 45, 0, 90, 90 - 0x1p-20};
  const Matrix sphere = value("sphere(laplacian(sigma = 1e-8))", a, b);
  EXPECT_EQ(sphere(0, 0), 1);
  EXPECT_EQ(sphere(1, 1), 1);
  EXPECT_EQ(sphere(2, 2), 1);  // the pole has every longitude
  EXPECT_NEAR(sphere(3, 3), std::exp(-2 * std::sin(pi_value / 180 * 0x1p-20) / 1e-8), 1e-13);  // across the pole
}

// Of points that have twice the digits, too; and of k + 1. The exponential has an error of about 1e-27.
TEST(KernelValues, WithTwiceTheDigits) {
  Random random(79);
  for (const TwofoldValue& of : twofold_values) {
    const KernelPtr kernel = freeridge::parse_kernel(of.kernel), more = freeridge::plus_one(kernel);
    for (int round = 0; round < 200; ++round) {
      Pair pair;
      std::vector<freeridge::DoubleDouble> x, z;
      const auto fill = [&](std::vector<freeridge::DoubleDouble>& to, Quad* exact) {
        for (std::size_t k = 0; k < 3; ++k) {
          to.push_back(freeridge::two_sum(random.uniform(-1.0, 1.0), 0x1p-54 * random.uniform(-1.0, 1.0)));
          exact[k] = Quad(to[k].hi) + Quad(to[k].lo);
        }
      };
      fill(x, pair.x);
      fill(z, pair.z);
      const Quad expected = of.exact(pair);
      const auto expect_close = [&](freeridge::DoubleDouble found, Quad exact) {
        const Quad error = support::absolute(Quad(found.hi) + Quad(found.lo) - exact);
        EXPECT_LE(static_cast<double>(error / (1 + support::absolute(exact))), 2e-27) << of.kernel;
      };
      expect_close(kernel->twofold(x, z), expected);
      expect_close(more->twofold(x, z), expected + 1);
    }
  }
}

}  // namespace kernel_matrix_test
