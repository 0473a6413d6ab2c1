// P~ at one lambda, for factorizations that know the spectrum; notation of spectrum_factorization.hpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {

class SpectrumResidualMaker final : public ResidualMaker {
 public:
  SpectrumResidualMaker(const SpectrumFactorization& factor, double lambda)
      : f_(factor), functions_(f_.functions_only(lambda)), at_(f_.spectrum(), lambda) {}

  void residual(Index first, MatrixView out) const override { residual_and_diagonal(first, out, {}); }
  void diagonal(Span<double> out) const override { residual_and_diagonal(0, {}, out); }
  // Either may be empty: not wanted.
  void residual_and_diagonal(Index first, MatrixView out, Span<double> diagonal_out) const override;
  double trace() const override { return at_.trace(); }
  bool below_floor() const override { return f_.spectrum().below_floor(at_.lambda()); }
  double shrinkage() const override { return at_.shrinkage(); }
  double scale() const override { return at_.scale(); }
  void leverage(Span<double> out) const override;
  double degrees_of_freedom() const override { return at_.fitted_trace() + static_cast<double>(f_.problem().q()); }
  double log_determinant() const override { return at_.log_determinant(); }
  double quadratic_form(Index output) const override { return at_.quadratic_form(output); }
  double squared_norm(Index output) const override { return at_.squared_norm(output); }
  double function_norm2(Index output) const override { return at_.function_norm2(output); }
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index first, Index count, Index steps, Solution& solution) const override;
  void complete(Index first, Index count, Solution& solution) const override;
  void smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const override;
  void columns(Index first, MatrixView hat, MatrixView inverse) const override;

  void columns_of(Span<const Index> which, MatrixView out) const override;
  void whole(MatrixView out, Span<double> diagonal_out) const override;
  void solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView residual, Index first,
                     Solution& solution) const override;

  const SpectrumAt& spectrum() const { return at_; }

 private:
  void hat_columns(ConstMatrixView b, Index first, MatrixView out) const;

  const SpectrumFactorization& f_;
  bool functions_;
  SpectrumAt at_;
};

}  // namespace freeridge
