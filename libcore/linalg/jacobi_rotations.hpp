// One-sided Jacobi: rotations that make the columns of X orthogonal, X <- X W. A pair counts as orthogonal at
//     |x_i'x_j| <= n^(1/2) eps |x_i| |x_j|
// The columns are visited by blocks, two of them at a time, which stay in the cache while each column of one meets
// each of the other; all blocks meet in rounds of pairs that have none in common, so that these are worked at side by
// side, with the same result on any number of them.
#pragma once

#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

// W <- W times the rotations, with as many columns as X, or none. Numbers below 10^-270 of the largest column do not
// keep their digits. graded: the rows of X may differ in scale as its columns do, and a pair is also rotated at
//     |x_i'x_j| > n^(1/2) eps sum_k |x_ki x_kj|
// so that x_ki keeps its digits where it is small because row k is long and column i is short.
void orthogonalise_columns(MatrixView x, MatrixView w, bool graded, const Progress& progress);

}  // namespace freeridge
