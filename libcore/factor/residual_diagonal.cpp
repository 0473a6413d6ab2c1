#include "libcore/factor/residual_diagonal.hpp"

#include <algorithm>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index block_columns = 128;  // of L^-1 at once

// f'A f, A q x q, lower triangle.
double quadratic_form(ConstMatrixView a, ConstMatrixView f, Index row) {
  double sum = 0;
  for (Index k = 0; k < a.cols; ++k) {
    sum += f(row, k) * a(k, k) * f(row, k);
    for (Index l = k + 1; l < a.cols; ++l) sum += 2 * f(row, k) * a(l, k) * f(row, l);
  }
  return sum;
}

}  // namespace

void residual_diagonal(const Contrast& contrast, const std::function<void(MatrixView b, Index from)>& solve,
                       Span<double> out) {
  const Index m = contrast.m(), q = contrast.q();
  const ConstMatrixView factors = contrast.factors();
  Matrix z = copy_of(contrast.tail()), above(q, q, 0.0);  // L^-1 V[q:]; z'z of the rows that a block leaves out
  Array<double> by_places(contrast.n());
  if (q > 0 && m > 0) solve(z.view(), 0);

  const Stage stage(0, 1, flop() * cube(static_cast<double>(m)) / 3);
  Matrix columns(m, std::min(block_columns, m));
  for (Index from = 0; from < m; from += block_columns) {
    const Index count = std::min(block_columns, m - from), height = m - from;
    const MatrixView u = columns.view().block(0, 0, height, count);
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < height; ++i) u(i, j) = i == j ? 1 : 0;
    solve(u, from);
    const ConstMatrixView f = factors.row_range(q + from, count);
    if (q > 0) gemm(Op::none, Op::transpose, -1, z.view().row_range(from, height), f, 1, u);
    for (Index j = 0; j < count; ++j)
      by_places[q + from + j] = quadratic_form(above.view(), f, j) + dot(height, u.col(j), u.col(j));
    if (q > 0) syrk(Op::transpose, 1, z.view().row_range(from, count), 1, above.view());
    worked(touched * static_cast<double>(height * count));
  }
  for (Index place = 0; place < q; ++place) by_places[place] = quadratic_form(above.view(), factors, place);
  for (Index place = 0; place < contrast.n(); ++place) out[contrast.row(place)] = by_places[place];
}

}  // namespace freeridge
