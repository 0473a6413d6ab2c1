// Few columns stand for many lambdas: the curves lambda -> p_k(lambda) of spectrum.hpp are smooth, so that p (r x
// lambdas) has a numerical rank that hardly grows with the number of lambdas:
//     p = Q R + E,   Q (r x rank) orthonormal,   |E_kl| <= 16 eps max_k p_kl
// What is linear in p, as B [p Gamma] and (B o B) p are, is then computed for the columns of Q, and multiplied by R.
// Modified Gram-Schmidt with column pivoting (A. Bjorck, Solving linear least squares problems by Gram-Schmidt
// orthogonalization, BIT 7 (1967): E is of the size of rounding, whatever the condition). The rank is 10 to 90, by the
// range of the eigenvalues. Cost: 6 r lambdas rank.
#pragma once

#include <optional>

#include "libcore/base/matrix.hpp"

namespace freeridge {

struct LambdaBasis {
  Matrix q, r;
};

// None where the bound does not hold, measured, or where the rank is more than two thirds of the lambdas.
std::optional<LambdaBasis> lambda_basis(ConstMatrixView p);

}  // namespace freeridge
