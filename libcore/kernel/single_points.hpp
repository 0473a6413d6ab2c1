// Points in single precision for the kernels of the distance, scaled so that their distance is the argument of the loops in
// single_loops.hpp: centred, and divided by the kernel's divisors and its bandwidth in double precision before they are rounded.
// Memory: 4 n d bytes.
#pragma once

#include <memory>
#include <optional>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/single_loops.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

class SinglePoints {
 public:
  // Nothing for other kernels, and where points are too far apart for single precision.
  static std::optional<SinglePoints> of(const Kernel& kernel, const Rows& x);

  Index d() const { return d_; }
  // The points i side, i side + 1, ...; zeros beyond the last one.
  const float* tile(Index i) const { return points_.data() + i * SingleLoops::side * d_; }
  // T of the points in the tiles i and j.
  void evaluate(Index i, Index j, float* out) const { make_(tile(i), tile(j), d_, out); }

 private:
  SinglePoints(SingleLoops::Tile make, Index tiles, Index d)
      : make_(make), d_(d), points_(tiles * SingleLoops::side * d, 0.0f) {}

  SingleLoops::Tile make_;
  Index d_;
  Array<float> points_;
};

}  // namespace freeridge
