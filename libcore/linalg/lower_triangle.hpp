// Loops over the strictly lower triangle of a square matrix.
#pragma once

#include <algorithm>

#include "libcore/base/array.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {

// f(i, j) for all i > j, i < n, by blocks that fit into the cache with their transposes.
template <class F>
void each_pair_below(Index n, const F& f) {
  constexpr Index block = 64;
  parallel_for((n + block - 1) / block,
               [&](Index tile) {
                 const Index j0 = tile * block, j1 = std::min(j0 + block, n);
                 for (Index i0 = j0; i0 < n; i0 += block)
                   for (Index j = j0; j < j1; ++j)
                     for (Index i = std::max(i0, j + 1); i < std::min(i0 + block, n); ++i) f(i, j);
               },
               2.0 * static_cast<double>(n * n));
}

}  // namespace freeridge
