#include "libcore/linalg/jacobi_svd.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/column_order.hpp"
#include "libcore/linalg/jacobi_rotations.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/merge_columns.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int scaled_to = 400;  // the exponent of the largest number, so that squares of small ones do not vanish

// A P = Q R: R and the reflectors in A, order[j] the column that came to place j. The norms of what is left of the
// columns are reduced by the number that leaves them, and taken anew where too few digits would be left.
std::vector<Index> pivoted_qr(MatrixView a, std::span<double> tau) {
  const Index n = a.cols;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<double> norm(order.size()), exact(order.size()), product(order.size());
  for (Index j = 0; j < n; ++j) at(norm, j) = at(exact, j) = norm2(n, a.col(j));
  worked(2 * touched * static_cast<double>(n) * static_cast<double>(n));
  for (Index k = 0; k < n; ++k) {
    const Index pivot = std::max_element(norm.begin() + k, norm.end()) - norm.begin(), rows = n - k, right = n - k - 1;
    if (pivot != k) {
      std::swap_ranges(a.col(k), a.col(k) + n, a.col(pivot));
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
      if (left * since * since <= std::sqrt(eps)) {
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

// The columns from `rank` on: an orthonormal basis of what is orthogonal to those before.
void complete_basis(MatrixView v, Index rank) {
  const Index n = v.rows, missing = n - rank;
  if (missing == 0) return;
  Matrix qr(n, rank);
  for (Index j = 0; j < rank; ++j) std::copy_n(v.col(j), n, qr.col(j));
  std::vector<double> tau(static_cast<std::size_t>(rank));
  geqrf(qr.view(), tau);
  const MatrixView rest = v.columns(rank, missing);
  for (Index j = 0; j < missing; ++j) {
    std::fill_n(rest.col(j), n, 0.0);
    rest(rank + j, j) = 1;
  }
  ormqr(qr.view(), tau, rest);
}

}  // namespace

void jacobi_svd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt, bool graded) {
  const Index n = a.rows;
  if (n == 0) return;
  const auto size = static_cast<std::size_t>(n);
  Matrix x(n, n, 0.0), v(n, n);
  double largest = 0;
  for (Index j = 0; j < n; ++j) {
    largest = std::max(largest, largest_magnitude({a.col(j), size}));
    worked(touched * static_cast<double>(n));
  }
  const int exponent = scaled_to - exponent_of(largest);
  for (Index j = 0; j < n; ++j) {
    scale({a.col(j), size}, exponent);
    std::fill_n(u.col(j), n, 0.0);
    u(j, j) = 1;
    worked(4 * touched * static_cast<double>(n));
  }
  std::vector<double> tau(size);
  const std::vector<Index> order = pivoted_qr(a, tau);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) x(j, i) = a(i, j);
    worked(4 * touched * static_cast<double>(n));
  }

  orthogonalise_columns(x.view(), u, graded, here());

  for (Index j = 0; j < n; ++j) at(s, j) = norm2(n, x.col(j));
  sort_with_columns(s, std::greater<>(), {x.view(), u});
  Index rank = 0;
  for (Index k = 0; k < n; ++k) {
    const double value = at(s, k);
    if (value > 0) rank = k + 1;
    for (Index i = 0; i < n; ++i) v(at(order, i), k) = value > 0 ? x(i, k) / value : 0;
    worked(4 * touched * static_cast<double>(n));
  }
  scale(s, -exponent);
  x = Matrix();
  complete_basis(v.view(), rank);
  transpose(v.view(), vt);
  ormqr(a, tau, u);
}

}  // namespace freeridge
