// The triangle of a ridge problem in p features, to which rows are added and from which they are removed:
//     [ W^(1/2) 1   W^(1/2) (X - 1 s')   W^(1/2) (Y - 1 u') ]          [ r00  r0'  y0' ]
//     [     0          lambda^(1/2) I            0          ]   =  Q   [  0   R_c   Z  ]      q = 1 + p rows are kept
// (without an intercept: without its first row and column, and s = u = 0). R is the square part on the left, and
// a = (1, x - s) w_i^(1/2) a row. With the rows of lambda inside, the least singular value of R_c is at least
// lambda^(1/2), so that removing a row that is there cannot break down but by rounding.
//     add (Givens)                          h = (R_kk^2 + a_k^2)^(1/2), c = R_kk / h, s = a_k / h, k = 1, 2, ...:
//                                           R_k, a <- c R_k + s a, c a - s R_k                            3 q^2
//     remove (mixed hyperbolic rotations)   s = a_k / R_kk, c = ((1 - s) (1 + s))^(1/2):
//                                           R_k <- (R_k - s a) / c, a <- c a - s R_k (the new one)        3 q^2
//     prod c^2 = 1 - h of the removed row; what is lost by a removal is about eps / (1 - h)
//     solution      w = R_c^-1 Z, and the intercept in row 0: one back substitution with R                 q^2 t
//     direction     g = R^-1 R^-T a, of which h_i and its changes are made (linear_window.cpp)            2 q^2
// (G. Golub, C. Van Loan, Matrix Computations, 6.5.3, 6.5.4; A. Bojanczyk, R. Brent, P. Van Dooren, F. de Hoog, A note
// on downdating the Cholesky factorization, SIAM J. Sci. Stat. Comput. 8 (1987).) The rotation of row 0 is the update of
// the means, in exact arithmetic and in rounding. The shift s, u is moved to the weighted mean whenever the number of
// rows that were added is a power of two, and to a row that weighs 16 times as much as all before it: a change of row 0
// alone, r0 <- r0 - delta r00.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// One row, unweighted: x has p numbers, y has t.
struct GivenRow {
  const double* x;
  const double* y;
  double sqrt_w;
};

class RowTriangle {
 public:
  RowTriangle() = default;
  RowTriangle(Index p, Index t, bool intercept);
  RowTriangle copy() const;

  Index p() const { return p_; }
  Index t() const { return t_; }
  Index ones() const { return intercept_ ? 1 : 0; }
  Index q() const { return ones() + p_; }
  // No rows of data; lambda's rows where lambda > 0. The shift stays.
  void clear(double lambda);
  Span<const double> shift() const { return shift_; }  // s, u: p + t numbers, 0 without an intercept

  // These allocate nothing and do not fail.
  void add(const GivenRow& row);
  // 1 - h of the row, of which the triangle is then free; not positive where rounding makes that impossible: then the
  // triangle is void.
  double remove(const GivenRow& row);
  void scale(double factor);  // R <- factor R

  // Adds many rows by Householder reflections: 2 n q^2. The shift becomes their weighted mean where there are no rows.
  void absorb(const Rows& x, const LayoutView& y, const double* weights);
  // Adds lambda's rows, lambda^(1/2) I.
  void absorb_penalty(double lambda);

  // w: p x t, of x - s; level: t numbers, f(x) = level + (x - s)'w; without an intercept 0.
  void solve(MatrixView w, Span<double> level) const;
  // h = a'g with g = R^-1 R^-T a for the row a, and h alone; g has q numbers.
  double direction(const GivenRow& row, Span<double> g) const;
  double leverage(const GivenRow& row, Span<double> g) const;
  // a'g
  double along(const GivenRow& row, Span<const double> g) const;
  // h_i = |R^-T a_i|^2 of many rows. q^2 each.
  void leverages(const Rows& x, const LayoutView& y, const double* weights, Span<double> h) const;
  // Whether rows determine the intercept.
  bool determined() const { return !intercept_ || r_(0, 0) != 0; }

 private:
  void pack(const GivenRow& row) const;
  void recentre();
  ConstMatrixView factor() const { return r_.view().block(0, 0, q(), q()); }

  Index p_ = 0, t_ = 0;
  bool intercept_ = false;
  Index count_ = 0;  // rows that were added since there were none
  Matrix r_;         // (q + t) x q: column k is row k of [R, its y], from its diagonal on
  Array<double> shift_;
  mutable Array<double> row_;  // a packed row: workspace
};

}  // namespace freeridge
