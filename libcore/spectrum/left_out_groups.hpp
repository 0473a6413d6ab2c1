// Rows S left out together, for factorizations that know the spectrum; notation of spectrum_factorization.hpp. O: the
// rows that stay; s and o: the numbers of rows in S and O; e: the left-out errors. The cheapest of three ways:
//
// Refit, for o < r with a complement: the problem of O, with Z an orthonormal basis of the complement of q1_O,
//     (Z'B_O diag(Lambda) B_O'Z + lambda I) c = Z'Y~_O,   g = diag(Lambda) B_O'Z c
//     e = Y~_S - B_S g - q1_S beta,   beta = q1_O^+ (Y~_O - B_O g)                         o^2 r + o^3 / 3 a lambda
// where that matrix is ill-conditioned by QR (factor/row_refit.hpp),                       2 (o + r) (r + q)^2 a lambda
//
// Dense: few go. P~_SS = N_SS + B_S diag(p) B_S' as it stands, s x s.                         s^2 r + s^3 / 3 a lambda
//
// Woodbury (woodbury.hpp): many go and many stay, or N_SS is near singular; with a complement.    s r t + r^3 a lambda
#pragma once

#include <memory>

#include "libcore/base/array.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {

// The rows S of a factorization, before any lambda.
struct GroupRows {
  GroupRows(const SpectrumFactorization& factorization, Span<const Index> rows);
  // (P~Y~)_S of the outputs [first, first + out.cols).
  void residual(const SpectrumAt& at, Index first, MatrixView out) const;

  const SpectrumFactorization& f;
  Array<Index> which;
  Matrix b, rest;               // B_S, E_S; no E without complement
  Array<double> rest_diagonal;  // diag N_SS; empty without complement
  Matrix q1;                    // of the rows S, s x q
  bool high_leverage;           // some rows have their E and N_ii in small_residuals
};

std::unique_ptr<RowBlock> leave_out_group(const SpectrumFactorization& factorization, Span<const Index> rows);

// Whether a positive semi-definite A, lower triangle, may have an eigenvalue so small that more than four digits are
// lost, by the bound 1 / |A^-1|_1 <= smallest eigenvalue.
bool may_be_near_singular(ConstMatrixView a);

}  // namespace freeridge
