// P~ at one lambda, and rows of it, by the primal route for sparse rows; notation of primal_sparse_route.hpp.
#pragma once

#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/base/once.hpp"
#include "libcore/factor/row_refit.hpp"
#include "libcore/routes/primal_sparse_route.hpp"

namespace freeridge {

class SparseMaker final : public ResidualMaker {
 public:
  SparseMaker(const SparsePrimal& factorization, double lambda)
      : p_(factorization), lambda_(lambda), f_(factorization.factor(lambda)) {}

  void residual(Index first, MatrixView out) const override;
  void diagonal(Span<double> out) const override;
  double trace() const override;
  bool below_floor() const override { return !p_.smallest_direction().known(lambda_); }
  double shrinkage() const override { return 1; }
  double scale() const override { return lambda_; }
  void leverage(Span<double> out) const override;
  double degrees_of_freedom() const override;
  double log_determinant() const override;
  double quadratic_form(Index output) const override;
  double squared_norm(Index output) const override;
  double function_norm2(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index first, Index count, Index steps, Solution& solution) const override;
  void smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const override;
  void columns(Index first, MatrixView hat, MatrixView inverse) const override;
  void columns_of(Span<const Index> which, MatrixView out) const override;
  void solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView residual, Index first,
                     Solution& solution) const override;

  const BandedFactor& factor() const { return f_; }
  double lambda() const { return lambda_; }

 private:
  // (B + lambda I)^-1 Gamma of some outputs, and (B + lambda I)^-1 z.
  Matrix solved(Index first, Index count) const;
  Matrix solved(Matrix z) const;

  const SparsePrimal& p_;
  double lambda_;
  BandedFactor f_;
};

// Keeps Z_S', d s doubles. A lambda costs 2 s d b and s^2 d. Where fewer rows stay than there are unknowns, or P~_SS is
// near singular, the rows that stay are fitted again (factor/row_refit.hpp), in the coordinates z: (n - s) d (d + rest)
// once for Z_O and its triangle, 2 d^3 a lambda.
class SparseRows final : public RowBlock {
 public:
  SparseRows(const SparsePrimal& factorization, Span<const Index> which);
  bool left_out(const ResidualMaker& maker, Index first, MatrixView out) const override;

 private:
  const RowRefit& others() const;
  bool refit(double lambda, Index first, MatrixView out) const;

  const SparsePrimal& p_;
  Array<Index> which_;
  Matrix z_;  // d x s
  mutable Once once_;
  mutable std::optional<RowRefit> others_;  // the rows that stay, without a penalty
};

}  // namespace freeridge
