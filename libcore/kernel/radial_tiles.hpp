// Tiles of the values of kernels of the distance, by the loops in pass_loops.hpp.
#pragma once

#include <optional>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/pass_loops.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// In double precision. Points are divided by the divisors of a scaled kernel, else they are as they come. The values
// are those of Kernel::evaluate but for rounding, in half the time.
struct RadialTiles {
  TileLoops<double>::Tile make;
  double factor;
  Array<double> divisor;  // empty: ones
};
// Nothing for other kernels, and where the factor, or what is made of it, is no ordinary number.
std::optional<RadialTiles> radial_tiles(const Kernel& kernel, Index d);

// In single precision. Points are centred, and divided by the kernel's divisors and its bandwidth, in double precision
// before they are rounded: so the factor is 1.
// Memory: 4 n d bytes.
class SinglePoints {
 public:
  // Nothing for other kernels, and where points are too far apart for single precision.
  static std::optional<SinglePoints> of(const Kernel& kernel, const Rows& x);

  // T of the points [i side, (i + 1) side) and [j side, (j + 1) side).
  void evaluate(Index i, Index j, float* out) const { make_(tile(i), tile(j), d_, 1, out); }

 private:
  SinglePoints(TileLoops<float>::Tile make, Index tiles, Index d)
      : make_(make), d_(d), points_(tiles * PassLoops::side * d, 0.0f) {}
  // Zeros beyond the last one.
  const float* tile(Index i) const { return points_.data() + i * PassLoops::side * d_; }

  TileLoops<float>::Tile make_;
  Index d_;
  Array<float> points_;
};

}  // namespace freeridge
