// Woodbury's formula for rows S that are left out together; notation of left_out_groups.hpp, with a complement, s =
// lambda (R. Rifkin, R. Lippert, Notes on Regularized Least Squares, 5.3):
//     P~_SS = I - A A',   A = [B_S, q1_S] D,   D = diag(1 - p, I)^(1/2),   (P~_SS)^-1 v = v + A (I - A'A)^-1 A'v
//     I - A'A = diag(p, 0) + D C D,   C = I - [B_S, q1_S]'[B_S, q1_S] = [B_O, q1_O]'[B_O, q1_O]
// C is formed once for all lambdas, of the rows that are fewer. Where C is near singular it is R'R, [B_O, q1_O] = Q R,
// and (I - A'A)^-1 A'v is the solution, in the sense of least squares, of
//     [diag(p)^(1/2); R D] z = [D diag(p)^(1/2) Gamma; -Q'v_O]
// (as B'P~Y~ = p Gamma, A'v = D p Gamma - D [B_O, q1_O]'v_O), in which nothing is squared or subtracted. A hold-out of
// many rows costs min(s, n - s) r^2 once (by R: 2 (n - s) r^2) and s r t + r^3 a lambda.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/spectrum/left_out_groups.hpp"

namespace freeridge {

class WoodburyGroup final : public RowBlock {
 public:
  // core: C may be formed. Without `core`, and where C is near singular, R is made instead.
  WoodburyGroup(GroupRows rows, bool core);
  bool left_out(const ResidualMaker& residual_maker, Index first, MatrixView out) const override;

 private:
  template <class F>
  void each_other(const F& f) const;
  // C, from the other rows or from those of S.
  void add_others();
  void subtract_own();
  void triangle_of_others();
  // inner = (I - A'A)^-1 A'v; root: the diagonal of D.
  bool solve_by_core(const SpectrumAt& at, ConstMatrixView v, Span<const double> root, MatrixView inner) const;
  bool solve_by_triangle(const SpectrumAt& at, Index first, Span<const double> root, MatrixView inner) const;
  Matrix least_squares_system(const SpectrumAt& at, Index first, Span<const double> root, Index t) const;

  Index q() const { return rows_.q1.cols(); }

  GroupRows rows_;
  Matrix core_;               // C, lower triangle
  Array<double> noise_;       // the absolute error of its diagonal
  Matrix triangle_, others_;  // R, Q'E_O; empty where C is used
};

}  // namespace freeridge
