#include "libcore/kernel/kernel_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/sparse_inner_products.hpp"
#include "libcore/kernel/value_loops.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index tile_rows = 256;         // 256 x 256 doubles are 512 KiB: a tile and its points stay in the L2 cache
constexpr Index tile_points = 256;       // points of the second argument in one tile
constexpr Index tile_doubles = 1 << 20;  // kernel values in one tile of kernel_values()
constexpr Index strip = 128;             // columns of a tile that are made together and then copied to the matrix
constexpr Index sparse_points = 16;      // new points in one product with sparse rows
constexpr Index few_rows = 8;            // with fewer rows than this a column does not fill a register

// The work of a tile in units of progress.hpp, without the inner products of the points.
double work_of(ConstMatrixView tile, Index d) {
  return (60 + 2 * static_cast<double>(d)) * static_cast<double>(tile.rows) * static_cast<double>(tile.cols);
}

// column(j): the row of the second argument that column j of the tile belongs to.
template <class Column>
void require_finite(ConstMatrixView tile, Index row, const Column& column) {
  if (tile.ld == tile.rows && passes().finite(tile.data, tile.rows * tile.cols))
    return;  // also of short columns at once
  for (Index j = 0; j < tile.cols; ++j) {
    if (passes().finite(tile.col(j), tile.rows)) continue;
    for (Index i = 0; i < tile.rows; ++i)
      if (!std::isfinite(tile(i, j)))
        fail(Status::not_finite, "the kernel of rows ", row + i, " and ", column(j), " is ", tile(i, j),
             "; x is too large for this kernel");
  }
}
void require_finite(ConstMatrixView tile, Index row, Index col) {
  require_finite(tile, row, [&](Index j) { return col + j; });
}

// Rows of x less the shift: where they stand if they are a column-major matrix already, else packed into `space`, which
// has room for them.
ConstMatrixView points_of(const Rows& x, Index row, Index rows, Span<const double> shift, Matrix& space) {
  if (!x.is_sparse() && x.dense().layout == Layout::col_major && shift.empty())
    return {x.dense().data + row, rows, x.cols, x.dense().ld};
  if (space.rows() < rows) space = Matrix(rows, x.cols);
  const MatrixView packed = space.view().row_range(0, rows);
  pack_rows(x, row, shift, packed);
  return packed;
}

// kernel.evaluate(a, b, out). Its loops run along columns, which is slow for short columns. So for a few rows the
// transpose is evaluated, as k(x, z) = k(z, x).
void evaluate_tile(const Kernel& kernel, ConstMatrixView a, ConstMatrixView b, MatrixView out) {
  if (out.rows >= few_rows || out.rows >= out.cols) return kernel.evaluate(a, b, out);
  Matrix columns(out.cols, out.rows);
  kernel.evaluate(b, a, columns.view());
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = columns(j, i);
}

constexpr double symmetry = 1e-8;  // of sqrt(K_ii K_jj): a precomputed K may come from single precision arithmetic

// pq and qp: K(p, q) and K(q, p).
void require_symmetric(const Kernel& kernel, const LayoutView& x, Index p, Index q, double pq, double qp) {
  const double root =
      std::sqrt(std::abs(given_value(kernel, x, p, p))) * std::sqrt(std::abs(given_value(kernel, x, q, q)));
  if (!(std::abs(pq - qp) <= symmetry * root))
    fail(Status::invalid_argument, "x is a precomputed kernel matrix and must be symmetric, but x[", p, ", ", q,
         "] is ", pq, " and x[", q, ", ", p, "] is ", qp, kernel.is_sum() ? " (in the sum of the matrices in x)" : "");
}

// tile(i, j) = K(row + i, col + j) from the lower triangle of a precomputed K. Throws where K is not symmetric.
void copy_symmetric(const Kernel& kernel, const LayoutView& x, Index row, Index col, MatrixView tile) {
  Matrix lower(tile.rows, tile.cols), upper(tile.cols, tile.rows);
  given_values(kernel, x, row, col, lower.view());
  given_values(kernel, x, col, row, upper.view());
  for (Index j = 0; j < tile.cols; ++j)
    for (Index i = 0; i < tile.rows; ++i) {
      const Index p = row + i, q = col + j;
      require_symmetric(kernel, x, p, q, lower(i, j), upper(j, i));
      tile(i, j) = p >= q ? lower(i, j) : upper(j, i);
    }
}

// out = (X - 1 s') D^2 (Z - 1 s')' for a few points of Z at a time, by products with the entries of X.
void sparse_cross_products(Span<const double> scale, const Rows& x, Span<const double> shift, const Rows& points,
                           Index first, MatrixView out) {
  Matrix rows(std::min(sparse_points, out.cols), x.cols), columns(x.cols, rows.rows());
  for (Index q = 0; q < out.cols; q += rows.rows()) {
    const Index count = std::min(rows.rows(), out.cols - q);
    const MatrixView z = rows.view().row_range(0, count), turned = columns.view().columns(0, count);
    pack_rows(points, first + q, shift, z);
    for (Index k = 0; k < z.cols; ++k)
      for (Index i = 0; i < count; ++i) z(i, k) = z(i, k) / scale[k] / scale[k];
    transpose(z, turned);
    multiply(x, 0, shift, turned, out.columns(q, count));
    require_finite(out.columns(q, count), 0, first + q);
  }
}

}  // namespace

void require_symmetric(const Kernel& kernel, const Rows& x) {
  if (!kernel.precomputed()) return;
  Matrix tile(std::min(tile_rows, x.rows), std::min(tile_rows, x.rows));
  for (Index row = 0; row < x.rows; row += tile_rows)
    for (Index col = 0; col <= row; col += tile_rows) {
      copy_symmetric(kernel, x.dense(), row, col,
                     tile.view().block(0, 0, std::min(tile_rows, x.rows - row), std::min(tile_rows, x.rows - col)));
      worked(4 * touched * static_cast<double>(tile_rows * tile_rows));
    }
}

void weighted_kernel_matrix(const Kernel& kernel, const Rows& x, Span<const double> shift, Span<const double> sqrt_w,
                            MatrixView out) {
  if (x.is_sparse())
    if (const std::optional<Array<double>> scale = kernel.linear_scale(x.cols))
      return weighted_inner_products(*scale, x, shift, sqrt_w, out);
  const Index n = x.rows, blocks = pieces(n, tile_rows);
  parallel_for(blocks * (blocks + 1) / 2, [&](Index p) {
    const auto [block_i, block_j] = block_pair(p);
    const Index i0 = block_i * tile_rows, j0 = block_j * tile_rows;
    const Index rows = std::min(tile_rows, n - i0), cols = std::min(tile_rows, n - j0);
    const bool given = kernel.precomputed();
    Matrix a(given ? 0 : rows, x.cols), space;
    ConstMatrixView b;
    if (!given) {
      pack_rows(x, i0, shift, a.view());
      b = block_j == block_i ? a.view() : points_of(x, j0, cols, shift, space);
    }
    // A strip of columns is made in an array of its own, which fits into the cache, and then weighted and copied to
    // `out`. In `out` itself columns are n numbers apart: where a large power of two divides n, they compete for the
    // same few lines of the cache. In a block on the diagonal a strip begins at its first row on or below the diagonal.
    const Index step = block_j == block_i ? diagonal_strip : strip;
    Matrix strip_space(given ? 0 : rows, std::min(step, cols));
    if (given) copy_symmetric(kernel, x.dense(), i0, j0, out.block(i0, j0, rows, cols));
    for (Index col = 0; col < cols; col += step) {
      const Index width = std::min(step, cols - col), top = block_j == block_i ? col : 0;
      const MatrixView to = out.block(i0 + top, j0 + col, rows - top, width);
      MatrixView values = to;
      if (!given) {
        values = strip_space.view().block(0, 0, rows - top, width);
        kernel.evaluate(a.view().row_range(top, rows - top), b.row_range(col, width), values);
      } else {
        require_finite(values, i0 + top, j0 + col);
      }
      bool finite = true;
      for (Index j = 0; j < width; ++j)
        finite =
            passes().weighted(values.col(j), values.rows, &sqrt_w[i0 + top], sqrt_w[j0 + col + j], to.col(j)) && finite;
      worked(work_of(to, x.cols));
      if (finite) continue;
      require_finite(values, i0 + top, j0 + col);
      require_finite(to, i0 + top, j0 + col);
    }
  });
}

void require_symmetric(const Kernel& kernel, const LayoutView& x, Span<const Index> rows) {
  for (const Index q : rows) {
    for (Index p = 0; p < x.rows; ++p)
      require_symmetric(kernel, x, p, q, given_value(kernel, x, p, q), given_value(kernel, x, q, p));
    worked(4 * touched * static_cast<double>(x.rows));
  }
}

void kernel_product(const Kernel& kernel, const Rows& points, Index first, const Rows& x, ConstMatrixView c,
                    MatrixView out) {
  const Index m = out.rows, n = x.rows, d = x.cols, step = std::min(tile_points, n);
  parallel_for(pieces(m, tile_rows), [&](Index block) {
    const Index row = block * tile_rows, rows = std::min(tile_rows, m - row);
    const bool given = kernel.precomputed();
    Matrix a(given ? 0 : rows, d), k(rows, step), space;
    if (!given) copy_rows(points, first + row, a.view());
    for (Index col = 0; col < n; col += step) {
      const Index cols = std::min(step, n - col);
      const MatrixView tile = k.view().columns(0, cols);
      if (given)
        given_values(kernel, points.dense(), first + row, col, tile);
      else
        evaluate_tile(kernel, a.view(), points_of(x, col, cols, {}, space), tile);
      require_finite(tile, first + row, col);
      worked(work_of(tile, d));
      gemm(Op::none, Op::none, 1, tile, c.row_range(col, cols), col == 0 ? 0 : 1, out.row_range(row, rows));
    }
  });
}

void cross_kernel(const Kernel& kernel, const Rows& x, Span<const double> shift, const Rows& points, Index first,
                  MatrixView out) {
  const Index n = x.rows;
  if (kernel.precomputed()) {
    for (Index q = 0; q < out.cols; ++q) {
      for (Index i = 0; i < n; ++i) out(i, q) = given_value(kernel, points.dense(), first + q, i);
      worked(4 * touched * static_cast<double>(n));
    }
    return;
  }
  if (x.is_sparse())
    if (const std::optional<Array<double>> scale = kernel.linear_scale(x.cols))
      return sparse_cross_products(*scale, x, shift, points, first, out);
  Matrix z(out.cols, x.cols);
  pack_rows(points, first, shift, z.view());
  const Stage still(0, 0);  // often called, for a few points each time
  parallel_for(pieces(n, tile_rows), [&](Index block) {
    const Index row = block * tile_rows;
    Matrix space;
    const MatrixView tile = out.row_range(row, std::min(tile_rows, n - row));
    kernel.evaluate(points_of(x, row, tile.rows, shift, space), z.view(), tile);
    require_finite(tile, row, first);
    worked(work_of(tile, x.cols));
  });
}

void kernel_diagonal(const Kernel& kernel, const Rows& points, Index first, Span<const double> shift,
                     Span<double> out) {
  if (kernel.precomputed()) return std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
  Matrix z(1, points.cols);
  for (std::size_t q = 0; q < out.size(); ++q) {
    pack_rows(points, first + static_cast<Index>(q), shift, z.view());
    kernel.evaluate(z.view(), z.view(), {&out[q], 1, 1, 1});
    worked(200 * nanosecond + touched * static_cast<double>(points.cols));
  }
}

void own_diagonal(const Kernel& kernel, const Rows& x, Span<double> out) {
  if (!kernel.precomputed()) return kernel_diagonal(kernel, x, 0, {}, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = static_cast<Index>(i);
    out[i] = given_value(kernel, x.dense(), row, row);
  }
}

Support::Support(KernelPtr kernel, const Rows& x) : kernel_(std::move(kernel)), size_(x.rows) {
  if (kernel_->precomputed()) return;
  packed_ = Matrix(size_, x.cols);
  copy_rows(x, 0, packed_.view());
}

Support::Support(KernelPtr kernel, const Rows& x, Span<const Index> rows)
    : kernel_(std::move(kernel)), size_(static_cast<Index>(rows.size())), rows_(rows.begin(), rows.end()) {
  if (kernel_->precomputed()) return;
  packed_ = Matrix(size_, x.cols);
  for (Index k = 0; k < x.cols; ++k)
    for (Index q = 0; q < size_; ++q) packed_(q, k) = x(rows_[q], k);
}

void Support::evaluate(const Rows& points, Index row, MatrixView out) const {
  if (kernel_->precomputed()) {
    if (rows_.empty()) return given_values(*kernel_, points.dense(), row, 0, out);
    for (Index q = 0; q < size_; ++q) given_values(*kernel_, points.dense(), row, rows_[q], out.columns(q, 1));
    return;
  }
  Matrix tile(out.rows, points.cols);
  copy_rows(points, row, tile.view());
  for (Index col = 0; col < size_; col += tile_points) {
    const MatrixView part = out.columns(col, std::min(tile_points, size_ - col));
    evaluate_tile(*kernel_, tile.view(), packed_.view().row_range(col, part.cols), part);
    worked(work_of(part, points.cols));
    require_finite(part, row, [&](Index q) { return rows_.empty() ? col + q : rows_[col + q]; });
  }
}

void kernel_values(const KernelPtr& kernel, const Rows& x, const Rows& z, Layout layout, double* out, Index ldout) {
  if (kernel->precomputed())
    fail(Status::invalid_argument, "the kernel is precomputed: its values are given, and there is no function");
  kernel->check_features(x.cols);
  require_finite("x", x);
  require_finite("others.x", z);
  const Support support(kernel, z);
  const Index rows = std::clamp<Index>(tile_doubles / z.rows, 1, std::min(tile_rows, x.rows));
  const double values = static_cast<double>(x.rows) * static_cast<double>(z.rows);
  parallel_for(
      pieces(x.rows, rows),
      [&](Index block) {
        const Index row = block * rows;
        Matrix tile(std::min(rows, x.rows - row), z.rows);
        support.evaluate(x, row, tile.view());
        copy_out(tile.view(), layout, out + (layout == Layout::col_major ? row : row * ldout), ldout);
      },
      values * static_cast<double>(x.cols + 10));
}

}  // namespace freeridge
