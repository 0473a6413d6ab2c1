// One problem, as every route sees it: the points, and the outputs in weighted and centred form.
//   Y~ = W^(1/2) (Y - 1 ybar'),  ybar = Y'W1 / sum(w) with an intercept, else 0
//   q1 = W^(1/2) 1 / sqrt(sum(w))
// Subtracting ybar changes neither P~Y~ (P~ W^(1/2) 1 = 0) nor c; it makes a large mean of Y harmless.
// For a linear kernel with an intercept the points are centred too (shift = xbar), for the same reason:
//   X_s = (X - 1 shift') diag(scale)^-1,   X~ = W^(1/2) X_s
#pragma once

#include <cmath>
#include <memory>
#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// The largest weight over the smallest; 1 without weights.
double weight_span(Span<const double> weights);
// From this span on rounding errors of rows of high weight take digits of rows of low weight, where rows are mixed.
constexpr double wide_weights = 0x1p20;

struct Problem {
  // x, y and weights are borrowed; weights: n numbers or empty.
  Problem(KernelPtr kernel, const Rows& x, const LayoutView& y, Span<const double> weights, bool intercept);

  Index n() const { return x.rows; }
  Index d() const { return x.cols; }
  Index t() const { return y_tilde.cols(); }
  Index degrees() const { return n() - (intercept ? 1 : 0); }  // m: the dimension that P~ acts on
  double weight(Index i) const { return sqrt_w[i] * sqrt_w[i]; }
  bool linear() const { return linear_scale.has_value(); }
  // Element i of the smoother row a = W^(1/2) (P kappa + q1 / sqrt(sum(w))).
  double smoother(Index i, double p_kappa) const {
    return sqrt_w[i] * (q1.empty() ? p_kappa : p_kappa + q1[i] / std::sqrt(sum_w));
  }

  // Rows row, row + 1, ... of X_s, of any points, and of X~; linear kernels. Throws NOT_FINITE where X~ overflows.
  void scaled_rows(const Rows& points, Index row, MatrixView out) const;
  void weighted_rows(Index row, MatrixView out) const;
  // The entries of sparse rows divided by `scale`: X_s without the shift.
  void scaled_entries(Index row, Index count, SparseTile& out) const;

  // a = W^(1/2) a, n rows.
  void weight_rows(MatrixView a) const;

  KernelPtr kernel;
  Rows x;
  std::shared_ptr<const void> x_numbers;  // holds what x views, where that is the problem's own
  LayoutView y;
  Span<const double> weights;
  bool intercept;
  Array<double> sqrt_w;  // n
  double sum_w = 0;
  double sum_log_w = 0;
  Matrix y_tilde;        // n x t
  Array<double> y_mean;  // t
  // Of the output that a column of solutions is of: output j of lambda l is in column l t + j.
  double mean_of_column(Index column) const { return y_mean[column % t()]; }
  Array<double> q1;                           // n; empty without intercept
  std::optional<Array<double>> linear_scale;  // d divisors, for linear kernels
  Array<double> shift;                        // d; empty unless the kernel is linear and there is an intercept
  Array<double> shift_rest;                   // d: what rounding left of the means of x after the shift
};

using ProblemPtr = std::shared_ptr<const Problem>;

}  // namespace freeridge
