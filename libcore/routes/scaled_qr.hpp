// The QR of a tall T whose rows may be of different units, T (d x m, d >= m, a feature in each row):
//     rows in groups g = 1, 2, ..., whose norms are within 10^4 of the largest in their group, the largest first
//     T_g = Q_g R_g                          Householder QR of each group, d_g x m
//     [R_1; R_2; ...] P = Q_0 [R; 0]         with column pivoting
//     T P = Q [R; 0],   Q = diag(Q_1, Q_2, ...) Q_0                     one group: R = R_1, P = I, Q_0 = I
// The rounding error of a row is in proportion to its norm; for the first m rows of a group, which become R_g, it is in
// proportion to the largest norm in the group. Without groups it would be the largest norm of all (A. J. Cox, N. J.
// Higham, Stability of Householder QR factorization for weighted least squares problems, Numerical Analysis 1997,
// Pitman: rows in descending order, columns pivoted).
// Q is kept as reflectors in the place of T. Once: 2 d m^2, and for several groups 2 min(d, groups m) m^2 and as many
// numbers. A product with Q: 4 d m a column.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

class ScaledQr {
 public:
  // T is in the last m columns of the storage, m = triangle.cols; R is left in `triangle` (m x m, upper, zeros below).
  ScaledQr(Matrix storage, MatrixView triangle);
  ScaledQr(ByteReader& in, Index d, Index m);
  void save(ByteWriter& out) const;

  Index d() const { return storage_.rows(); }
  Index m() const { return m_; }
  bool several_groups() const { return ends_.size() > 1; }
  // P: column j of R is column pivots()[j] of T; empty: all in their places.
  Span<const Index> pivots() const { return pivots_; }
  // The norms to which the rounding errors of the rows of T are in proportion.
  Span<const double> error_norms() const { return error_norms_; }

  // out = Q [h; 0]
  void expand(ConstMatrixView h, MatrixView out) const;
  // h = the first m rows of Q'a (a: d x q)
  void reduce(ConstMatrixView a, MatrixView h) const;

 private:
  void group(Span<const double> norms);
  void set_error_norms(Array<double> norms);
  MatrixView t() { return storage_.view().columns(storage_.cols() - m_, m_); }
  ConstMatrixView t() const { return storage_.view().columns(storage_.cols() - m_, m_); }
  Index group_count() const { return static_cast<Index>(ends_.size()); }
  Index begin(Index g) const { return g == 0 ? 0 : ends_[g - 1]; }
  // The rows of T that belong to group g, in the order of the storage, and their reflectors.
  Index rows(Index g) const { return ends_[g] - begin(g); }
  Index reflectors(Index g) const { return std::min(rows(g), m()); }
  Index all_reflectors() const;

  Matrix storage_;  // T, rows in order; the reflectors below the diagonals of the groups
  Index m_;
  Array<Index> order_;  // row i in storage is row order_[i] of T
  Array<Index> ends_;   // of the groups
  Array<double> tau_;   // group by group
  Matrix stack_;        // reflectors of Q_0; empty for one group
  Array<double> stack_tau_;
  Array<Index> pivots_;
  Array<double> error_norms_;  // empty after loading
};

}  // namespace freeridge
