// Matrix products cut into pieces, one for each thread of the core, while the BLAS has one thread. For products that are
// too narrow for the BLAS to use all threads well, between loops of the core: the threads of a BLAS keep their cores busy
// while they wait for the next product, and slow these loops down.
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

// How many of so many columns make a piece: enough of them for a fast matrix product, and enough pieces for all threads.
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
