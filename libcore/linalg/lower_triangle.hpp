// Lower triangles of square matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {

// Exchanges the rows p and q, and the columns p and q, of a symmetric matrix; p <= q.
inline void swap_symmetric(MatrixView a, Index p, Index q) {
  if (p == q) return;
  for (Index j = 0; j < p; ++j) std::swap(a(p, j), a(q, j));
  std::swap(a(p, p), a(q, q));
  for (Index i = p + 1; i < q; ++i) std::swap(a(i, p), a(q, i));
  for (Index i = q + 1; i < a.rows; ++i) std::swap(a(i, p), a(i, q));
}

// The pair of blocks i >= j with number p in the order (0,0), (1,0), (1,1), (2,0), ...
struct BlockPair {
  Index i, j;
};
inline BlockPair block_pair(Index p) {
  Index i = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(p) + 1) - 1) / 2);
  while (i * (i + 1) / 2 > p) --i;
  while ((i + 1) * (i + 2) / 2 <= p) ++i;
  return {i, p - i * (i + 1) / 2};
}

// f(i, j) for all i > j, i < n, by blocks that fit into the cache with their transposes.
template <class F>
void each_pair_below(Index n, const F& f) {
  constexpr Index block = 64;
  parallel_for(
      pieces(n, block),
      [&](Index tile) {
        const Index j0 = tile * block, j1 = std::min(j0 + block, n);
        for (Index i0 = j0; i0 < n; i0 += block)
          for (Index j = j0; j < j1; ++j)
            for (Index i = std::max(i0, j + 1); i < std::min(i0 + block, n); ++i) f(i, j);
      },
      2.0 * static_cast<double>(n * n));
}

// The upper triangle of a square matrix from its lower one.
inline void mirror_lower(MatrixView a) {
  each_pair_below(a.rows, [&](Index i, Index j) { a(j, i) = a(i, j); });
}

}  // namespace freeridge
