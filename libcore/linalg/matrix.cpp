#include "libcore/linalg/matrix.hpp"

#include <algorithm>

namespace freeridge {
namespace {
constexpr Index transpose_tile = 32;  // 32 x 32 doubles: source and target lines of one tile stay in the L1 cache
}

void copy_rows(const LayoutView& from, Index row, MatrixView to) {
  if (from.layout == Layout::col_major) {
    for (Index j = 0; j < to.cols; ++j) std::copy_n(from.data + row + j * from.ld, to.rows, to.col(j));
    return;
  }
  for (Index i0 = 0; i0 < to.rows; i0 += transpose_tile)
    for (Index j0 = 0; j0 < to.cols; j0 += transpose_tile)
      for (Index j = j0; j < std::min(j0 + transpose_tile, to.cols); ++j)
        for (Index i = i0; i < std::min(i0 + transpose_tile, to.rows); ++i)
          to(i, j) = from.data[(row + i) * from.ld + j];
}

void copy_out(ConstMatrixView from, Layout layout, double* to, Index ld) {
  if (layout == Layout::col_major) {
    for (Index j = 0; j < from.cols; ++j) std::copy_n(from.col(j), from.rows, to + j * ld);
    return;
  }
  for (Index i0 = 0; i0 < from.rows; i0 += transpose_tile)
    for (Index j0 = 0; j0 < from.cols; j0 += transpose_tile)
      for (Index i = i0; i < std::min(i0 + transpose_tile, from.rows); ++i)
        for (Index j = j0; j < std::min(j0 + transpose_tile, from.cols); ++j) to[i * ld + j] = from(i, j);
}

}  // namespace freeridge
