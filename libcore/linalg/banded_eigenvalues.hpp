// All eigenvalues of a banded symmetric B (b: the bandwidth, m: the size), without eigenvectors:
//     B = Q T Q',  T tridiagonal     column by column: a reflector of b rows clears the column, and further reflectors
//                                    push what the first one fills in down the band; 6 m^2 b flops
//     T = Z diag(w) Z'               QL steps with implicit shifts, O(m^2)
// (B. Lang, A parallel algorithm for reducing symmetric banded matrices to tridiagonal form, SIAM J. Sci. Comput. 14
// (1993); H. Bowdler, R. Martin, C. Reinsch, J. Wilkinson, The QR and QL algorithms for symmetric matrices, Numer. Math.
// 11 (1968)). Both are made of orthogonal steps: each eigenvalue is off by rounding of the largest. LAPACK's dsbevd does
// the same, but cannot be cancelled. Memory: 2 m b numbers.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/band_reduction.hpp"

namespace freeridge {

// Descending. Throws NOT_CONVERGED.
Array<double> banded_eigenvalues(const BandMatrix& b);

// The eigenvalues of the tridiagonal matrix with d on its diagonal, where they are left in no order, and e (as long as
// d, the last number is not read) beside it, destroyed. Numbers of about one, or smaller. Throws NOT_CONVERGED.
void tridiagonal_eigenvalues(Span<double> d, Span<double> e);

}  // namespace freeridge
