// The Cholesky factor of Z'GZ = Z'K_wZ + lambda I (reduced_kernel.hpp), with which K + lambda I counts as regular or as
// numerically singular: of Z'GZ / s, s a power of two next to its mean eigenvalue.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {

// s: a power of two next to the larger of the two, such that its square root is a power of two, too, and 1 / s is in
// range.
double cholesky_unit(double mean_eigenvalue, double lambda);

struct RegularMatrix {
  enum class Wanted { smallest_eigenvalue, factor };  // factor: the condition is estimated only where it is in doubt

  double lambda, s;
  double constant_part;      // of the ReducedKernel
  Span<const double> sizes;  // its inner_sizes() where rows differ widely in size; else empty
};

// The exponents of D, powers of two with D_i^2 next to (d_i^2 + lambda) / s; empty where one unit serves all rows. Rows
// that differ widely in size have errors of their own sizes each, and the condition is that of D^-1 (Z'GZ) D^-1.
Array<int> row_units(const RegularMatrix& about);
// The reciprocal condition of a matrix with m rows and this 1-norm from which on it counts as regular.
double regular_from(const RegularMatrix& about, Index m, double norm);
// Answers with the estimate of the smallest eigenvalue; throws NOT_POSITIVE_DEFINITE unless rcond is above `limit`.
double regular_eigenvalue(const RegularMatrix& about, Index m, double norm, double rcond, double limit);

// a: one triangle of Z'GZ / s, in whose place the factor is left. Answers with an estimate of the smallest eigenvalue
// of Z'GZ, from below but for a small factor. Throws NOT_POSITIVE_DEFINITE where the condition is at the limit of
// rounding. Wanted::factor is for a K_w that is surely semidefinite; the answer is then 0.
double regular_cholesky(MatrixView a, Triangle triangle, const RegularMatrix& about,
                        RegularMatrix::Wanted wanted = RegularMatrix::Wanted::smallest_eigenvalue);

}  // namespace freeridge
