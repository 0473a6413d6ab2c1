// P~ at one lambda, and rows of it, by the band route; notation of band_route.hpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/routes/band_route.hpp"

namespace freeridge {

class BandResidualMaker final : public ResidualMaker {
 public:
  BandResidualMaker(const Band& factor, double lambda) : band_(factor), lambda_(lambda), f_(factor.factor(lambda)) {}

  void residual(Index first, MatrixView out) const override;
  void diagonal(Span<double> out) const override { each_squared_norm(f_.s, out); }
  void residual_and_diagonal(Index first, MatrixView out, Span<double> diagonal_out) const override;
  double trace() const override;
  bool below_floor() const override { return !band_.smallest_direction().known(lambda_); }
  double shrinkage() const override { return f_.s == 0 ? 1 : lambda_ / f_.unit / f_.s; }  // 0/0: no eigenvalues
  double scale() const override { return f_.s * f_.unit; }
  void leverage(Span<double> out) const override;
  double degrees_of_freedom() const override;
  double log_determinant() const override { return f_.log_determinant(); }
  double quadratic_form(Index output) const override { return f_.quadratic_form(output); }
  double squared_norm(Index output) const override;
  double function_norm2(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index first, Index count, Index steps, Solution& solution) const override;
  void smoother(const Points& points, Index first, MatrixView a, Span<double> variance) const override;
  void columns(Index first, MatrixView hat, MatrixView inverse) const override;

  void functional_norms(MatrixView delta, Span<double> out) const override;
  void functional_variances(MatrixView delta, Span<double> variance) const override;
  void columns_of(Span<const Index> which, MatrixView out) const override;
  void solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView residual, Index first,
                     Solution& solution) const override;

  const BandFactor& factor() const { return f_; }

 private:
  void apply(MatrixView v) const;  // v = P v
  bool is_faint() const { return lambda_ > 0 && lambda_ >= band_.largest(); }
  void expanded(Index first, double factor, double divisor, MatrixView out) const;
  void each_squared_norm(double factor, Span<double> out) const;
  void faint_leverage(Span<double> out) const;

  const Band& band_;
  double lambda_;
  BandFactor f_;
};

// Keeps the rows of ZQ, s m doubles. A lambda costs 2 s m b and s^2 m.
class BandRows final : public RowBlock {
 public:
  BandRows(const Band& factor, Span<const Index> which);
  bool left_out(const ResidualMaker& residual_maker, Index first, MatrixView out) const override;

 private:
  const Band& band_;
  Index count_;
  Matrix rows_;  // a column for each strip
};

}  // namespace freeridge
