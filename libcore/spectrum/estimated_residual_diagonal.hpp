// LOO, GCV and tr(P~) from products of P~ with random signs, for routes that can multiply with P~ but do not know its
// diagonal; each with its standard error.
//     z             n signs, each +1 or -1 with probability 1/2: a probe
//     raw_ip        of probe p, near z_i (P~ z)_i; its mean is P~_ii, whatever is drawn. Where a matrix Q ~ P~ can be multiplied
//                   with and its diagonal is known, Q_ii + z_i ((P~ - Q) z)_i, whose variance is sum_(j != i) (P~ - Q)_ij^2
//     b_i > 0       a guess of P~_ii that does not depend on the row's own z_i
// A mean of c_i^2 / P~_ii^2 is a series in rho_i = P~_ii / b_i - 1, whose powers have estimates without bias: of s probes with
// rho_ip = raw_ip / b_i - 1, those are the means U1, U2 and U3 of rho_ip, rho_ip rho_iq and rho_ip rho_iq rho_ir over
// different probes p, q, r. So however wrong a guess is, what is wrong in LOO is the end of the series alone:
//     LOO           sum_i (c_i / b_i)^2 (1 - 2 U1_i + 3 U2_i) / sum(w),   c = P~Y~
//     its error     the jackknife over probes, and the rest of the series, sum_i (c_i / b_i)^2 / sum(w) times
//                   (1 - r)^-2 - 1 - 2 r - 3 r^2,   r^3 the absolute mean of U3_i with the weights (c_i / b_i)^2;
//                   and |v|_2 e n^(-1/2),   v_i = 2 (c_i / b_i)^2 / (b_i sum(w)), where solutions for probes end early and miss
//                   e = |error of P~ z|_2: those errors of P~_ii, which the probes share, as if their signs were random
//     tr(P~)        the mean over p of sum_i raw_ip
//     GCV           n |c|^2 / tr^2
// Guesses that are wrong in common are put right before (recentre): of the rows with b_i alike, the mean of raw_ip / b_i.
// LOO is at least sum_i (c_i / high_i)^2 / sum(w), as P~_ii <= high_i. Rows with P~_ii known have it for b_i and for all raw_ip.
// What solutions that end early add: 2 LOO (|error of c| / |c| + error of tr / tr), and of GCV the same. It is a bound of
// GCV, and of LOO as far as 1 / P~_ii is alike where errors are.
// Rows share the noise of their probes, and the mean over rows is what is promised here: a single raw_ip is worth nothing.
// Cost: O(n s).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct DiagonalEvidence {
  Span<const double> base;  // b
  Span<const double> high;
  ConstMatrixView raw;  // n x s, s >= fewest_probes
  // What solutions may have done to P~Y~, |error|_2 of each output (empty: nothing), and to the mean of sum_i raw_ip.
  Span<const double> residual_error = {};
  double trace_error = 0;
  double probe_error = 0;  // and to P~ z, |error|_2, the most of all probes
};

constexpr Index fewest_probes = 3;

struct Estimate {
  double value, error;
};

// LOO of one output from c = P~Y~, n numbers; sum_w: n without weights. From the probes alone, without error_of_solutions.
Estimate estimated_loo(const DiagonalEvidence& evidence, Span<const double> c, double sum_w);
// Multiplies the guesses of each class of rows, at most 32 of them by the size of b_i, by the mean over class and probes of raw_ip /
// b_i, where that is three of its standard errors from 1.
void recentre(Span<double> base, ConstMatrixView raw);
// The rows whose probes the error of LOO has most from, `count` at most: those of the largest sum over outputs of (c_i / b_i)^2,
// over that of all rows, times the standard deviation of rho_ip over p.
Array<Index> most_uncertain_rows(const DiagonalEvidence& evidence, ConstMatrixView c, Index count);
// tr(P~)
Estimate estimated_trace(ConstMatrixView raw);
// GCV of one output from |P~Y~|^2 and an estimate of the trace.
Estimate estimated_gcv(Index n, double squared_norm, Estimate trace);

// 2 value (|error of P~Y~| / |P~Y~| + error of tr / tr) of output j, c its P~Y~; trace: tr, where evidence.trace_error is
// not 0.
double error_of_solutions(const DiagonalEvidence& evidence, double trace, Index j, Span<const double> c, double value);

}  // namespace freeridge
