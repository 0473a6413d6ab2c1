// P~ at one lambda, and rows of it, by the band route; notation of band_route.hpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/routes/band_route.hpp"
#include "libcore/routes/factored_maker.hpp"

namespace freeridge {

class BandResidualMaker final : public FactoredMaker {
 public:
  BandResidualMaker(const Band& factor, double lambda)
      : FactoredMaker(factor, factor.k_q1(), lambda), band_(factor), f_(factor.factor(lambda)) {}

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
  const BandFactor& factor() const { return f_; }

 private:
  double unit() const override { return f_.unit; }
  double ratio() const override { return f_.s; }
  MatrixView reduce(MatrixView v) const override { return band_.reduce(v); }
  void expand(MatrixView v) const override { band_.expand(v); }
  void half_solve(MatrixView b) const override { f_.l.half_solve(b); }
  void other_half_solve(MatrixView b) const override { f_.l.other_half_solve(b); }
  bool is_faint() const override { return lambda_ > 0 && lambda_ >= band_.largest(); }
  // A product with Q itself is cheaper than one with its reflectors.
  void require_basis() const override { band_.require_basis(); }
  void expanded(Index first, double factor, double divisor, MatrixView out) const;
  void each_squared_norm(double factor, Span<double> out) const;
  void faint_leverage(Span<double> out) const;

  const Band& band_;
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
