// One lambda of a route whose matrix is Q B Q', B banded (linalg/band_reduction.hpp), with Gamma in the coordinates of
// Q:
//     (B + lambda I) / unit = L L',   half = L^-1 Gamma,   full = (L L')^-1 Gamma
//     log|B + lambda I| = 2 sum log L_ii + m log unit,     tr B (B + lambda I)^-1 = sum_ij B_ij (L L')^-1_ij / unit
// The unit is a power of two next to the largest eigenvalue of B + lambda I, so that squares of the inverse do not
// overflow at any scale of x. A factor costs m b^2.
#pragma once

#include <optional>

#include "libcore/base/bytes.hpp"
#include "libcore/factor/digits.hpp"
#include "libcore/linalg/banded.hpp"

namespace freeridge {

struct BandedFactor {
  BandedCholesky l;
  Matrix half, full;  // m x t
  double unit;

  double log_determinant() const;
  // tr (L L')^-1
  double inverse_trace() const;
  // tr B (B + lambda I)^-1
  double fitted_trace(const BandMatrix& b) const;
  // Gamma_j'(B + lambda I)^-1 Gamma_j
  double quadratic_form(Index j) const;
};

// The unit at lambda; largest: the largest eigenvalue of B.
double banded_unit(double largest, double lambda);
// No value where B + lambda I is not positive definite to working precision.
std::optional<BandedFactor> banded_factor(const BandMatrix& b, double unit, double lambda, ConstMatrixView gamma);

// The range of the eigenvalues above the tolerance, as the bounds tell it.
EigenvalueRange range_above(double tolerance, const EigenvalueBounds& bounds);

// The band column by column, without the numbers below the last row.
void save_band_matrix(const BandMatrix& b, ByteWriter& out);
BandMatrix load_band_matrix(ByteReader& in, Index bandwidth, Index m);

}  // namespace freeridge
