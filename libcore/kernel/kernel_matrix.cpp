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

constexpr double symmetry = 1e-8;  // of sqrt(K_ii K_jj): a precomputed K may come from single precision arithmetic

// pq and qp: K(p, q) and K(q, p).
void require_symmetric(const LayoutView& k, Index p, Index q, double pq, double qp) {
  const double root = std::sqrt(std::abs(k(p, p))) * std::sqrt(std::abs(k(q, q)));
  if (!(std::abs(pq - qp) <= symmetry * root))
    fail(Status::invalid_argument, "x is a precomputed kernel matrix and must be symmetric, but x[", p, ", ", q,
         "] is ", pq, " and x[", q, ", ", p, "] is ", qp);
}

// tile(i, j) = K(row + i, col + j) from the lower triangle of a precomputed K. Throws where K is not symmetric.
void copy_symmetric(const LayoutView& k, Index row, Index col, MatrixView tile) {
  Matrix lower(tile.rows, tile.cols), upper(tile.cols, tile.rows);
  copy_rows(k.columns(col, tile.cols), row, lower.view());
  copy_rows(k.columns(row, tile.rows), col, upper.view());
  for (Index j = 0; j < tile.cols; ++j)
    for (Index i = 0; i < tile.rows; ++i) {
      const Index p = row + i, q = col + j;
      require_symmetric(k, p, q, lower(i, j), upper(j, i));
      tile(i, j) = p >= q ? lower(i, j) : upper(j, i);
    }
}

}  // namespace

void require_symmetric(const Kernel& kernel, const LayoutView& x) {
  if (!kernel.precomputed()) return;
  Matrix tile(std::min(tile_rows, x.rows), std::min(tile_rows, x.rows));
  for (Index row = 0; row < x.rows; row += tile_rows)
    for (Index col = 0; col <= row; col += tile_rows)
      copy_symmetric(x, row, col,
                     tile.view().block(0, 0, std::min(tile_rows, x.rows - row), std::min(tile_rows, x.rows - col)));
}

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

    const Index i0 = block_i * tile_rows, j0 = block_j * tile_rows;
    const MatrixView tile = out.block(i0, j0, std::min(tile_rows, n - i0), std::min(tile_rows, n - j0));
    if (kernel.precomputed()) {
      copy_symmetric(x, i0, j0, tile);
    } else {
      const Matrix a = pack(block_i);
      const Matrix b = block_j == block_i ? Matrix() : pack(block_j);
      kernel.evaluate(a.view(), block_j == block_i ? a.view() : b.view(), tile);
    }
    require_finite(tile, i0, j0);
    for (Index j = 0; j < tile.cols; ++j)
      for (Index i = 0; i < tile.rows; ++i)
        tile(i, j) *= sqrt_w[static_cast<std::size_t>(i0 + i)] * sqrt_w[static_cast<std::size_t>(j0 + j)];
    require_finite(tile, i0, j0);
  });
}

void require_symmetric(const LayoutView& k, std::span<const Index> rows) {
  for (const Index q : rows)
    for (Index p = 0; p < k.rows; ++p) require_symmetric(k, p, q, k(p, q), k(q, p));
}

void kernel_product(const Kernel& kernel, const LayoutView& points, Index first, const LayoutView& x, ConstMatrixView c,
                    MatrixView out, const Progress& progress) {
  const Index m = out.rows, n = x.rows, d = x.cols;
  parallel_for(tiles(m, tile_rows), progress, [&](Index block) {
    const Index row = block * tile_rows, rows = std::min(tile_rows, m - row);
    const bool given = kernel.precomputed();
    Matrix a(given ? 0 : rows, d), b(given ? 0 : std::min(tile_points, n), d), k(rows, std::min(tile_points, n));
    if (!given) copy_rows(points, first + row, a.view());
    for (Index col = 0; col < n; col += tile_points) {
      const Index cols = std::min(tile_points, n - col);
      const MatrixView tile = k.view().columns(0, cols);
      if (given) {
        copy_rows(points.columns(col, cols), first + row, tile);
      } else {
        const MatrixView support = b.view().row_range(0, cols);
        copy_rows(x, col, support);
        kernel.evaluate(a.view(), support, tile);
      }
      require_finite(tile, first + row, col);
      gemm(Op::none, Op::none, 1, tile, c.row_range(col, cols), col == 0 ? 0 : 1, out.row_range(row, rows));
    }
  });
}

void cross_kernel(const Kernel& kernel, const LayoutView& x, std::span<const double> shift, const LayoutView& points,
                  Index first, MatrixView out) {
  const Index n = x.rows, d = x.cols;
  if (kernel.precomputed()) {
    for (Index q = 0; q < out.cols; ++q)
      for (Index i = 0; i < n; ++i) out(i, q) = points(first + q, i);
    return;
  }
  Matrix z(out.cols, d);
  pack_rows(points, first, shift, z.view());
  parallel_for(tiles(n, tile_rows), Progress(), [&](Index block) {
    const Index row = block * tile_rows;
    Matrix a(std::min(tile_rows, n - row), d);
    pack_rows(x, row, shift, a.view());
    const MatrixView tile = out.row_range(row, a.rows());
    kernel.evaluate(a.view(), z.view(), tile);
    require_finite(tile, row, first);
  });
}

void kernel_diagonal(const Kernel& kernel, const LayoutView& points, Index first, std::span<const double> shift,
                     std::span<double> out) {
  if (kernel.precomputed()) return std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
  Matrix z(1, points.cols);
  for (std::size_t q = 0; q < out.size(); ++q) {
    pack_rows(points, first + static_cast<Index>(q), shift, z.view());
    kernel.evaluate(z.view(), z.view(), {&out[q], 1, 1, 1});
  }
}

void own_diagonal(const Kernel& kernel, const LayoutView& x, std::span<double> out) {
  if (!kernel.precomputed()) return kernel_diagonal(kernel, x, 0, {}, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = x(static_cast<Index>(i), static_cast<Index>(i));
}

Support::Support(KernelPtr kernel, const LayoutView& x) : kernel_(std::move(kernel)), size_(x.rows) {
  if (kernel_->precomputed()) return;
  packed_ = Matrix(size_, x.cols);
  copy_rows(x, 0, packed_.view());
}

Support::Support(KernelPtr kernel, const LayoutView& x, std::span<const Index> rows)
    : kernel_(std::move(kernel)), size_(static_cast<Index>(rows.size())), rows_(rows.begin(), rows.end()) {
  if (kernel_->precomputed()) return;
  packed_ = Matrix(size_, x.cols);
  for (Index k = 0; k < x.cols; ++k)
    for (Index q = 0; q < size_; ++q) packed_(q, k) = x(rows_[static_cast<std::size_t>(q)], k);
}

void Support::evaluate(const LayoutView& points, Index row, MatrixView out) const {
  if (kernel_->precomputed()) {
    if (rows_.empty()) return copy_rows(points, row, out);
    for (Index q = 0; q < size_; ++q)
      copy_rows(points.columns(rows_[static_cast<std::size_t>(q)], 1), row, out.columns(q, 1));
    return;
  }
  Matrix tile(out.rows, points.cols);
  copy_rows(points, row, tile.view());
  kernel_->evaluate(tile.view(), packed_.view(), out);
  for (Index q = 0; q < out.cols; ++q)
    for (Index i = 0; i < out.rows; ++i)
      if (!std::isfinite(out(i, q)))
        fail(Status::not_finite, "the kernel of rows ", row + i, " and ",
             rows_.empty() ? q : rows_[static_cast<std::size_t>(q)], " is ", out(i, q),
             "; x is too large for this kernel");
}

}  // namespace freeridge
