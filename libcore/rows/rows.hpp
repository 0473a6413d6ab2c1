// The points x, n rows of d numbers, in an ordinary matrix of either layout, or as sparse rows or columns. Code that
// reads points takes Rows: as tiles, which include the zeros, or in products, which cost O(entries) for sparse rows:
//     tile(i, k) = x(row + i, k) - shift_k                                              pack_rows
//     out = (X_I - 1 shift') w,      sum = sum + (X_I - 1 shift')'c                     multiply, add_transposed
// The shift is that of a centred problem (data/problem.hpp). For sparse rows 1 (shift'w) is subtracted from the product
// instead, so that zeros are never filled in.
#pragma once

#include <cstdint>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

enum class SparseFormat : std::int32_t { csr = 1, csc = 2 };

// A matrix line by line; the lines are the rows (CSR) or the columns (CSC). Line l has the entries p with start[l] <= p
// < start[l + 1]: the number value[p] in column index[p] (CSC: row index[p]), ascending. start[0] = 0.
struct SparseView {
  SparseFormat format = SparseFormat::csr;
  Index rows = 0, cols = 0;
  const Index* start = nullptr;
  const std::int32_t* index = nullptr;
  const double* value = nullptr;

  Index lines() const { return format == SparseFormat::csr ? rows : cols; }
  Index length() const { return format == SparseFormat::csr ? cols : rows; }
  Index entries() const { return start[lines()]; }
  Index bytes() const { return 12 * entries() + 8 * (lines() + 1); }
};

// Throws INVALID_ARGUMENT unless the lines follow one another and the entries of each ascend within the matrix, and
// NOT_FINITE where one is not finite. O(entries).
void require_valid(const char* name, const SparseView& x);

// The numbers that a SparseView views.
struct SparseMatrix {
  SparseMatrix() = default;
  explicit SparseMatrix(const SparseView& from);
  SparseView view(SparseFormat format, Index rows, Index cols) const {
    return {format, rows, cols, start.data(), index.data(), value.data()};
  }
  Array<Index> start;
  Array<std::int32_t> index;
  Array<double> value;
};

class Rows {
 public:
  Rows() = default;
  Rows(const LayoutView& dense) : rows(dense.rows), cols(dense.cols), dense_(dense) {}       // NOLINT: a matrix is rows
  Rows(const SparseView& sparse) : rows(sparse.rows), cols(sparse.cols), sparse_(sparse) {}  // NOLINT: likewise

  bool is_sparse() const { return sparse_.start != nullptr; }
  const LayoutView& dense() const { return dense_; }
  const SparseView& sparse() const { return sparse_; }
  // How many numbers it takes to read all of them.
  Index entries() const { return is_sparse() ? sparse_.entries() : rows * cols; }
  // x(i, j); for sparse rows a search.
  double operator()(Index i, Index j) const { return is_sparse() ? sparse_entry(i, j) : dense_(i, j); }

  Index rows = 0, cols = 0;

 private:
  double sparse_entry(Index i, Index j) const;

  LayoutView dense_;
  SparseView sparse_;
};

// Throws NOT_FINITE unless all numbers are finite; checks sparse rows in full (require_valid).
void require_finite(const char* name, const Rows& x);

// The entries of neighbouring rows, row by row, those of row i from start[i] to start[i + 1].
struct SparseTile {
  Array<Index> start;
  Array<std::int32_t> column;
  Array<double> value;
  Index rows() const { return std::ssize(start) - 1; }
};
// The entries of the rows [row, row + count). CSC: a search in each column.
void take_rows(const SparseView& x, Index row, Index count, SparseTile& out);

// The same matrix by columns: x itself, or a copy in `room`. O(entries + rows + columns).
SparseView by_columns(const SparseView& x, SparseMatrix& room);

// tile(i, k) = x(row + i, k)
void copy_rows(const Rows& x, Index row, MatrixView tile);
// tile(i, k) = x(row + i, k) - shift[k]; an empty shift is none.
void pack_rows(const Rows& x, Index row, Span<const double> shift, MatrixView tile);

// out = (X_I - 1 shift') w for the rows I = row, row + 1, ... (out.rows of them). w: d x k.
void multiply(const Rows& x, Index row, Span<const double> shift, ConstMatrixView w, MatrixView out);
// sum = sum + (X_I - 1 shift')'c, c.rows rows. sum: d x k.
void add_transposed(const Rows& x, Index row, Span<const double> shift, ConstMatrixView c, MatrixView sum);
// out = X_I A' for the rows first, first + 1, ... of the tile (out.rows of them); A: p x d. out(i, k) = sum_j x_ij a(k,
// j).
void multiply_columns(const SparseTile& tile, Index first, ConstMatrixView a, MatrixView out);

}  // namespace freeridge
