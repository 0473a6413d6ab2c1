// Counting the work of what is cubic in n.
#pragma once

#include <algorithm>

#include "libcore/base/matrix.hpp"

namespace freeridge {

inline double cube(auto n) {
  const auto size = static_cast<double>(n);
  return size * size * size;
}

// How far the reduction of an n x n matrix is when a corner of `left` rows and columns is still to be done: each step
// works on all of what is left, so that the work left goes as its cube.
inline double work_done(Index left, Index n) {
  return 1 - cube(static_cast<double>(left) / static_cast<double>(std::max<Index>(n, 1)));
}

}  // namespace freeridge
