// Tiles of kernel values in single precision, and their products with few columns; for several instruction sets, of which the
// best one is taken at run time (base/instruction_sets.hpp).
//     gaussian      T_ij = exp(-r^2)                             r = |a_i - b_j|, of points that are scaled already
//     laplacian     T_ij = exp(-r)
//     matern32      T_ij = (1 + r) exp(-r)
//     matern52      T_ij = (1 + r + r^2 / 3) exp(-r)
//     products      own = own + T p_b,   other = other + T'p_a  for `together` columns
// Distances are sums of squared differences, so that near points keep their digits. Error of a value: about (d / 2 + 3)
// 2^-24 u exp(-u) in u = r^2 or r, and 2^-23.
// A tile has `side` rows and columns, T_ij in [j side + i]. Points are stored by features, `side` numbers each; columns to
// multiply, and sums, by rows of `together` numbers.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct SingleLoops {
  static constexpr Index side = 256, together = 8;

  using Tile = void (*)(const float* a, const float* b, Index d, float* out);
  Tile gaussian, laplacian, matern32, matern52;
  void (*products)(const float* tile, const float* p_a, const float* p_b, float* own, float* other);
};

// The best for this processor.
const SingleLoops& single_loops();
// All that this processor can run, the best first.
Span<const SingleLoops* const> all_single_loops();

}  // namespace freeridge
