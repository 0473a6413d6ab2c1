// What a triangular factor of the matrix gives that is left where the intercept and the fixed effects are taken out
// (routes CHOLESKY and BAND): with the contrast Z (contrast.hpp), on the band route times Q,
//     Z'GZ = unit L L',     P = Z (unit L L')^-1 Z',     P~ = ratio Z (L L')^-1 Z'
// The unit is a power of two: a division by it is exact.
#pragma once

#include "libcore/factor/factorization.hpp"

namespace freeridge {

class FactoredMaker : public ResidualMaker {
 public:
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index first, Index count, Index steps, Solution& solution) const override;
  void smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const override;
  void columns(Index first, MatrixView hat, MatrixView inverse) const override;
  void columns_of(Span<const Index> which, MatrixView out) const override;
  void solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView residual, Index first,
                     Solution& solution) const override;

 protected:
  // The factorization must outlive it. k_q1: K_w q1.
  FactoredMaker(const Factorization& factorization, ConstMatrixView k_q1, double lambda);

  virtual double unit() const = 0;
  virtual double ratio() const = 0;
  virtual MatrixView reduce(MatrixView v) const = 0;      // Z'v, in the place of v
  virtual void expand(MatrixView v) const = 0;            // Z v, in the place of v
  virtual void half_solve(MatrixView b) const = 0;        // L^-1 b
  virtual void other_half_solve(MatrixView b) const = 0;  // L^-T b
  virtual bool is_faint() const = 0;                      // columns_by_product
  virtual void require_basis() const {}                   // before many columns

  const Factorization& factorization_;
  const Problem& problem_;
  ConstMatrixView k_q1_;
  double lambda_;

 private:
  void apply(MatrixView v) const;              // P v
  MatrixView reduce_half(MatrixView v) const;  // L^-1 Z'v / unit
};

}  // namespace freeridge
