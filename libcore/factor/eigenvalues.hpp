// The eigenvalues Lambda of Z'K_wZ, which are those of (I - q1 q1') K_w (I - q1 q1') without the zero of q1, and what
// they say about the fit with a given lambda, G = Z'K_wZ + lambda I:
//     condition        |G| |G^-1| = (Lambda_1 + lambda) / (Lambda_m + lambda)
//                      lambda = 0: |K| |K^+| = Lambda_1 / Lambda_rank, as the solution of minimum norm uses K^+
//     effective rank   sum_k Lambda_k / (Lambda_k + lambda) = tr H without the intercept's one;  lambda = 0: the rank
// An eigenvalue below its noise is rounding. Where lambda, too, is below this noise, the eigenvalue counts as zero, as
// in spectrum/spectrum.hpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct Eigenvalues {
  Array<double> value, noise;  // descending; the others of the m eigenvalues are zero

  // Whether eigenvalue k is neither zero nor rounding.
  bool counts(Index k) const { return value[k] > 0 && value[k] >= noise[k]; }
  Index rank() const;
};

// From eigenvalues in any order.
Eigenvalues descending(Span<const double> value, Span<const double> noise);
// The places of `value` in descending order; equal ones keep their order.
Array<Index> descending_order(Span<const double> value);

struct Conditioning {
  double condition;  // NaN without eigenvalues, or where all are zero and lambda is
  double rank;
};

// degrees: m.
Conditioning conditioning(const Eigenvalues& eigenvalues, Index degrees, double lambda);

}  // namespace freeridge
