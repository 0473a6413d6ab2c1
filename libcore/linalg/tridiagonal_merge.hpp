// The step of divide and conquer. Two halves of a tridiagonal matrix, torn apart where e stood beside the diagonal, are
// known by their eigenvalues and eigenvectors; with z = [last row of Z1, +-first row of Z2]' / sqrt(2), rho = 2 |e|,
//     T = [Z1 0; 0 Z2] (diag(d) + rho z z') [Z1 0; 0 Z2]'
// (J. Cuppen, A divide and conquer method for the symmetric tridiagonal eigenproblem, Numer. Math. 36 (1981)). Where
// rho z_i, or what a rotation of two neighbours in d leaves between them, is at most 8 eps max(|d|, |z|), an eigenvalue
// is known at once ("deflated"; as in LAPACK's dlaed2). The others are the roots x of the secular equation
//     1 / rho + sum_k z_k^2 / (d_k - x) = 0,
// with eigenvectors (z^_k / (d_k - x)), where z^ is that z for which the computed roots are exact:
//     z^_k^2 ~ prod_j (x_j - d_k) / prod_(j != k) (d_j - d_k)
// so that they are orthogonal to working precision (M. Gu, S. Eisenstat, A divide-and-conquer algorithm for the
// symmetric tridiagonal eigenproblem, SIAM J. Matrix Anal. Appl. 16 (1995)).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// d: the eigenvalues of the halves, the first of size k, each ascending; of the whole, ascending, afterwards. v: Z1 and
// Z2 in its diagonal blocks; the eigenvectors of the whole afterwards. At most n^3 flops for size n, fewer where
// eigenvalues deflate. room: merge_room(n) numbers.
void merge_tridiagonal(Span<double> d, Index k, double e, MatrixView v, Span<double> room);

// For halves that differ by one at most: n^2 / 2 numbers for Z1 and Z2, and a panel of eigenvectors' coordinates.
Index merge_room(Index n);

}  // namespace freeridge
