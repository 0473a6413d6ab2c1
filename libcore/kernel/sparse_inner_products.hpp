// The kernel matrix of a linear kernel on sparse rows, at the cost of its columns' entries:
//     K_w = W^(1/2) (X - 1 s') D^2 (X - 1 s')' W^(1/2),  D = diag(scale)^-1       lower triangle
// A column k of x with few entries adds the products of its entries with each other, and its centre comes from sums:
//     K_ij += x_ik x_jk D_k^2,     (X - 1 s')D^2(X - 1 s')' = X D^2 X' - u 1' - 1 u' + (s'D^2 s) 1 1',   u = X D^2 s
// (few entries: s is small beside them, and nothing cancels). Columns with many entries are filled, centred and
// multiplied as panels of an ordinary matrix. With e_k entries in column k
//     work    sum over the sparse columns of e_k^2 / 2, n^2 for each filled one; n^2
//     memory  12 bytes for each entry, as much again where x comes by rows, and one panel of n rows
// F. Gustavson, Two fast algorithms for sparse matrices, ACM Trans. Math. Software 4 (1978): the product row by row.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// Throws NOT_FINITE when a value overflows.
void weighted_inner_products(Span<const double> scale, const Rows& x, Span<const double> shift,
                             Span<const double> sqrt_w, MatrixView out);

// The numbers (of 8 bytes) that it takes beside x and K.
Index inner_products_doubles(Index n, Index d, Index entries);

}  // namespace freeridge
