// diag(P~), estimated from products of P~ with random signs, for routes that can multiply with P~ but do not know its
// diagonal; and what follows from it: LOO, GCV and tr(P~), each with its standard error.
//     z             n signs, each +1 or -1 with probability 1/2: a probe
//     raw_ip        Phat_ii + z_i ((P~ - Phat) z)_i of probe p, Phat ~ P~ with a known diagonal (or zero): its mean is P~_ii,
//                   and its variance sum_(j != i) (P~ - Phat)_ij^2 is large beside P~_ii^2 where P~_ii is small
//     b_i > 0       a guess that is known for all rows; low_i <= P~_ii <= high_i is certain
// Empirical Bayes: P~_ii = b_i theta_i, and theta_i varies around a trend f_i that all rows share,
//     m_i           the mean of raw_ip / b_i over s probes            m_i | theta_i   ~ (theta_i, v_i)
//     f_i           a cubic in log b_i plus a cubic in u_i            theta_i         ~ (f_i, t_i)
//     d_i           b_i (f_i + k_i (m_i - f_i)),  k_i = t_i / (t_i + v_i),  within [max(low_i, b_i f_i / 2), high_i]
//     s_i           b_i (k_i v_i)^(1/2), the standard deviation of P~_ii around d_i
// u_i is any number that tells how far b_i may be from P~_ii (the iterative route of kernels has log(1 + E_ii Phat_ii)).
// log v and log(t + v) are quadratics in the same two numbers: v from the variances over probes, t + v from (m_i - f_i)^2.
// A mean of c_i^2 / P~_ii^2 is too small with d_i in the place of P~_ii, as 1 / d^2 is convex:
//     LOO           sum_i (c_i / d_i)^2 (1 + 3 s_i^2 / d_i^2) / sum(w),   c = P~Y~
//     GCV           n |c|^2 / tr^2,   tr = the mean over p of sum_i raw_ip
// What solutions that end early add: 2 LOO (|error of c| / |c| + error of tr / tr), and of GCV the same. It is a bound of
// GCV, and of LOO as far as 1 / d_i is alike where errors are.
// The standard errors: the jackknife over probes, (s - 1) / s sum_p (S_(without p) - mean)^2, and of LOO two parts that all
// probes share:
//     sum_i (dS / dd_i)^2 (1 - k_i) s_i^2                    the rows' own deviations from the trend, which k_i hides
//     (sum_i (c_i / d_i)^2 15 s_i^4 / d_i^4 / sum(w))^2      the next term of the series of E 1 / P~_ii^2
// The mean over rows is what these promise. A single d_i may be wrong by more than half.
// Cost: O(n s). Memory: n (s + 20).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct DiagonalEvidence {
  Span<const double> base;   // b
  Span<const double> other;  // u; empty: none
  Span<const double> low;    // empty: 0
  Span<const double> high;
  Span<const double> exact;  // P~_ii where it is known, NaN elsewhere; empty: nowhere
  ConstMatrixView raw;       // n x s, s >= fewest_probes
  // What solutions may have done to P~Y~, |error|_2 of each output (empty: nothing), and to the mean of sum_i raw_ip.
  Span<const double> residual_error = {};
  double trace_error = 0;
};

constexpr Index fewest_probes = 3;

struct Estimate {
  double value, error;
};

// d and s, and d without each of the probes.
struct DiagonalEstimate {
  Array<double> value, spread, hidden;  // hidden: (1 - k_i) s_i^2
  Matrix without;                       // n x s

  // d_i (1 + 3 s_i^2 / d_i^2)^(-1/2): sums of (c_i / this)^2 are those of LOO.
  double effective(Index i) const;
};

DiagonalEstimate estimated_residual_diagonal(const DiagonalEvidence& evidence);

// 2 value (|error of P~Y~| / |P~Y~| + error of tr / tr) of output j, c its P~Y~; trace: tr, where evidence.trace_error is
// not 0.
double error_of_solutions(const DiagonalEvidence& evidence, double trace, Index j, Span<const double> c, double value);

// LOO of one output from c = P~Y~, n numbers; sum_w: n without weights.
Estimate estimated_loo(const DiagonalEstimate& diagonal, Span<const double> c, double sum_w);
// tr(P~)
Estimate estimated_trace(ConstMatrixView raw);
// GCV of one output from |P~Y~|^2 and an estimate of the trace.
Estimate estimated_gcv(Index n, double squared_norm, Estimate trace);

}  // namespace freeridge
