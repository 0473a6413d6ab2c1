// Columns in another order.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// The column j = columns[from[j]], in place. Room: a column.
void permute_columns(Array<std::size_t> from, MatrixView v);

// Puts the values into order, equal ones in that which they had, and the columns of each matrix along with them.
template <class Compare>
void sort_with_columns(Span<double> values, const Compare& compare, std::initializer_list<MatrixView> matrices) {
  if (std::ranges::is_sorted(values, compare)) return;
  Array<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, compare, [&](std::size_t i) { return values[i]; });
  Array<double> sorted(values.size());
  std::ranges::transform(order, sorted.begin(), [&](std::size_t i) { return values[i]; });
  std::ranges::copy(sorted, values.begin());
  for (const MatrixView& matrix : matrices) permute_columns(order, matrix);
}

}  // namespace freeridge
