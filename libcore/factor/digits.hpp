// From which lambda on left-out errors have six digits.
// Rounding moves Z'K_wZ by E, and so P = (Z'K_wZ + lambda I)^-1 by P E P; or it moves the singular values S of the
// features Phi~ by dS. In the direction of Lambda_k the relative error of P is at most about
//     |E| / (Lambda_k + lambda)               kernel matrices, Gram matrices, landmarks (whose K_RR is rounded as K is)
//     |dS_k| / (Lambda_k + lambda)^(1/2)      features by QR
// The noise below which an eigenvalue counts as zero bounds |E| and dS_k^2 from far above. Against refits in 113 bits
// (some 500 problems; numerics.md, "Rounding") the largest error of an e_i, over max |e|, was below
//     0.3 noise / (Lambda_k + lambda)       and      0.06 (noise / (Lambda_k + lambda))^(1/2)
// so that six digits want, in every direction k,
//     Lambda_k + lambda >= sure noise_k,      sure = 3e5 and 4e9
// An eigenvalue above its noise may satisfy this at any lambda. An eigenvalue below its noise counts as zero: at lambda
// = 0 its direction is left out, and is no source of error; above, it satisfies the condition from sure noise_k on.
// Eigenvalues that are zero by the kernel's rank are exact. But E turns their eigenvectors by |E| / Lambda_k towards
// that of Lambda_k, which moves P by |E| / ((Lambda_k + lambda) lambda)^(1/2) of itself: much, where a row has leverage near
// one, or y far more in direction k than e. So where there are such eigenvalues six digits want, too,
//     (Lambda_k + lambda) lambda >= (60 sure noise_k)^2      or      lambda >= 2.5 sure noise_k
// in all other directions (spectrum.hpp, rank_floor).
#pragma once

#include <algorithm>

namespace freeridge {

// The eigenvalues that are not zero lie between these, as far as is known; both 0 if there are none.
struct EigenvalueRange {
  double smallest, largest;
};

constexpr double sure_of_matrix = 3e5, sure_of_qr = 4e9, beside_zero = 60, most_beside_zero = 2.5;

// A direction of the spectrum. Its errors have six digits where Lambda + lambda >= sure noise.
struct Direction {
  double eigenvalue, noise, sure;
  double more = 0;  // what rounding adds that does not make an eigenvalue count as zero: that of features

  bool counts_as_zero() const { return eigenvalue < noise; }
  // The smallest lambda > 0 from which on they have six digits.
  double floor() const {
    const double wanted = sure * (noise + more);
    return counts_as_zero() ? wanted : std::max(wanted - eigenvalue, 0.0);
  }
  bool known(double lambda) const { return lambda >= floor() || (lambda == 0 && counts_as_zero()); }
};

}  // namespace freeridge
