// Products of rows with matrices (rows.hpp). Dense rows are copied into a tile, and the tile is multiplied as a matrix.
// Sparse rows are multiplied entry by entry with the transposed factor: the numbers that an entry meets lie side by
// side there (entry_loops.hpp).
#include <algorithm>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/rows/entry_loops.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {
namespace {

constexpr Index dense_rows = 512;         // of a tile
constexpr Index dense_doubles = 1 << 22;  // of a tile in multiply(), unless dense_rows rows have more
constexpr Index sparse_rows = 4096;       // whose entries are taken at once

// f(row, count) for runs of rows of [0, rows).
template <class F>
void each_run(Index rows, Index most, const F& f) {
  for (Index row = 0; row < rows; row += most) f(row, std::min(most, rows - row));
}

}  // namespace

void multiply_columns(const SparseTile& tile, Index first, ConstMatrixView a, MatrixView out) {
  const EntryLoops loops = entry_loops().front();
  const auto start = [&](Index i) { return tile.start[first + i]; };
  for (Index i = 0; i < out.rows; ++i)
    loops.combine(start(i + 1) - start(i), tile.column.data() + start(i), tile.value.data() + start(i), a.data, a.ld,
                  a.rows, out.data + i, out.ld);
  worked(4 * static_cast<double>(start(out.rows) - start(0) + out.rows) * static_cast<double>(a.rows));
}

void multiply(const Rows& x, Index row, Span<const double> shift, ConstMatrixView w, MatrixView out) {
  if (!x.is_sparse()) {
    const Index height = std::min(std::max(dense_rows, dense_doubles / x.cols), out.rows);
    Matrix tile(height, x.cols);
    return each_run(out.rows, height, [&](Index first, Index count) {
      const MatrixView part = tile.view().row_range(0, count);
      pack_rows(x, row + first, shift, part);
      gemm(Op::none, Op::none, 1, part, w, 0, out.row_range(first, count));
    });
  }
  Array<double> constant(w.cols, 0.0);  // shift'w
  for (Index j = 0; j < w.cols && !shift.empty(); ++j) constant[j] = dot(w.rows, shift.data(), w.col(j));
  Matrix transposed(w.cols, w.rows);
  transpose(w, transposed.view());
  SparseTile tile;
  each_run(out.rows, sparse_rows, [&](Index first, Index count) {
    take_rows(x.sparse(), row + first, count, tile);
    const MatrixView part = out.row_range(first, count);
    multiply_columns(tile, 0, transposed.view(), part);
    for (Index j = 0; j < part.cols; ++j)
      for (Index i = 0; i < part.rows; ++i) part(i, j) -= constant[j];
  });
}

void add_transposed(const Rows& x, Index row, Span<const double> shift, ConstMatrixView c, MatrixView sum) {
  if (!x.is_sparse()) {
    Matrix tile(std::min(dense_rows, c.rows), x.cols);
    return each_run(c.rows, dense_rows, [&](Index first, Index count) {
      const MatrixView part = tile.view().row_range(0, count);
      pack_rows(x, row + first, shift, part);
      gemm(Op::transpose, Op::none, 1, part, c.row_range(first, count), 1, sum);
    });
  }
  SparseTile tile;
  Array<double> total(c.cols, 0.0);
  each_run(c.rows, sparse_rows, [&](Index first, Index count) {
    take_rows(x.sparse(), row + first, count, tile);
    for (Index j = 0; j < c.cols; ++j) {
      double* const to = sum.col(j);
      for (Index i = 0; i < count; ++i) {
        const double factor = c(first + i, j);
        total[j] += factor;
        for (Index p = tile.start[i]; p < tile.start[i + 1]; ++p) to[tile.column[p]] += factor * tile.value[p];
      }
      worked(2 * touched * static_cast<double>(tile.start.back() + count));
    }
  });
  for (Index j = 0; j < c.cols && !shift.empty(); ++j)
    for (Index k = 0; k < sum.rows; ++k) sum(k, j) -= total[j] * shift[k];
}

}  // namespace freeridge
