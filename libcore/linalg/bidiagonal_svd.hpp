// Singular values and vectors of a bidiagonal matrix by divide and conquer, as accurate as LAPACK's dbdsdc, in less
// memory and with progress heard between its pieces (progress.hpp); svd.cpp says why dbdsdc is not called. [B 0], with
// a column of zeros, has one column more than rows, and so have the parts above and below its middle row
// (bidiagonal_merge.hpp).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// B = U diag(s) V', B upper bidiagonal: d on its diagonal, where s is left, descending; e (n - 1 numbers) above it,
// destroyed. u: U, n x n; v: (n + 1) x (n + 1), V in its first n rows and columns, and 1 or -1 in the last. 8/3 n^3
// flops, fewer where singular values deflate. Room: n^2 numbers for the last merge of halves, and 1/6 n^2 at most for
// large n.
void bidiagonal_svd(Span<double> d, Span<double> e, MatrixView u, MatrixView v);

}  // namespace freeridge
