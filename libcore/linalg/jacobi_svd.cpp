#include "libcore/linalg/jacobi_svd.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr int scaled_to = 400;  // the exponent of the largest number, so that squares of small ones do not vanish

// The columns from `rank` on: an orthonormal basis of what is orthogonal to those before.
void complete_basis(MatrixView v, Index rank) {
  const Index n = v.rows, missing = n - rank;
  if (missing == 0) return;
  Matrix qr = copy_of(v.columns(0, rank));
  Array<double> tau(rank);
  geqrf(qr.view(), tau);
  const MatrixView rest = v.columns(rank, missing);
  for (Index j = 0; j < missing; ++j) {
    std::fill_n(rest.col(j), n, 0.0);
    rest(rank + j, j) = 1;
  }
  ormqr(qr.view(), tau, rest);
}

}  // namespace

void jacobi_svd(MatrixView a, Span<double> s, MatrixView u, MatrixView vt) {
  const Index n = a.rows;
  if (n == 0) return;
  double largest = 0;
  for (Index j = 0; j < n; ++j) largest = std::max(largest, largest_magnitude({a.col(j), s.size()}));
  const int exponent = scaled_to - exponent_of(largest);
  for (Index j = 0; j < n; ++j) scale({a.col(j), s.size()}, exponent);
  Array<double> tau(s.size());
  Array<Index> order(s.size());
  geqp3(a, 0, order, tau);
  Matrix x(n, n, 0.0), v(n, n);
  for (Index j = 0; j < n; ++j) {
    std::copy_n(a.col(j), j + 1, x.col(j));
    worked(2 * touched * static_cast<double>(n));
  }
  const bool ended = gesvj(x.view(), s, v.view());
  if (!ended) {
    std::ranges::fill(x.values(), 0.0);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i <= j; ++i) x(j, i) = a(i, j);
    if (!gesvj(x.view(), s, v.view(), 'L'))
      fail(Status::not_converged, "the singular values were not found: neither by the columns of R nor by its rows");
  }
  complete_basis(x.view(), std::ranges::count_if(s, [](double value) { return value > 0; }));
  if (!ended) std::swap(x, v);
  copy(x.view(), u);
  ormqr(a, tau, u);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) vt(k, order[i]) = v(i, k);
    worked(10 * nanosecond * static_cast<double>(n));
  }
  scale(s, -exponent);
}

}  // namespace freeridge
