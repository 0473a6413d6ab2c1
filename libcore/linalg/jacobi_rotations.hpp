// One-sided Jacobi: rotations that make the columns of X orthogonal, X <- X W. A pair counts as orthogonal at
//     |x_i'x_j| <= n^(1/2) eps |x_i| |x_j|
// The columns are visited by blocks, two of them at a time, which stay in the cache while each column of one meets
// each of the other; all blocks meet in rounds of pairs that have none in common, so that these are worked at side by
// side, with the same result on any number of them.
#pragma once

#include "libcore/linalg/matrix.hpp"
#include "libcore/progress.hpp"

namespace freeridge {

// X and W with the same number of columns; W <- W times the rotations. Numbers below 10^-270 of the largest column do
// not keep their digits.
void orthogonalise_columns(MatrixView x, MatrixView w);
// X alone, whose rows may differ in scale as its columns do: a pair is also rotated at
//     |x_i'x_j| > n^(1/2) eps sum_k |x_ki x_kj|
// so that x_ki keeps its digits where it is small because row k is long and column i is short.
void orthogonalise_columns(MatrixView x, const Progress& progress);

}  // namespace freeridge
