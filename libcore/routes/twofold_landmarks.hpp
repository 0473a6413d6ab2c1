// Landmarks in twice the working precision. Rounding moves K_RR = L L' by E, |E_ij| about eps (K_ii K_jj)^(1/2), and so
// the penalty |w|^2 by w'F w, F = L^-1 E L^-T: where K_RR has small eigenvalues nothing is left of it in their
// directions. With K_RR and its factorization in twice the digits L is right to eps, and F about eps |L^-1| |L|. Where
// pivots are so small that k(x, R), rounded to doubles, does not tell phi(x) = L^-1 k(R, x), so are these.
//     K_RR       r^2 kernel values of 27 digits (some 0.3 microseconds each), r^2 rank operations of about 2 ns
//     phi(x)     rank kernel values and rank^2 / 2 operations for each point
#pragma once

#include "libcore/kernel/kernel.hpp"
#include "libcore/linalg/twofold.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

struct TwofoldCholesky {
  Matrix l;           // rank x rank, rounded to doubles
  Array<Index> kept;  // places in `landmarks`, in the order of the pivots
};

// K_RR = L L' with complete pivoting, as long as a pivot exceeds tolerance max K_ii. landmarks: rows of x. The values
// of a precomputed kernel are taken as they are.
TwofoldCholesky twofold_cholesky(const Kernel& kernel, const Rows& x, Span<const Index> landmarks, double tolerance);

// Points whose features are formed with twice the digits.
class TwofoldSupport {
 public:
  TwofoldSupport(KernelPtr kernel, const Rows& x, Span<const Index> rows);
  // out(i, .) = L^-1 k(X_R, point row + i), on this thread. Throws NOT_FINITE where a value overflows.
  void features(const Rows& points, Index row, ConstMatrixView l, MatrixView out) const;

 private:
  KernelPtr kernel_;
  Array<Array<DoubleDouble>> points_;
};

}  // namespace freeridge
