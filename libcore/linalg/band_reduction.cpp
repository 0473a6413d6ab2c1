#include "libcore/linalg/band_reduction.hpp"

#include <algorithm>

#include "libcore/linalg/band_kernels.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/compact_wy.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/pieces.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index vector_width = symmetric_tile_width;
constexpr Index tile_rows = 256;  // a column of a tile is 2 KiB in a row of A's memory: fewer pages to meet ...
constexpr Index tile_cols = 32;   // ... and the v and y of a tile, 2 x 32 and 2 x 4 KiB, stay in the L2 and L1 caches
constexpr Index panels_together = 128;  // their columns, which one update of A takes

// Y = A V for a symmetric A (lower triangle). v and y by groups of 16 columns, each stored by rows.
class SymmetricProduct {
 public:
  SymmetricProduct(Index most_rows, Index b)
      : b_(b),
        most_workers_(thread_count()),
        v_(vector_width, most_rows * (b / vector_width)),
        partial_(vector_width, most_rows * (b / vector_width) * most_workers_) {}

  void operator()(ConstMatrixView a, ConstMatrixView v, MatrixView y) {
    const Index m = a.rows, size = m * b_, tiles = pieces(m, tile_cols);
    const Work work = 2.0 * static_cast<double>(m * m * b_);
    const Index workers = std::min<Index>(team_size(std::max<Index>(tiles / 4, 1), work), most_workers_);
    for (Index group = 0; group < b_; group += vector_width)
      for (Index i = 0; i < m; ++i) {
        double* const row = v_.data() + at(m, i, group);
        for (Index j = 0; j < vector_width; ++j) row[j] = group + j < v.cols ? v(i, group + j) : 0;
      }
    // Each worker has its columns of tiles and its sums, so that the sums do not depend on the order of the workers.
    parallel_for(
        workers,
        [&](Index worker) {
          double* const sums = partial_.data() + worker * size;
          std::fill_n(sums, size, 0.0);
          for (Index tile = worker; tile < tiles; tile += workers) add_tile_column(a, tile * tile_cols, sums);
        },
        work);
    for (Index group = 0; group < y.cols; group += vector_width)
      for (Index i = 0; i < m; ++i) {
        double* const row = partial_.data() + at(m, i, group);
        for (Index worker = 1; worker < workers; ++worker)
          for (Index j = 0; j < vector_width; ++j) row[j] += row[worker * size + j];
        for (Index j = 0; j < std::min(vector_width, y.cols - group); ++j) y(i, group + j) = row[j];
      }
  }

 private:
  static Index at(Index m, Index i, Index j) { return (j / vector_width * m + i) * vector_width + j % vector_width; }

  void add_tile_column(ConstMatrixView a, Index col, double* sums) const {
    const Index m = a.rows, cols = std::min(tile_cols, m - col);
    // The tile on the diagonal as a strictly lower one with half the diagonal: A = (L + D/2) + (L + D/2)'.
    Matrix corner(cols, cols), mirrored(vector_width, cols * (b_ / vector_width), 0.0);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < cols; ++i)
        corner(i, j) = i > j ? a(col + i, col + j) : i == j ? a(col + j, col + j) / 2 : 0;
    const auto add = [&](ConstMatrixView tile, Index row, double* to_columns, Index group_size) {
      for (Index group = 0; group < b_ / vector_width; ++group) {
        const Index rows = (group * m + row) * vector_width, columns = (group * m + col) * vector_width;
        kernels_.symmetric_tile(tile, v_.data() + rows, v_.data() + columns, sums + rows,
                                to_columns + group * group_size * vector_width);
      }
    };
    add(corner.view(), col, mirrored.data(), cols);
    for (Index group = 0; group < b_ / vector_width; ++group)
      for (Index k = 0; k < cols * vector_width; ++k)
        sums[(group * m + col) * vector_width + k] += mirrored.data()[group * cols * vector_width + k];
    for (Index row = col + cols; row < m; row += tile_rows) {
      const Index rows = std::min(tile_rows, m - row);
      add(a.block(row, col, rows, cols), row, sums + col * vector_width, m);
      worked(4 * static_cast<double>(rows * cols * b_));
    }
  }

  Index b_, most_workers_;  // fixed, also if the number of threads changes
  BandKernels kernels_ = band_kernels().front();
  Matrix v_, partial_;
};

// The reduction of A, panel by panel. Matrix products are cut into blocks of rows or columns, one to a thread
// (pieces.hpp).
class Reduction {
 public:
  Reduction(MatrixView a, Index b)
      : a_(a),
        b_(b),
        below_(a.rows - b),
        most_(std::max<Index>(panels_together / b, 1) * b),
        u_(below_, 2 * most_, 0.0),
        x_(below_, b),
        y_(below_, b),
        inner_(2 * most_, b),
        product_(below_, b) {}

  // Reduces panels from the column `start` on, and then updates A for all of them. Returns the column after the last
  // panel.
  Index run(Index start, double* tau) {
    origin_ = start + b_;
    used_ = 0;
    Index c = start;
    for (; c < below_ && used_ < most_; c += b_) {
      if (used_ > 0) update_panel(c);
      const Index k = std::min(a_.rows - c - b_, b_);
      {
        const SingleThreadedBlas single;
        factorize_panel(c, k, tau + c);
      }
      two_sides(c, k);
      used_ += k;
      report(work_done(a_.rows - c - k, a_.rows));
    }
    update(c);
    return c;
  }

 private:
  // V and W of the panels since A was last updated, side by side; their row 0 is the row origin_ of A.
  MatrixView v(Index row, Index rows, Index col, Index cols) { return u_.view().block(row, col, rows, cols); }
  MatrixView w(Index row, Index rows, Index col, Index cols) { return u_.view().block(row, most_ + col, rows, cols); }

  // A(c:, c:c+b) -= V W_p' + W V_p', with the V and W of the panels since the last update
  void update_panel(Index c) {
    const Index rows = a_.rows - c, shift = c - origin_;
    const MatrixView panel = a_.block(c, c, rows, b_);
    const ConstMatrixView vp = v(shift, b_, 0, used_), wp = w(shift, b_, 0, used_);
    each_block(rows, row_block, 4.0 * static_cast<double>(rows * b_ * used_), [&](Index first, Index count) {
      const MatrixView part = panel.row_range(first, count);
      gemm(Op::none, Op::transpose, -1, v(shift + first, count, 0, used_), wp, 1, part);
      gemm(Op::none, Op::transpose, -1, w(shift + first, count, 0, used_), vp, 1, part);
    });
  }

  // The QR of the panel below its diagonal block; V and T.
  void factorize_panel(Index c, Index k, double* tau) {
    const Index r0 = c + b_, rows = a_.rows - r0, shift = r0 - origin_;
    const MatrixView panel = a_.block(r0, c, rows, b_);
    geqrf(panel.columns(0, k), {tau, k});
    const MatrixView vp = v(0, shift + rows, used_, k);
    for (Index j = 0; j < k; ++j) {
      std::fill_n(vp.col(j), shift + j, 0.0);
      vp(shift + j, j) = 1;
      std::copy_n(panel.col(j) + j + 1, rows - j - 1, vp.col(j) + shift + j + 1);
    }
    const ConstMatrixView vr = vp.row_range(shift, rows);
    t_ = compact_wy(vr, tau);
    if (k < b_) multiply_compact_wy(Op::transpose, vr, t_.view(), panel.columns(k, b_ - k));  // fewer rows than columns
  }

  // W = X - V_p (T'(V_p'X)) / 2,  X = (A - V W' - W V') V_p T
  void two_sides(Index c, Index k) {
    const Index r0 = c + b_, rows = a_.rows - r0, shift = r0 - origin_;
    const ConstMatrixView vr = v(shift, rows, used_, k);
    const MatrixView y = y_.view().block(0, 0, rows, k), x = x_.view().block(0, 0, rows, k);
    product_(a_.block(r0, r0, rows, rows), vr, y);
    if (used_ > 0) {
      const Index of_v = pieces(used_, column_block);  // pieces of V, and as many of W
      each_piece(2 * of_v, 4.0 * static_cast<double>(rows * used_ * k), [&](Index item) {
        const Index col = item % of_v * column_block, count = std::min(column_block, used_ - col);
        const bool of_w = item >= of_v;
        gemm(Op::transpose, Op::none, 1, of_w ? w(shift, rows, col, count) : v(shift, rows, col, count), vr, 0,
             inner_.view().block((of_w ? most_ : 0) + col, 0, count, k));
      });
    }
    each_block(rows, row_block, 4.0 * static_cast<double>(rows * (used_ + k) * k), [&](Index first, Index count) {
      const MatrixView part = y.row_range(first, count);
      if (used_ > 0) {
        gemm(Op::none, Op::none, -1, v(shift + first, count, 0, used_), inner_.view().block(most_, 0, used_, k), 1,
             part);
        gemm(Op::none, Op::none, -1, w(shift + first, count, 0, used_), inner_.view().block(0, 0, used_, k), 1, part);
      }
      gemm(Op::none, Op::none, 1, part, t_.view(), 0, x.row_range(first, count));
    });
    const SingleThreadedBlas single;
    Matrix s(k, k), half(k, k);
    gemm(Op::transpose, Op::none, 1, vr, x, 0, s.view());
    gemm(Op::transpose, Op::none, 0.5, t_.view(), s.view(), 0, half.view());
    gemm(Op::none, Op::none, -1, vr, half.view(), 1, x);
    const MatrixView wp = w(0, shift + rows, used_, k);
    for (Index j = 0; j < k; ++j) {
      std::fill_n(wp.col(j), shift, 0.0);
      std::copy_n(x.col(j), rows, wp.col(j) + shift);
    }
  }

  // A -= V W' + W V' from row and column c on, for all panels since the last update; a tile of the lower triangle stays
  // in the L2 cache for both products. The upper triangle of tiles on the diagonal is overwritten.
  void update(Index c) {
    const Index rows = a_.rows - c, shift = c - origin_;
    const double flops = 2.0 * static_cast<double>(rows * rows * used_);
    each_block(rows, pieces_of(rows), flops, [&](Index col, Index cols) {
      for (Index row = col; row < rows; row += tile_height) {
        const Index count = std::min(tile_height, rows - row);
        const MatrixView tile = a_.block(c + row, c + col, count, cols);
        gemm(Op::none, Op::transpose, -1, v(shift + row, count, 0, used_), w(shift + col, cols, 0, used_), 1, tile);
        gemm(Op::none, Op::transpose, -1, w(shift + row, count, 0, used_), v(shift + col, cols, 0, used_), 1, tile);
      }
    });
  }

  static constexpr Index row_block = 512, column_block = 64;
  static constexpr Index tile_height = 512;

  MatrixView a_;
  Index b_, below_, most_;
  Matrix u_, x_, y_, inner_, t_;
  SymmetricProduct product_;
  Index origin_ = 0, used_ = 0;
};

}  // namespace

BandBasis::BandBasis(MatrixView a, Index b, BandMatrix& out)
    : a_(a), b_(b), tau_(std::max<Index>(a.rows - b, 0)), formed_from_(reflectors()) {
  const Index m = a.rows, below = m - b;
  out.values = Matrix(b + 1, m, 0.0);
  if (below > 0) {
    Reduction reduction(a, b);
    for (Index start = 0; start < below;) start = reduction.run(start, tau_.data());
  }
  for (Index j = 0; j < m; ++j)
    for (Index i = j; i < std::min(m, j + b + 1); ++i) out.values(i - j, j) = a(i, j);
  if (formed()) set_corner();  // there was nothing to reduce
  report(1);
}

}  // namespace freeridge
