// Matrix products cut into pieces by hand, one to a thread: where most of them are too narrow for a BLAS to share out,
// and
// its own threads, waiting for the next, would be in the way of ours in between.
#pragma once

#include <algorithm>

#include "libcore/linalg/threads.hpp"

namespace freeridge {

// body(i) for i = 0 ... count - 1 with one BLAS thread in each; flops of matrix products in all, some 30 of which take
// a nanosecond.
template <class Body>
void each_piece(Index count, double flops, const Body& body) {
  const Work work = flops / 30;
  if (team_size(count, work) > 1) return parallel_for(count, Progress(), body, work);
  const SingleThreadedBlas single;
  for (Index i = 0; i < count; ++i) body(i);
}

// The width of a piece of work, of so many columns in all: wide enough for a matrix product, and many for the threads.
inline Index pieces_of(Index columns) {
  return std::clamp<Index>(columns / 1024 * 64, 64, 512);
}

// f(first, count) for blocks of columns; flops in all.
template <class F>
void each_columns(Index columns, Index block, double flops, const F& f) {
  each_piece((columns + block - 1) / block, flops, [&](Index item) {
    const Index first = item * block;
    f(first, std::min(block, columns - first));
  });
}

}  // namespace freeridge
