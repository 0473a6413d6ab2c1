// The search in a box: minima that are known. Quadratics by all active sets in turn; the problems with bounds alone of W.
// Hock, K. Schittkowski, Test Examples for Nonlinear Programming Codes, 1981, by their numbers; functions with no value
// in a part of the box. `evaluations` in the table: what L-BFGS-B 3.0 (scipy 1.10, the same tolerance of the gradient)
// takes from the same start.
#include "libcore/select/bounded_lbfgs.hpp"
#include "libcore/select/bandwidth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "support/gauss.hpp"

namespace {

using namespace support;
using freeridge::Array;
using freeridge::BoundedMinimum;
using freeridge::LbfgsOptions;
using freeridge::minimise_in_box;
using freeridge::SearchEnd;
using freeridge::Span;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Box {
  Array<double> start, low, high;
};

using Function = std::function<double(Span<const double>, Span<double>)>;

// Counts, and sees that no point lies outside of the box and that the answer is the lowest.
struct Watched {
  const Function& f;
  const Box& box;
  freeridge::Index count = 0;
  double lowest = infinity;
  double operator()(Span<const double> x, Span<double> g) {
    ++count;
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_GE(x[i], box.low[i]);
      EXPECT_LE(x[i], box.high[i]);
    }
    const double value = f(x, g);
    if (std::isfinite(value) && std::isfinite(g.empty() ? 0 : g[0])) lowest = std::min(lowest, value);
    return value;
  }
};

BoundedMinimum minimum(const Function& f, const Box& box, const LbfgsOptions& options = {}) {
  Watched watched{f, box};
  const BoundedMinimum out = minimise_in_box(std::ref(watched), box.start, box.low, box.high, options);
  EXPECT_EQ(out.evaluations, watched.count);
  EXPECT_LE(out.evaluations, options.evaluations);
  if (std::isfinite(watched.lowest)) {
    EXPECT_EQ(out.f, watched.lowest);
  }
  return out;
}

// ---- quadratics ----

struct Quadratic {
  Dense a;  // positive definite
  Array<double> b;
  double operator()(Span<const double> x, Span<double> g) const {
    double value = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      Real row = 0;
      for (std::int64_t j = 0; j < a.rows; ++j) row += a(i, j) * static_cast<Real>(x[j]);
      g[i] = static_cast<double>(row) - b[i];
      value += x[i] * (static_cast<double>(row) / 2 - b[i]);
    }
    return value;
  }
};

Quadratic random_quadratic(std::int64_t d, double condition, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  Quadratic out{Dense(d, d), Array<double>(d, 0.0)};
  for (std::int64_t k = 0; k < d; ++k) {  // sum of d + 1 outer products of decreasing weight
    Array<double> v(d, 0.0);
    for (double& value : v) value = normal(engine);
    const double weight = d == 1 ? 1 : std::pow(condition, -static_cast<double>(k) / static_cast<double>(d - 1));
    for (std::int64_t i = 0; i < d; ++i)
      for (std::int64_t j = 0; j < d; ++j) out.a(i, j) += static_cast<Real>(weight * v[i] * v[j]);
  }
  for (std::int64_t i = 0; i < d; ++i) out.a(i, i) += static_cast<Real>(1 / condition);
  for (double& value : out.b) value = normal(engine);
  return out;
}

// The minimum in the box: each variable at its low bound, at its high bound or free, all 3^d in turn.
double by_active_sets(const Quadratic& f, const Box& box) {
  const std::int64_t d = f.a.rows;
  std::int64_t sets = 1;
  for (std::int64_t i = 0; i < d; ++i) sets *= 3;
  double best = infinity;
  for (std::int64_t set = 0; set < sets; ++set) {
    Array<double> x(d, 0.0);
    std::vector<std::int64_t> free;
    for (std::int64_t i = 0, rest = set; i < d; ++i, rest /= 3) {
      if (rest % 3 == 2)
        free.push_back(i);
      else
        x[i] = rest % 3 == 0 ? box.low[i] : box.high[i];
    }
    const auto count = static_cast<std::int64_t>(free.size());
    if (count > 0) {
      Dense a(count, count), right(count, 1);
      for (std::int64_t p = 0; p < count; ++p) {
        Real rest = static_cast<Real>(f.b[free[static_cast<std::size_t>(p)]]);
        for (std::int64_t j = 0; j < d; ++j)
          rest -= f.a(free[static_cast<std::size_t>(p)], j) * static_cast<Real>(x[j]);
        right(p, 0) = rest;
        for (std::int64_t q = 0; q < count; ++q)
          a(p, q) = f.a(free[static_cast<std::size_t>(p)], free[static_cast<std::size_t>(q)]);
      }
      const Dense solved = solve(a, right);
      for (std::int64_t p = 0; p < count; ++p) x[free[static_cast<std::size_t>(p)]] = static_cast<double>(solved(p, 0));
    }
    bool inside = true;
    for (std::int64_t i = 0; i < d; ++i) inside = inside && x[i] >= box.low[i] && x[i] <= box.high[i];
    Array<double> g(d, 0.0);
    if (inside) best = std::min(best, f(x, g));
  }
  return best;
}

TEST(BoundedLbfgs, QuadraticsAgreeWithAllActiveSets) {
  std::mt19937_64 engine(24);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t d = 1 + trial % 6;
    const double condition = trial % 3 == 0 ? 1e4 : trial % 3 == 1 ? 100 : 3;
    const Quadratic f = random_quadratic(d, condition, engine);
    Box box{Array<double>(d, 0.0), Array<double>(d, 0.0), Array<double>(d, 0.0)};
    for (std::int64_t i = 0; i < d; ++i) {
      box.low[i] = uniform(engine) - 1;
      box.high[i] = trial % 7 == 0 && i == 0 ? box.low[i] : box.low[i] + 1 + uniform(engine);
      box.start[i] = trial % 2 == 0 ? box.low[i] : box.low[i] + 0.3 * (box.high[i] - box.low[i]);
    }
    LbfgsOptions options;
    options.evaluations = 500;
    options.gradient_tolerance = 1e-9;
    options.change_tolerance = 0;
    const BoundedMinimum found = minimum(f, box, options);
    const double best = by_active_sets(f, box);
    EXPECT_LE(found.f - best, 1e-8 * std::max(1.0, std::abs(best))) << "trial " << trial << ", end " << int(found.end);
    EXPECT_NE(found.end, SearchEnd::budget) << "trial " << trial;
    for (std::int64_t i = 0; i < d; ++i)
      EXPECT_EQ(found.at[i], found.x[i] == box.low[i] ? -1 : found.x[i] == box.high[i] ? 1 : 0);
  }
}

TEST(BoundedLbfgs, AnIllConditionedQuadraticOfManyVariables) {
  const std::int64_t d = 100;
  const Function f = [&](Span<const double> x, Span<double> g) {
    double value = 0;
    for (std::int64_t i = 0; i < d; ++i) {
      const double weight = std::pow(10.0, 4 * static_cast<double>(i) / (d - 1)), away = x[i] - (i % 3 == 0 ? 2 : 0.5);
      value += weight * away * away / 2;
      g[i] = weight * away;
    }
    return value;
  };
  LbfgsOptions options;
  options.evaluations = 1000;
  options.change_tolerance = 0;
  const BoundedMinimum found =
      minimum(f, {Array<double>(d, 0.0), Array<double>(d, -1.0), Array<double>(d, 1.0)}, options);
  EXPECT_NE(found.end, SearchEnd::budget);
  for (std::int64_t i = 0; i < d; ++i) EXPECT_NEAR(found.x[i], i % 3 == 0 ? 1 : 0.5, 1e-5);
}

// ---- the problems of Hock and Schittkowski ----

double rosenbrock(Span<const double> x, Span<double> g) {
  const double u = x[1] - x[0] * x[0];
  g[0] = -400 * x[0] * u - 2 * (1 - x[0]);
  g[1] = 200 * u;
  return 100 * u * u + (1 - x[0]) * (1 - x[0]);
}

struct Published {
  int number;
  Function f;
  Box box;
  double minimum, tolerance;
  freeridge::Index evaluations;  // of L-BFGS-B
  double local = minimum;        // another minimum that is not the lowest
};

std::vector<Published> problems() {
  const auto three = [](Span<const double> x, Span<double> g) {
    const double u = x[1] - x[0];
    g[0] = -2e-5 * u;
    g[1] = 1 + 2e-5 * u;
    return x[1] + 1e-5 * u * u;
  };
  const auto four = [](Span<const double> x, Span<double> g) {
    g[0] = (x[0] + 1) * (x[0] + 1);
    g[1] = 1;
    return std::pow(x[0] + 1, 3) / 3 + x[1];
  };
  const auto five = [](Span<const double> x, Span<double> g) {
    const double u = x[0] - x[1];
    g[0] = std::cos(x[0] + x[1]) + 2 * u - 1.5;
    g[1] = std::cos(x[0] + x[1]) - 2 * u + 2.5;
    return std::sin(x[0] + x[1]) + u * u - 1.5 * x[0] + 2.5 * x[1] + 1;
  };
  const auto wood = [](Span<const double> x, Span<double> g) {
    const double a = x[1] - x[0] * x[0], b = x[3] - x[2] * x[2], c = x[1] - 1, e = x[3] - 1;
    g[0] = -400 * x[0] * a - 2 * (1 - x[0]);
    g[1] = 200 * a + 20.2 * c + 19.8 * e;
    g[2] = -360 * x[2] * b - 2 * (1 - x[2]);
    g[3] = 180 * b + 20.2 * e + 19.8 * c;
    return 100 * a * a + (1 - x[0]) * (1 - x[0]) + 90 * b * b + (1 - x[2]) * (1 - x[2]) + 10.1 * (c * c + e * e) +
           19.8 * c * e;
  };
  const auto product = [](Span<const double> x, Span<double> g) {
    const double all = x[0] * x[1] * x[2] * x[3] * x[4] / 120;
    for (std::size_t i = 0; i < 5; ++i) {
      g[i] = -1.0 / 120;
      for (std::size_t j = 0; j < 5; ++j) g[i] *= j == i ? 1 : x[j];
    }
    return 2 - all;
  };
  const auto logarithms = [](Span<const double> x, Span<double> g) {
    double all = 1, sum = 0;
    for (const double value : x) all *= value;
    const double root = std::pow(all, 0.2);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double a = std::log(x[i] - 2), b = std::log(10 - x[i]);
      sum += a * a + b * b;
      g[i] = 2 * a / (x[i] - 2) - 2 * b / (10 - x[i]) - 0.2 * root / x[i];
    }
    return sum - root;
  };
  const double i = infinity, pi = std::numbers::pi;
  return {{1, rosenbrock, {{-2, 1}, {-i, -1.5}, {i, i}}, 0, 1e-8, 48},
          {2, rosenbrock, {{-2, 2}, {-i, 1.5}, {i, i}}, 0.0504261879, 1e-8, 20, 4.941229318},
          {3, three, {{10, 1}, {-i, 0}, {i, i}}, 0, 1e-8, 4},
          {4, four, {{1.125, 0.125}, {1, 0}, {i, i}}, 8.0 / 3, 1e-12, 2},
          {5, five, {{0, 0}, {-1.5, -3}, {4, 3}}, -std::sqrt(3.0) / 2 - pi / 3, 1e-8, 8},
          {38, wood, {{-3, -1, -3, -1}, Array<double>(4, -10.0), Array<double>(4, 10.0)}, 0, 1e-8, 33},
          {45, product, {Array<double>(5, 2.0), Array<double>(5, 0.0), {1, 2, 3, 4, 5}}, 1, 1e-12, 10},
          {110,
           logarithms,
           {Array<double>(10, 9.0), Array<double>(10, 2.001), Array<double>(10, 9.999)},
           -45.77846971,
           1e-6,
           7}};
}

TEST(BoundedLbfgs, PublishedProblemsWithBounds) {
  freeridge::Index ours = 0, theirs = 0;
  for (const Published& problem : problems()) {
    LbfgsOptions options;
    options.gradient_tolerance = 1e-6;
    options.change_tolerance = 0;
    const BoundedMinimum found = minimum(problem.f, problem.box, options);
    const double at = std::abs(found.f - problem.local) < 1e-3 ? problem.local : problem.minimum;
    EXPECT_NEAR(found.f, at, problem.tolerance) << problem.number << " end " << int(found.end);
    ours += found.evaluations;
    theirs += problem.evaluations;
  }
  EXPECT_LE(ours, 2 * theirs);
}

// ---- what may be met ----

TEST(BoundedLbfgs, AFunctionWithoutValuesInAPartOfTheBox) {
  for (const double missing : {std::nan(""), infinity, -infinity}) {
    const Function f = [&](Span<const double> x, Span<double> g) {
      g[0] = g[1] = 0;
      if (x[0] <= 0 || x[1] <= 0) return missing;
      for (int i = 0; i < 2; ++i) g[i] = (i + 1) * 50 - 1 / x[i];
      return 50 * x[0] + 100 * x[1] - std::log(x[0]) - std::log(x[1]);
    };
    const Box box{{3, 3}, {-infinity, -100}, {infinity, 100}};
    const BoundedMinimum found = minimum(f, box);
    EXPECT_NEAR(found.x[0], 0.02, 1e-5);
    EXPECT_NEAR(found.x[1], 0.01, 1e-5);
    const BoundedMinimum nowhere = minimum(f, {{-3, 3}, box.low, box.high});
    EXPECT_EQ(nowhere.end, SearchEnd::no_lower);
    EXPECT_EQ(nowhere.evaluations, 1);
    EXPECT_FALSE(std::isfinite(nowhere.f));
    EXPECT_EQ(nowhere.x[0], -3);
  }
  const Function bad_gradient = [](Span<const double> x, Span<double> g) {
    g[0] = x[0] < 1 ? std::nan("") : 2 * x[0];
    return x[0] * x[0];
  };
  const BoundedMinimum found = minimum(bad_gradient, {{5}, {-10}, {10}});
  EXPECT_GE(found.x[0], 1);
  EXPECT_LT(found.x[0], 5);
}

TEST(BoundedLbfgs, EveryBudgetIsKeptAndNeverWorse) {
  double last = infinity;
  for (freeridge::Index budget = 1; budget < 60; ++budget) {
    LbfgsOptions options;
    options.evaluations = budget;
    const BoundedMinimum found = minimum(rosenbrock, {{-2, 1}, {-5, -1.5}, {5, 5}}, options);
    EXPECT_LE(found.f, last);
    EXPECT_EQ(found.evaluations == budget && found.end == SearchEnd::budget, found.end == SearchEnd::budget);
    if (budget == 1) {
      EXPECT_EQ(found.x[0], -2);
    }
    last = found.f;
  }
}

TEST(BoundedLbfgs, WhyItEnds) {
  const Function flat = [](Span<const double>, Span<double> g) {
    g[0] = 0;
    return 3.0;
  };
  EXPECT_EQ(minimum(flat, {{1}, {0}, {2}}).end, SearchEnd::gradient);
  const Function slope = [](Span<const double> x, Span<double> g) {
    g[0] = 1;
    return x[0];
  };
  const BoundedMinimum at_bound = minimum(slope, {{1}, {0}, {2}});
  EXPECT_EQ(at_bound.end, SearchEnd::gradient);
  EXPECT_EQ(at_bound.at[0], -1);
  EXPECT_EQ(minimum(slope, {{1}, {1}, {1}}).evaluations, 1);  // held
  const Function wrong = [](Span<const double> x, Span<double> g) {
    g[0] = -1;
    return x[0];
  };
  EXPECT_EQ(minimum(wrong, {{1}, {0}, {2}}).end, SearchEnd::no_lower);
  LbfgsOptions coarse;
  coarse.change_tolerance = 0.5;
  EXPECT_EQ(minimum(rosenbrock, {{-2, 1}, {-5, -1.5}, {5, 5}}, coarse).end, SearchEnd::change);
  const Function nothing = [](Span<const double>, Span<double>) { return 1.0; };
  EXPECT_EQ(minimum(nothing, {}).end, SearchEnd::gradient);
}

TEST(BoundedLbfgs, KnownCurvatureSavesEvaluations) {
  const Box box{{-2, 1}, {-5, -1.5}, {5, 5}};
  const BoundedMinimum first = minimum(rosenbrock, box);
  LbfgsOptions options;
  options.known = first.known;
  const Box near{{1.1, 1.1}, box.low, box.high};
  const BoundedMinimum again = minimum(rosenbrock, near, options), fresh = minimum(rosenbrock, near);
  EXPECT_LT(again.evaluations, fresh.evaluations);
  EXPECT_NEAR(again.f, 0, 1e-10);
}

TEST(BoundedLbfgs, NoStepIsLongerThanTheLongest) {
  Array<double> before;
  const Function f = [&](Span<const double> x, Span<double> g) {
    if (!before.empty()) {
      EXPECT_LE(std::abs(x[0] - before[0]), 0.5 + 1e-12);
    }
    before.assign(x.begin(), x.end());
    g[0] = 2 * (x[0] - 100);
    return (x[0] - 100) * (x[0] - 100);
  };
  LbfgsOptions options;
  options.evaluations = 500;
  options.longest = 0.5;
  EXPECT_NEAR(minimum(f, {{0}, {-infinity}, {infinity}}, options).x[0], 100, 1e-5);
}

// The search of one bandwidth, on a criterion that is a valley under noise: it ends, whatever it may spend.
TEST(BandwidthSearch, EndsOnNoise) {
  for (const double noise : {1e-4, 1e-2, 1.0}) {
    std::mt19937 random(5);
    int calls = 0;
    const auto score = [&](double sigma) {
      ++calls;
      return 1 + std::pow(std::log(sigma), 2) / 10 + noise * static_cast<double>(random()) / 4294967296.0;
    };
    const auto found = freeridge::search_bandwidth({0.01, 100}, 1, INT64_MAX, freeridge::Criterion::loo, score);
    EXPECT_LE(calls, 300) << noise;
    EXPECT_LE(std::abs(std::log(found.best)), 4 * std::sqrt(10 * noise) + 0.3) << noise;
  }
}

}  // namespace
