// The loops of passes over kernel values (kernel_passes.hpp), for several instruction sets, of which the best one is
// taken at run time (base/instruction_sets.hpp). Tiles of kernel values, in both precisions:
//     gaussian      T_ij = exp(-v)                        v = factor r^2,   r = |a_i - b_j|
//     laplacian     T_ij = exp(-u)                        u = factor r
//     matern32      T_ij = (1 + u) exp(-u)                the same u
//     matern52      T_ij = (1 + u + u^2 / 3) exp(-u)      the same u
// and products of a tile with a group of eight columns, whose sums are added to doubles:
//     products      own = own + T p_b,   other = other + T'p_a
// Distances are sums of squared differences, so that near points keep their digits. Error of a value T(v) or T(u):
// about (d / 4 + 1.5) eps |v dT/dv| and 1.5 eps, eps = 2^-23 or 2^-52. Exponentials are not below 2^-125 or 2^-1020.
// A tile has `side` rows and columns, T_ij in [j side + i]. Points are stored by features, `side` numbers each; columns
// to multiply, and sums, by rows of eight numbers, or of two points at a time where the columns are floats (place).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

template <class Number>
struct TileLoops {
  using Tile = void (*)(const Number* a, const Number* b, Index d, double factor, Number* out);
  Tile gaussian, laplacian, matern32, matern52;
  void (*products)(const Number* tile, const Number* p_a, const Number* p_b, double* own, double* other);
};

struct PassLoops {
  static constexpr Index side = 256, together = 8;

  // Where the number of point i < side and column c < together is.
  template <class Number>
  static constexpr Index place(Index i, Index c) {
    constexpr Index points = 8 / sizeof(Number);
    return (i / points * together + c) * points + i % points;
  }

  TileLoops<float> floats;
  TileLoops<double> doubles;
};

// The best for this processor.
const PassLoops& pass_loops();
// All that this processor can run, the best first.
Span<const PassLoops* const> all_pass_loops();

}  // namespace freeridge
