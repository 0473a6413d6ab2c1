// The singular value decomposition of a square A whose columns may differ widely in scale, A = B diag(scales): small
// singular values, too, have the relative accuracy that B allows. One-sided Jacobi on a graded triangle, by LAPACK's
// dgejsv:
//     A P = Q R,       by Householder reflections with column pivoting: the rows of R descend
//     R' W = X,        W a product of rotations, each of which makes two columns orthogonal, until all of X are
//     s_k = |X_k|,     A = (Q W) diag(s) (P X diag(s)^-1)'
// Z. Drmac, K. Veselic, New fast and accurate Jacobi SVD algorithm, SIAM J. Matrix Anal. Appl. 29 (2008); J. Demmel,
// K. Veselic, Jacobi's method is more accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992).
#pragma once

#include <span>

#include "libcore/base/matrix.hpp"

namespace freeridge {

// U n x n, s descending, V' n x n; A is destroyed. It may be of any scale. One call to LAPACK, which cannot be
// cancelled: some 20 n^3 to 40 n^3 flops; memory 3 n^2.
void jacobi_svd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt);

}  // namespace freeridge
