// Preconditioned conjugate gradients for many columns at once, each with its own shift and right-hand side:
//     (A + lambda_j I) x_j = b_j        A symmetric, A + lambda_j I and the preconditioner M_j positive definite
//     q = (A + lambda) p,   alpha = r'z / p'q,   x = x + alpha p,   r = r - alpha q
//     z = M^-1 r,           p = z + (r'z / before) p
// All columns share the products with A, so that what A is made of is made once a step for all of them. A column leaves
// the block when it has converged, or when it cannot go on.
//     x = 0 and r = b, or any start x and r = b - (A + lambda) x
// r is updated, not computed anew: in the end it differs from b - (A + lambda) x by rounding, and by much more where
// `apply` is not exact. A caller that promises something about x computes that residual again, and may begin again from
// it.
// Where every eigenvalue of M^-1 (A + lambda) is at least 1, the steps tell how far the start was from the solution x*
// (G. Golub, G. Meurant, Matrices, moments and quadrature with applications, 2010; Radau's rule with the node 1):
//     below <= |x_0 - x*|^2 <= below + gamma r'z,   |v|^2 = v'(A + lambda) v
//     below = sum of alpha r'z before each step;   gamma = 1 at first, then (gamma - alpha) / (gamma - alpha + beta),
//     beta = r'z / before
// Squares are taken: right-hand sides of a norm near 1 neither overflow nor vanish.
// Memory: two blocks of the size of x. M. Hestenes, E. Stiefel, Methods of conjugate gradients for solving linear
// systems (1952).
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct ShiftedSystem {
  // out = A p, without the shift. It reports its own work.
  std::function<void(ConstMatrixView p, MatrixView out)> apply;
  // z = M_j^-1 r for the columns `columns` of the whole, one for each column of r.
  std::function<void(ConstMatrixView r, Span<const Index> columns, MatrixView z)> precondition;
  Span<const double> lambdas;  // one for each column
};

struct StoppingRule {
  // The square that has to fall to the target of its column: r'M^-1 r, or r'r; relative, euclidean_relative and
  // enclosed: r'M^-1 r, r'r and gamma r'M^-1 r, to that multiple of `below`.
  enum class Measure {
    preconditioned,
    euclidean,
    relative,
    euclidean_relative,
    enclosed
  } measure = Measure::preconditioned;
  Span<const double> targets;  // one for each column
  Index most_steps = 0;
};

struct ColumnEnd {
  Index steps = 0;
  double square = 0;  // of its measure, of the updated r
  double below = 0, gamma = 1;
  bool converged = false;
  // A + lambda or M was seen not to be positive definite, or numbers overflowed, or the residual grew 1e8 times:
  // rounding in `apply` is too large for this lambda. x is what it was before the step that saw it.
  bool broken = false;
};

// x and r: as many columns as lambdas. The answers are in the order of the columns. Throws what `apply` throws; x and r
// are then partly changed.
Array<ColumnEnd> conjugate_gradients(const ShiftedSystem& system, const StoppingRule& rule, MatrixView x, MatrixView r);

// Solutions x of A x = b with bounds of their errors, |x - A^-1 b|_A <= bound, and size = |x|_A.
struct BoundedColumns {
  Array<double> bound, size;
  // bound / |A^-1 b|_A at most, as |A^-1 b|_A >= size - bound; 0 where b is zero
  double accuracy(Index j) const;
};

}  // namespace freeridge
