// Singular values and vectors of a bidiagonal matrix by divide and conquer, as LAPACK's dbdsdc and as accurate, in less
// memory and with progress heard between its pieces (progress.hpp). A zero column on the right makes of the matrix, and
// of all that it is torn into (bidiagonal_merge.hpp), one with a column more than rows.
#pragma once

#include <span>

#include "libcore/base/matrix.hpp"

namespace freeridge {

// B = U diag(s) V', B upper bidiagonal: d on its diagonal, where s is left, descending; e (n - 1 numbers) above it,
// destroyed. u: U, n x n; v: (n + 1) x (n + 1), V in its first n rows and columns, and 1 or -1 in the last. 8/3 n^3 flops,
// fewer where singular values deflate. Room: n^2 numbers for the last merge of halves, and 1/6 n^2 at most for large n.
void bidiagonal_svd(std::span<double> d, std::span<double> e, MatrixView u, MatrixView v);

}  // namespace freeridge
