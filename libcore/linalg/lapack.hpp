// LAPACK on views. Workspaces are ours, so that memory is counted and its failure is std::bad_alloc.
#pragma once

#include <span>

#include "libcore/linalg/blas.hpp"

namespace freeridge {

// A = L L' in the lower triangle; false when A is not positive definite. n^3/3.
[[nodiscard]] bool potrf(MatrixView a);
// An estimate of 1 / cond_1(A) from its Cholesky factor and the 1-norm of A. O(n^2).
double reciprocal_condition(ConstMatrixView l, double norm1);
// The 1-norm of a symmetric matrix.
double symmetric_norm1(ConstMatrixView a);

// A = V diag(w) V', w ascending, V in place of A. About 9 n^3; workspace 2 n^2.
void syevd(MatrixView a, std::span<double> w);

// A = Q R by Householder reflections, Q below the diagonal and in tau (min(rows, cols)). 2 rows cols^2.
void geqrf(MatrixView a, std::span<double> tau);
// C = Q C
void ormqr(ConstMatrixView qr, std::span<const double> tau, MatrixView c);
// A = U diag(s) V', economy: U rows x k, s descending, vt k x cols, k = min(rows, cols). A is destroyed.
void gesdd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt);

}  // namespace freeridge
