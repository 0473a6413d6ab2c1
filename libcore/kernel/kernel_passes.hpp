// Products with the kernel matrix of all points, whose values are made anew in each pass:
//     out = K_w p,   K_w = W^(1/2) K W^(1/2),   p n x k
// tile by tile, each once for all k columns, and used for both of its places: T p_J goes to the rows I, T'p_I to the
// rows J. The answer has the same bits for any number of threads. In single precision the values, the columns and the
// sums over a tile are floats, and sums of tiles are doubles; kernels of the distance alone have it (radial_tiles.hpp).
// Memory: (2 + threads) n k, k rounded up to a multiple of 8, and a tile and its points a thread. Cost: n^2 / 2 kernel
// values, 2 n^2 k.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/radial_tiles.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

enum class Precision { single_precision, double_precision };

class KernelPasses {
 public:
  // x and sqrt_w (n numbers) are borrowed.
  KernelPasses(KernelPtr kernel, const Rows& x, Span<const double> sqrt_w)
      : kernel_(std::move(kernel)),
        x_(x),
        sqrt_w_(sqrt_w),
        single_(SinglePoints::of(*kernel_, x)),
        radial_(radial_tiles(*kernel_, x.cols)) {}

  bool has_single() const { return single_.has_value(); }
  // Throws NOT_FINITE where a value overflows. Single precision only where has_single().
  void multiply(ConstMatrixView p, MatrixView out, Precision precision) const;

 private:
  template <class Number>
  class Strip;
  template <class Number>
  void multiply_in(ConstMatrixView p, MatrixView out) const;

  KernelPtr kernel_;
  Rows x_;
  Span<const double> sqrt_w_;
  std::optional<SinglePoints> single_;
  std::optional<RadialTiles> radial_;
};

}  // namespace freeridge
