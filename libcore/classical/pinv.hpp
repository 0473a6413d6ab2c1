// The Moore-Penrose inverse by the SVD: A = U S V' (m x n), A+ = V S+ U', S+_kk = 1 / S_kk where S_kk > rcond S_11 and
// 0 elsewhere. Cost: O(m n min(m, n)). Source: G. Golub, C. Van Loan, Matrix Computations, 2013, section 5.5.2.
#pragma once

#include "libcore/base/matrix.hpp"

namespace freeridge {

struct PseudoInverse {
  Matrix inverse;  // n x m
  Index rank = 0;
};
// rcond < 0: max(m, n) machine epsilons. Throws NOT_FINITE, NOT_CONVERGED.
PseudoInverse pinv(const LayoutView& a, double rcond);

}  // namespace freeridge
