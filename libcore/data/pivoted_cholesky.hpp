// Randomly pivoted Cholesky of a kernel matrix: F F' = A_TR A_RR^-1 A_RT for chosen rows R, A = W^(1/2) K W^(1/2). Each
// row is chosen with probability proportional to the diagonal of what is left, A - F F' (Y. Chen, E. Epperly, J. Tropp,
// R. Webber, Communications on Pure and Applied Mathematics 2024), in blocks by rejection (E. Epperly, J. Tropp, R.
// Webber, Embrace rejection, 2024).
// Memory: n (r + 64). Cost: n r kernel values, 2 n r^2 flops.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/random.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

struct PivotedCholesky {
  Array<Index> rows;   // R, in the order of the choice; fewer than asked for where nothing is left
  Matrix factor;       // F in its first rows.size() columns
  Array<double> left;  // the diagonal of A - F F', n numbers >= 0
};

// sqrt_w: n numbers, or empty: ones. What a seed draws is part of the contract (choose_landmarks.hpp). Throws
// NOT_FINITE where a kernel value or the trace overflows.
PivotedCholesky pivoted_cholesky(const Kernel& kernel, const Rows& x, Span<const double> sqrt_w, Index count,
                                 Random& random);

}  // namespace freeridge
