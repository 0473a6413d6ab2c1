// A symmetric matrix to tridiagonal form:  A = Q T Q',  Q = H_0 H_1 ... H_(n-3),  H_j = I - tau_j v_j v_j',  v_j zero
// up to row j and one in row j + 1. By panels, as in LAPACK's dsytrd:
//     H_j ... H_0 A H_0 ... H_j = A - V W' - W V',   w_j = tau_j y - (tau_j^2 v_j'y / 2) v_j,
//     y = (A - V W' - W V') v_j
// Half of the 4/3 n^3 flops are the products A v_j, at the speed of memory. The reflectors are stored apart from A, n^2
// / 2 numbers, so that Q C is made of matrix products alone and the array of A can be used again.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

class TridiagonalBasis {
 public:
  // A: n x n, lower triangle, destroyed, not needed afterwards. T: d (n numbers) on its diagonal, e (n - 1) beside it.
  TridiagonalBasis(MatrixView a, Span<double> d, Span<double> e);

  // C = Q C. 2 n^2 k flops for k columns.
  void multiply(MatrixView c) const;

 private:
  struct Block {  // reflectors side by side, as they act on the rows from `origin` on
    Index origin;
    Matrix v;
    Array<double> tau;
  };
  Array<Block> blocks_;
};

}  // namespace freeridge
