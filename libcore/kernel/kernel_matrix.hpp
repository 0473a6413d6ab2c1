// Kernel matrices in tiles:
//   K_w = W^(1/2) K W^(1/2),  K_ij = k(x_i - s, x_j - s)   lower triangle, each pair once
//   F = K(x*, X) C                                          for prediction, K(x*, X) never stored
//   K(x*, X_R) for the rows R of X                         in tiles, for any use
// For a precomputed kernel x is K, new points are rows of k(x*, X), and values are copied.
// s is a shift of the features (the centre of X for linear kernels with an intercept), or nothing.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// Columns of a tile on the diagonal that are taken together, from the diagonal down: what is above it in their first rows is
// made for nothing.
constexpr Index diagonal_strip = 32;

// Throws INVALID_ARGUMENT when x is a precomputed K and not symmetric. For callers that read only parts of K, and would
// not notice.
void require_symmetric(const Kernel& kernel, const Rows& x);

// Fills the lower triangle of `out` (n x n) with W^(1/2) K W^(1/2). Throws NOT_FINITE when a value overflows, and
// INVALID_ARGUMENT when a precomputed K is not symmetric.
void weighted_kernel_matrix(const Kernel& kernel, const Rows& x, Span<const double> shift, Span<const double> sqrt_w,
                            MatrixView out);

// Throws INVALID_ARGUMENT when these rows of a precomputed K differ from the same columns. O(n rows).
void require_symmetric(const Kernel& kernel, const LayoutView& x, Span<const Index> rows);

// out = K(points[first ...], x) c, out.rows x t. Memory: one tile a thread. Throws NOT_FINITE when a value overflows.
void kernel_product(const Kernel& kernel, const Rows& points, Index first, const Rows& x, ConstMatrixView c,
                    MatrixView out);

// out(i, q) = k(x_i - s, points[first + q] - s), x.rows x q.
void cross_kernel(const Kernel& kernel, const Rows& x, Span<const double> shift, const Rows& points, Index first,
                  MatrixView out);

// Writes K(x, Z), x.rows x z.rows, to the user's array in a layout, by tiles of rows. Where a value overflows NOT_FINITE
// is thrown, with a part of the array already written. Throws INVALID_ARGUMENT for a precomputed kernel.
void kernel_values(const KernelPtr& kernel, const Rows& x, const Rows& z, Layout layout, double* out, Index ldout);

// out[q] = k(z, z), z = points[first + q] - s; NaN for a precomputed kernel. O(d) each.
void kernel_diagonal(const Kernel& kernel, const Rows& points, Index first, Span<const double> shift, Span<double> out);

// out[i] = k(x_i, x_i), n numbers, also for a precomputed kernel.
void own_diagonal(const Kernel& kernel, const Rows& x, Span<double> out);

// Rows of x as the second argument of a kernel: all rows, or chosen ones in a given order. They are copied once into a
// column-major array of size() x d doubles (for a precomputed kernel only their numbers are kept). Immutable; calls may
// run side by side.
class Support {
 public:
  Support(KernelPtr kernel, const Rows& x);
  Support(KernelPtr kernel, const Rows& x, Span<const Index> rows);

  Index size() const { return size_; }
  // out(i, q) = k(point row + i, support row q), out.rows x size(), on this thread. points: m x d (x itself is fine).
  // Memory: out.rows x d. Throws NOT_FINITE when a value overflows.
  void evaluate(const Rows& points, Index row, MatrixView out) const;

 private:
  KernelPtr kernel_;
  Index size_;
  Array<Index> rows_;  // empty: all
  Matrix packed_;      // size x d; empty for a precomputed kernel
};

}  // namespace freeridge
