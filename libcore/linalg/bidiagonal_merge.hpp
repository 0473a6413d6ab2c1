// The step of divide and conquer for singular values. An upper bidiagonal B, n x (n + 1), consists of a row (alpha,
// beta) in the middle and two smaller bidiagonal matrices B_i = U_i [diag(d_i) 0] [V_i q_i]':
//     B = [B_1 0; alpha e_last' beta e_1'; 0 B_2] = [U_1 0 0; 0 0 1; 0 U_2 0] [z_0 z'; 0 diag(d)] [q V]',
//     z = [alpha (last row of V_1), beta (first row of V_2)],   V = [V_1 0; 0 V_2],
//     a = alpha (last of q_1),  b = beta (first of q_2),  z_0 = (a^2 + b^2)^(1/2),  q = [a q_1; b q_2] / z_0,
// and B [-b q_1; a q_2] / z_0 = 0 (E. Jessup, D. Sorensen, A parallel algorithm for computing the singular value
// decomposition of a matrix, SIAM J. Matrix Anal. Appl. 15 (1994); M. Gu, S. Eisenstat, A divide-and-conquer algorithm
// for the bidiagonal SVD, SIAM J. Matrix Anal. Appl. 16 (1995)). d_i is a singular value ("deflated", as in LAPACK's
// dlasd2) where z_i is at most 8 eps max(d, |alpha|, |beta|), or becomes so by a rotation with the neighbour in d that
// leaves no more beside the diagonal. The others are the roots s of
//     1 + sum_k z_k^2 / (d_k^2 - s^2) = 0,   d_0 = 0        (the secular equation)
// with singular vectors (-1, d_k z^_k / (d_k^2 - s^2)) on the left and (z^_k / (d_k^2 - s^2)) on the right, where z^ is
// the z for which the computed roots are exact:
//     z^_k^2 = prod_j (s_j^2 - d_k^2) / prod_(j != k) (d_j^2 - d_k^2)
// so that the vectors are orthogonal to working precision. Meanwhile u holds the differences d_k - s_j, to relative
// accuracy, and v the sums d_k + s_j.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// k: the row in the middle of B, n x (n + 1). d: in, the singular values of B_1, a number that is not read, those of
// B_2; out, those of B in no particular order. u, n x n: in, U_1 and U_2 in the diagonal blocks, zeros elsewhere; v, (n
// + 1) x (n + 1): in, [V_1 q_1] and [V_2 q_2] likewise; out, the singular vectors of B, with B v_n = 0 for the last
// column of v. At most 2 n^3 flops, fewer where singular values deflate. room: bidiagonal_room(n) numbers.
void merge_bidiagonal(Span<double> d, Index k, double alpha, double beta, MatrixView u, MatrixView v,
                      Span<double> room);

// For halves that differ by one at most: n^2 numbers for the halves' vectors, and panels of coordinates.
Index bidiagonal_room(Index n);

}  // namespace freeridge
