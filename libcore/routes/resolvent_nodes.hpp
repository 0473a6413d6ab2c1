// Leverages at many lambdas from those at a few. With the eigenvalues of a symmetric G between `smallest` and
// `largest`,
//     h(lambda) = x'(G + lambda I)^-1 x = sum_k (v_k'x)^2 / Lambda_k phi_lambda(Lambda_k)
//     phi_lambda(u) = u / (u + lambda)
// is as smooth in lambda as the functions phi. One or two dozen of a hundred phi span the others to rounding:
//     phi_l = sum_j c_jl phi_(node j)   on [smallest, largest]      so      h(lambda_l) = sum_j c_jl h(node j)
// The nodes are the lambdas that QR with column pivoting takes first, on a fine grid of u (an interpolative
// decomposition: H. Cheng, Z. Gimbutas, P.-G. Martinsson, V. Rokhlin, On the compression of low rank matrices, SIAM J.
// Sci. Comput. 26 (2005)). As sum_k (v_k'x)^2 / Lambda_k <= 1 for a row x of G = X'X, the error of h is at most that of
// phi.
#pragma once

#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct ResolventNodes {
  Array<Index> nodes;  // places among the lambdas
  Matrix c;            // nodes x lambdas
};

// No value where an error of some units of rounding takes more nodes than two thirds of the lambdas.
std::optional<ResolventNodes> resolvent_nodes(Span<const double> lambdas, double smallest, double largest);

}  // namespace freeridge
