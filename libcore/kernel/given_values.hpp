// Values that are given: x = [K_1 ... K_p] are the matrices of a sum of p precomputed kernels, side by side,
//     K = sum_k w_k K_k                        n x n each
// and new points are rows [k_1(x*, X) ... k_p(x*, X)], m x p n. One precomputed kernel alone has p = 1 and w_1 = 1.
#pragma once

#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// The columns of one matrix within x.
inline Index given_width(const Kernel& kernel, Index columns) {
  return columns / std::ssize(kernel.given_weights());
}
// out(i, j) = K(row + i, col + j)
void given_values(const Kernel& kernel, const LayoutView& x, Index row, Index col, MatrixView out);
double given_value(const Kernel& kernel, const LayoutView& x, Index i, Index j);
// Adds weight sum_ij S_ij w_k K_k(row + i, col + j), the derivatives by log w_k, to `out`. One matrix alone has none.
void add_given_gradient(const Kernel& kernel, const LayoutView& x, Index row, Index col, ConstMatrixView s,
                        double weight, Span<double> out);
// The rows of x in these matrices, and of their columns the same.
Matrix given_among(const Kernel& kernel, const LayoutView& x, Span<const Index> rows);

}  // namespace freeridge
