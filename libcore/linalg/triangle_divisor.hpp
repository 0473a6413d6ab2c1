// B op(L)^-1 for a lower triangle L and many rows B, tile after tile. The columns are cut in halves, down to blocks of
// 32,
//     op = transpose: X1 = B1 L11'^-1,  X2 = (B2 - X1 L21') L22'^-1
//     op = none:      X2 = B2 L22^-1,   X1 = (B1 - X2 L21) L11^-1
// and a block is multiplied by the inverse of its triangle, which is made once. So all of it is products of matrices,
// which take half the time that a BLAS takes to divide (OpenBLAS with AVX-512 kernels; with AVX2 kernels as long, or a
// sixth less). The error is that of substitution, times the condition of a triangle of 32 columns: J. Du Croz, N.
// Higham, Stability of methods for matrix inversion, IMA Journal of Numerical Analysis 12 (1992). Memory: p (p + 32),
// and 32 numbers for each row in divide.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

constexpr Index divided_columns = 32;  // of a block

class TriangleDivisor {
 public:
  TriangleDivisor() = default;
  // l: p x p; what is above its diagonal is not read.
  explicit TriangleDivisor(Matrix l);
  // b = b op(L)^-1, rows x p.
  void divide(Op op, MatrixView b) const;

 private:
  void divide(Op op, Index first, MatrixView b, Matrix& room) const;

  Matrix l_;
  Matrix inverse_;  // p x 32: those of the blocks, in their rows
};

}  // namespace freeridge
