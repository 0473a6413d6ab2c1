// The hinge loss: the KKT conditions by definition, in long double; the optimum against projected gradients on the
// dual, and against the closed form of two points; what has no curvature, and what rounding cannot reach.
#include "losses/classifier.hpp"

namespace hinge_test {

using namespace losses;

// The largest violation of the KKT conditions, in units of the margin, and of sum c_i = 0, in units of the weights.
//     c_i y_i = 0: y f >= 1;   0 < c_i y_i < W_i / lambda: y f = 1;   c_i y_i = W_i / lambda: y f <= 1
double violation(const Problem& p, double lambda, const Vector& c, double b) {
  const std::vector<Real> f = decision_values(p, c, b);
  Real worst = 0, total = 0, weight = 0;
  for (std::int64_t i = 0; i < p.n(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double alpha = c[at] * p.label(i), bound = p.weight(i) / lambda;
    const Real z = p.label(i) * f[at];
    EXPECT_GE(alpha, 0.0);
    EXPECT_LE(alpha, bound);
    worst = std::max(worst, alpha == 0 ? 1 - z : alpha == bound ? z - 1 : std::abs(1 - z));
    total += lambda * c[at];
    weight += p.weight(i);
  }
  return static_cast<double>(p.intercept ? std::max(worst, std::abs(total) / weight) : worst);
}

// The largest value of the dual, lambda (sum alpha_i - 1/2 c'K c): a lower bound of (3), its value at the optimum.
// Accelerated projected gradients on a = alpha y in long double; the projection onto {box, 1'a = 0} by bisection.
Real dual_optimum(const Problem& p, double lambda) {
  const std::int64_t n = p.n();
  const Dense k = oracle::kernel_matrix(p.kernel, p.x, p.x);
  const auto size = static_cast<std::size_t>(n);
  std::vector<Real> low(size), high(size);
  Real lipschitz = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Real bound = Real(p.weight(i)) / lambda;
    low[at] = p.label(i) > 0 ? 0 : -bound;
    high[at] = p.label(i) > 0 ? bound : 0;
    Real row = 0;
    for (std::int64_t j = 0; j < n; ++j) row += std::abs(k(i, j));
    lipschitz = std::max(lipschitz, row);
  }
  const auto project = [&](std::vector<Real> a) {
    Real from = -1, to = 1;
    const auto shifted_sum = [&](Real shift) {
      Real total = 0;
      for (std::size_t i = 0; i < size; ++i) total += std::clamp(a[i] - shift, low[i], high[i]);
      return total;
    };
    if (p.intercept) {
      while (shifted_sum(from) < 0) from *= 2;
      while (shifted_sum(to) > 0) to *= 2;
      for (int step = 0; step < 120; ++step) {
        const Real middle = (from + to) / 2;
        (shifted_sum(middle) > 0 ? from : to) = middle;
      }
    }
    const Real shift = p.intercept ? (from + to) / 2 : 0;
    for (std::size_t i = 0; i < size; ++i) a[i] = std::clamp(a[i] - shift, low[i], high[i]);
    return a;
  };
  const auto image = [&](const std::vector<Real>& a) {
    std::vector<Real> out(size, 0);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] += k(i, j) * a[static_cast<std::size_t>(j)];
    return out;
  };
  const auto value = [&](const std::vector<Real>& a) {
    const std::vector<Real> f = image(a);
    Real total = 0;
    for (std::size_t i = 0; i < size; ++i) total += p.y[i] * a[i] - a[i] * f[i] / 2;
    return lambda * total;
  };
  std::vector<Real> a(size, 0), before = a, ahead = a;
  Real momentum = 1, best = value(a);
  for (int step = 0; step < 20000; ++step) {
    std::vector<Real> next = ahead;
    const std::vector<Real> f = image(ahead);
    for (std::size_t i = 0; i < size; ++i) next[i] += (p.y[i] - f[i]) / lipschitz;
    before = a;
    a = project(next);
    Real turn = 0;
    for (std::size_t i = 0; i < size; ++i) turn += (ahead[i] - a[i]) * (a[i] - before[i]);
    const Real grown = turn > 0 ? 1 : (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;  // starts again uphill
    const Real share = turn > 0 ? 0 : (momentum - 1) / grown;
    momentum = grown;
    for (std::size_t i = 0; i < size; ++i) ahead[i] = a[i] + share * (a[i] - before[i]);
    if (step % 100 == 99) {
      const Real here = value(a);
      if (std::abs(here - best) <= 1e-12L * std::abs(here)) return here;
      best = here;
    }
  }
  return best;
}

TEST(Hinge, MeetsTheKktConditions) {
  for (const Setting& s : settings()) {
    const Problem p = random_problem(31, kernel_of(s.family, 3), 60, 3, s.weighted, s.intercept);
    Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
    for (const double lambda : {1e3, 1.0, 1e-2, 1e-3, 0.3}) {
      SCOPED_TRACE(text(s) + " lambda " + std::to_string(lambda));
      m.fit(lambda);
      const Convergence reached = m.convergence();
      EXPECT_LE(violation(p, lambda, m.c(), m.b()), 1.01e-8);
      EXPECT_LE(reached.stationarity, 1e-8);
      EXPECT_NEAR(reached.objective, static_cast<double>(objective(p, lambda, m.c(), m.b(), hinge_loss)),
                  1e-10 * reached.objective);
      if (!s.intercept) {
        EXPECT_EQ(m.b(), 0.0);
      }
    }
  }
}

TEST(Hinge, ReachesTheDualOptimum) {
  for (const Setting& s : settings()) {
    const Problem p = random_problem(32, kernel_of(s.family, 2), 25, 2, s.weighted, s.intercept);
    for (const double lambda : {10.0, 0.5, 0.05}) {
      SCOPED_TRACE(text(s) + " lambda " + std::to_string(lambda));
      Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
      m.fit(lambda);
      const double expected = static_cast<double>(dual_optimum(p, lambda));
      EXPECT_NEAR(m.convergence().objective, expected, 1e-6 * expected);
    }
  }
}

// Two points at distance D on a line: alpha = 2 / D^2 while the box allows it, w = 2 / D, margin D / 2.
TEST(Hinge, OfTwoPoints) {
  for (const double scale : {1e-150, 1e-3, 1.0, 1e6, 1e150}) {
    Matrix x(2, 1);
    x(0, 0) = 5 * scale, x(1, 0) = 2 * scale;
    const Problem p{oracle::KernelSpec::linear(), x, {1, -1}, {}, true};
    const double distance = 3 * scale, alpha = 2 / distance / distance;
    Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
    m.fit(1e-3 / alpha);
    const Vector c = m.c();
    EXPECT_NEAR(c[0] / alpha, 1, 1e-12);
    EXPECT_NEAR(c[1] / alpha, -1, 1e-12);
    EXPECT_NEAR(m.b(), -7.0 / 3, 1e-12);
    const Support support = m.support();
    EXPECT_EQ(support.rows, (std::vector<std::int64_t>{0, 1}));
    EXPECT_NEAR(support.margin / (distance / 2), 1, 1e-12);
    m.fit(4 / alpha);  // the box is tighter: both at the bound, f = +-1/4 about b = 0 in the middle
    EXPECT_EQ(m.c()[0], 1 / (4 / alpha));
    EXPECT_EQ(m.c()[1], -1 / (4 / alpha));
    EXPECT_NEAR(m.support().margin / (distance / 2), 4, 1e-12);
    EXPECT_NEAR(m.decision(x)[0], 0.25, 1e-10);
    EXPECT_NEAR(m.decision(x)[1], -0.25, 1e-10);
  }
}

TEST(Hinge, SupportIsWhereCoefficientsAreNotZero) {
  const Problem p = random_problem(33, kernel_of(oracle::Family::gaussian, 2), 80, 2, true, true, 0.05);
  Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
  m.fit(0.1);
  const Vector c = m.c();
  std::vector<std::int64_t> expected;
  Real square = 0;
  const std::vector<Real> f = decision_values(p, c, 0);
  for (std::size_t i = 0; i < c.size(); ++i) {
    square += c[i] * f[i];
    if (c[i] != 0) expected.push_back(static_cast<std::int64_t>(i));
  }
  const Support support = m.support();
  EXPECT_EQ(support.rows, expected);
  EXPECT_LT(expected.size(), 60u);
  EXPECT_NEAR(support.margin, static_cast<double>(1 / std::sqrt(square)), 1e-9 * support.margin);
  std::int64_t count = 0;  // rows and margin are not asked for
  EXPECT_EQ(freeridge_classifier_get_support(m.get(), &count, nullptr, nullptr), FREERIDGE_OK);
  EXPECT_EQ(count, static_cast<std::int64_t>(expected.size()));
}

// Leaving out a row that is no support vector changes nothing.
TEST(Hinge, RowsWithoutACoefficientDoNotMatter) {
  const Problem p = random_problem(34, kernel_of(oracle::Family::gaussian, 2), 50, 2, true, true, 0.0);
  Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
  m.fit(0.01);
  const Vector c = m.c();
  const auto spare = std::find(c.begin(), c.end(), 0.0) - c.begin();
  ASSERT_LT(spare, 50);
  Classifier rest = make_classifier(without_row(p, spare), FREERIDGE_LOSS_HINGE);
  rest.fit(0.01);
  EXPECT_CLOSE(rest.decision(p.x), m.decision(p.x), 1e-6);
}

// No curvature between a row and its copy: equal rows of opposite classes go to their bounds.
// Left-out values are those of a fit without the row, for all rows, with and without offset and weights; the only row of a
// class has none.
TEST(Hinge, LeftOutValuesAreThoseOfRefits) {
  Random random(8);
  for (const auto& [weighted, offset, lambda] : {std::tuple{false, FREERIDGE_INTERCEPT_FREE, 0.3},
                                                 {true, FREERIDGE_INTERCEPT_FREE, 0.01},
                                                 {true, FREERIDGE_INTERCEPT_NONE, 0.3},
                                                 {false, FREERIDGE_INTERCEPT_PENALISED, 3.0}}) {
    constexpr std::int64_t n = 30;
    const Matrix x = random.uniform_matrix(n, 2, -1, 1);
    Vector y(n), w = weighted ? random.uniform_vector(n, 0.3, 3) : Vector();
    for (std::int64_t i = 0; i < n; ++i) y[static_cast<std::size_t>(i)] = x(i, 0) + 0.8 * random.normal() > 0 ? 1 : -1;
    const auto fitted = [&](const Matrix& rows, const Vector& labels, const Vector& weights) {
      Classifier out(Kernel::gaussian(0.7), FREERIDGE_LOSS_HINGE);
      out.data(rows, labels).weights(weights);
      check(freeridge_classifier_set_parameter(out.get(), FREERIDGE_INTERCEPT, offset), "intercept");
      return std::move(out.control(1e-11, 100000).fit(lambda));
    };
    const Vector found = fitted(x, y, w).loo();
    std::int64_t changed = 0;
    const Vector all = fitted(x, y, w).decision(x);
    for (std::int64_t i = 0; i < n; ++i) {
      Matrix rest(n - 1, 2), row(1, 2);
      Vector labels, weights;
      for (std::int64_t k = 0; k < n; ++k) {
        if (k == i) continue;
        for (std::int64_t j = 0; j < 2; ++j) rest(k - (k > i ? 1 : 0), j) = x(k, j);
        labels.push_back(y[static_cast<std::size_t>(k)]);
        if (weighted) weights.push_back(w[static_cast<std::size_t>(k)]);
      }
      for (std::int64_t j = 0; j < 2; ++j) row(0, j) = x(i, j);
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(found[at], fitted(rest, labels, weights).decision(row)[0], 1e-7) << i;
      changed += std::abs(found[at] - all[at]) > 1e-3 ? 1 : 0;
    }
    EXPECT_GT(changed, 5);
    EXPECT_LT(changed, n);
  }
  Matrix x(4, 1);
  for (std::int64_t i = 0; i < 4; ++i) x(i, 0) = static_cast<double>(i);
  Classifier one(Kernel::linear(), FREERIDGE_LOSS_HINGE);
  one.data(x, {1, -1, -1, -1}).fit(0.1);
  freeridge_status status = FREERIDGE_OK;
  const Vector found = one.loo(&status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(found[0]) && !std::isnan(found[1]) && !std::isnan(found[3]));
}

TEST(Hinge, EqualRowsOfOppositeClasses) {
  for (const bool intercept : {false, true}) {
    Problem p = random_problem(35, kernel_of(oracle::Family::gaussian, 2), 20, 2, false, intercept, 0.0);
    p.weights.assign(20, 1.0);
    for (std::int64_t k = 0; k < 2; ++k) p.x(1, k) = p.x(0, k);  // labels +1, -1
    Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
    m.fit(0.5);
    EXPECT_LE(violation(p, 0.5, m.c(), m.b()), 1.01e-8);
    // y f = z and -z at the two: the one with z < 1 is at its bound, the other too unless |z| >= 1
    EXPECT_EQ(std::max(std::abs(m.c()[0]), std::abs(m.c()[1])), 2.0);
  }
}

TEST(Hinge, AConstantKernel) {
  for (const bool intercept : {false, true}) {
    Problem p{oracle::KernelSpec::polynomial(1, 1.0, 3.0), Matrix(5, 2, 0.0), {1, -1, 1, 1, -1}, {}, intercept};
    Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
    m.fit(0.25);  // three against two: f + b = 1 everywhere is best with b free
    EXPECT_LE(violation(p, 0.25, m.c(), m.b()), 1.01e-8);
    if (intercept) {
      EXPECT_EQ(m.support().margin, std::numeric_limits<double>::infinity());
      EXPECT_NEAR(m.convergence().objective, 4.0, 1e-7);  // two losses of 2
      EXPECT_NEAR(m.b(), 1.0, 1e-8);
    }
  }
}

// K of rank one: only its scale and b are determined by many coefficients.
TEST(Hinge, ASingularKernel) {
  for (const bool intercept : {false, true}) {
    for (const double lambda : {10.0, 0.1, 1e-4}) {
      const Problem p = random_problem(36, oracle::KernelSpec::linear(), 70, 1, true, intercept);
      Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
      m.fit(lambda);
      EXPECT_LE(violation(p, lambda, m.c(), m.b()), 1.01e-8) << lambda;
    }
  }
}

TEST(Hinge, SeparatedClassesAtTinyLambdaKeepTheMargin) {
  const Problem p = random_problem(37, kernel_of(oracle::Family::gaussian, 3), 60, 3, true, true, 0.0);
  Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
  m.fit(1e-9);
  const Vector c = m.c();
  const double margin = m.support().margin;
  for (const double lambda : {1e-12, 1e-50, 1e-150, 1e-290}) {
    for (const bool cold : {true, false}) {
      if (cold) m.intercept(true);
      m.fit(lambda);
      EXPECT_CLOSE(m.c(), c, 1e-7);
      EXPECT_NEAR(m.support().margin, margin, 1e-8 * margin);
    }
  }
}

TEST(Hinge, HugeLambdaPutsTheLighterClassAtItsBounds) {
  Problem p = random_problem(38, kernel_of(oracle::Family::gaussian, 3), 30, 3, false, true);
  Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
  const double positive = static_cast<double>(std::count(p.y.begin(), p.y.end(), 1.0));
  const double lighter = positive < 15 ? 1 : -1;
  ASSERT_NE(positive, 15);
  for (const double lambda : {1e6, 1e100, 1e300}) {
    m.fit(lambda);
    const Vector c = m.c();
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (p.y[i] == lighter) {
        EXPECT_EQ(c[i], lighter / lambda);
      }
    }
    EXPECT_NEAR(m.b(), -lighter, 1e-4);
  }
}

TEST(Hinge, RefusesWhatRoundingCannotReach) {
  const Problem p = random_problem(39, oracle::KernelSpec::linear(), 60, 2, false, true);
  Classifier m = make_classifier(p, FREERIDGE_LOSS_HINGE);
  m.fit(1e-3);
  const Vector c = m.c();
  EXPECT_EQ(freeridge_classifier_fit(m.get(), 1e-14), FREERIDGE_NOT_CONVERGED);
  EXPECT_NE(std::string(freeridge_last_error()).find("larger lambda"), std::string::npos);
  EXPECT_TRUE(bit_equal(m.c(), c));  // as before
}

}  // namespace hinge_test
