// How far the reduction of an n x n matrix is when a corner of `left` rows and columns is still to be done: each step
// works on all of what is left, so that the work left goes as its cube.
#pragma once

#include <algorithm>

#include "libcore/linalg/matrix.hpp"

namespace freeridge {

inline double work_done(Index left, Index n) {
  const double share = static_cast<double>(left) / static_cast<double>(std::max<Index>(n, 1));
  return 1 - share * share * share;
}

}  // namespace freeridge
