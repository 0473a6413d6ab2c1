// Rows S left out together, for factorizations that know the spectrum; notation of spectrum.hpp, O: the rows that stay.
// Three ways, by what is fewest:
//
// Fewer stay than there are unknowns, with a complement: the problem of O itself, Z an orthonormal basis of what is
// orthogonal to q1_O,
//     (Z'B_O diag(Lambda) B_O'Z + lambda I) c = Z'Y~_O,   g = diag(Lambda) B_O'Z c
//     e = Y~_S - B_S g - q1_S beta,   beta = q1_O'(Y~_O - B_O g) / |q1_O|^2                     o^2 r + o^3 / 3 a lambda
//
// Few go: P~_SS = N_SS + B_S diag(p) B_S' as it stands, s x s.                                s^2 r + s^3 / 3 a lambda
//
// Many go and many stay, or N_SS is near singular; with a complement, s = lambda (Woodbury; R. Rifkin, R. Lippert, Notes
// on Regularized Least Squares, 5.3)
//     P~_SS = I - A A',   A = [B_S, q1_S] D,   D = diag(1 - p, 1)^(1/2),   (P~_SS)^-1 v = v + A (I - A'A)^-1 A'v
//     I - A'A = diag(p, 0) + D C D,   C = I - [B_S, q1_S]'[B_S, q1_S] = [B_O, q1_O]'[B_O, q1_O]
// C is formed once for all lambdas, of the rows that are fewer. Where C is near singular it is R'R, [B_O, q1_O] = Q R,
// and (I - A'A)^-1 A'v is the solution, in the sense of least squares, of
//     [diag(p)^(1/2); R D] z = [D diag(p)^(1/2) Gamma; -Q'v_O]        (B'P~Y~ = p Gamma: A'v = D p Gamma - D [B_O, q1_O]'v_O)
// in which nothing is squared or subtracted. A hold-out of many rows costs min(s, n - s) r^2 once (by R: 2 (n - s) r^2)
// and s r t + r^3 a lambda.
#pragma once

#include <span>
#include <vector>

#include "libcore/spectrum/spectrum_residual_maker.hpp"

namespace freeridge {

class SpectrumRows final : public RowBlock {
 public:
  SpectrumRows(const SpectrumFactorization& factor, std::span<const Index> which);
  bool left_out(const ResidualMaker& maker, Index first, MatrixView out) const override;

 private:
  enum class Way { refit, dense, woodbury };

  std::vector<double> q1_of(std::span<const Index> rows) const;
  void keep_others(std::span<const Index> which);
  void set_dense(std::span<const Index> which, std::span<const double> rest_diagonal);
  void set_single(Index row);
  void set_woodbury(std::span<const Index> which);
  template <class F>
  void each_other(std::span<const Index> which, const F& f) const;
  // C, from the other rows or from those of S.
  void add_others(std::span<const Index> which);
  void subtract_own();
  void triangle_of_others(std::span<const Index> which);
  bool left_out_refit(const SpectrumMaker& maker, Index first, MatrixView out) const;
  bool left_out_dense(const SpectrumMaker& maker, MatrixView v) const;
  bool left_out_woodbury(const SpectrumMaker& maker, Index first, MatrixView v) const;
  bool solve_by_core(const SpectrumMaker& maker, ConstMatrixView v, std::span<const double> root,
                     MatrixView inner) const;
  bool solve_by_triangle(const SpectrumMaker& maker, Index first, std::span<const double> root, MatrixView inner) const;

  const SpectrumFactorization& f_;
  Way way_;
  Matrix b_, rest_;                 // B_S, E_S
  std::vector<double> q1_;          // of the rows S
  Matrix fixed_;                    // dense: N_SS; Woodbury: C, lower triangle; empty without complement
  std::vector<double> noise_;       // the absolute error of its diagonal
  Matrix triangle_, others_;        // Woodbury, where C is near singular: R, Q'E_O
  Matrix b_others_, y_, y_others_;  // refit: B_O; Y~_S, Y~_O
  std::vector<double> q1_others_;
};

}  // namespace freeridge
