// P~ at one lambda by the ITERATIVE route (iterative_route.hpp): nothing is made before it is asked for.
#pragma once

#include "libcore/routes/iterative_route.hpp"

namespace freeridge {

class IterativeResidualMaker final : public ResidualMaker {
 public:
  IterativeResidualMaker(const Iterative& of, double lambda) : f_(of), lambda_(lambda) {}

  void residual(Index first, MatrixView out) const override;
  void diagonal(Span<double>) const override { Iterative::refuse("errors left out of single points"); }
  double trace() const override { Iterative::refuse("trace"); }
  bool below_floor() const override { return false; }
  double shrinkage() const override { return 1; }
  void leverage(Span<double>) const override { Iterative::refuse("leverages"); }
  double degrees_of_freedom() const override { Iterative::refuse("degrees of freedom"); }
  double log_determinant() const override { Iterative::refuse("log-determinant, and so no REML"); }
  double quadratic_form(Index output) const override;
  double squared_norm(Index output) const override;
  double function_norm2(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index first, Index count, Index steps, Solution& solution) const override;
  void smoother(const Points& points, Index first, MatrixView a, Span<double> variance) const override;
  void columns(Index first, MatrixView hat, MatrixView inverse) const override;
  void functional_norms(MatrixView delta, Span<double> out) const override;

  // lambda P_SS, lower triangle, and lambda (P Y~)_S.
  void block(Span<const Index> rows, MatrixView out) const;
  void residual_at(Span<const Index> rows, Index first, MatrixView out) const;

 private:
  const Iterative& f_;
  double lambda_;
};

}  // namespace freeridge
