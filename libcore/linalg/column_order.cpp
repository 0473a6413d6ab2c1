#include "libcore/linalg/column_order.hpp"

#include <utility>

#include "libcore/base/progress.hpp"

namespace freeridge {

void permute_columns(Array<std::size_t> from, MatrixView v) {
  Array<double> held(v.rows);
  const auto col = [&](std::size_t j) { return v.col(static_cast<Index>(j)); };
  for (std::size_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    std::copy_n(col(start), v.rows, held.data());
    std::size_t j = start;
    for (; from[j] != start; j = std::exchange(from[j], j)) {
      std::copy_n(col(from[j]), v.rows, col(j));
      worked(2 * touched * static_cast<double>(v.rows));
    }
    std::copy_n(held.data(), v.rows, col(j));
    from[j] = j;
    worked(2 * touched * static_cast<double>(v.rows));
  }
}

}  // namespace freeridge
