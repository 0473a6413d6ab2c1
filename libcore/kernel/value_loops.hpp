// The loops that compute kernel values, over contiguous numbers, each for several instruction sets; the best one is
// chosen at run time:
//   exp_minus       v = exp(-v)                              v >= 0
//   gaussian        v = exp(-v a), or exp(-v / a / a)
//   laplacian       v = exp(-u)                              u = sqrt(v) a, or sqrt(v) / a
//   matern32        v = (1 + u) exp(-u)                      the same u
//   matern52        v = (1 + u + u^2 / 3) exp(-u)            the same u
//   power           v = (scale v + offset)^degree
//   distances       out(i, j) = ||a_i - b_j||^2
//   divide          out = v / a
//   add             out = out + a v
//   multiply        out = out v
//   weighted        out = v w_i w, and whether all of it is finite
//   finite          whether all of v is
// and for kernels of the distance on one feature, with t = |x_i - z| a (gaussian: t = (x_i - z)^2 a), kappa the profile
// above of t in the place of u (v a),
//   add             out_i = out_i + kappa(t_i)
//   contract        adds s_i kappa(t_i) and s_i dkappa / d log length to sums of every eighth i, 8 of each kind
// One source (value_loops_body.hpp) is compiled for each instruction set. All give the same bits, wherever in an array
// or a tile a number stands: the order of a sum does not depend on the width of a register, and the compiler may not
// fuse a product and a sum (-ffp-contract=off). The one exception is `distances`, which asks for fused operations where
// the processor has them (x86 since 2013, ARM): its bits are the same on all processors that fuse.
//
// Accuracy: exp_minus is within 0.8 units in the last place of exp(-v), also where that is subnormal; it is 1 at 0, and
// 0 from 745.2 on and at infinity. A NaN gives a NaN in all of them. distances: relative error (d / 2 + 2) eps, as all
// its terms are positive; 0 for equal points.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// Whether the parameter a of a pass multiplies or divides.
enum class By { factor, divisor };

// x, out, s: n numbers; sums: 16 numbers.
struct FeaturePasses {
  void (*add)(const double* x, Index n, double z, double a, double* out);
  void (*contract)(const double* x, Index n, double z, double a, const double* s, double* sums);
};

struct Passes {
  const char* name;
  void (*exp_minus)(double* v, Index n);
  void (*gaussian)(double* v, Index n, double a, By by);
  void (*laplacian)(double* v, Index n, double a, By by);
  void (*matern32)(double* v, Index n, double a, By by);
  void (*matern52)(double* v, Index n, double a, By by);
  void (*power)(double* v, Index n, double scale, double offset, Index degree);
  // a: p x d, b: q x d, out: p x q
  void (*distances)(ConstMatrixView a, ConstMatrixView b, MatrixView out);
  void (*divide)(const double* v, Index n, double a, double* out);
  void (*add)(const double* v, Index n, double a, double* out);
  void (*multiply)(const double* v, Index n, double* out);
  bool (*weighted)(const double* v, Index n, const double* w_i, double w, double* out);
  bool (*finite)(const double* v, Index n);
  FeaturePasses gaussian_feature, laplacian_feature, matern32_feature, matern52_feature;
};

// Calls f(v, n) for the numbers of a tile: once for all of them where they are contiguous, as columns may be short;
// else column by column.
template <class F>
void each_run(MatrixView tile, const F& f) {
  if (tile.ld == tile.rows) return f(tile.data, tile.rows * tile.cols);
  for (Index j = 0; j < tile.cols; ++j) f(tile.col(j), tile.rows);
}

// out(i, j) = f(i, j)
template <class F>
void fill_each(MatrixView out, const F& f) {
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = f(i, j);
}

// The best for this processor.
const Passes& passes();

// out = out tile, element by element.
inline void multiply(ConstMatrixView tile, MatrixView out) {
  for (Index j = 0; j < out.cols; ++j) passes().multiply(tile.col(j), out.rows, out.col(j));
}

// All that this processor can run, the best first.
Span<const Passes* const> all_passes();

}  // namespace freeridge
