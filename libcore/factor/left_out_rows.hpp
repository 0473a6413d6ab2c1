// Leaving out the rows S: the system P~_SS e = (P~Y~)_S.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// v = P^-1 v for a symmetric positive semi-definite P (s x s, lower triangle, destroyed). False when D^-1/2 P D^-1/2, D
// = diag(P), is singular to working precision: that leverages differ in size does not make it singular. noise: the
// absolute error of each P_ii, where P_ii was made by subtraction; empty: none. O(s^3).
[[nodiscard]] bool solve_left_out(MatrixView p, MatrixView v, Span<const double> noise = {});

// The same for several v, one after another.
class LeftOutFactor {
 public:
  explicit LeftOutFactor(MatrixView p, Span<const double> noise = {});
  bool regular() const { return regular_; }
  // A bound of the relative error that noise and rounding leave in a solution; 1 and more where it is not regular().
  double error() const { return error_; }
  void solve(MatrixView v) const;  // only where it is regular(), like the functions below
  void solve_last(MatrixView v);   // the same; nothing can be solved afterwards
  // P = L L': v = L^-1 v, and v = L^-T v; log|P|
  void half_solve(MatrixView v) const;
  void other_half_solve(MatrixView v) const;
  void half_solve_rows(MatrixView v) const;  // v = v L^-T
  double log_determinant() const;

 private:
  MatrixView l_;  // the factor of D^-1/2 P D^-1/2, in the place of P
  Array<double> root_;
  bool regular_ = false;
  double condition_ = 0;  // reciprocal
  double error_ = 1;
};

}  // namespace freeridge
