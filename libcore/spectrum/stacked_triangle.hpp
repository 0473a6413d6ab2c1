// Least squares with a triangle T and a diagonal, one on the other: the columns of [T; diag(d)] are divided by their
// norms D, and
//     [T; diag(d)] D^-1 = Q L',   L lower triangular
// What is small by its units, or beside lambda, is not near singular for that, and nothing is squared.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct StackedTriangle {
  // stack, destroyed: [T; diag(d)], its rows in any order, in the first p columns, and right-hand sides in the others.
  StackedTriangle(MatrixView stack, Index p);

  Array<double> norms;  // D, 1 for columns of zeros
  Matrix l;             // p x p
  Matrix right;         // Q' times the right-hand sides
};

}  // namespace freeridge
