// The kernel matrix of a linear kernel on sparse rows, at the cost of their entries:
//     K_w = W^(1/2) (X - 1 s') diag(scale)^-2 (X - 1 s')' W^(1/2)      lower triangle
// By strips of columns J: with A = (X_J - 1 s') diag(scale)^-2 as an ordinary tile, K_IJ = X_I A' - 1 (A s)'. n entries
// flops. Memory: the entries by rows, and a tile for each thread.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// Throws NOT_FINITE when a value overflows.
void weighted_inner_products(Span<const double> scale, const Rows& x, Span<const double> shift,
                             Span<const double> sqrt_w, MatrixView out);

}  // namespace freeridge
