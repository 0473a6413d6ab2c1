// Matrices in twice the working precision, and the two inner loops of refinement. The loops use fused multiply-adds
// where the processor has them (checked at run time), with the same bits as without.
#pragma once

#include "libcore/base/matrix.hpp"
#include "libcore/linalg/double_double.hpp"

namespace freeridge {

// A matrix of unevaluated sums hi + lo, zero at first.
struct TwofoldMatrix {
  TwofoldMatrix() = default;
  TwofoldMatrix(Index rows, Index cols) : hi(rows, cols, 0.0), lo(rows, cols, 0.0) {}

  Index rows() const { return hi.rows(); }
  Index cols() const { return hi.cols(); }
  DoubleDouble operator()(Index i, Index j) const { return {hi(i, j), lo(i, j)}; }
  void set(Index i, Index j, DoubleDouble value) {
    hi(i, j) = value.hi;
    lo(i, j) = value.lo;
  }

  Matrix hi, lo;
};

// (hi + lo)_i -= x_i w for i = 0 ... n - 1. hi + lo is a running sum: twofold_normalize makes it hi = fl(hi + lo).
void subtract_multiple(Index n, const double* x, DoubleDouble w, double* hi, double* lo);
void twofold_normalize(Index n, double* hi, double* lo);

// sum_i x_i (hi + lo)_i
DoubleDouble twofold_dot(Index n, const double* x, const double* hi, const double* lo);

}  // namespace freeridge
