// Matrix products cut into pieces, one for each thread of the core, while the BLAS has one thread. They are for
// products that are too narrow for the BLAS to use all threads well, between loops of the core: while the threads of a
// BLAS wait for the next product they keep their cores busy, and would slow these loops down.
#pragma once

#include <algorithm>

#include "libcore/linalg/threads.hpp"

namespace freeridge {

// body(i) for i = 0 ... count - 1 with one BLAS thread in each; flops of matrix products in all, some 30 of which take
// a nanosecond.
template <class Body>
void each_piece(Index count, double flops, const Body& body) {
  const Work work = flops / 30;
  if (team_size(count, work) > 1) return parallel_for(count, body, work);
  const SingleThreadedBlas single;
  for (Index i = 0; i < count; ++i) body(i);
}

// How many of `columns` columns make a piece: enough for a fast matrix product, and so few that all threads get pieces.
inline Index pieces_of(Index columns) {
  return std::clamp<Index>(columns / 1024 * 64, 64, 512);
}

// f(first, count) for blocks of `total` rows or columns, `block` of them in each; flops in all.
template <class F>
void each_block(Index total, Index block, double flops, const F& f) {
  each_piece(pieces(total, block), flops, [&](Index item) {
    const Index first = item * block;
    f(first, std::min(block, total - first));
  });
}

}  // namespace freeridge
