// The singular value decomposition of a square A whose columns may differ widely in scale, A = B diag(scales): small
// singular values, too, have the relative accuracy that B allows. One-sided Jacobi on a graded triangle:
//     A P = Q R,       by Householder reflections with column pivoting (LAPACK's dgeqp3): the rows of R descend
//     R W = X,         W a product of rotations of two columns each, until all columns of X are orthogonal (dgesvj)
//     s_k = |X_k|,     A = (Q X diag(s)^-1) diag(s) (P W)'
// Columns that depend on others to rounding may keep dgesvj from its end: R' takes the place of R then, and X and W change
// places.
// The angles between columns do not depend on their scales: numbers of P W that are small because two columns of A
// differ widely keep their digits, and where the rows of A differ as its columns do, so do small numbers of Q X
// diag(s)^-1. LAPACK's dgejsv, which does this in one call, takes two thirds of the time; but where columns differ by
// some 10^150 its V has no digits in the rows of the short ones.
// Z. Drmac, K. Veselic, New fast and accurate Jacobi SVD algorithm, SIAM J. Matrix Anal. Appl. 29 (2008); J. Demmel,
// K. Veselic, Jacobi's method is more accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// U n x n, s descending, V' n x n; A is destroyed. It may be of any scale, but numbers below 10^-270 of the largest
// column do not keep their digits. Some 30 n^3 flops at the speed of products of vectors, nearly all of them in one
// call to LAPACK, which cannot be cancelled: 0.4 s at n = 600. Memory 2 n^2.
void jacobi_svd(MatrixView a, Span<double> s, MatrixView u, MatrixView vt);

}  // namespace freeridge
