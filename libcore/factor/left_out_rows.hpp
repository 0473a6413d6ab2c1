// Leaving out the rows S: the system P~_SS e = (P~Y~)_S.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// v = P^-1 v for a symmetric positive semi-definite P (s x s, lower triangle, destroyed). False when P is singular to
// working precision after scaling to a unit diagonal, D^-1/2 P D^-1/2, so that the condition is about the group and not
// about how leverages differ. noise: the absolute error of each P_ii, where it was made by subtraction; empty: none.
// O(s^3).
[[nodiscard]] bool solve_left_out(MatrixView p, MatrixView v, Span<const double> noise = {});

}  // namespace freeridge
