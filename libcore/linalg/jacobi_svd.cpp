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
#include "libcore/linalg/pivoted_qr.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int scaled_to = 400;  // the exponent of the largest number, so that squares of small ones do not vanish

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
