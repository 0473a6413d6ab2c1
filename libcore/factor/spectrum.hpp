// A factorization that knows the spectrum:  Z'K_wZ = U diag(Lambda) U',  B = Z U  (n x r, orthonormal, B'q1 = 0).
// The spectral route has r = m; the primal route r = min(m, d), its other m - r eigenvalues are zero ("the
// complement").
//
//     P~ = B diag(p) B' + N,   p_k = s / (Lambda_k + lambda),   s = Lambda_min + lambda,   0/0 = 1
//     N  = I - q1 q1' - B B' when there is a complement (then Lambda_min = 0, s = lambda), else 0
//     Gamma = B'Y~,  E = N Y~:    P~Y~ = B (p Gamma) + E,    diag P~ = (B o B) p + diag N
//     tr P~ = sum p + (m - r),    |P~Y~|^2 = sum p^2 Gamma^2 + |E|^2
//     log|Z'GZ| = sum log(Lambda_k + lambda) + (m - r) log lambda
//     Y~'PY~ = sum Gamma^2 / (Lambda_k + lambda) + |E|^2 / lambda
//     c~ = B g + E / lambda,      g = Gamma / (Lambda + lambda)
//
// All p are in [0, 1], so nothing overflows and nothing is subtracted at any lambda, 0 included.
// Eigenvalues below `tolerance` are rounding noise. At lambda >= tolerance it does not matter; below, they count as
// zero, and directions of eigenvalue zero are left out of g: that is the minimum-norm solution as lambda -> 0.
//
// Memory: B (n r) and O(n t). Cost a lambda: O(n r t); many lambdas together as two matrix products.
#pragma once

#include <span>
#include <vector>

#include "libcore/factor/contrast.hpp"
#include "libcore/factor/factorization.hpp"

namespace freeridge {

class SpectrumFactorization : public Factorization {
 public:
  Range eigenvalue_range() const override;
  std::unique_ptr<ResidualMaker> at(double lambda) const override;
  void sweep(std::span<const double> lambdas, Index first, Index outputs, SweepSink& sink,
             const Progress& progress) const override;

 protected:
  // storage holds B in its last r columns.
  SpectrumFactorization(ProblemPtr problem, Matrix storage, std::vector<double> eigenvalues, double tolerance);

  ConstMatrixView basis() const { return storage_.view().columns(storage_.cols() - rank(), rank()); }
  Index rank() const { return static_cast<Index>(eigenvalues_.size()); }

  // From g (r x count) to the solution of the outputs [first, first + count).
  virtual void solve(Index first, ConstMatrixView g, Solution& solution) const = 0;

 private:
  friend class SpectrumMaker;

  // The numbers of one lambda.
  struct Weights {
    std::vector<double> eigenvalues;  // Lambda_k as they count at this lambda
    std::vector<double> p;
    double s;
    bool projects;  // below the tolerance with eigenvalues that count as zero: P~ is a projector, exact zeros are
                    // rounded
  };
  Weights weights(double lambda) const;
  bool complement() const { return rank() < problem().degrees(); }
  // Makes diag(P~) exactly 0 where it is 0 but for rounding.
  void clear_rounding(const Weights& weights, std::span<double> diagonal) const;

  Matrix storage_;
  std::vector<double> eigenvalues_;
  double tolerance_;
  Matrix gamma_;                       // r x t
  Matrix rest_;                        // E, n x t; empty without complement
  std::vector<double> rest_diagonal_;  // diag N, n; empty without complement
};

}  // namespace freeridge
