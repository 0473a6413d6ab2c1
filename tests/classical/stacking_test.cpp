// The weights of a stack: closed forms, the best of all sets of members by long double, the conditions of the minimum,
// errors without each row against weights learnt again, and what is extreme.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/model.hpp"
#include "support/random.hpp"

namespace stacking_test {

using namespace support;

struct Found {
  Vector w, errors;
};

freeridge_status ask(const Matrix& f, const Vector& y, const Vector& weights, Found& out, bool errors = true,
                     double prior = 0) {
  out.w.assign(static_cast<std::size_t>(f.cols), -7.0);
  out.errors.assign(static_cast<std::size_t>(f.rows), -7.0);
  return freeridge_stack_weights(FREERIDGE_COL_MAJOR, f.rows, f.cols, f.values.data(), f.rows, y.data(),
                                 weights.empty() ? nullptr : weights.data(), prior, out.w.data(),
                                 errors ? out.errors.data() : nullptr);
}

Found stack(const Matrix& f, const Vector& y, const Vector& weights = {}, bool errors = true) {
  Found out;
  check(ask(f, y, weights, out, errors), "freeridge_stack_weights");
  return out;
}

// Errors of the members, each row times the root of its weight.
Dense errors_of(const Matrix& f, const Vector& y, const Vector& weights) {
  Dense e(f.rows, f.cols);
  for (std::int64_t m = 0; m < f.cols; ++m)
    for (std::int64_t i = 0; i < f.rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      e(i, m) = (Real(y[at]) - Real(f(i, m))) * std::sqrt(weights.empty() ? Real(1) : Real(weights[at]));
    }
  return e;
}

Real objective(const Dense& e, const Vector& w) {
  Real sum = 0;
  for (std::int64_t i = 0; i < e.rows; ++i) {
    Real error = 0;
    for (std::int64_t m = 0; m < e.cols; ++m) error += Real(w[static_cast<std::size_t>(m)]) * e(i, m);
    sum += error * error;
  }
  return sum;
}

// The least of the objective over all sets of members: within a set the equation's solution G^-1 1 / (1'G^-1 1), where
// it is not negative. Sets whose G is singular are left out: a smaller one has the same minimum.
Real best_of_all_sets(const Dense& e) {
  Real best = std::numeric_limits<Real>::infinity();
  for (unsigned set = 1; set < 1U << e.cols; ++set) {
    std::vector<std::int64_t> in;
    for (std::int64_t m = 0; m < e.cols; ++m)
      if ((set >> m) & 1U) in.push_back(m);
    const auto p = static_cast<std::int64_t>(in.size());
    Dense g(p, p + 1, Real(1));
    for (std::int64_t a = 0; a < p; ++a)
      for (std::int64_t b = 0; b < p; ++b) {
        g(a, b) = 0;
        for (std::int64_t i = 0; i < e.rows; ++i)
          g(a, b) += e(i, in[static_cast<std::size_t>(a)]) * e(i, in[static_cast<std::size_t>(b)]);
      }
    const Dense gram = g;
    bool regular = true;
    for (std::int64_t a = 0; a < p && regular; ++a) {  // elimination; G is positive semi-definite
      regular = g(a, a) > 1e-15L * gram(a, a);
      for (std::int64_t c = 0; c < p && regular; ++c) {
        if (c == a) continue;
        const Real factor = g(c, a) / g(a, a);
        for (std::int64_t b = a; b <= p; ++b) g(c, b) -= factor * g(a, b);
      }
    }
    if (!regular) continue;
    Real sum = 0;
    Vector w(static_cast<std::size_t>(e.cols), 0.0);
    for (std::int64_t a = 0; a < p; ++a) sum += g(a, p) / g(a, a);
    bool inside = true;
    for (std::int64_t a = 0; a < p; ++a) {
      const Real weight = g(a, p) / g(a, a) / sum;
      inside = inside && weight >= 0;
      w[static_cast<std::size_t>(in[static_cast<std::size_t>(a)])] = static_cast<double>(weight);
    }
    if (inside) best = std::min(best, objective(e, w));
  }
  return best;
}

Matrix without_row(const Matrix& a, std::int64_t row) {
  Matrix out(a.rows - 1, a.cols);
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = a(i + (i >= row ? 1 : 0), j);
  return out;
}

Vector without_row(Vector a, std::int64_t row) {
  if (!a.empty()) a.erase(a.begin() + row);
  return a;
}

struct Problem {
  Matrix f;
  Vector y, weights;
};

// Members with errors of their own and errors in common.
Problem problem(Random& random, std::int64_t n, std::int64_t k) {
  Problem out{Matrix(n, k), random.uniform_vector(n, -2, 2), random.uniform_vector(n, 0.1, 3)};
  const Vector common = random.uniform_vector(n, -1, 1), own = random.uniform_vector(k, 0.1, 2);
  for (std::int64_t m = 0; m < k; ++m)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      out.f(i, m) = out.y[row] + common[row] + own[static_cast<std::size_t>(m)] * random.normal();
    }
  return out;
}

TEST(StackWeights, ByHand) {
  // Orthogonal errors of sizes 1 and 2: weights as 1 / size^2; of three, one without error has all.
  Matrix f(4, 2);
  f.values = {1, 1, 0, 0, 0, 0, 2, 2};
  Found found = stack(f, {0, 0, 0, 0});
  EXPECT_NEAR(found.w[0], 0.8, 1e-15);
  EXPECT_NEAR(found.w[1], 0.2, 1e-15);
  EXPECT_NEAR(found.errors[0], -8.0 / 9, 1e-15);  // without row 0 the sums of squares are 1 and 8
  EXPECT_EQ(stack(f, {1, 1, 0, 0}).w, (Vector{1, 0}));
  // Errors of opposite signs: their mean has none.
  f.values = {1, -1, 1, -1, -3, 3, -3, 3};
  found = stack(f, {0, 0, 0, 0});
  EXPECT_NEAR(found.w[0], 0.75, 1e-15);
  EXPECT_NEAR(found.errors[2], 0, 1e-15);
  // Both on one side: the nearer one alone, although the equation alone would have a weight of -1.
  f.values = {1, 1, 1, 1, 2, 2, 2, 2};
  EXPECT_EQ(stack(f, {0, 0, 0, 0}).w, (Vector{1, 0}));
  const Matrix one = to_column({3, 4});
  EXPECT_EQ(stack(one, {1, 1}).w, Vector{1.0});
  EXPECT_EQ(stack(one, {1, 1}).errors, (Vector{-2, -3}));
  EXPECT_EQ(stack(to_column({3}), {1}).errors, Vector{-2.0});
}

TEST(StackWeights, AreTheBestOfAllSets) {
  Random random(17);
  for (int round = 0; round < 120; ++round) {
    const std::int64_t n = 2 + random.index(14), k = 1 + random.index(6);
    Problem p = problem(random, n, k);
    if (round % 2 == 0) p.weights.clear();
    const Found found = stack(p.f, p.y, p.weights);
    const Dense e = errors_of(p.f, p.y, p.weights);
    const Real best = best_of_all_sets(e), reached = objective(e, found.w);
    double sum = 0;
    for (const double w : found.w) {
      EXPECT_GE(w, 0);
      sum += w;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
    EXPECT_LE(reached, best * (1 + 1e-12L) + 1e-24L) << "n " << n << ", k " << k;
  }
}

// G w is the same for all members with a weight, and no smaller for the others.
TEST(StackWeights, FulfilTheConditionsOfTheMinimum) {
  Random random(18);
  for (const std::int64_t k : {3, 12, 40}) {
    const Problem p = problem(random, 200, k);
    const Vector w = stack(p.f, p.y, p.weights, false).w;
    const Dense e = errors_of(p.f, p.y, p.weights);
    const Real least = objective(e, w);
    for (std::int64_t m = 0; m < k; ++m) {
      Real slope = 0;
      for (std::int64_t i = 0; i < e.rows; ++i) {
        Real error = 0;
        for (std::int64_t l = 0; l < k; ++l) error += Real(w[static_cast<std::size_t>(l)]) * e(i, l);
        slope += e(i, m) * error;
      }
      if (w[static_cast<std::size_t>(m)] > 0)
        EXPECT_NEAR(static_cast<double>(slope / least), 1, 1e-11);
      else
        EXPECT_GE(static_cast<double>(slope / least), 1 - 1e-11);
    }
  }
}

TEST(StackWeights, ErrorsAreThoseOfWeightsLearntWithoutTheRow) {
  Random random(19);
  for (int round = 0; round < 40; ++round) {
    const std::int64_t k = 1 + random.index(6), n = k + 2 + random.index(12);
    Problem p = problem(random, n, k);
    if (round % 3 == 0) p.weights.clear();
    if (round % 3 == 1) p.weights[0] = 0, p.weights[1] = 1e6;
    const Found found = stack(p.f, p.y, p.weights);
    for (std::int64_t i = 0; i < n; ++i) {
      const Vector w = stack(without_row(p.f, i), without_row(p.y, i), without_row(p.weights, i), false).w;
      Real error = p.y[static_cast<std::size_t>(i)];
      for (std::int64_t m = 0; m < k; ++m) error -= Real(w[static_cast<std::size_t>(m)]) * Real(p.f(i, m));
      EXPECT_NEAR(found.errors[static_cast<std::size_t>(i)], static_cast<double>(error), 2e-11)
          << round << ", row " << i;
    }
  }
}

// The mean square of the errors is that of new rows: of eight equal members the best weights flatter, by about one
// part in n for each, and the errors without the row do not.
TEST(StackWeights, ErrorsAreHonest) {
  Random random(20);
  const std::int64_t n = 40, k = 8;
  double left_out = 0, held = 0, fresh = 0;
  for (int round = 0; round < 400; ++round) {
    Matrix f(n, k);
    for (double& value : f.values) value = random.normal();
    const Found found = stack(f, Vector(static_cast<std::size_t>(n), 0.0));
    for (std::int64_t i = 0; i < n; ++i) {
      double error = 0;
      for (std::int64_t m = 0; m < k; ++m) error += found.w[static_cast<std::size_t>(m)] * f(i, m);
      held += error * error / double(n);
      left_out += found.errors[static_cast<std::size_t>(i)] * found.errors[static_cast<std::size_t>(i)] / double(n);
    }
    for (const double w : found.w) fresh += w * w;  // the variance of the mean of new members
  }
  EXPECT_NEAR(left_out / fresh, 1, 0.03);
  EXPECT_LT(held / fresh, 0.8);
}

TEST(StackWeights, EqualAndNearlyEqualMembers) {
  Random random(21);
  const Problem p = problem(random, 30, 3);
  const Vector alone = stack(p.f, p.y).w;
  Matrix twice(30, 6);
  std::copy(p.f.values.begin(), p.f.values.end(), twice.values.begin());
  std::copy(p.f.values.begin(), p.f.values.end(), twice.values.begin() + 90);
  for (const double apart : {0.0, 1e-14, 1e-10, 1e-6}) {
    for (std::size_t i = 90; i < 180; ++i) twice.values[i] = p.f.values[i - 90] + apart * random.normal();
    const Found found = stack(twice, p.y);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(found.w[m] + found.w[m + 3], alone[m], 10 * apart + 1e-9);
    EXPECT_NEAR(static_cast<double>(objective(errors_of(twice, p.y, {}), found.w)),
                static_cast<double>(objective(errors_of(p.f, p.y, {}), alone)), 10 * apart + 1e-12);
    for (const double error : found.errors) EXPECT_TRUE(std::isfinite(error));
  }
}

TEST(StackWeights, NumbersOfAnySize) {
  Random random(22);
  const Problem p = problem(random, 25, 4);
  const Found plain = stack(p.f, p.y, p.weights);
  for (const double size : {1e-290, 1e-150, 1e150, 1e307}) {
    Problem q = p;
    for (double& value : q.f.values) value *= size;
    for (double& value : q.y) value *= size;
    for (double& value : q.weights) value *= size > 1 ? 1e-300 : 1e300;
    const Found found = stack(q.f, q.y, q.weights);
    for (std::size_t m = 0; m < 4; ++m) EXPECT_NEAR(found.w[m], plain.w[m], 1e-12) << size;
    for (std::size_t i = 0; i < 25; ++i) EXPECT_NEAR(found.errors[i] / size, plain.errors[i], 1e-11) << size;
  }
  // Members of very different errors: the two good ones share the weight.
  Matrix f(4, 3);
  f.values = {1e-9, 1e-9, 0, 0, 1e200, -1e200, 3, 1, 0, 0, 2e-9, 2e-9};
  const Vector w = stack(f, {0, 0, 0, 0}, {}, false).w;
  EXPECT_NEAR(w[0], 0.8, 1e-12);
  EXPECT_EQ(w[1], 0);
  f.values = {1.7e308, 0, 0, 0, 1.7e308, 0, 0, 0, 1.7e308, 0, 0, 0};
  Found out;
  EXPECT_EQ(ask(f, {-1.7e308, 0, 0, 0}, {}, out), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(out.w[0], -7);
}

// The prior is k - 1 rows more, whose errors are (prior s^2)^(1/2) in one member other than the first.
TEST(StackWeights, PriorIsMoreRows) {
  Random random(23);
  for (const bool weighted : {false, true}) {
    Problem p = problem(random, 20, 4);
    if (!weighted) p.weights.clear();
    if (weighted) p.weights[5] = 0;
    const double prior = 7;
    Found found;
    check(ask(p.f, p.y, p.weights, found, true, prior), "freeridge_stack_weights");
    Real s = 0;
    const Dense e = errors_of(p.f, p.y, p.weights);
    for (std::int64_t i = 0; i < 20; ++i) s += e(i, 0) * e(i, 0) / (weighted ? 19 : 20);
    Matrix f(23, 4);
    Vector y = p.y, weights = p.weights.empty() ? Vector(20, 1.0) : p.weights;
    y.resize(23, 0.0), weights.resize(23, 1.0);
    for (std::int64_t m = 0; m < 4; ++m) {
      for (std::int64_t i = 0; i < 20; ++i) f(i, m) = p.f(i, m);
      if (m > 0) f(19 + m, m) = std::sqrt(prior * static_cast<double>(s));
    }
    const Found rows = stack(f, y, weights);
    for (std::size_t m = 0; m < 4; ++m) EXPECT_NEAR(found.w[m], rows.w[m], 1e-12);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(found.errors[i], rows.errors[i], 1e-12);
    EXPECT_GT(found.w[0], stack(p.f, p.y, p.weights).w[0]);
    check(ask(p.f, p.y, p.weights, found, true, 1e12), "freeridge_stack_weights");
    EXPECT_NEAR(found.w[0], 1, 1e-9);
  }
}

TEST(StackWeights, OneRowHasNoErrors) {
  Matrix f(2, 2);
  f.values = {1, 5, 2, 5};
  Found out;
  EXPECT_EQ(ask(f, {0, 0}, {1, 0}, out), FREERIDGE_UNDEFINED);
  EXPECT_EQ(out.w, (Vector{1, 0}));
  for (const double error : out.errors) EXPECT_TRUE(std::isnan(error));
  EXPECT_EQ(ask(f, {0, 0}, {1, 0}, out, false), FREERIDGE_OK);
  EXPECT_EQ(ask(f, {0, 0}, {1, 0}, out, true, 0.5), FREERIDGE_OK);  // with a prior: the first member
  EXPECT_EQ(out.errors, (Vector{-1, -5}));
  EXPECT_EQ(ask(f, {0, 0}, {0, 0}, out), FREERIDGE_INVALID_ARGUMENT);
}

}  // namespace stacking_test
