// One-sided Jacobi: rotations of two columns at a time, X <- X W, until all columns of X are orthogonal. The rows of X may
// differ in scale, as its columns do. Two columns are rotated where
//     |x_i'x_j| > n^(1/2) eps |x_i| |x_j|   or   |x_i'x_j| > n^(1/2) eps sum_k |x_ki x_kj|
// The first condition is that of LAPACK's dgesvj. With it alone x_ki loses its digits where it is small because row k is
// long and column i is short: the rows of low weight among rows of high weight (tests/core/weights_test.cpp).
// The columns are visited by blocks, two of them at a time, which stay in the cache while each column of one meets
// each of the other; all blocks meet in rounds of pairs that have none in common, so that these are worked at side by
// side, with the same result on any number of threads.
#pragma once

#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

// Numbers below 10^-270 of the largest column do not keep their digits.
void orthogonalise_columns(MatrixView x);

}  // namespace freeridge
