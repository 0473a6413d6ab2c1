// The derivatives of <S, K> = sum_ij S_ij k(x_i, z_j) by the logarithms of the kernel's hyperparameters
// (hyperparameters.hpp), for a constant S. S is made tile by tile, contracted and dropped: a tile goes down the
// kernel's tree (Kernel::add_log_gradient). Each function answers with hyperparameter_count(kernel) numbers: none, and
// at once, where the kernel has no hyperparameters, like a precomputed one alone.
// Cost: a kernel value and a derivative for each pair and each kernel in the tree, and for features with divisors 2 d
// flops more. Memory: tiles of 256 x 256 for each level of the tree and thread. The answers do not depend on the number
// of threads.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// tile(i, j) = S(row + i, col + j). Called on several threads, for several tiles at a time; tells its own work.
using FillTile = std::function<void(Index row, Index col, MatrixView tile)>;

constexpr Index log_gradient_tile = 256;

// S: symmetric, n x n, S = diag(sqrt_w) S~ diag(sqrt_w); K_ij = k(x_i - s, x_j - s). So <S, K> = <S~, K_w>. fill: makes
// tiles of S~, those with row >= col alone, on the diagonal with both triangles. sqrt_w: n numbers; shift s: d numbers,
// or empty.
Array<double> log_gradient(const Kernel& kernel, const Rows& x, Span<const double> shift, Span<const double> sqrt_w,
                           const FillTile& fill);

// S: x.rows x z.rows; K_ij = k(x_i - s, z_j): a row of z is a landmark less the shift. fill: makes all tiles of S.
Array<double> cross_log_gradient(const Kernel& kernel, const Rows& x, Span<const double> shift, ConstMatrixView z,
                                 const FillTile& fill);

// The same for one S and its points, on this thread, added to `out`. a: p x d, b: q x d, s: p x q, used up. Of given
// values a is [K_1 ... K_k].
void add_log_gradient(const Kernel& kernel, ConstMatrixView a, ConstMatrixView b, MatrixView s, Span<double> out);

// Throws NOT_FINITE, with the name of the hyperparameter, where a derivative is not finite.
void require_finite_gradient(const Kernel& kernel, Span<const double> gradient);

// The bytes that they take beside S.
Index log_gradient_bytes(const Kernel& kernel, Index d);

}  // namespace freeridge
