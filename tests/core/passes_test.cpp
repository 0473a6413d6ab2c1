// The loops that kernel values are made in, asked directly, against long double; and every instruction set of this
// processor against the others, bit by bit.
#include "libcore/kernel/value_loops.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "support/random.hpp"

namespace passes_test {

using freeridge::all_passes;
using freeridge::By;
using freeridge::Index;
using freeridge::Passes;
using support::Random;
using Vector = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double tiny = std::numeric_limits<double>::denorm_min();
constexpr double huge = std::numeric_limits<double>::max();
constexpr double eps = std::numeric_limits<double>::epsilon();

Index size(const Vector& v) {
  return static_cast<Index>(v.size());
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The distance between doubles at `value`, a subnormal's where that is below all others.
long double unit_in_last_place(long double value) {
  if (value < std::numeric_limits<double>::min()) return tiny;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0L, exponent - 53);
}

// Numbers of every size up to `largest`, evenly and by powers of two, and the exceptional ones.
Vector nonnegative(Random& random, std::size_t count, double largest) {
  Vector out = {0.0, -0.0,  tiny,  1e-310, 1e-300, 1e-20, 0x1p-54, 0x1p-53,
                1.0, 708.3, 708.5, 745.1,  745.2,  1e300, huge,    infinity};
  while (out.size() < count) {
    out.push_back(random.uniform(0.0, largest));
    out.push_back(largest * std::exp2(random.uniform(-60.0, 0.0)));
  }
  return out;
}

using Pass = std::function<void(const Passes&, double*, Index)>;

std::vector<std::pair<const char*, Pass>> elementwise() {
  std::vector<std::pair<const char*, Pass>> out = {
      {"exp_minus", [](const Passes& p, double* v, Index n) { p.exp_minus(v, n); }},
      {"power", [](const Passes& p, double* v, Index n) { p.power(v, n, 0.3, 1.7, 13); }},
      {"divide", [](const Passes& p, double* v, Index n) { p.divide(v, n, 0.3, v); }},
      {"add", [](const Passes& p, double* v, Index n) { p.add(Vector(v, v + n).data(), n, 0.3, v); }},
      {"multiply", [](const Passes& p, double* v, Index n) { p.multiply(Vector(v, v + n).data(), n, v); }},
      {"weighted", [](const Passes& p, double* v, Index n) { p.weighted(v, n, Vector(v, v + n).data(), 0.3, v); }},
  };
  for (const By by : {By::factor, By::divisor}) {
    out.emplace_back("gaussian", [by](const Passes& p, double* v, Index n) { p.gaussian(v, n, 0.7, by); });
    out.emplace_back("laplacian", [by](const Passes& p, double* v, Index n) { p.laplacian(v, n, 0.7, by); });
    out.emplace_back("matern32", [by](const Passes& p, double* v, Index n) { p.matern32(v, n, 0.7, by); });
    out.emplace_back("matern52", [by](const Passes& p, double* v, Index n) { p.matern52(v, n, 0.7, by); });
  }
  return out;
}

TEST(Passes, ExponentialIsWithinEightTenthsOfAUnit) {
  Random random(61);
  const Vector u = nonnegative(random, 200000, 750.0);
  Vector near;  // where the nearest multiple of ln 2 changes, and where it is met
  for (int m = 0; m < 2160; ++m)
    for (int k = -10; k <= 10; ++k) near.push_back(std::abs(0.5 * m * std::log(2.0) + k * 0x1p-44));
  for (const Passes* passes : all_passes()) {
    SCOPED_TRACE(passes->name);
    for (const Vector& arguments : {u, near}) {
      Vector v = arguments;
      passes->exp_minus(v.data(), size(v));
      long double worst = 0;
      for (std::size_t i = 0; i < v.size(); ++i) {
        const long double exact = std::exp(-static_cast<long double>(arguments[i]));
        worst = std::max(worst, std::abs(v[i] - exact) / unit_in_last_place(exact));
      }
      EXPECT_LE(worst, 0.8L);
      EXPECT_GE(worst, 0.4L);  // not correctly rounded numbers of another function
    }
  }
}

// Loops on one feature: the profile and its derivative by the logarithm of the length, in long double; the same bits with
// each instruction set, also where rows do not fill a register.
TEST(Passes, OneFeatureHasTheProfileAndItsDerivative) {
  using Real = long double;
  struct Case {
    freeridge::FeaturePasses Passes::*feature;
    bool squared;
    std::function<Real(Real)> value, slope;
  };
  const Case cases[] = {
      {&Passes::gaussian_feature, true, [](Real v) { return std::exp(-v); },
       [](Real v) { return 2 * v * std::exp(-v); }},
      {&Passes::laplacian_feature, false, [](Real u) { return std::exp(-u); }, [](Real u) { return u * std::exp(-u); }},
      {&Passes::matern32_feature, false, [](Real u) { return (1 + u) * std::exp(-u); },
       [](Real u) { return u * u * std::exp(-u); }},
      {&Passes::matern52_feature, false, [](Real u) { return (1 + u + u * u / 3) * std::exp(-u); },
       [](Real u) { return u * u * (1 + u) / 3 * std::exp(-u); }},
  };
  Random random(65);
  for (const Case& c : cases)
    for (const std::int64_t n : {1, 7, 8, 19, 40}) {
      Vector x = random.uniform_vector(n, -3, 3), s = random.uniform_vector(n, -1, 1),
             start = random.uniform_vector(n, 0, 1);
      x[0] = n == 40 ? 1e200 : 0.5;
      Vector first_out, first_sums;
      for (const Passes* passes : all_passes()) {
        SCOPED_TRACE(passes->name);
        Vector out = start, sums(16, 0.0);
        (passes->*c.feature).add(x.data(), n, 0.5, 0.7, out.data());
        (passes->*c.feature).contract(x.data(), n, 0.5, 0.7, s.data(), sums.data());
        Real value = 0, slope = 0, found_value = 0, found_slope = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
          const Real r = std::abs(static_cast<Real>(x[i]) - 0.5L), t = (c.squared ? r * r : r) * 0.7;
          EXPECT_NEAR(out[i], static_cast<double>(start[i] + c.value(t)), 1e-15);
          value += s[i] * c.value(t);
          if (t < 1000) slope += s[i] * c.slope(t);
        }
        for (std::size_t k = 0; k < 8; ++k) found_value += sums[k], found_slope += sums[8 + k];
        EXPECT_NEAR(static_cast<double>(found_value), static_cast<double>(value), 2e-14);
        EXPECT_NEAR(static_cast<double>(found_slope), static_cast<double>(slope), 2e-14);
        if (first_out.empty()) first_out = out, first_sums = sums;
        EXPECT_EQ(out, first_out);
        EXPECT_EQ(sums, first_sums);
      }
    }
}

TEST(Passes, ExponentialAtTheEnds) {
  for (const Passes* passes : all_passes()) {
    Vector v = {0.0, -0.0, tiny, infinity, huge, 746.0, 745.2, 745.1, nan};
    passes->exp_minus(v.data(), size(v));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(v[i], 1.0);
    for (std::size_t i = 3; i < 7; ++i) EXPECT_TRUE(same_bits(v[i], 0.0)) << i;
    EXPECT_EQ(v[7], tiny);
    EXPECT_TRUE(std::isnan(v[8]));
  }
}

// u is off by at most three roundings, which exp(-u) multiplies by u, and there are a few more beside.
TEST(Passes, ProfilesAgainstLongDouble) {
  Random random(62);
  const Vector r2 = nonnegative(random, 20000, 3e5);
  struct Case {
    const char* name;
    void (*Passes::*pass)(double*, Index, double, By);
    bool root;
    long double (*value)(long double u);
  };
  const Case cases[] = {
      {"gaussian", &Passes::gaussian, false, [](long double u) { return std::exp(-u); }},
      {"laplacian", &Passes::laplacian, true, [](long double u) { return std::exp(-u); }},
      {"matern32", &Passes::matern32, true, [](long double u) { return (1 + u) * std::exp(-u); }},
      {"matern52", &Passes::matern52, true, [](long double u) { return (1 + u + u * u / 3) * std::exp(-u); }},
  };
  for (const Case& c : cases)
    for (const double a : {0.37, 1.0, 0.011})
      for (const By by : {By::factor, By::divisor}) {
        SCOPED_TRACE(testing::Message() << c.name << " " << a << (by == By::factor ? " factor" : " divisor"));
        Vector v = r2;
        (all_passes()[0]->*c.pass)(v.data(), size(v), a, by);
        for (std::size_t i = 0; i < v.size(); ++i) {
          const long double s = c.root ? std::sqrt(static_cast<long double>(r2[i])) : r2[i];
          long double u = by == By::factor ? s * a : s / a;
          if (by == By::divisor && !c.root) u /= a;
          u = std::min(u, 12000.0L);  // where everything is 0
          const long double exact = c.value(u);
          ASSERT_LE(std::abs(v[i] - exact), (2 * u + 4) * eps * exact + tiny) << u;
        }
      }
}

TEST(Passes, PowerAgainstLongDouble) {
  Random random(63);
  for (const Index degree : {1, 2, 3, 7, 30}) {
    Vector v(1001);
    for (double& x : v) x = random.uniform(-3.0, 3.0);
    const Vector argument = v;
    all_passes()[0]->power(v.data(), size(v), 0.75, 0.5, degree);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const long double base = 0.75L * argument[i] + 0.5L, exact = std::pow(base, static_cast<long double>(degree));
      // The sum may cancel: its error is relative to its terms.
      const long double terms = std::abs(0.75L * argument[i]) + 0.5L;
      const long double bound = static_cast<long double>(degree) * 2 * eps * (1 + terms / std::abs(base));
      EXPECT_LE(std::abs(v[i] - exact), bound * std::abs(exact));
    }
  }
}

// A value depends neither on the instruction set nor on where in how long an array it stands.
TEST(Passes, BitsAreTheSameEverywhere) {
  Random random(64);
  Vector v = nonnegative(random, 300, 800.0);
  v.push_back(nan);
  for (const auto& [name, pass] : elementwise()) {
    SCOPED_TRACE(name);
    Vector alone = v;
    for (double& x : alone) pass(*all_passes()[0], &x, 1);
    for (const Passes* passes : all_passes()) {
      SCOPED_TRACE(passes->name);
      for (Index first = 0; first < 9; ++first)
        for (const Index n : {0, 1, 7, 8, 9, 31, 32, 100, static_cast<int>(size(v)) - 9}) {
          Vector part = v;
          pass(*passes, part.data() + first, n);
          for (Index i = 0; i < size(v); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const bool inside = i >= first && i < first + n;
            ASSERT_TRUE(same_bits(part[at], inside ? alone[at] : v[at])) << first << " " << n << " " << i;
          }
        }
    }
  }
}

TEST(Passes, FiniteFindsEveryExceptionalNumber) {
  for (const Passes* passes : all_passes())
    for (const Index n : {1, 2, 15, 16, 17, 40}) {
      Vector v(static_cast<std::size_t>(n), -huge), w(v.size(), 0.5), out(v.size());
      EXPECT_TRUE(passes->finite(v.data(), n));
      EXPECT_TRUE(passes->weighted(v.data(), n, w.data(), 2.0, out.data()));
      EXPECT_EQ(out, v);
      EXPECT_FALSE(passes->weighted(v.data(), n, w.data(), 4.0, out.data()));
      for (std::size_t i = 0; i < v.size(); ++i)
        for (const double bad : {infinity, -infinity, nan}) {
          Vector with = v;
          with[i] = bad;
          EXPECT_FALSE(passes->finite(with.data(), n)) << i;
          EXPECT_FALSE(passes->weighted(with.data(), n, w.data(), 2.0, out.data())) << i;
          Vector weights = w;
          weights[i] = bad;
          EXPECT_FALSE(passes->weighted(v.data(), n, weights.data(), 2.0, out.data())) << i;
        }
      EXPECT_TRUE(passes->finite(v.data(), 0));
    }
}

// Points stored with a distance of `ld` between columns, everything between them NaN.
struct Points {
  Points(Random& random, Index points, Index d, Index lead) : n(points), ld(lead), values(values_of(ld * d, nan)) {
    for (Index k = 0; k < d; ++k)
      for (Index i = 0; i < n; ++i) at(i, k) = random.uniform(-1.0, 1.0) + 100 * (k % 2 == 0 ? 1 : 0);
    view = {values.data(), n, d, ld};
  }
  static Vector values_of(Index count, double value) { return Vector(static_cast<std::size_t>(count), value); }
  double& at(Index i, Index k) { return values[static_cast<std::size_t>(i + k * ld)]; }

  Index n, ld;
  Vector values;
  freeridge::ConstMatrixView view;
};

TEST(Passes, DistancesAgainstLongDouble) {
  Random random(65);
  for (const Index d : {1, 2, 8, 127, 128, 129, 300})
    for (const Index p : {1, 3, 8, 9, 16, 17, 33})
      for (const Index q : {1, 4, 5, 31, 32, 33, 66}) {
        SCOPED_TRACE(testing::Message() << p << " x " << q << ", d = " << d);
        Points a(random, p, d, p + 3), b(random, q, d, q + 1);
        for (Index k = 0; k < d; ++k) {
          b.at(0, k) = a.at(0, k);                                    // equal,
          b.at(q - 1, k) = a.at(p - 1, k) + (k == d - 1 ? 1e-9 : 0);  // and near
        }
        const Index ld = p + 2;
        const Vector untouched(static_cast<std::size_t>(ld * q), -7.0);
        Vector first;
        for (const Passes* passes : all_passes()) {
          Vector out = untouched, mirrored(static_cast<std::size_t>(p * q));
          passes->distances(a.view, b.view, {out.data(), p, q, ld});
          passes->distances(b.view, a.view, {mirrored.data(), q, p, q});
          for (Index j = 0; j < q; ++j)
            for (Index i = 0; i < ld; ++i) {
              const double value = out[static_cast<std::size_t>(i + j * ld)];
              if (i >= p) {
                ASSERT_EQ(value, -7.0);
                continue;
              }
              long double exact = 0;
              for (Index k = 0; k < d; ++k) {
                const long double difference = static_cast<long double>(a.at(i, k)) - b.at(j, k);
                exact += difference * difference;
              }
              ASSERT_LE(std::abs(value - exact), (0.5 * static_cast<double>(d) + 2) * eps * exact) << i << " " << j;
              ASSERT_TRUE(same_bits(value, mirrored[static_cast<std::size_t>(j + i * q)]));
            }
          if (q > 1) {
            EXPECT_EQ(out[0], 0.0);
          }
          if (std::string_view(passes->name) == "SSE2") continue;  // cannot fuse
          if (first.empty()) first = out;
          EXPECT_EQ(out, first) << passes->name;
        }
      }
}

// A tile cut into pieces has the values of the whole.
TEST(Passes, DistancesDoNotDependOnTheTile) {
  Random random(66);
  const Index d = 200, p = 70, q = 75;
  const Points a(random, p, d, p), b(random, q, d, q);
  Vector whole(static_cast<std::size_t>(p * q)), pieces(whole.size());
  const Passes& passes = freeridge::passes();
  passes.distances(a.view, b.view, {whole.data(), p, q, p});
  for (Index i = 0; i < p; i += 23)
    for (Index j = 0; j < q; j += 7) {
      const Index rows = std::min<Index>(23, p - i), cols = std::min<Index>(7, q - j);
      passes.distances(a.view.row_range(i, rows), b.view.row_range(j, cols),
                       {pieces.data() + i + j * p, rows, cols, p});
    }
  EXPECT_EQ(pieces, whole);
}

// Differences and squares that overflow are infinite; nothing becomes NaN that has not been.
TEST(Passes, DistancesOverflowToInfinity) {
  for (const Passes* passes : all_passes()) {
    const Vector a = {huge, 1e200, 0.0}, b = {-huge, 0.0, 0.0};
    Vector out(9);
    passes->distances({a.data(), 3, 1, 3}, {b.data(), 3, 1, 3}, {out.data(), 3, 3, 3});
    EXPECT_EQ(out, (Vector{infinity, infinity, infinity, infinity, infinity, 0.0, infinity, infinity, 0.0}));
    passes->distances({a.data(), 3, 0, 3}, {b.data(), 3, 0, 3}, {out.data(), 3, 3, 3});  // points of no coordinates
    EXPECT_EQ(out, Vector(9, 0.0));
  }
}

}  // namespace passes_test
