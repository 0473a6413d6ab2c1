// LOO, GCV and tr(P~) from products of P~ with random signs, for routes that can multiply with P~ but do not know its
// diagonal; each with its standard error.
//     z             n signs, each +1 or -1 with probability 1/2: a probe
//     raw_ip        z_i (P~ z)_i of probe p, whose mean over all signs is P~_ii. Where a matrix Q ~ P~ with a known
//                   diagonal can be multiplied with: Q_ii + z_i ((P~ - Q) z)_i, of variance sum_(j != i) (P~ - Q)_ij^2
//     b_i > 0       a guess of P~_ii that does not depend on the row's own z_i
// A mean of c_i^2 / P~_ii^2 is a series in rho_i = P~_ii / b_i - 1, and the powers of rho_i have estimates without
// bias: for s probes with rho_ip = raw_ip / b_i - 1 these are U1, U2 and U3, the means of rho_ip, rho_ip rho_iq and
// rho_ip rho_iq rho_ir over different probes p, q, r. So however wrong a guess b_i is, all that is wrong in LOO is the
// end of the series:
//     LOO           sum_i (c_i / b_i)^2 (1 - 2 U1_i + 3 U2_i) / sum(w),   c = P~Y~
//     its error     the jackknife over probes, and the rest of the series, sum_i (c_i / b_i)^2 / sum(w) times
//                   (1 - r)^-2 - 1 - 2 r - 3 r^2,   r^3 the absolute mean of U3_i with the weights (c_i / b_i)^2;
//                   and |v|_2 e n^(-1/2),   v_i = 2 (c_i / b_i)^2 / (b_i sum(w)), where solutions for probes end early
//                   and e = |error of P~ z|_2: the probes share these errors of P~_ii, whose signs count as random
//     tr(P~)        the mean over p of sum_i raw_ip
//     GCV           n |c|^2 / tr^2
// Guesses that are wrong in common are corrected first (recentre): rows with similar b_i are multiplied by their mean
// of raw_ip / b_i. LOO is at least sum_i (c_i / high_i)^2 / sum(w), as P~_ii <= high_i. Rows whose P~_ii is known have
// it as b_i and as all raw_ip.
// Solutions that end early add 2 LOO (|error of c| / |c| + error of tr / tr) to the error of LOO, and the same multiple
// of GCV to that of GCV. It is a bound for GCV, and for LOO as far as 1 / P~_ii is alike where errors are.
// Rows share the noise of their probes. What is promised here is the mean over rows: a single raw_ip is worth nothing.
// Cost: O(n s).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct DiagonalEvidence {
  Span<const double> base;  // b
  Span<const double> high;
  ConstMatrixView raw;  // n x s, s >= fewest_probes
  // The errors that solutions may have made: |error|_2 of P~Y~ for each output (empty: none), of the mean over probes
  // of sum_i raw_ip, and the largest |error|_2 of P~ z over all probes.
  Span<const double> residual_error = {};
  double trace_error = 0;
  double probe_error = 0;
};

constexpr Index fewest_probes = 3;

struct Estimate {
  double value, error;
};

// LOO of one output from c = P~Y~, n numbers; sum_w: n without weights. The error is that of the probes, without
// error_of_solutions.
Estimate estimated_loo(const DiagonalEvidence& evidence, Span<const double> c, double sum_w);
// Puts the rows into at most 32 classes by the size of b_i, and multiplies the guesses of a class by the mean of raw_ip
// / b_i over its rows and all probes, where that mean is more than three of its standard errors from 1.
void recentre(Span<double> base, ConstMatrixView raw);
// The `count` rows (or all, if they are fewer) from whose probes the error of LOO comes most: those with the largest
// sum over outputs of (c_i / b_i)^2, divided by its sum over all rows, times the standard deviation of rho_ip over p.
Array<Index> most_uncertain_rows(const DiagonalEvidence& evidence, ConstMatrixView c, Index count);
// tr(P~)
Estimate estimated_trace(ConstMatrixView raw);
// GCV of one output from |P~Y~|^2 and an estimate of the trace.
Estimate estimated_gcv(Index n, double squared_norm, Estimate trace);

// 2 value (|error of P~Y~| / |P~Y~| + error of tr / tr) of output j, c its P~Y~; trace: tr, where evidence.trace_error
// is not 0.
double error_of_solutions(const DiagonalEvidence& evidence, double trace, Index j, Span<const double> c, double value);

}  // namespace freeridge
