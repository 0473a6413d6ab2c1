// The estimated diagonal of P~ against the exact one of small dense problems: LOO, GCV and the trace over many seeds are
// within three of their standard errors, bounds hold, and what is known exactly stays.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "libcore/base/random.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/spectrum/estimated_residual_diagonal.hpp"
#include "support/random.hpp"

namespace estimated_diagonal_test {

using freeridge::Array;
using freeridge::DiagonalEstimate;
using freeridge::DiagonalEvidence;
using freeridge::Estimate;
using freeridge::Index;
using freeridge::Matrix;
using freeridge::Op;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// P~ = lambda (X X' + lambda I)^-1 for rows of a few standard normal numbers, whose columns and rows differ in size; its
// first guess from each column alone, as for sparse rows.
struct Problem {
  Problem(Index n, Index d, double lambda, std::uint64_t seed)
      : p(n, n, 0.0), c(n), base(n), low(n), high(n), raw(n, 8) {
    support::Random random(seed);
    Matrix x(n, d, 0.0);
    Array<double> square(d, 0.0);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < 10; ++k) x(i, random.index(random.index(d) + 1)) = random.normal() * random.uniform(0.5, 2);
    for (Index j = 0; j < d; ++j)
      for (Index i = 0; i < n; ++i) square[j] += x(i, j) * x(i, j);
    for (Index i = 0; i < n; ++i) p(i, i) = lambda;
    freeridge::syrk(Op::none, 1, x.view(), 1, p.view());
    EXPECT_TRUE(freeridge::potrf(p.view()));
    freeridge::potri(p.view());
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) p(j, i) = p(i, j) *= lambda;
    Array<double> y(n);
    for (Index i = 0; i < n; ++i) {
      y[i] = random.normal();
      for (Index j = 0; j < d; j += 3) y[i] += x(i, j);
    }
    freeridge::symv(p.view(), y.data(), c.data());
    for (Index i = 0; i < n; ++i) {
      double sum = 0, norm = 0, most = 0;
      for (Index j = 0; j < d; ++j) {
        const double x2 = x(i, j) * x(i, j);
        sum += x2 / (square[j] - x2 + lambda);
        norm += x2;
        most = std::max(most, x2 / (square[j] + lambda));
      }
      base[i] = 1 / (1 + sum);
      low[i] = lambda / (lambda + norm);
      high[i] = 1 - most;
    }
    freeridge::Random signs(static_cast<std::int64_t>(seed));
    Array<double> z(n), pz(n);
    for (Index s = 0; s < raw.cols(); ++s) {
      for (double& sign : z) sign = signs.next() >> 63 != 0 ? 1 : -1;
      freeridge::symv(p.view(), z.data(), pz.data());
      for (Index i = 0; i < n; ++i) raw(i, s) = z[i] * pz[i];
    }
  }
  DiagonalEvidence evidence() const { return {base, {}, low, high, {}, raw.view()}; }
  Index n() const { return p.rows(); }
  double loo() const {
    double sum = 0;
    for (Index i = 0; i < n(); ++i) sum += c[i] / p(i, i) * (c[i] / p(i, i));
    return sum / static_cast<double>(n());
  }
  double trace() const {
    double sum = 0;
    for (Index i = 0; i < n(); ++i) sum += p(i, i);
    return sum;
  }

  Matrix p;
  Array<double> c, base, low, high;
  Matrix raw;
};

TEST(EstimatedDiagonal, ThreeStandardErrorsCover) {
  struct Case {
    Index n, d;
    double lambda;
  };
  int tried = 0, loo_missed = 0, trace_missed = 0, gcv_missed = 0, blunt = 0;
  for (const Case& at :
       {Case{150, 100, 5}, Case{200, 400, 20}, Case{120, 30, 1}, Case{200, 150, 500}, Case{60, 40, 10}})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Problem problem(at.n, at.d, at.lambda, seed);
      const DiagonalEstimate found = freeridge::estimated_residual_diagonal(problem.evidence());
      const Estimate loo = freeridge::estimated_loo(found, problem.c, static_cast<double>(at.n)),
                     trace = freeridge::estimated_trace(problem.raw.view());
      const double squares = freeridge::dot(at.n, problem.c.data(), problem.c.data()), exact_trace = problem.trace();
      const Estimate gcv = freeridge::estimated_gcv(at.n, squares, trace);
      const double exact_gcv = static_cast<double>(at.n) * squares / exact_trace / exact_trace;
      ++tried;
      loo_missed += std::abs(loo.value - problem.loo()) > 3 * loo.error ? 1 : 0;
      trace_missed += std::abs(trace.value - exact_trace) > 3 * trace.error ? 1 : 0;
      gcv_missed += std::abs(gcv.value - exact_gcv) > 3 * gcv.error ? 1 : 0;
      blunt += loo.error > 0.2 * problem.loo() ? 1 : 0;
      for (Index i = 0; i < at.n; ++i) {
        ASSERT_GE(found.value[i], problem.low[i]);
        ASSERT_LE(found.value[i], problem.high[i]);
        ASSERT_GE(problem.p(i, i), problem.low[i] * (1 - 1e-12));
        ASSERT_LE(problem.p(i, i), problem.high[i] * (1 + 1e-12));
      }
    }
  EXPECT_LE(20 * loo_missed, tried) << loo_missed << " of " << tried;
  EXPECT_LE(20 * trace_missed, tried) << trace_missed << " of " << tried;
  EXPECT_LE(20 * gcv_missed, tried) << gcv_missed << " of " << tried;
  EXPECT_LE(10 * blunt, tried) << blunt << " of " << tried;
}

TEST(EstimatedDiagonal, ShrinkageIsNearerThanGuessAndProbes) {
  const Problem problem(300, 200, 5, 7);
  const DiagonalEstimate found = freeridge::estimated_residual_diagonal(problem.evidence());
  double of_found = 0, of_base = 0, of_raw = 0;
  for (Index i = 0; i < problem.n(); ++i) {
    double mean = 0;
    for (Index s = 0; s < problem.raw.cols(); ++s) mean += problem.raw(i, s) / static_cast<double>(problem.raw.cols());
    of_found += std::pow(found.value[i] - problem.p(i, i), 2);
    of_base += std::pow(problem.base[i] - problem.p(i, i), 2);
    of_raw += std::pow(mean - problem.p(i, i), 2);
  }
  EXPECT_LT(of_found, of_base);
  EXPECT_LT(of_found, of_raw / 4);
}

TEST(EstimatedDiagonal, WhatIsKnownStays) {
  const Problem problem(200, 100, 5, 3);
  Array<double> exact(problem.n(), nan);
  for (Index i = 0; i < problem.n(); i += 3) exact[i] = problem.p(i, i);
  DiagonalEvidence evidence = problem.evidence();
  evidence.exact = exact;
  const DiagonalEstimate found = freeridge::estimated_residual_diagonal(evidence);
  for (Index i = 0; i < problem.n(); ++i) {
    if (std::isnan(exact[i])) continue;
    EXPECT_EQ(found.value[i], exact[i]);
    EXPECT_EQ(found.spread[i], 0);
    EXPECT_EQ(found.effective(i), exact[i]);
  }
  for (double& value : exact) value = 0;
  for (Index i = 0; i < problem.n(); ++i) exact[i] = problem.p(i, i);
  const Estimate loo = freeridge::estimated_loo(freeridge::estimated_residual_diagonal(evidence), problem.c,
                                                static_cast<double>(problem.n()));
  EXPECT_NEAR(loo.value, problem.loo(), 1e-12 * problem.loo());
  EXPECT_NEAR(loo.error, 0, 1e-12 * problem.loo());
}

TEST(EstimatedDiagonal, FewRowsEqualRowsAndProbesWithoutNoise) {
  for (const Index n : {1, 2, 29, 30, 31, 99, 100, 101}) {
    Array<double> base(n, 0.5), high(n, 1.0), c(n, 1.0);
    Matrix raw(n, 3, 0.25);
    const DiagonalEvidence evidence{base, base, {}, high, {}, raw.view()};
    const DiagonalEstimate found = freeridge::estimated_residual_diagonal(evidence);
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(found.value[i], 0.25, 1e-9) << n;
    const Estimate loo = freeridge::estimated_loo(found, c, static_cast<double>(n));
    EXPECT_NEAR(loo.value, 16, 1e-6);
    EXPECT_NEAR(loo.error, 0, 1e-6);
    const Estimate trace = freeridge::estimated_trace(raw.view());
    EXPECT_DOUBLE_EQ(trace.value, 0.25 * static_cast<double>(n));
    EXPECT_EQ(trace.error, 0);
  }
}

// A second number, by which the guess is wrong: the trend takes it up.
TEST(EstimatedDiagonal, TrendInASecondNumber) {
  const Index n = 400;
  support::Random random(5);
  Array<double> base(n), other(n), high(n, 1.0), truth(n);
  Matrix raw(n, 8);
  for (Index i = 0; i < n; ++i) {
    base[i] = std::exp(random.uniform(-4, -1));
    other[i] = random.uniform(0, 2);
    truth[i] = base[i] * (1 + 0.5 * other[i] - 0.1 * std::pow(other[i], 3));
    for (Index s = 0; s < 8; ++s) raw(i, s) = truth[i] + base[i] * random.normal();
  }
  const DiagonalEstimate found = freeridge::estimated_residual_diagonal({base, other, {}, high, {}, raw.view()});
  double squares = 0;
  for (Index i = 0; i < n; ++i) squares += std::pow(found.value[i] / truth[i] - 1, 2) / static_cast<double>(n);
  EXPECT_LT(std::sqrt(squares), 0.15);  // the noise of a mean over probes is 0.35
}

TEST(EstimatedDiagonal, WhatIsNoNumberIsSeen) {
  const Index n = 120;
  Array<double> base(n, 0.5), high(n, 1.0), c(n, 1.0);
  Matrix raw(n, 3, 0.25);
  raw(5, 1) = nan;
  const DiagonalEstimate found = freeridge::estimated_residual_diagonal({base, {}, {}, high, {}, raw.view()});
  EXPECT_TRUE(std::isnan(freeridge::estimated_loo(found, c, 1).value));
}

}  // namespace estimated_diagonal_test
