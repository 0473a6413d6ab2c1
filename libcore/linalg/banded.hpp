// Symmetric positive definite banded matrices (b: the bandwidth, m: the size):
//     B + lambda I = L L'                                       m b^2 flops (LAPACK's dpbtrf)
//     (B + lambda I)^-1 C,  L^-1 C                              4 m b, 2 m b a column
//     Z = (B + lambda I)^-1 within the band, from L'Z = L^-1:   2 m b^2
//         Z_ij = -sum_(k = i+1..i+b) L_ki Z_kj / L_ii  (j > i),   Z_ii = (1 / L_ii - sum_k L_ki Z_ki) / L_ii
// (K. Takahashi, J. Fagan, M. Chin, Formation of a sparse bus impedance matrix, 8th PICA Conference, 1973). The sum in
// Z_ii is <= 0, so that nothing cancels in Z_ii.
#pragma once

#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/linalg/band_reduction.hpp"

namespace freeridge {

class BandedCholesky {
 public:
  // L L' = B / unit + shift I; no value when the right side is not positive definite, or not finite.
  static std::optional<BandedCholesky> factor(const BandMatrix& b, double shift, double unit = 1);

  Index size() const { return l_.cols(); }
  void solve(MatrixView c) const;             // C = (B + lambda I)^-1 C
  void half_solve(MatrixView c) const;        // C = L^-1 C
  void other_half_solve(MatrixView c) const;  // C = L'^-1 C
  double log_determinant() const;
  // Z within the band, as a BandMatrix has it.
  BandMatrix inverse_band() const;
  // The coefficients that BandKernels read.
  Array<double> row_coefficients() const;

 private:
  explicit BandedCholesky(Matrix l) : l_(std::move(l)) {}
  Matrix l_;  // L_ij in l_(i - j, j)
};

// All eigenvalues of B, descending, each with an error of the size of rounding in the largest. 6 m^2 b flops (LAPACK's
// dsbev, in one call), memory 2 m b numbers. Throws NOT_CONVERGED.
Array<double> banded_eigenvalues(const BandMatrix& b);

// Bounds of the eigenvalues of B by bisection, 2 steps + 1 factorizations; `smallest` is 0 when B - floor I is not
// positive definite. After 12 steps a bound has an error of a percent, after 48 steps one of the size of rounding.
struct EigenvalueBounds {
  double smallest, largest;
};
EigenvalueBounds eigenvalue_bounds(const BandMatrix& b, double relative_floor, int steps = 12);

// The number of eigenvalues of B above `level`. It is the number of positive pivots in B - level I = L D L'. m b^2
// flops.
Index positive_pivots(const BandMatrix& b, double level);

// sum_ij X_ij Y_ij over the band: tr(X'Y) when one of them is zero beyond it.
double band_inner_product(const BandMatrix& x, const BandMatrix& y);

// x'Bx, 2 m b flops.
double band_quadratic_form(const BandMatrix& b, const double* x);

}  // namespace freeridge
