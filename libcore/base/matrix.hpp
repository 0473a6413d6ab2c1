// Matrices: column-major views and owners for all internal work, and a view of the user's matrices in either layout.
#pragma once

#include <cstdint>
#include <memory>

#include "libcore/base/array.hpp"
#include "libcore/base/error.hpp"

namespace freeridge {

using Index = std::int64_t;

enum class Layout : std::int32_t { col_major = 1, row_major = 2 };

// a * b, or OUT_OF_MEMORY when so many doubles have more bytes than Index can count.
inline Index checked_doubles(Index a, Index b) {
  Index doubles = 0, bytes = 0;
  if (__builtin_mul_overflow(a, b, &doubles) || __builtin_mul_overflow(doubles, Index{8}, &bytes))
    fail(Status::out_of_memory, "a matrix of ", a, " x ", b, " numbers exceeds the address space");
  return doubles;
}

// Element (i, j) is data[i + j * ld].
template <class T>
struct BasicView {
  T* data = nullptr;
  Index rows = 0, cols = 0, ld = 0;

  T& operator()(Index i, Index j) const { return data[i + j * ld]; }
  T* col(Index j) const { return data + j * ld; }
  BasicView block(Index i, Index j, Index block_rows, Index block_cols) const {
    return {data + i + j * ld, block_rows, block_cols, ld};
  }
  BasicView columns(Index j, Index count) const { return block(0, j, rows, count); }
  BasicView row_range(Index i, Index count) const { return block(i, 0, count, cols); }
  operator BasicView<const T>() const { return {data, rows, cols, ld}; }
};
using MatrixView = BasicView<double>;
using ConstMatrixView = BasicView<const double>;

// An owning column-major matrix; its numbers are not initialised.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols) : data_(allocated(checked_doubles(rows, cols))), rows_(rows), cols_(cols) {}
  Matrix(Index rows, Index cols, double value) : Matrix(rows, cols) { fill(value); }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double* col(Index j) { return data() + j * rows_; }
  const double* col(Index j) const { return data() + j * rows_; }
  double& operator()(Index i, Index j) { return data_[static_cast<std::size_t>(i + j * rows_)]; }
  double operator()(Index i, Index j) const { return data_[static_cast<std::size_t>(i + j * rows_)]; }
  Span<double> values() { return {data(), rows_ * cols_}; }
  Span<const double> values() const { return {data(), rows_ * cols_}; }
  MatrixView view() { return {data(), rows_, cols_, rows_ > 0 ? rows_ : 1}; }
  ConstMatrixView view() const { return {data(), rows_, cols_, rows_ > 0 ? rows_ : 1}; }

 private:
  void fill(double value);

  // The numbers begin at a multiple of 64 bytes, `skipped` bytes into what was allocated: for small matrices the
  // allocator of aligned memory takes longer than what is done with them.
  struct Free {
    std::size_t skipped;
    void operator()(double* p) const { ::operator delete[](reinterpret_cast<char*>(p) - skipped); }
  };
  using Numbers = std::unique_ptr<double[], Free>;
  static Numbers allocated(Index count);
  Numbers data_;
  Index rows_ = 0, cols_ = 0;
};

// The user's matrix, read-only, in the user's layout.
struct LayoutView {
  const double* data = nullptr;
  Index rows = 0, cols = 0, ld = 0;
  Layout layout = Layout::col_major;

  double operator()(Index i, Index j) const {
    return layout == Layout::col_major ? data[i + j * ld] : data[i * ld + j];
  }
  LayoutView columns(Index j, Index count) const {
    return {data + (layout == Layout::col_major ? j * ld : j), rows, count, ld, layout};
  }
  LayoutView row_range(Index i, Index count) const {
    return {data + (layout == Layout::col_major ? i : i * ld), count, cols, ld, layout};
  }
};

inline LayoutView layout_view(const Matrix& a) {
  return {a.data(), a.rows(), a.cols(), a.rows(), Layout::col_major};
}

// first, first + 1, ...: so many numbers.
Array<Index> consecutive(Index first, Index count);
// The others of 0, ..., n - 1 than `some`, ascending; `some` may be in any order.
Array<Index> other_indices(Span<const Index> some, Index n);
// The sum, from the first value to the last.
double sum_of(Span<const double> values);
// The index of the first infinity or NaN; values.size() when there is none.
Index first_not_finite(Span<const double> values);
bool all_finite(Span<const double> values);

// a = 0. Reports its work (progress.hpp), column by column.
void set_zero(MatrixView a);
// Row i of a is multiplied by factor[i], or divided by divisor[i].
void multiply_rows(Span<const double> factor, MatrixView a);
void divide_rows(Span<const double> divisor, MatrixView a);
// to(i, j) = from(row + i, j) for all rows of `to`.
void copy_rows(const LayoutView& from, Index row, MatrixView to);
// to = from
void copy(ConstMatrixView from, MatrixView to);
Matrix copy_of(ConstMatrixView from);
// to = from'
void transpose(ConstMatrixView from, MatrixView to);
// The columns, or the rows, of these numbers, in this order.
Matrix picked_columns(ConstMatrixView from, Span<const Index> which);
Matrix picked_rows(ConstMatrixView from, Span<const Index> which);
// a = a times factor, and a = a / divisor
void multiply_by(MatrixView a, double factor);
void divide_by(MatrixView a, double divisor);
// to(i, j) = from(i, j), where `to` is the user's matrix in `layout`.
void copy_out(ConstMatrixView from, Layout layout, double* to, Index ld);

}  // namespace freeridge
