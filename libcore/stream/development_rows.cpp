// The errors of the solutions at many lambdas on rows that were not added, a development set:
//     S_lj = sum_i W_ii (y_ij - x_i'w_lj - b_lj)^2,      sum_i W_ii
// Both are sums over rows: those of several chunks, or machines, are added. The means of the rows that were added are
// subtracted before the residuals are made, so that large means cost no digits:
//     W^(1/2) r = Y~ - X~ w,      X~ = W^(1/2) (X - 1 xbar'),   Y~ = W^(1/2) (Y - 1 ybar')
// The outer loop is over lambdas, as many as have `sweep_columns` solutions together, the inner one over tiles of rows.
#include <algorithm>

#include "libcore/base/checks.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {

// planes: the w of some lambdas, d x (lambdas t); sums: theirs, one for each of its columns.
void ReducedProblem::add_squares(const Rows& x, const LayoutView& y, const double* weights, ConstMatrixView planes,
                                 Span<double> sums) const {
  const Index n = x.rows, height = std::min(pass_rows, n), ones = rows_.ones(), t = rows_.t();
  Matrix packed(height, rows_.p()), residual(height, planes.cols);
  for (Index row = 0; row < n; row += height) {
    const Index rows = std::min(height, n - row);
    const MatrixView tile = packed.view().row_range(0, rows), r = residual.view().row_range(0, rows);
    pack(x, y, weights, row, tile);
    for (Index c = 0; c < planes.cols; c += t) copy(tile.columns(ones + rows_.d(), t), r.columns(c, t));
    gemm(Op::none, Op::none, -1, tile.columns(ones, rows_.d()), planes, 1, r);
    for (Index c = 0; c < planes.cols; ++c) sums[c] += dot(rows, r.col(c), r.col(c));
    worked(touched * static_cast<double>(rows) * static_cast<double>(planes.cols));
    report(fraction(row + rows, n));
  }
}

SquaredErrors ReducedProblem::squared_errors(const Rows& x, const LayoutView& y, const double* weights,
                                             Span<const double> lambdas) const {
  require_passed(x, y, weights, lambdas);
  const Index t = rows_.t(), total = std::ssize(lambdas);
  const Index chunk = std::clamp<Index>(sweep_columns / t, 1, total);
  SquaredErrors out;
  for (Index i = 0; i < x.rows; ++i) out.sum_w += weights == nullptr ? 1 : weights[i];
  out.squares = Matrix(total, t);
  Array<double> sums;
  Stage stage(0, 0);
  for (Index first = 0; first < total; first += chunk) {
    const Index count = std::min(chunk, total - first);
    stage.next(fraction(first + count, total));
    Matrix w = planes(lambdas.subspan(first, count));
    if (folded_) features_->map().fold(w.view(), Matrix(w.rows(), 0).view());
    sums.assign(count * t, 0.0);
    add_squares(x, y, weights, w.view(), sums);
    for (Index l = 0; l < count; ++l)
      for (Index j = 0; j < t; ++j) out.squares(first + l, j) = sums[l * t + j];
  }
  if (!std::isfinite(out.sum_w)) fail(Status::not_finite, "the sum of the weights overflows; rescale weights");
  require_no_overflow("the sums of squared errors", out.squares.view());
  return out;
}

}  // namespace freeridge
