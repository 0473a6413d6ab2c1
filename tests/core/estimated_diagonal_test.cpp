// LOO, GCV and the trace from random signs against the exact ones of small dense problems: over many seeds they are within three of
// their standard errors, a wrong guess does not bias them, and what is known exactly stays.
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
using freeridge::DiagonalEvidence;
using freeridge::Estimate;
using freeridge::Index;
using freeridge::Matrix;
using freeridge::Op;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// P~ = lambda (X X' + lambda I)^-1 for rows of a few standard normal numbers, whose columns and rows differ in size; its
// first guess from each column alone, as for sparse rows.
struct Problem {
  Problem(Index n, Index d, double lambda, std::uint64_t seed) : p(n, n, 0.0), c(n), base(n), high(n) {
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
      double sum = 0, most = 0;
      for (Index j = 0; j < d; ++j) {
        const double x2 = x(i, j) * x(i, j);
        sum += x2 / (square[j] - x2 + lambda);
        most = std::max(most, x2 / (square[j] + lambda));
      }
      base[i] = 1 / (1 + sum);
      high[i] = 1 - most;
    }
    raw = probes(seed);
  }
  Matrix probes(std::uint64_t seed) const {
    freeridge::Random signs(static_cast<std::int64_t>(seed));
    Array<double> z(n()), pz(n());
    Matrix out(n(), 8);
    for (Index s = 0; s < out.cols(); ++s) {
      for (double& sign : z) sign = signs.next() >> 63 != 0 ? 1 : -1;
      freeridge::symv(p.view(), z.data(), pz.data());
      for (Index i = 0; i < n(); ++i) out(i, s) = z[i] * pz[i];
    }
    return out;
  }
  void know(Index i) {
    base[i] = p(i, i);
    for (Index s = 0; s < raw.cols(); ++s) raw(i, s) = p(i, i);
  }
  DiagonalEvidence evidence() const { return {base, high, raw.view()}; }
  freeridge::ConstMatrixView outputs() const { return {c.data(), n(), 1, n()}; }
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
  Array<double> c, base, high;
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
      const Estimate loo = freeridge::estimated_loo(problem.evidence(), problem.c, static_cast<double>(at.n)),
                     trace = freeridge::estimated_trace(problem.raw.view());
      const double squares = freeridge::dot(at.n, problem.c.data(), problem.c.data()), exact_trace = problem.trace();
      const Estimate gcv = freeridge::estimated_gcv(at.n, squares, trace);
      const double exact_gcv = static_cast<double>(at.n) * squares / exact_trace / exact_trace;
      ++tried;
      loo_missed += std::abs(loo.value - problem.loo()) > 3 * loo.error ? 1 : 0;
      trace_missed += std::abs(trace.value - exact_trace) > 3 * trace.error ? 1 : 0;
      gcv_missed += std::abs(gcv.value - exact_gcv) > 3 * gcv.error ? 1 : 0;
      blunt += loo.error > 0.2 * problem.loo() ? 1 : 0;
    }
  EXPECT_LE(20 * loo_missed, tried) << loo_missed << " of " << tried;
  EXPECT_LE(20 * trace_missed, tried) << trace_missed << " of " << tried;
  EXPECT_LE(20 * gcv_missed, tried) << gcv_missed << " of " << tried;
  EXPECT_LE(10 * blunt, tried) << blunt << " of " << tried;
}

// However far the guess is from P~_ii in a second way, probes see it.
TEST(EstimatedDiagonal, WithoutBiasOfTheGuess) {
  const Problem problem(200, 150, 60, 3);
  Array<double> guess = problem.base;
  for (Index i = 0; i < problem.n(); ++i) guess[i] *= i % 3 == 0 ? 1.1 : 0.92;
  double mean = 0, of_guess = 0;
  const Index seeds = 60;
  for (Index i = 0; i < problem.n(); ++i)
    of_guess += problem.c[i] / guess[i] * (problem.c[i] / guess[i]) / static_cast<double>(problem.n());
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    const Matrix raw = problem.probes(100 + seed);
    mean +=
        freeridge::estimated_loo({guess, problem.high, raw.view()}, problem.c, static_cast<double>(problem.n())).value /
        static_cast<double>(seeds);
  }
  EXPECT_GT(std::abs(of_guess / problem.loo() - 1), 0.03);
  EXPECT_LT(std::abs(mean / problem.loo() - 1), 0.01);
}

TEST(EstimatedDiagonal, WhatIsKnownStays) {
  Problem problem(200, 100, 5, 3);
  const double before = freeridge::estimated_loo(problem.evidence(), problem.c, 200).error;
  for (const Index i : freeridge::most_uncertain_rows(problem.evidence(), problem.outputs(), 20)) problem.know(i);
  EXPECT_LT(freeridge::estimated_loo(problem.evidence(), problem.c, 200).error, before / 2);
  for (Index i = 0; i < problem.n(); ++i) problem.know(i);
  const Estimate loo = freeridge::estimated_loo(problem.evidence(), problem.c, 200);
  EXPECT_NEAR(loo.value, problem.loo(), 1e-12 * problem.loo());
  EXPECT_LE(loo.error, 1e-14 * loo.value);  // rounding: a BLAS with threads need not give equal columns equal bits
  EXPECT_EQ(freeridge::most_uncertain_rows(problem.evidence(), problem.outputs(), 300).size(), 200u);
}

TEST(EstimatedDiagonal, ProbesWithoutNoise) {
  for (const Index n : {1, 2, 30}) {
    Array<double> base(n, 0.26), high(n, 1.0), c(n, 1.0);
    Matrix raw(n, 3, 0.25);
    const Estimate loo = freeridge::estimated_loo({base, high, raw.view()}, c, static_cast<double>(n));
    EXPECT_NEAR(loo.value, 16, 16 * 4 * std::pow(0.01 / 0.26, 3));
    EXPECT_NEAR(loo.error, 16 * 4 * std::pow(0.01 / 0.26, 3), 2e-3);
    const Estimate trace = freeridge::estimated_trace(raw.view());
    EXPECT_DOUBLE_EQ(trace.value, 0.25 * static_cast<double>(n));
    EXPECT_EQ(trace.error, 0);
  }
}

// What cannot be, a LOO below the one with P~_ii as large as they may be, is not said.
TEST(EstimatedDiagonal, NotBelowWhatIsCertain) {
  const Array<double> base(5, 0.1), high(5, 0.5), c(5, 1.0);
  Matrix raw(5, 3, 0.2);
  raw(0, 1) = -9;
  const Estimate loo = freeridge::estimated_loo({base, high, raw.view()}, c, 5);
  EXPECT_GE(loo.value, 4);
  EXPECT_GT(loo.error, 10);
}

TEST(EstimatedDiagonal, WhatIsNoNumberIsSeen) {
  const Array<double> base(20, 0.5), high(20, 1.0), c(20, 1.0);
  Matrix raw(20, 3, 0.25);
  raw(5, 1) = nan;
  EXPECT_TRUE(std::isnan(freeridge::estimated_loo({base, high, raw.view()}, c, 1).value));
}

}  // namespace estimated_diagonal_test
