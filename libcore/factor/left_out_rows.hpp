// Leaving out the rows S: the system P~_SS e = (P~Y~)_S.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// A factor of D^-1/2 P D^-1/2, for several right sides one after the other.
class LeftOutSystem {
 public:
  // P as solve_left_out has it; it must outlive this object.
  [[nodiscard]] bool factor(MatrixView p, Span<const double> noise = {});
  // v = P^-1 v
  void solve(MatrixView v) const;

 private:
  ConstMatrixView l_;
  Array<double> root_;  // D^1/2
};

// v = P^-1 v for a symmetric positive semi-definite P (s x s, lower triangle, destroyed). False when D^-1/2 P D^-1/2,
// D = diag(P), is singular to working precision: leverages of different size alone do not make it singular. noise: the
// absolute error of each P_ii, where P_ii was made by subtraction; empty: none.
// O(s^3).
[[nodiscard]] bool solve_left_out(MatrixView p, MatrixView v, Span<const double> noise = {});

}  // namespace freeridge
