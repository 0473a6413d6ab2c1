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

// z = L^-1 V[q:]; columns(u, from): u = the columns of L^-1 from `from` on, and as many rows as there are from there.
template <class Columns>
void diagonal_of(const Contrast& contrast, ConstMatrixView z, double units, const Columns& columns_from,
                 Span<double> out) {
  const Index m = contrast.m();
  Matrix columns(m, std::min(block_columns, m));
  const auto norms = [&](Index from, ConstMatrixView f, Span<double> norms2) {
    const Index count = f.rows, height = m - from;
    const MatrixView u = columns.view().block(0, 0, height, count);
    columns_from(u, from);
    if (f.cols > 0) gemm(Op::none, Op::transpose, -1, z.row_range(from, height), f, 1, u);
    for (Index j = 0; j < count; ++j) norms2[j] = dot(height, u.col(j), u.col(j));
    worked(touched * static_cast<double>(height * count));
  };
  residual_diagonal(contrast, z, block_columns, units, norms, out);
}

}  // namespace

void residual_diagonal(const Contrast& contrast, ConstMatrixView z, Index block, double units, const ColumnNorms& norms,
                       Span<double> out) {
  const Index m = contrast.m(), q = contrast.q();
  const ConstMatrixView factors = contrast.factors();
  Matrix above(q, q, 0.0);  // z'z of the rows that a block leaves out
  Array<double> by_places(contrast.n());

  const Stage stage(0, 1, units);
  for (Index from = 0; from < m; from += block) {
    const Index count = std::min(block, m - from);
    const ConstMatrixView f = factors.row_range(q + from, count);
    const Span<double> own = Span<double>(by_places).subspan(q + from, count);
    norms(from, f, own);
    for (Index j = 0; j < count; ++j) own[j] += quadratic_form(above.view(), f, j);
    if (q > 0) syrk(Op::transpose, 1, z.row_range(from, count), 1, above.view());
  }
  for (Index place = 0; place < q; ++place) by_places[place] = quadratic_form(above.view(), factors, place);
  for (Index place = 0; place < contrast.n(); ++place) out[contrast.row(place)] = by_places[place];
}

void residual_diagonal(const Contrast& contrast, const std::function<void(MatrixView b, Index from)>& solve,
                       Span<double> out) {
  Matrix z = copy_of(contrast.tail());
  if (contrast.q() > 0 && contrast.m() > 0) solve(z.view(), 0);
  const auto columns_from = [&](MatrixView u, Index from) {
    for (Index j = 0; j < u.cols; ++j)
      for (Index i = 0; i < u.rows; ++i) u(i, j) = i == j ? 1 : 0;
    solve(u, from);
  };
  diagonal_of(contrast, z.view(), flop() * cube(static_cast<double>(contrast.m())) / 3, columns_from, out);
}

void residual_diagonal(const Contrast& contrast, ConstMatrixView inverse, ConstMatrixView z, Span<double> out) {
  const auto columns_from = [&](MatrixView u, Index from) {
    for (Index j = 0; j < u.cols; ++j) {
      std::fill_n(u.col(j), j, 0.0);
      std::copy_n(inverse.col(from + j) + from + j, u.rows - j, u.col(j) + j);
    }
  };
  const double m = static_cast<double>(contrast.m());
  diagonal_of(contrast, z, touched * m * m, columns_from, out);
}

}  // namespace freeridge
