// Penalised least squares, as all solvers of this folder see it:
//     min 1/2 |Y - X w - b|^2 + lambda/2 sum_k penalty_k w_k^2,      lambda, penalty_k >= 0
// in scaled units: X~_k = 2^-e_k X_k, Y~_j = 2^-f_j Y_j, so that no square of data overflows and every column counts in
// its own units: w = 2^(f_j - e_k) w~, b = 2^f_j b~. Powers of two change no digit.
// A column that is constant to within rounding (|X_ik - mean| <= 2 eps max |X_ik|; without intercept: that is zero) is
// the constant: its weight is exactly 0.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/refine.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {

// x and y are borrowed, with finite numbers; penalty: d finite numbers >= 0.
struct PenalisedProblem {
  LayoutView x, y;
  bool intercept = true;
  double lambda = 0;
  Span<const double> penalty;

  Index n() const { return x.rows; }
  Index d() const { return x.cols; }
  Index t() const { return y.cols; }
  Index m() const { return n() - (intercept ? 1 : 0); }
};

// The column 2^exponent u: its mean is `mean` and the largest |u_i - mean| is `deviation`, 0 for a constant column.
struct ColumnStatistics {
  int exponent = 0;
  double mean = 0, deviation = 0;
};
ColumnStatistics column_statistics(const LayoutView& x, Index column, bool intercept);

class ScaledProblem {
 public:
  // For primal solvers: each column of [X_c; sqrt(lambda penalty)] is scaled to about one.
  static ScaledProblem equilibrated(const PenalisedProblem& problem);
  // For dual solvers: one scale for all columns X_k / sqrt(penalty_k), of which K = X diag(penalty)^-1 X' is made;
  // columns with penalty 0 are scaled to about one each. `penalty` and `lambda` are then those of
  //     1/2 |..|^2 + lambda/2 sum_k penalty_k w~_k^2,    penalty_k in [1/4, 4], lambda at most about one
  // and lambda becomes 0 where it is too small to change a sum with the data.
  static ScaledProblem uniform(const PenalisedProblem& problem);

  const PenalisedProblem& problem() const { return problem_; }
  LeastSquaresData data() const;
  // The columns X~_k - shift_k (n x columns). shift_k is the mean of X~_k but for rounding; a column of ones in the
  // problem takes care of the rest.
  void centred(Span<const Index> columns, MatrixView out) const;
  // The columns X~_k themselves.
  void scaled(Span<const Index> columns, MatrixView out) const;
  // Y~; with an intercept minus its column means, but for rounding
  void centred_y(MatrixView out) const;
  // w and b in the original units. Throws NOT_FINITE when they overflow.
  void unscale(const LeastSquaresSolution& solution, MatrixView w, Span<double> b) const;

  // The columns that are not constant.
  Array<Index> varying() const;
  // log2 of the largest over the smallest of these columns, each divided by sqrt(penalty_k) where that is not 0.
  int spread(Span<const Index> columns) const;
  int x_exponent(Index k) const { return x_exponent_[k]; }
  int y_exponent(Index j) const { return y_statistics_[j].exponent; }
  double shift(Index k) const { return shift_[k]; }
  // equilibrated(): lambda penalty_k in the units of w~. uniform(): penalty_k as said there.
  double penalty(Index k) const { return penalty_[k]; }
  double lambda() const { return lambda_; }

 private:
  explicit ScaledProblem(const PenalisedProblem& problem);
  void set_exponent(Index k, int exponent);

  PenalisedProblem problem_;
  Array<ColumnStatistics> statistics_, y_statistics_;
  Array<int> x_exponent_;
  Array<double> x_factor_, y_factor_, shift_, penalty_;
  double lambda_ = 1;
};

}  // namespace freeridge
