#include "libcore/linalg/pivoted_qr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/merge_columns.hpp"

namespace freeridge {

// The norms of what is left of the columns are reduced by the number that leaves them, and taken anew where too few
// digits would be left.
std::vector<Index> pivoted_qr(MatrixView a, std::span<double> tau) {
  const Index n = a.cols;  // at most a.rows
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<double> norm(order.size()), exact(order.size()), product(order.size());
  for (Index j = 0; j < n; ++j) at(norm, j) = at(exact, j) = norm2(a.rows, a.col(j));
  worked(2 * touched * static_cast<double>(a.rows) * static_cast<double>(n));
  for (Index k = 0; k < n; ++k) {
    const Index pivot = std::max_element(norm.begin() + k, norm.end()) - norm.begin(), rows = a.rows - k,
                right = n - k - 1;
    if (pivot != k) {
      std::swap_ranges(a.col(k), a.col(k) + a.rows, a.col(pivot));
      std::swap(at(order, k), at(order, pivot));
      at(norm, pivot) = at(norm, k);
      at(exact, pivot) = at(exact, k);
    }
    double* const column = a.col(k) + k;
    at(tau, k) = larfg({column, static_cast<std::size_t>(rows)});
    const double beta = std::exchange(column[0], 1.0);
    const MatrixView rest = a.block(k, k + 1, rows, right);
    gemv(Op::transpose, 1, rest, column, 0, product.data());
    ger(-at(tau, k), column, product.data(), rest);
    column[0] = beta;
    for (Index j = k + 1; j < n; ++j) {
      double& value = at(norm, j);
      if (value == 0) continue;
      const double part = std::abs(a(k, j)) / value, left = std::max((1 - part) * (1 + part), 0.0);
      const double since = value / at(exact, j);
      if (left * since * since <= std::sqrt(std::numeric_limits<double>::epsilon())) {
        value = at(exact, j) = norm2(rows - 1, a.col(j) + k + 1);
        worked(2 * touched * static_cast<double>(rows));
      } else {
        value *= std::sqrt(left);
      }
    }
    worked(nanosecond * 5 * static_cast<double>(right + 1));
  }
  return order;
}

}  // namespace freeridge
