// The columns that the penalty leaves alone: 1 (the intercept) and the fixed effects F (n x q as they are given), made
// orthogonal by their weights, column after column:
//     [1, F] diag(scale)^-1 = U R,   U'W U = diag(nu^2),   R unit upper triangular,   q1 = W^(1/2) U diag(nu)^-1
// q1 is an orthonormal basis of W^(1/2) [1, F]. The intercept alone is U = 1, nu^2 = sum(w).
// A column that depends on those before it has no part in U, and its effect is 0. A column depends on the others where
// subtracting them leaves, in every row, at most 1e-10 of what was subtracted there. scale: powers of two.
// Gram-Schmidt, each column twice: orthogonal to rounding where a column is (L. Giraud, J. Langou, M. Rozloznik,
// J. van den Eshof, Rounding error analysis of the classical Gram-Schmidt orthogonalization process, 2005), and the
// error of a row is relative to that row, whatever the weights of others.
// Memory: n q. Cost: 8 n q^2.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

class Unpenalised {
 public:
  Unpenalised() = default;
  // fixed: F, n rows, or without columns.
  Unpenalised(bool constant, const LayoutView& fixed, Span<const double> sqrt_w, double sum_w);

  Index q() const { return q1_.cols(); }
  Index given() const { return given_; }
  // The columns of F that take part, ascending.
  Span<const Index> kept() const { return kept_; }
  const Matrix& q1() const { return q1_; }
  double nu(Index k) const { return nu_[k]; }
  // The norm of column k of W^(1/2) [1, F] diag(scale)^-1, before the columns before it were taken out. The rounding
  // error of W^(1/2) U_k is in proportion to it.
  double given_norm(Index k) const;
  // log|[1, F]'W [1, F]| of the columns that take part.
  double log_determinant() const;

  // g (q x count) = diag(nu)^-1 u(x) for the points whose values of F are in the rows first, first + 1, ... of `fixed`.
  // So q1 g is the smoother of what is not penalised, and of row i of the data g_i = q1_i' / w_i^(1/2).
  void directions(const LayoutView& fixed, Index first, MatrixView g) const;
  // From the coefficients of U (q numbers) to that of 1, which is returned (0 without an intercept), and to those of F
  // (given() numbers).
  double effects(Span<const double> of_u, double* of_f) const;
  // Makes g such that the effect of column j of F is g'(diag(nu) A) divided by the returned number. This number is a
  // power of two, or 0 for a column without a part in U.
  double direction_of(Index j, Span<double> g) const;
  // Makes g such that the effect of the intercept is g'(diag(nu) A).
  void intercept_direction(Span<double> g) const { set_direction(0, g); }

 private:
  // direction_of for the effect in this place of [1, F].
  void set_direction(Index place, Span<double> g) const;
  // Takes out of `column`, W^(1/2) times a column of F, what the columns that q1 has so far explain of it. What is
  // left, divided by its norm, becomes the next column of q1. False where nothing is left: the column depends on the
  // others.
  bool add(MatrixView q1, Span<double> column);

  bool constant_ = false;
  Index given_ = 0;
  Array<Index> kept_;
  Array<double> scale_, nu_;  // q each
  Matrix r_, q1_;
};

}  // namespace freeridge
