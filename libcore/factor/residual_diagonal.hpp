// diag(P) of P = Z (L L')^-1 Z' = C'C, C = L^-1 Z', Z as in contrast.hpp: the squared norms of the columns of C. The
// column of C in place i is L^-1 (e_(i - q) - V[q:] f_i), without the first term for i < q. L^-1 V[q:] is the same for
// all columns, and L^-1 e_i has i leading zeros, so that blocks of columns shrink: m^3/3 flops.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/factor/contrast.hpp"

namespace freeridge {

// solve(b, from): b = L^-1 b for the rows and columns of L from `from` on. out: n numbers.
void residual_diagonal(const Contrast& contrast, const std::function<void(MatrixView b, Index from)>& solve,
                       Span<double> out);
// The same by blocks of `block` columns where L is elsewhere: z = L^-1 V[q:], and norms(from, f, out) writes the squared
// norms of the columns u_i - z f_i' of the rows from `from` on, u_i column from + i of L^-1, f the rows of V T.
using ColumnNorms = std::function<void(Index from, ConstMatrixView f, Span<double> out)>;
void residual_diagonal(const Contrast& contrast, ConstMatrixView z, Index block, double units, const ColumnNorms& norms,
                       Span<double> out);
// The same with L^-1 at hand, m x m, in the lower triangle, and with z = L^-1 V[q:]: n^2 q.
void residual_diagonal(const Contrast& contrast, ConstMatrixView inverse, ConstMatrixView z, Span<double> out);

}  // namespace freeridge
