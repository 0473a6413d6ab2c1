// The step of divide and conquer for singular values. An upper bidiagonal matrix with a column more than it has rows
// has a row (alpha, beta) in the middle, between two of the same kind, B_i = U_i [diag(d_i) 0] [V_i q_i]':
//     B = [B_1 0; alpha e_last' beta e_1'; 0 B_2] = [U_1 0 0; 0 0 1; 0 U_2 0] [z_0 z'; 0 diag(d)] [q V]',
//     z = [alpha (last row of V_1), beta (first row of V_2)],   V = [V_1 0; 0 V_2],
//     a = alpha (last of q_1),  b = beta (first of q_2),  z_0 = (a^2 + b^2)^(1/2),  q = [a q_1; b q_2] / z_0,
// and [-b q_1; a q_2] / z_0 is what B maps to zero (E. Jessup, D. Sorensen, A parallel algorithm for computing the
// singular value decomposition of a matrix, SIAM J. Matrix Anal. Appl. 15 (1994); M. Gu, S. Eisenstat, A
// divide-and-conquer algorithm for the bidiagonal SVD, SIAM J. Matrix Anal. Appl. 16 (1995)). Where z_i, or what a
// rotation of two neighbours in d leaves between them, is at most 8 eps max(d, |alpha|, |beta|), a singular value is
// known at once ("deflated"; as in LAPACK's dlasd2). The others are the roots s of the secular equation
//     1 + sum_k z_k^2 / (d_k^2 - s^2) = 0,   d_0 = 0,
// with singular vectors (-1, d_k z^_k / (d_k^2 - s^2)) on the left and (z^_k / (d_k^2 - s^2)) on the right, where z^ is
// that z for which the computed roots are exact:
//     z^_k^2 = prod_j (s_j^2 - d_k^2) / prod_(j != k) (d_j^2 - d_k^2)
// so that they are orthogonal to working precision. The differences d_k - s_j, which have relative accuracy, take the
// place of u meanwhile, the sums d_k + s_j that of v.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// B: n x (n + 1), its row k the one in the middle. d: the singular values of B_1, then one that is not read, then those
// of B_2; those of B afterwards, in no particular order. u, n x n: U_1 and U_2 in their blocks on the diagonal, zero
// elsewhere; v, (n + 1) x (n + 1): [V_1 q_1] and [V_2 q_2]; afterwards those of B, what is mapped to zero in the last
// column. At most 2 n^3 flops, fewer where singular values deflate. room: bidiagonal_room(n) numbers.
void merge_bidiagonal(Span<double> d, Index k, double alpha, double beta, MatrixView u, MatrixView v,
                      Span<double> room);

// For halves that differ by one at most: n^2 numbers for the halves' vectors, and panels of coordinates.
Index bidiagonal_room(Index n);

}  // namespace freeridge
