//     A = Q T Q' (tridiagonal.hpp),   T = Z diag(w) Z' (tridiagonal_merge.hpp),   V = Q Z
// Eigenvalues and eigenvectors of a symmetric matrix by divide and conquer: LAPACK's dsyevd with less memory.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

// A = V diag(w) V', w ascending, V in the place of A (lower triangle). At most 14/3 n^3 flops; room besides A: 1.1 n^2
// numbers at most for large n, in its parts n^2 / 2 of reflectors and n^2 / 2 for the last merge of halves. w is NaN
// where A, or what becomes of it, is not finite; A is then destroyed, as it is when the progress is cancelled.
void symmetric_eigen(MatrixView a, Span<double> w);

// T = Z diag(w) Z', all of Z (n x n) written; d: the diagonal of T, w in its place, ascending; e: n - 1 numbers beside
// it, destroyed. 4/3 n^3 flops, fewer where eigenvalues deflate.
void tridiagonal_eigen(Span<double> d, Span<double> e, MatrixView z);

}  // namespace freeridge
