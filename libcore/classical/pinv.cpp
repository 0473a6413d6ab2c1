#include "libcore/classical/pinv.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/classical/scaled_problem.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {

PseudoInverse pinv(const LayoutView& a, double rcond) {
  const Index m = a.rows, n = a.cols, k = std::min(m, n);
  if (!std::isfinite(rcond)) fail(Status::not_finite, "rcond is ", rcond, "; it must be finite");
  require_finite("a", a);
  checked_doubles(m + n, 3 * std::max(m, n));
  require_memory(8 * (2 * m * n + (m + n + 4 * k) * k), "the SVD", "use a smaller matrix");

  // Dividing by a power of two makes the largest entry about one: no digit changes, and nothing overflows on the way.
  double largest = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) largest = std::max(largest, std::abs(a(i, j)));
  const int e = exponent_of(largest);
  Matrix copy(m, n), u(m, k), vt(k, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) copy(i, j) = std::ldexp(a(i, j), -e);
  Array<double> s(k);
  gesdd(copy.view(), s, u.view(), vt.view());

  const double relative = rcond < 0 ? static_cast<double>(std::max(m, n)) * eps : rcond;
  PseudoInverse out{Matrix(n, m, 0.0), 0};
  while (out.rank < k && s[out.rank] > relative * s.front()) {
    for (Index i = 0; i < m; ++i) u(i, out.rank) /= s[out.rank];
    ++out.rank;
  }
  gemm(Op::transpose, Op::transpose, 1, vt.view().row_range(0, out.rank), u.view().columns(0, out.rank), 0,
       out.inverse.view());
  for (double& value : out.inverse.values()) {
    value = std::ldexp(value, -e);
    if (!std::isfinite(value)) fail(Status::not_finite, "the pseudo-inverse overflows; rescale a");
  }
  return out;
}

}  // namespace freeridge
