// Ordinary least squares, ridge regression and total least squares on the user's data: w (d x t), b (t; zeros without
// intercept). The caller has checked the sizes of x and y. Throws NOT_FINITE for numbers that are not finite, and for
// answers that overflow.
#pragma once

#include <string>
#include <utility>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct RegressionResult {
  RegressionResult(Index d, Index t) : w(d, t), b(t, 0.0) {}
  Matrix w;
  Array<double> b;
  Index rank = 0;  // of (centred) x; total least squares: d
};

// min |Y - X w - b|^2, of minimum norm |w| where x is rank deficient. max_steps: of refinement. Cost: 2 n d min(n, d).
RegressionResult ols(const LayoutView& x, const LayoutView& y, bool intercept, Index max_steps);
RegressionResult ols(const LayoutView& x, const LayoutView& y, bool intercept);

// With s_j^2 = sum_i r_ij^2 / (n - rank - intercept) and G = X_c'X_c:
//     sigma_j = s_j,  w_error_kj = s_j sqrt((G^-1)_kk),  b_error_j = s_j sqrt(1/n + xbar'G^-1 xbar),
//     r_squared_j = 1 - sum r_ij^2 / sum (Y_ij - mean_j)^2
// NaN where one of them does not exist; the text *_undefined then says why, and is empty otherwise.
struct OlsSummary {
  explicit OlsSummary(RegressionResult alone) : regression(std::move(alone)) {}
  OlsSummary(Index d, Index t) : regression(d, t), w_error(d, t), b_error(t), sigma(t), r_squared(t) {}
  RegressionResult regression;
  Matrix w_error;                           // d x t
  Array<double> b_error, sigma, r_squared;  // t
  std::string errors_undefined, sigma_undefined, r_squared_undefined;
};
OlsSummary ols_summary(const LayoutView& x, const LayoutView& y, bool intercept);

// min 1/2 |Y - X w - b|^2 + lambda/2 sum_k penalty_k w_k^2; penalty: d numbers, or empty: all one.
RegressionResult ridge(const LayoutView& x, const LayoutView& y, bool intercept, double lambda,
                       Span<const double> penalty);

// The errors of the solution of total least squares (below).
struct TotalErrors {
  Array<double> singular_values;  // of [E F], the t that are not zero by construction, descending
  Array<double> distances;        // n: the norms of the rows of [E F]
  Matrix x, y;                    // E, F; empty unless they are wanted
};
struct TlsResult : RegressionResult {
  explicit TlsResult(RegressionResult alone) : RegressionResult(std::move(alone)) {}
  TotalErrors errors;
};
enum class TlsWanted { solution, distances, corrections };

// min |[E F]|_F subject to (X + E) w + b = Y + F, E zero in the columns whose flag in `exact` (d flags, or empty: none)
// is not zero. Throws UNDEFINED, with the reason, where there is no solution or more than one. The errors cost
// O(n d t).
TlsResult tls(const LayoutView& x, const LayoutView& y, bool intercept, Span<const std::int32_t> exact,
              TlsWanted wanted);

}  // namespace freeridge
