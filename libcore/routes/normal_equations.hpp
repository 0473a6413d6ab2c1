// Solutions of (X~'X~ + lambda I) w = b, A for short, for some columns at once: conjugate gradients
// (linalg/conjugate_gradients.hpp) with the diagonal, M = diag(D + lambda), over products with sparse rows
// (centred_sparse_rows.hpp). After them the residual r = b - A w is computed anew; where the bound
//     |w - A^-1 b|_A <= (|r| + rho) / lambda^(1/2),      |v|_A^2 = v'A v = |X~ v|^2 + lambda |v|^2
// is too large, conjugate gradients solve for a correction with the right-hand side r, and so on. The bound holds since
// A >= lambda I. rho is a bound of the rounding error of r: some eps (|A| |w| + |b|).
// Memory: 6 d k, and n k while a product is made. Cost: a product X~'X~ p and 10 d k an iteration.
#pragma once

#include "libcore/linalg/conjugate_gradients.hpp"
#include "libcore/routes/centred_sparse_rows.hpp"

namespace freeridge {

struct NormalColumns : BoundedColumns {
  Matrix w;  // d x k
};

class NormalEquations {
 public:
  explicit NormalEquations(const CentredSparseRows& rows);

  // An estimate of the largest eigenvalue of X~'X~, from below: 5 steps of the power method.
  double largest() const { return largest_; }

  // lambda > 0. start: d x k, or without columns: zeros. wanted: the accuracy of each column. A column that cannot
  // reach its accuracy comes with the bound that was reached.
  NormalColumns solve(ConstMatrixView b, double lambda, ConstMatrixView start, Span<const double> wanted) const;

 private:
  class Run;

  const CentredSparseRows& rows_;
  double largest_ = 0;
};

}  // namespace freeridge
