// P~ at one lambda by the iterative route for sparse rows (sparse_iterative_route.hpp): the solutions are made by the first who asks
// for them, and so are those of the probes.
#pragma once

#include <mutex>

#include "libcore/routes/sparse_iterative_route.hpp"

namespace freeridge {

class SparseIterativeMaker final : public ResidualMaker {
 public:
  SparseIterativeMaker(const SparseIterative& of, double lambda) : f_(of), lambda_(lambda) {}

  void residual(Index first, MatrixView out) const override;
  void diagonal(Span<double>) const override { SparseIterative::refuse("errors left out of single points"); }
  void residual_and_diagonal(Index, MatrixView, Span<double> out) const override { diagonal(out); }
  // tr(P~) and tr(H): estimates.
  double trace() const override;
  bool below_floor() const override { return false; }
  double shrinkage() const override { return 1; }
  void leverage(Span<double>) const override { SparseIterative::refuse("leverages"); }
  double degrees_of_freedom() const override { return hat().value; }
  double log_determinant() const override { SparseIterative::refuse("log-determinant, and so no REML"); }
  double quadratic_form(Index output) const override;
  double squared_norm(Index output) const override;
  double function_norm2(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index, Index, Index, Solution&) const override;
  void smoother(const Points& points, Index first, MatrixView a, Span<double> variance) const override;
  void columns(Index, MatrixView, MatrixView) const override { SparseIterative::refuse("matrices of all points"); }

 private:
  // Of all outputs.
  const NormalColumns& solved() const;
  Estimate hat() const;

  const SparseIterative& f_;
  double lambda_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const NormalColumns> solved_;
  mutable std::unique_ptr<const Estimate> hat_;
};

}  // namespace freeridge
