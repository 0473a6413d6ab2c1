// The weighted least squares problem that one Newton step of the logistic loss solves (notation as in loss_problem.hpp;
// v_i = w_i p_i (1 - p_i) the second derivatives of the loss terms at f, D = diag(v)^(1/2), d = D1).
// A load rho, n numbers that are added to the derivatives, moves the solution by (da, db), its values by df:
//     da = rho - v df,   df = tau K da + db 1,   1'da = s (with intercept; else db = 0)
// With rho = D rho1 + rho0 (rho1_i = 0 where v_i has underflowed, else rho0_i = 0) and da = rho0 + D eta:
//     B eta + db d = rho1 - tau D K rho0,   d'eta = s - 1'rho0,   B = I + tau D K D
// This form has no division by a v_i that has underflowed, and rho and v df do not cancel (as they would in C.
// Rasmussen, C. Williams, Gaussian Processes for Machine Learning, algorithm 3.1). The intercept is removed by Z
// (contrast.hpp) with q1 = d / |d|: Z'BZ = L L'. n^3/3; memory n^2 for L.
//     S = the matrix of rho -> df: H D^-2, H the hat matrix;   1 - v_i S_ii = P_ii,  P = Z (Z'BZ)^-1 Z'
#pragma once

#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/factor/contrast.hpp"
#include "libcore/losses/loss_problem.hpp"

namespace freeridge {

class LogisticStep {
 public:
  // `storage`: n x n, overwritten and kept. Throws NOT_CONVERGED when B is not numerically positive definite.
  LogisticStep(const LossProblem& problem, double tau, Span<const double> v, MatrixView storage);

  // da and db of a load; s as above.
  struct Move {
    Array<double> da;
    double db = 0;
  };
  Move solve(Span<const double> load, double s) const;

  // diag(P), n numbers. n^3/3.
  Array<double> residual_diagonal() const;
  // S_ii of one point, by a solution. O(n^2).
  double response(Index i) const;

 private:
  // out = B x
  Array<double> apply(Span<const double> x) const;
  MatrixView factor() const { return contrast_->inner(storage_); }

  LossProblem p_;
  double tau_;
  MatrixView storage_;
  Array<double> d_, root_;  // D 1 and tau^(1/2) D 1
  double norm_ = 0;         // |d|
  std::optional<Contrast> contrast_;
};

}  // namespace freeridge
