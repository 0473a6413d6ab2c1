// P~ at one lambda by the iterative route for sparse rows (sparse_iterative_route.hpp). The solutions are made by the
// first call that needs them.
#pragma once

#include <mutex>

#include "libcore/routes/sparse_iterative_route.hpp"

namespace freeridge {

class SparseIterativeMaker final : public EstimatingMaker {
 public:
  SparseIterativeMaker(const SparseIterative& of, double lambda) : EstimatingMaker(of, lambda), f_(of) {}

  void residual(Index first, MatrixView out) const override;
  double quadratic_form(Index output) const override;
  double squared_norm(Index output) const override;
  double function_norm2(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index, Index, Index, Solution&) const override;
  void smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const override;
  void columns(Index, MatrixView, MatrixView) const override { SparseIterative::refuse("matrices of all points"); }

 private:
  // The solutions of all outputs.
  const NormalColumns& solved() const;

  const SparseIterative& f_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const NormalColumns> solved_;
};

}  // namespace freeridge
