// The singular value decomposition of a square A whose columns may differ widely in scale, A = B diag(scales): small
// singular values, too, have the relative accuracy that B allows. One-sided Jacobi on a graded triangle:
//     A P = Q R,       by Householder reflections with column pivoting: the rows of R descend
//     R' W = X,        W a product of rotations, each of which makes two columns orthogonal, until all of X are
//     s_k = |X_k|,     A = (Q W) diag(s) (P X diag(s)^-1)'
// Which columns meet when, and when two count as orthogonal: jacobi_rotations.hpp.
// Z. Drmac, K. Veselic, New fast and accurate Jacobi SVD algorithm, SIAM J. Matrix Anal. Appl. 29 (2008); J. Demmel,
// K. Veselic, Jacobi's method is more accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992).
#pragma once

#include <span>

#include "libcore/base/matrix.hpp"

namespace freeridge {

// U n x n, s descending, V' n x n; A is destroyed. It may be of any scale, but numbers below 10^-270 of the largest
// column do not keep their digits. 7 n^3 for each of a few sweeps; memory 2 n^2.
// graded: small numbers of V' keep their digits where they are small because a column of A is large.
void jacobi_svd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt, bool graded = false);

}  // namespace freeridge
