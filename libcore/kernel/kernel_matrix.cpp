#include "libcore/kernel/kernel_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index tile_rows = 256;     // 256 x 256 doubles are 512 KiB: a tile and its points stay in the L2 cache
constexpr Index tile_points = 1024;  // support points met at once in a prediction

Index tiles(Index n, Index tile) {
  return (n + tile - 1) / tile;
}

void require_finite(ConstMatrixView tile, Index row, Index col) {
  for (Index j = 0; j < tile.cols; ++j)
    for (Index i = 0; i < tile.rows; ++i)
      if (!std::isfinite(tile(i, j)))
        fail(Status::not_finite, "the kernel of rows ", row + i, " and ", col + j, " is ", tile(i, j),
             "; x is too large for this kernel");
}

}  // namespace

void pack_rows(const LayoutView& x, Index row, std::span<const double> shift, MatrixView tile) {
  copy_rows(x, row, tile);
  for (Index k = 0; k < static_cast<Index>(shift.size()); ++k)
    for (Index i = 0; i < tile.rows; ++i) tile(i, k) -= shift[static_cast<std::size_t>(k)];
}

void weighted_kernel_matrix(const Kernel& kernel, const LayoutView& x, std::span<const double> shift,
                            std::span<const double> sqrt_w, MatrixView out, const Progress& progress) {
  const Index n = x.rows, d = x.cols, blocks = tiles(n, tile_rows);
  const auto pack = [&](Index block) {
    const Index row = block * tile_rows;
    Matrix tile(std::min(tile_rows, n - row), d);
    pack_rows(x, row, shift, tile.view());
    return tile;
  };
  // Item p stands for the pair (block_i >= block_j) in the order (0,0), (1,0), (1,1), (2,0), ...
  parallel_for(blocks * (blocks + 1) / 2, progress, [&](Index p) {
    Index block_i = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(p) + 1) - 1) / 2);
    while (block_i * (block_i + 1) / 2 > p) --block_i;
    while ((block_i + 1) * (block_i + 2) / 2 <= p) ++block_i;
    const Index block_j = p - block_i * (block_i + 1) / 2;

    const Matrix a = pack(block_i);
    const Matrix b = block_j == block_i ? Matrix() : pack(block_j);
    const ConstMatrixView points_j = block_j == block_i ? a.view() : b.view();
    const Index i0 = block_i * tile_rows, j0 = block_j * tile_rows;
    const MatrixView tile = out.block(i0, j0, a.rows(), points_j.rows);
    kernel.evaluate(a.view(), points_j, tile);
    require_finite(tile, i0, j0);
    for (Index j = 0; j < tile.cols; ++j)
      for (Index i = 0; i < tile.rows; ++i)
        tile(i, j) *= sqrt_w[static_cast<std::size_t>(i0 + i)] * sqrt_w[static_cast<std::size_t>(j0 + j)];
    require_finite(tile, i0, j0);
  });
}

void kernel_product(const Kernel& kernel, const LayoutView& points, Index first, const LayoutView& x, ConstMatrixView c,
                    MatrixView out, const Progress& progress) {
  const Index m = out.rows, n = x.rows, d = x.cols;
  parallel_for(tiles(m, tile_rows), progress, [&](Index block) {
    const Index row = block * tile_rows, rows = std::min(tile_rows, m - row);
    Matrix a(rows, d), b(std::min(tile_points, n), d), k(rows, std::min(tile_points, n));
    copy_rows(points, first + row, a.view());
    for (Index col = 0; col < n; col += tile_points) {
      const Index cols = std::min(tile_points, n - col);
      const MatrixView support = b.view().row_range(0, cols), tile = k.view().columns(0, cols);
      copy_rows(x, col, support);
      kernel.evaluate(a.view(), support, tile);
      require_finite(tile, first + row, col);
      gemm(Op::none, Op::none, 1, tile, c.row_range(col, cols), col == 0 ? 0 : 1, out.row_range(row, rows));
    }
  });
}

}  // namespace freeridge
