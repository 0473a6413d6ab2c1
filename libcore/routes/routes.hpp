// The routes. The comment at the head of each route's file says what the route costs.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/data/choose_landmarks.hpp"
#include "libcore/device/engine.hpp"
#include "libcore/factor/factorization.hpp"

namespace freeridge {

// How tall matrices of features are reduced to a small square one.
enum class Reduction : std::int32_t { automatic = 0, qr = 1, gram = 2 };

// engine: where the matrices are; NULL: in the host's memory.
FactorizationPtr factorize_cholesky(ProblemPtr problem, const EnginePtr& engine = nullptr);
// engine: makes the eigenvectors, which are kept in the host's memory. Throws INVALID_ARGUMENT on an engine where rows of
// K_w differ too widely in size.
FactorizationPtr factorize_spectral(ProblemPtr problem, const EnginePtr& engine = nullptr);
// bandwidth: a multiple of 16. with_basis: forms Q at once; otherwise when it is first needed.
FactorizationPtr factorize_band(ProblemPtr problem, Index bandwidth, bool with_basis);
// Whether the primal route streams the data, or keeps B. Where d >= n there is nothing to reduce, and it keeps B.
bool primal_streams(Index n, Index d, Reduction reduction);
// Whether the primal route is that of primal_sparse_route.hpp.
bool primal_is_sparse(bool sparse, Index n, Index d, Reduction reduction);
// Reduction::automatic means QR, and for sparse rows the Gram matrix.
FactorizationPtr factorize_primal(ProblemPtr problem, Reduction reduction);
// Reduction::automatic means the Gram matrix.
FactorizationPtr factorize_landmark(ProblemPtr problem, const Landmarks& landmarks, Reduction reduction);

// accuracy: of solutions, relative, in (0, 1).
FactorizationPtr factorize_iterative(ProblemPtr problem, double accuracy);

// tr(K - K_TR K_RR^-1 K_RT) and tr(K). n r kernel values, n r^2.
struct LandmarkTrace {
  double left, all;
};
LandmarkTrace landmark_trace(const Problem& problem, Span<const Index> landmarks);

}  // namespace freeridge
