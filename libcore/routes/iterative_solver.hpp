// Solutions of (K_w + lambda_j) c_j = b_j on the complement of q1, for many columns at once, each to its own accuracy:
// conjugate gradients (linalg/conjugate_gradients.hpp) with the preconditioner Phat, over kernel values that are made
// anew in each pass (kernel/kernel_passes.hpp). After them the residual r = b - (K_w + lambda) c is computed anew;
// where the bound
//     |c - P b|_G <= (r'Phat r)^(1/2) + rho / lambda^(1/2)
// (iterative_preconditioner.hpp) is too large, conjugate gradients solve for a correction with the right-hand side r,
// and so on. rho is a bound of the rounding error of r: some eps (|c| |K_w|_F n^(-1/2) + lambda |c| + |b|), as
// Phat <= 1 / lambda. With a weak preconditioner that bound is many times the error. Where a tight bound is wanted, it
// is tightened in the end: further steps of conjugate gradients in double precision start from r, and their Radau rule
// (conjugate_gradients.hpp; the eigenvalues of Phat G are at least 1, as Phat >= P) encloses r'P r, until the bound is
// at most 2.24 times the error. Each column starts at zero. A start from the solution of the next larger lambda would
// save at most an eighth of the passes (3000 rows of California housing, lambda 1 to 0.01), and the lambdas could no
// longer share passes.
// Memory: 6 n k. Cost: n^2 / 2 kernel values, 2 n^2 k and 4 n r k an iteration.
#pragma once

#include "libcore/kernel/kernel_passes.hpp"
#include "libcore/linalg/conjugate_gradients.hpp"
#include "libcore/routes/iterative_preconditioner.hpp"

namespace freeridge {

struct IterativeColumns : BoundedColumns {  // c = P b, |.|_G
  Matrix c;
  Array<double> rounding;  // of the bound, what rounding may have left out of the residual
  Array<Index> steps;      // passes for this column
};

class IterativeSolver {
 public:
  IterativeSolver(const KernelPasses& passes, const IterativePreconditioner& preconditioner)
      : passes_(passes), preconditioner_(preconditioner) {}

  // tight: further steps make a bound that is already small enough at most 2.24 times the error.
  enum class Bounds { loose, tight };
  // b: n x k in the complement of q1 up to rounding; lambdas: k, positive; wanted: the accuracy of each column. A
  // column that cannot reach its accuracy comes with the bound that was reached.
  IterativeColumns solve(ConstMatrixView b, Span<const double> lambdas, Span<const double> wanted,
                         Bounds bounds = Bounds::loose) const;

 private:
  class Run;

  const KernelPasses& passes_;
  const IterativePreconditioner& preconditioner_;
};

}  // namespace freeridge
