// The columns U of x = [U, X] that are not penalised, beside the intercept. Without its first row and column, which
// belong to the intercept, the triangle of [1, U, X, Y] is
//     [R_uu R_ux R_uy; 0 R_xx R_xy; 0 0 R_yy]
// The rows of R_xx and R_xy are the penalised problem, from which U is eliminated:
//     w_u = R_uu^-1 (R_uy - R_ux w),     Q = W^(1/2) (U - 1 ubar') R_uu^-1, orthonormal over all rows
//     W^(1/2) [X, Y] less what 1 and U explain = W^(1/2) ([X, Y] - 1 mean') - Q [R_ux, R_uy]
// A column that depends on the intercept and the columns before it, to 1e-10 of its norm, is left out, and its w is 0;
// the other columns are then reduced to a new triangle.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

class UnpenalisedColumns {
 public:
  UnpenalisedColumns() = default;
  // triangle: without the intercept's row and column, of `given` + d + t columns; norms: of the columns of U with the
  // intercept's part.
  UnpenalisedColumns(ConstMatrixView triangle, Span<const double> norms, Index t);

  Index given() const { return given_; }
  // The columns that are not left out, and their number.
  const Array<Index>& kept() const { return kept_; }
  Index q() const { return l_.cols(); }
  // [R_xx R_xy; 0 R_yy].
  ConstMatrixView rest() const { return triangle_.view().block(q(), q(), triangle_.rows() - q(), d_ + t_); }
  // log|R_uu|^2
  double log_determinant() const;
  // The largest norm of a column of U beside its diagonal in R_uu.
  double condition() const { return condition_; }
  // w (given + d) x count, whose rows from `given` on are there: its first rows; column c is of output c % t.
  void complete(MatrixView w) const;
  // Q of rows of W^(1/2) (U - 1 ubar').
  Matrix basis(ConstMatrixView u) const;
  ConstMatrixView r_ux() const { return triangle_.view().block(0, q(), q(), d_); }
  ConstMatrixView r_uy() const { return triangle_.view().block(0, q() + d_, q(), t_); }

 private:
  void choose(ConstMatrixView r_uu, Span<const double> norms);

  Index given_ = 0, d_ = 0, t_ = 0;
  double condition_ = 1;
  Array<Index> kept_;
  Matrix triangle_;  // of the columns that are not left out
  Matrix l_;         // R_uu'
};

}  // namespace freeridge
