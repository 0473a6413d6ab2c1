// P~ at one lambda by the ITERATIVE route (iterative_route.hpp). Everything is computed when it is first asked for.
#pragma once

#include "libcore/routes/iterative_route.hpp"

namespace freeridge {

class IterativeResidualMaker final : public EstimatingMaker {
 public:
  IterativeResidualMaker(const Iterative& of, double lambda) : EstimatingMaker(of, lambda), f_(of) {}

  void residual(Index first, MatrixView out) const override;
  double quadratic_form(Index output) const override;
  double squared_norm(Index output) const override;
  double function_norm2(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index first, Index count, Index steps, Solution& solution) const override;
  void smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const override;
  void columns(Index first, MatrixView hat, MatrixView inverse) const override;

  // lambda P_SS, lower triangle, and lambda (P Y~)_S.
  void block(Span<const Index> rows, MatrixView out) const;
  void residual_at(Span<const Index> rows, Index first, MatrixView out) const;

 private:
  const Iterative& f_;
};

}  // namespace freeridge
