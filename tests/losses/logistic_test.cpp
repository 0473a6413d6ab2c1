// The logistic loss against Newton's method with dense matrices in long double, its stationarity by definition, its
// left-out values against the exact leave-one-out of the last weighted least squares problem, and against refits.
#include "losses/classifier.hpp"

namespace logistic_test {

using namespace losses;

struct Fit {
  Vector c;
  double b = 0;
  Real objective = 0;
};

Real sigmoid(Real z) {
  return 1 / (1 + std::exp(-z));
}

// Newton's method on (c, b) with step halving: the equations lambda c_i = W_i y_i s(-y_i f_i), 1'c = 0 linearised,
//     [ lambda I + V K   V 1 ] [dc]   [ W y s(-y f) - lambda c ]
//     [ 1'                 0 ] [db] = [ -1'c                   ]
Fit newton(const Problem& p, double lambda) {
  const std::int64_t n = p.n(), size = n + (p.intercept ? 1 : 0);
  const Dense k = oracle::kernel_matrix(p.kernel, p.x, p.x);
  std::vector<Real> c(static_cast<std::size_t>(n), 0);
  Real b = 0;
  const auto value = [&](const std::vector<Real>& cc, Real bb, std::vector<Real>& f) {
    f.assign(cc.size(), bb);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) f[static_cast<std::size_t>(i)] += k(i, j) * cc[static_cast<std::size_t>(j)];
    Real total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      total += p.weight(i) * logistic_loss(p.label(i) * f[at]) + Real(lambda) / 2 * cc[at] * (f[at] - bb);
    }
    return total;
  };
  std::vector<Real> f;
  Real here = value(c, b, f);
  for (int step = 0; step < 200; ++step) {
    Dense a(size, size), right(size, 1);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Real q = sigmoid(-p.label(i) * f[at]), v = p.weight(i) * q * (1 - q);
      for (std::int64_t j = 0; j < n; ++j) a(i, j) = v * k(i, j) + (i == j ? Real(lambda) : 0);
      right(i, 0) = p.weight(i) * p.label(i) * q - lambda * c[at];
      if (!p.intercept) continue;
      a(i, n) = v;
      a(n, i) = 1;
      right(n, 0) -= c[at];
    }
    const Dense move = support::solve(a, right);
    Real t = 1, size_of_move = 0;
    for (;; t /= 2) {
      std::vector<Real> tried = c, f_tried;
      for (std::size_t i = 0; i < c.size(); ++i) tried[i] += t * move(static_cast<std::int64_t>(i), 0);
      const Real b_tried = p.intercept ? b + t * move(n, 0) : 0;
      const Real there = value(tried, b_tried, f_tried);
      if (!(there <= here * (1 + 1e-17L)) && t > 1e-6L) continue;
      for (std::size_t i = 0; i < f.size(); ++i) size_of_move = std::max(size_of_move, std::abs(f_tried[i] - f[i]));
      c = tried, b = b_tried, f = f_tried, here = there;
      break;
    }
    if (size_of_move < 1e-15L) break;
  }
  Fit out{{}, static_cast<double>(b), here};
  for (const Real value_of_c : c) out.c.push_back(static_cast<double>(value_of_c));
  return out;
}

// max_i |lambda c_i y_i / W_i - s(-y_i f_i)| and |1'c| lambda / 1'W, by definition.
double stationarity(const Problem& p, double lambda, const Vector& c, double b) {
  const std::vector<Real> f = decision_values(p, c, b);
  Real worst = 0, total = 0, weight = 0;
  for (std::int64_t i = 0; i < p.n(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    worst = std::max(worst, std::abs(lambda * c[at] * p.label(i) / p.weight(i) - sigmoid(-p.label(i) * f[at])));
    total += lambda * c[at];
    weight += p.weight(i);
  }
  return static_cast<double>(p.intercept ? std::max(worst, std::abs(total) / weight) : worst);
}

TEST(Logistic, AgreesWithNewtonInLongDouble) {
  for (const Setting& s : settings()) {
    const Problem p = random_problem(11, kernel_of(s.family, 3), 30, 3, s.weighted, s.intercept);
    Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
    m.control(1e-11, 100);
    for (const double lambda : {100.0, 1.0, 0.05, 1e-3}) {
      SCOPED_TRACE(text(s) + " lambda " + std::to_string(lambda));
      const Fit expected = newton(p, lambda);
      m.fit(lambda);
      const Convergence reached = m.convergence();
      EXPECT_CLOSE(m.c(), expected.c, 1e-8);
      EXPECT_NEAR(m.b(), expected.b, 1e-8 * std::max(1.0, std::abs(expected.b)));
      EXPECT_NEAR(reached.objective, static_cast<double>(expected.objective),
                  1e-12 * static_cast<double>(expected.objective));
      EXPECT_LE(reached.stationarity, 1e-11);
      if (!s.intercept) {
        EXPECT_EQ(m.b(), 0.0);
      }
    }
  }
}

TEST(Logistic, TheDefaultToleranceIsKept) {
  for (const Setting& s : settings()) {
    const Problem p = random_problem(12, kernel_of(s.family, 2), 60, 2, s.weighted, s.intercept);
    Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
    for (const double lambda : {1e6, 3.0, 0.01, 1e-4}) {
      SCOPED_TRACE(text(s) + " lambda " + std::to_string(lambda));
      m.fit(lambda);
      EXPECT_LE(stationarity(p, lambda, m.c(), m.b()), 1.01e-8);
      EXPECT_NEAR(m.convergence().objective, static_cast<double>(objective(p, lambda, m.c(), m.b(), logistic_loss)),
                  1e-10 * m.convergence().objective);
    }
  }
}

TEST(Logistic, ALooserToleranceTakesNoMoreSteps) {
  const Problem p = random_problem(13, kernel_of(oracle::Family::gaussian, 2), 50, 2, true, true);
  Classifier loose = make_classifier(p, FREERIDGE_LOSS_LOGISTIC), tight = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
  loose.control(1e-1, 100).fit(1e-3);
  tight.control(1e-12, 100).fit(1e-3);
  EXPECT_LT(loose.convergence().iterations, tight.convergence().iterations);
  EXPECT_LE(loose.convergence().stationarity, 1e-1);
}

// Separated classes: f grows like log(1 / lambda), and lambda c_i y_i = W_i exp(-y_i f_i) to working precision:
// relative to each point's own term, however small.
TEST(Logistic, SeparatedClassesAtTinyLambda) {
  for (const oracle::Family family : {oracle::Family::gaussian, oracle::Family::laplacian, oracle::Family::linear}) {
    for (const bool intercept : {false, true}) {
      Problem p = random_problem(14, kernel_of(family, 4), 40, 4, true, intercept, 0.0);
      if (family == oracle::Family::linear) {  // separated by a gap
        for (std::int64_t i = 0; i < p.n(); ++i) {
          p.y[static_cast<std::size_t>(i)] = p.x(i, 0) > 0 ? 1 : -1;
          p.x(i, 0) += 0.2 * p.label(i);
        }
      }
      Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
      for (const double lambda : {1e-3, 1e-6, 1e-12, 1e-30, 1e-100, 1e-200, 1e-290}) {
        SCOPED_TRACE(std::string(family_name(family)) + " lambda " + std::to_string(std::log10(lambda)));
        for (const bool cold : {true, false}) {
          if (cold) m.intercept(intercept);  // forgets the last solution
          m.fit(lambda);
          EXPECT_LE(m.convergence().iterations, 60);
          const Vector c = m.c();
          const std::vector<Real> f = decision_values(p, c, m.b());
          double largest = 0;
          for (const double value : c) largest = std::max(largest, std::abs(value));
          for (std::int64_t i = 0; i < p.n(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            EXPECT_GT(p.label(i) * f[at], 0);
            if (std::abs(c[at]) < 1e-6 * largest) continue;
            const Real own = lambda * c[at] * p.label(i) / p.weight(i), loss = sigmoid(-p.label(i) * f[at]);
            EXPECT_NEAR(static_cast<double>(own / loss), 1.0, 1e-6);
          }
        }
      }
    }
  }
}

// lambda so large that f = 0: b is the log odds of the weights, c = W y s(-y b) / lambda.
TEST(Logistic, RefusesWhatRoundingCannotReach) {
  const Problem p = random_problem(29, oracle::KernelSpec::gaussian(1.0), 40, 2, true, true);
  Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
  m.fit(0.1);
  const Vector c = m.c();
  m.control(1e-300, 1000);
  EXPECT_EQ(freeridge_classifier_fit(m.get(), 0.1), FREERIDGE_NOT_CONVERGED);
  EXPECT_NE(std::string(freeridge_last_error()).find("larger tolerance"), std::string::npos) << freeridge_last_error();
  m.control(1e-10, 1000).fit(0.1);
  EXPECT_CLOSE(m.c(), c, 1e-9);
}

TEST(Logistic, HugeLambdaLeavesTheLogOdds) {
  const Problem p = random_problem(15, kernel_of(oracle::Family::polynomial, 2), 25, 2, true, true);
  double positive = 0, negative = 0;
  for (std::int64_t i = 0; i < p.n(); ++i) (p.label(i) > 0 ? positive : negative) += p.weight(i);
  const double odds = std::log(positive / negative);
  for (const double lambda : {1e12, 1e100, 1e300}) {
    Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
    m.fit(lambda);
    EXPECT_NEAR(m.b(), odds, 1e-10);
    Vector expected;
    for (std::int64_t i = 0; i < p.n(); ++i)
      expected.push_back(p.weight(i) * p.label(i) / (1 + std::exp(p.label(i) * odds)) / lambda);
    EXPECT_CLOSE(m.c(), expected, 1e-10);
  }
}

TEST(Logistic, ProbabilitiesAreThoseOfTheDecisions) {
  const Problem p = random_problem(16, kernel_of(oracle::Family::gaussian, 2), 30, 2, false, true);
  Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
  m.fit(1e-9);
  Random random(1);
  const Matrix x = random.uniform_matrix(40, 2, -2, 2);
  const Vector decision = m.decision(x), probability = m.probability(x);
  for (std::size_t i = 0; i < decision.size(); ++i)
    EXPECT_NEAR(probability[i], static_cast<double>(sigmoid(decision[i])), 1e-15);
  Matrix far(2, 2);
  const Problem line{oracle::KernelSpec::linear(), p.x, p.y, {}, true};
  Classifier l = make_classifier(line, FREERIDGE_LOSS_LOGISTIC);
  l.fit(1e-2);
  far(0, 0) = 1e6, far(1, 0) = -1e6;
  const Vector certain = l.probability(far);
  EXPECT_EQ(std::max(certain[0], certain[1]), 1.0);  // exp does not overflow
  EXPECT_EQ(std::min(certain[0], certain[1]), 0.0);
}

TEST(Logistic, DecisionsAreTheExpansion) {
  for (const Setting& s : settings()) {
    SCOPED_TRACE(text(s));
    const Problem p = random_problem(17, kernel_of(s.family, 3), 30, 3, s.weighted, s.intercept);
    Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
    m.fit(0.3);
    const std::vector<Real> f = decision_values(p, m.c(), m.b());
    Vector expected;
    for (const Real value : f) expected.push_back(static_cast<double>(value));
    EXPECT_CLOSE(m.decision(p.x), expected, 1e-12);
  }
}

// ---- left-out values ----

// The exact leave-one-out values of the weighted least squares problem at the solution, by fitting again without each
// point: with weights v and outputs f - g / v.
Vector least_squares_loo(const Problem& p, double lambda, const Vector& c, double b) {
  const std::vector<Real> f = decision_values(p, c, b);
  oracle::Problem q{p.kernel, p.x, Matrix(p.n(), 1), Vector(c.size()), p.intercept};
  for (std::int64_t i = 0; i < p.n(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Real s = sigmoid(p.label(i) * f[at]);
    q.weights[at] = static_cast<double>(p.weight(i) * s * sigmoid(-p.label(i) * f[at]));
    q.y(i, 0) = static_cast<double>(f[at] + p.label(i) / s);
  }
  Vector out;
  for (std::int64_t i = 0; i < p.n(); ++i) {
    std::vector<char> use(c.size(), 1);
    use[static_cast<std::size_t>(i)] = 0;
    const oracle::Fit rest = oracle::fit_rows(q, use, lambda);
    out.push_back(oracle::predict(q, rest, select_rows(p.x, {i}))(0, 0));
  }
  return out;
}

TEST(LogisticLoo, IsExactForTheLastLeastSquaresProblem) {
  for (const Setting& s : settings()) {
    const Problem p = random_problem(21, kernel_of(s.family, 3), 24, 3, s.weighted, s.intercept);
    Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
    m.control(1e-11, 100);
    for (const double lambda : {30.0, 1.0, 0.02}) {
      SCOPED_TRACE(text(s) + " lambda " + std::to_string(lambda));
      m.fit(lambda);
      EXPECT_CLOSE(m.loo(), least_squares_loo(p, lambda, m.c(), m.b()), 1e-8);
    }
  }
}

// Heavy points put the light ones among them far on the wrong side, where v_i is nothing beside g_i.
TEST(LogisticLoo, OfAPointFarOnTheWrongSide) {
  for (const double heavy : {1e8, 1e30, 1e200}) {
    for (const bool intercept : {false, true}) {
      Problem p{oracle::KernelSpec::gaussian(1.0), Matrix(6, 1), {1, -1, 1, -1, 1, -1}, {}, intercept};
      p.weights = {heavy, heavy, 1, heavy, heavy, 1};
      for (std::int64_t i = 0; i < 6; ++i) p.x(i, 0) = i % 2 == 0 ? 1.0 : -1.0;
      p.x(2, 0) = -1.0;
      p.x(5, 0) = 1.0;
      Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
      m.control(1e-12, 100).fit(1.0);
      EXPECT_LT(m.decision(p.x)[2], -9);
      EXPECT_CLOSE(m.loo(), least_squares_loo(p, 1.0, m.c(), m.b()), 1e-8) << heavy;
    }
  }
}

// One Newton step is most of the way to the refit: what is left is a small part of |f - f_(-i)| over all points.
TEST(LogisticLoo, IsCloseToRefits) {
  for (const Setting& s : settings()) {
    const Problem p = random_problem(22, kernel_of(s.family, 3), 40, 3, s.weighted, s.intercept);
    const double lambda = 2.0;
    Classifier m = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
    m.fit(lambda);
    const Vector f = m.decision(p.x), loo = m.loo();
    double way = 0, missed = 0;
    for (std::int64_t i = 0; i < p.n(); ++i) {
      Classifier rest = make_classifier(without_row(p, i), FREERIDGE_LOSS_LOGISTIC);
      rest.fit(lambda);
      const double exact = rest.decision(select_rows(p.x, {i}))[0];
      const auto at = static_cast<std::size_t>(i);
      way += (exact - f[at]) * (exact - f[at]);
      missed += (exact - loo[at]) * (exact - loo[at]);
    }
    SCOPED_TRACE(text(s));
    EXPECT_GT(way, 0);
    EXPECT_LE(std::sqrt(missed), 0.1 * std::sqrt(way));
  }
}

// All points coincide, so that f = b = log odds, and H_ii = v_i / sum(v).
TEST(LogisticLoo, AtLeverageOneIsUndefined) {
  Problem p{oracle::KernelSpec::linear(), Matrix(3, 1, 1.0), {1, -1, 1}, {1e30, 1e30, 1.0}, true};
  freeridge_status status = FREERIDGE_INTERNAL;
  Classifier balanced = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
  balanced.fit(1.0);
  const Vector half = balanced.loo(&status);
  EXPECT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
  EXPECT_NEAR(half[0], -2, 1e-10);  // H_ii = 1/2: f - y (1 + exp(-y f)) H / (1 - H)
  EXPECT_NEAR(half[1], 2, 1e-10);
  EXPECT_NEAR(half[2], 0, 1e-10);

  p.weights = {1e30, 1.0, 1.0};  // v = 1, 1e-30, 1e-30: nothing is known without the first
  Classifier one = make_classifier(p, FREERIDGE_LOSS_LOGISTIC);
  one.fit(1.0);
  const Vector values = one.loo(&status);
  const double odds = std::log(1e30);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  EXPECT_NE(std::string(freeridge_last_error()).find("row 0"), std::string::npos) << freeridge_last_error();
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_NEAR(values[1], odds + 1, 1e-6);  // g = 1, S = 1 / sum(v) = 1
  EXPECT_NEAR(values[2], odds, 1e-6);
}

}  // namespace logistic_test
