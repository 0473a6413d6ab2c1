// Kernel matrices in tiles:
//   K_w = W^(1/2) K W^(1/2),  K_ij = k(x_i - s, x_j - s)   lower triangle, each pair once
//   F = K(x*, X) C                                          for prediction, K(x*, X) never stored
// s is a shift of the features (the centre of X for linear kernels with an intercept), or nothing.
#pragma once

#include <span>

#include "libcore/kernel/kernel.hpp"
#include "libcore/progress.hpp"

namespace freeridge {

// tile(i, k) = x(row + i, k) - shift[k]; an empty shift is none.
void pack_rows(const LayoutView& x, Index row, std::span<const double> shift, MatrixView tile);

// Fills the lower triangle of `out` (n x n) with W^(1/2) K W^(1/2). Throws NOT_FINITE when a value overflows.
void weighted_kernel_matrix(const Kernel& kernel, const LayoutView& x, std::span<const double> shift,
                            std::span<const double> sqrt_w, MatrixView out, const Progress& progress);

// out = K(points[first ...], x) c, out.rows x t. Memory: one tile a thread. Throws NOT_FINITE when a value overflows.
void kernel_product(const Kernel& kernel, const LayoutView& points, Index first, const LayoutView& x, ConstMatrixView c,
                    MatrixView out, const Progress& progress);

}  // namespace freeridge
