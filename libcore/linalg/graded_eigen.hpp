// Eigenvalues and eigenvectors of a positive semi-definite A whose rows differ widely in scale, A_ij = d_i M_ij d_j:
// each number has the relative accuracy that M allows, where a tridiagonal reduction would lose what is small beside
// the largest row.
//     P'AP = L L',       by Cholesky with pivoting, L m x r; a row is no pivot when m^(1/2) eps d_i^2 is left of A_ii
//     L W = X            by rotations of two columns each, until all are orthogonal (jacobi_rotations.hpp)
//     Lambda_k = |X_k|^2,  V_k = P X_k / |X_k|
//     [-L_1^-T L_2'; I] = N,  N'L = 0:  the other m - r vectors, made orthonormal as N (chol N'N)^-T
// Rounding in row i of V is eps d_i / |X_k| at most, and in V_k eps: V_ik is as small as d_i / |X_k| and |X_k| / d_i,
// and so is its error. To keep it so, all operations but the pivoting work on whole rows or columns.
// J. Demmel, K. Veselic, Jacobi's method is more accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

// A (lower triangle) becomes V; w ascending. sizes: d. r is at most `most_rank`. S is what elimination leaves of A: its
// m - r eigenvalues are about zero and of either sign. Returns the largest |S_ij| / (d_i d_j), which is rounding if A
// is positive semi-definite. w is infinite where A is not finite. Some 4 m r^2 flops for each of 6 to 10 sweeps, at
// the speed of memory; room (m - r)^2.
double graded_eigen(MatrixView a, Span<const double> sizes, Index most_rank, Span<double> w);

}  // namespace freeridge
