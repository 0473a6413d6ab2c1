// The step of divide and conquer: the eigenvalues and eigenvectors of a tridiagonal T from those of its two halves,
// between which e stands beside the diagonal. With z = [last row of Z1, +-first row of Z2]' / sqrt(2), rho = 2 |e|,
//     T = [Z1 0; 0 Z2] (diag(d) + rho z z') [Z1 0; 0 Z2]'
// (J. Cuppen, A divide and conquer method for the symmetric tridiagonal eigenproblem, Numer. Math. 36 (1981)). d_i is
// an eigenvalue ("deflated", as in LAPACK's dlaed2) where rho z_i is at most 8 eps max(|d|, |z|), or becomes so by a
// rotation with the neighbour in d that leaves no more beside the diagonal. The others are the roots x of
//     1 / rho + sum_k z_k^2 / (d_k - x) = 0        (the secular equation)
// with eigenvectors (z^_k / (d_k - x)), where z^ is the z for which the computed roots are exact:
//     z^_k^2 ~ prod_j (x_j - d_k) / prod_(j != k) (d_j - d_k)
// so that they are orthogonal to working precision (M. Gu, S. Eisenstat, A divide-and-conquer algorithm for the
// symmetric tridiagonal eigenproblem, SIAM J. Matrix Anal. Appl. 16 (1995)).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// d: in, the eigenvalues of the halves, the first of size k, each ascending; out, those of T, ascending. v: in, Z1 and
// Z2 in the diagonal blocks; out, the eigenvectors of T. At most n^3 flops for size n, fewer where eigenvalues deflate.
// room: merge_room(n) numbers.
void merge_tridiagonal(Span<double> d, Index k, double e, MatrixView v, Span<double> room);

// For halves that differ by one at most: n^2 / 2 numbers for Z1 and Z2, and a panel of eigenvectors' coordinates.
Index merge_room(Index n);

}  // namespace freeridge
