#include "libcore/base/matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numeric>

#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {
constexpr Index transpose_tile = 32;  // 32 x 32 doubles: source and target lines of one tile stay in the L1 cache
}  // namespace

Array<Index> consecutive(Index first, Index count) {
  Array<Index> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

Array<Index> other_indices(Span<const Index> some, Index n) {
  Array<char> is_among(n, 0);
  for (const Index i : some) is_among[i] = 1;
  Array<Index> out;
  for (Index i = 0; i < n; ++i)
    if (is_among[i] == 0) out.push_back(i);
  return out;
}

double sum_of(Span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Index first_not_finite(Span<const double> values) {
  // x * 0 is 0 for a finite x, else NaN: so a sum of such products says whether all are finite. Eight sums, so that no
  // addition waits for the one before it.
  std::array<double, 8> zeros{};
  const std::size_t n = values.size();
  std::size_t i = 0;
  for (; i + zeros.size() <= n; i += zeros.size())
    for (std::size_t k = 0; k < zeros.size(); ++k) zeros[k] += values[i + k] * 0;
  for (; i < n; ++i) zeros[0] += values[i] * 0;
  const bool finite = std::ranges::all_of(zeros, [](double zero) { return zero == 0; });
  for (i = finite ? n : 0; i < n && std::isfinite(values[i]);) ++i;
  return static_cast<Index>(i);
}

bool all_finite(Span<const double> values) {
  return first_not_finite(values) == std::ssize(values);
}

void set_zero(MatrixView a) {
  for (Index j = 0; j < a.cols; ++j) {
    std::fill_n(a.col(j), a.rows, 0.0);
    worked(touched * static_cast<double>(a.rows));
  }
}

void multiply_rows(Span<const double> factor, MatrixView a) {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) *= factor[i];
}

void divide_rows(Span<const double> divisor, MatrixView a) {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) /= divisor[i];
}

Matrix::Numbers Matrix::allocated(Index count) {
  constexpr std::size_t alignment = 64;
  char* const start =
      static_cast<char*>(::operator new[](static_cast<std::size_t>(count) * sizeof(double) + alignment));
  const std::size_t skipped = alignment - reinterpret_cast<std::uintptr_t>(start) % alignment;
  return {reinterpret_cast<double*>(start + skipped), Free{skipped}};
}

void Matrix::fill(double value) {
  constexpr std::size_t piece = 1 << 18;
  for (Span<double> left = values(); !left.empty(); left = left.subspan(std::min(left.size(), piece))) {
    const Span<double> now = left.first(std::min(left.size(), piece));
    std::ranges::fill(now, value);
    worked(touched * static_cast<double>(now.size()));
  }
}

void copy(ConstMatrixView from, MatrixView to) {
  copy_out(from, Layout::col_major, to.data, to.ld);
}

Matrix copy_of(ConstMatrixView from) {
  Matrix to(from.rows, from.cols);
  copy(from, to.view());
  return to;
}

void transpose(ConstMatrixView from, MatrixView to) {
  for (Index i = 0; i < from.rows; i += transpose_tile) {
    const Index count = std::min(transpose_tile, from.rows - i);
    copy_out(from.row_range(i, count), Layout::row_major, to.col(i), to.ld);
    worked(2 * touched * static_cast<double>(from.cols * count));
  }
}

Matrix picked_columns(ConstMatrixView from, Span<const Index> which) {
  Matrix out(from.rows, std::ssize(which));
  for (Index k = 0; k < out.cols(); ++k) std::copy_n(from.col(which[k]), out.rows(), out.col(k));
  return out;
}

Matrix picked_rows(ConstMatrixView from, Span<const Index> which) {
  Matrix out(std::ssize(which), from.cols);
  for (Index k = 0; k < out.cols(); ++k)
    for (Index i = 0; i < out.rows(); ++i) out(i, k) = from(which[i], k);
  return out;
}

void multiply_by(MatrixView a, double factor) {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) *= factor;
}

void divide_by(MatrixView a, double divisor) {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) /= divisor;
}

void copy_rows(const LayoutView& from, Index row, MatrixView to) {
  if (from.layout == Layout::col_major) {
    for (Index j = 0; j < to.cols; ++j) {
      std::copy_n(from.data + row + j * from.ld, to.rows, to.col(j));
      worked(touched * static_cast<double>(to.rows));
    }
    return;
  }
  for (Index i0 = 0; i0 < to.rows;
       i0 += transpose_tile, worked(2 * touched * static_cast<double>(transpose_tile * to.cols)))
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
