// The ridge problem in p features that the routes PRIMAL and LANDMARK reduce a problem to, at one lambda:
//     N = Phi~'Phi~ + lambda I = C C',   C lower triangular,   Phi~ = W^(1/2) (Phi - U M')
//     H~ = q1 q1' + Psi Psi',            Psi = Phi~ C^-T
// The directions of Phi~ = B diag(S) V', r <= p of them, are given: C' is the triangle of the QR of diag(S^2 +
// lambda)^(1/2) V', so that nothing is squared. Directions that the route left out as rounding, or that count as zero
// at this lambda, get S_1^2 in the place of S_k^2, and Psi has nothing but rounding there. Cost: O(p^3).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct FeatureSystem {
  Matrix c;                // C, p x p; zeros above the diagonal
  Matrix half;             // Phi~'B = V diag(S), p x r; empty where the route has Phi~'Phi~ alone (sparse rows)
  Array<double> weight;    // S^2 + lambda, r
  Matrix products;         // Phi~'Y~, p x t
  Matrix parts;            // M, p x q: what is not penalised explains of Phi; with an intercept alone phibar
  Matrix l;                // LANDMARK: phi(x) = L^-1 k(X_kept, x)
  Array<Index> kept;       // rows of x
  bool complement = true;  // r < m: P~ has a part beside the features
};

// vt: V', r x p; noise: r numbers; gamma: B'Y~. Parts, l, kept and complement are left as they are.
FeatureSystem make_feature_system(ConstMatrixView vt, Span<const double> s, Span<const double> noise,
                                  ConstMatrixView gamma, double lambda);

}  // namespace freeridge
