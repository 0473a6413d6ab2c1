#include "libcore/linalg/row_order.hpp"

#include <algorithm>

#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

// set(column before, column after) for all columns.
template <class Set>
void each_column(MatrixView a, const Set& set) {
  Array<double> before(a.rows);
  for (Index j = 0; j < a.cols; ++j) {
    std::copy_n(a.col(j), a.rows, before.begin());
    set(before.data(), a.col(j));
    worked(4 * touched * static_cast<double>(a.rows));
  }
}

}  // namespace

void take_rows(Span<const Index> order, MatrixView a) {
  each_column(a, [&](const double* before, double* after) {
    for (std::size_t i = 0; i < order.size(); ++i) after[i] = before[order[i]];
  });
}

void restore_rows(Span<const Index> order, MatrixView a) {
  each_column(a, [&](const double* before, double* after) {
    for (std::size_t i = 0; i < order.size(); ++i) after[order[i]] = before[i];
  });
}

Matrix restored_columns(Span<const Index> order, ConstMatrixView a) {
  Matrix out(a.rows, a.cols);
  for (std::size_t j = 0; j < order.size(); ++j) std::copy_n(a.col(static_cast<Index>(j)), a.rows, out.col(order[j]));
  return out;
}

}  // namespace freeridge
