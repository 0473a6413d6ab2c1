// One-sided Jacobi: rotations of two columns at a time, X <- X W, until all columns of X are orthogonal. The rows of X
// may differ in scale, as its columns do. Two columns are rotated where
//     |x_i'x_j| > n^(1/2) eps |x_i| |x_j|   or   |x_i'x_j| > n^(1/2) eps sum_k |x_ki x_kj|
// The first condition is that of LAPACK's dgesvj. With it alone small numbers in rows of low weight lose their digits
// among rows of high weight (tests/core/weights_test.cpp).
// The columns are cut into blocks. Two blocks stay in the cache while each column of one is rotated with each of the
// other. A round consists of pairs of blocks that have no block in common; the pairs run in parallel, with the same
// bits on any number of threads.
#pragma once

#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

// Numbers below 10^-270 of the largest column lose their digits.
void orthogonalise_columns(MatrixView x);

}  // namespace freeridge
