// Choosing landmarks R among the points.
//   random    uniformly without replacement
//   k-means++ each with probability proportional to the squared distance ||phi(x) - phi(x_s)||^2 = k(x,x) + k(s,s) -
//             2 k(x,s) to the nearest chosen one (D. Arthur, S. Vassilvitskii, SODA 2007)
//   pivoted   randomly pivoted Cholesky: each with probability proportional to the diagonal of what is left,
//             K - K_TR K_RR^-1 K_RT (Y. Chen, E. Epperly, J. Tropp, R. Webber, Communications on Pure and Applied
//             Mathematics 2024), in blocks by rejection (E. Epperly, J. Tropp, R. Webber, Embrace rejection, 2024)
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

enum class LandmarkMethod : std::int32_t { automatic = 0, random = 1, kmeans = 2, pivoted = 3 };

// What the user asked for.
struct Landmarks {
  Index count = 0;    // 0: none
  Array<Index> rows;  // empty: the core chooses
  LandmarkMethod method = LandmarkMethod::automatic;
  std::int64_t seed = 0;
};

// How many rows the pivoted method takes as candidates when there are more.
Index pivoted_candidates(Index count);

// The rows given, or chosen ones. Pivoted: fewer than asked for where the diagonal of what is left vanishes; candidates
// are all rows, or, where the factor would take more than 256 MiB, as many random rows as fit (all rows of a
// precomputed K, which is larger than the factor). Throws NOT_FINITE when a kernel value or the trace overflows. Cost:
// random O(n); k-means++ n r kernel values, memory O(n); pivoted n r kernel values and 2 n r^2 flops for n candidates.
Array<Index> choose_landmarks(const Kernel& kernel, const Rows& x, const Landmarks& landmarks);

}  // namespace freeridge
