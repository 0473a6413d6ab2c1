// Small dense matrices for the tests: column-major tables of double (what the library takes) or of long double (what
// the oracles compute with), and their copies in either layout with a padded leading dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "freeridge.h"

namespace support {

using Vector = std::vector<double>;
using Labels = std::vector<std::int32_t>;
using Real = long double;

template <class T>
struct Table {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<T> values;  // column-major, leading dimension = rows

  Table() = default;
  Table(std::int64_t rows_, std::int64_t cols_, T fill = T(0))
      : rows(rows_), cols(cols_), values(static_cast<std::size_t>(rows_ * cols_), fill) {}

  T& operator()(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i + j * rows)]; }
  T operator()(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i + j * rows)]; }
};

using Matrix = Table<double>;
using Dense = Table<Real>;

inline Matrix to_double(const Dense& a) {
  Matrix out(a.rows, a.cols);
  for (std::size_t k = 0; k < a.values.size(); ++k) out.values[k] = static_cast<double>(a.values[k]);
  return out;
}

inline Dense to_real(const Matrix& a) {
  Dense out(a.rows, a.cols);
  for (std::size_t k = 0; k < a.values.size(); ++k) out.values[k] = a.values[k];
  return out;
}

inline Matrix to_column(const Vector& v) {
  Matrix out(static_cast<std::int64_t>(v.size()), 1);
  out.values = v;
  return out;
}

template <class T>
Table<T> column(const Table<T>& a, std::int64_t j) {
  Table<T> out(a.rows, 1);
  for (std::int64_t i = 0; i < a.rows; ++i) out(i, 0) = a(i, j);
  return out;
}

// The given rows of a, in that order; a row may be asked for more than once.
template <class T>
Table<T> select_rows(const Table<T>& a, const std::vector<std::int64_t>& rows) {
  Table<T> out(static_cast<std::int64_t>(rows.size()), a.cols);
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = a(rows[static_cast<std::size_t>(i)], j);
  return out;
}

template <class T>
Table<T> scaled(Table<T> a, T factor) {
  for (T& value : a.values) value *= factor;
  return a;
}

template <class T>
Table<T> shifted(Table<T> a, T offset) {
  for (T& value : a.values) value += offset;
  return a;
}

// A matrix as the library gets it. The padding between rows or columns is NaN, so that reading it is noticed.
struct Packed {
  freeridge_layout layout;
  std::int64_t ld;
  std::vector<double> values;
};

inline std::size_t packed_index(freeridge_layout layout, std::int64_t ld, std::int64_t i, std::int64_t j) {
  return static_cast<std::size_t>(layout == FREERIDGE_COL_MAJOR ? i + j * ld : i * ld + j);
}

inline Packed pack(const Matrix& a, freeridge_layout layout, std::int64_t padding) {
  const bool columns = layout == FREERIDGE_COL_MAJOR;
  Packed out{layout, (columns ? a.rows : a.cols) + padding, {}};
  out.values.assign(static_cast<std::size_t>(out.ld * (columns ? a.cols : a.rows)),
                    std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = 0; i < a.rows; ++i) out.values[packed_index(layout, out.ld, i, j)] = a(i, j);
  return out;
}

inline Matrix unpack(const Packed& a, std::int64_t rows, std::int64_t cols) {
  Matrix out(rows, cols);
  for (std::int64_t j = 0; j < cols; ++j)
    for (std::int64_t i = 0; i < rows; ++i) out(i, j) = a.values[packed_index(a.layout, a.ld, i, j)];
  return out;
}

}  // namespace support
