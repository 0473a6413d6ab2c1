// Householder QR by panels of columns, so that progress is heard between them (progress.hpp): LAPACK factorizes a
// panel, and its reflectors, I - V T V', meet the columns after it as matrix products (compact_wy.hpp).
#include <algorithm>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/compact_wy.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lapack_calls.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index panel_columns = 64;

double work_of(Index rows, Index cols, Index reflectors) {
  return 4 * flop() * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(reflectors);
}

void factor_whole(MatrixView a, double* tau) {
  const double units = work_of(a.rows, a.cols, std::min(a.rows, a.cols));
  const TeamIfWorth team(units);
  double size = 0;
  const BlasInt rows = blas_int(a.rows), cols = blas_int(a.cols), ld = blas_int(a.ld);
  check(FREERIDGE_LAPACK(dgeqrf, rows, cols, a.data, ld, tau, &size, -1), "dgeqrf");
  Array<double> work(queried(size));
  check(FREERIDGE_LAPACK(dgeqrf, rows, cols, a.data, ld, tau, work.data(), blas_int(static_cast<Index>(work.size()))),
        "dgeqrf");
  worked(units);
}

void multiply_whole(ConstMatrixView qr, Span<const double> tau, MatrixView c, Op op) {
  const double units = work_of(c.rows, c.cols, static_cast<Index>(tau.size()));
  const TeamIfWorth team(units);
  double size = 0;
  const char trans = letter(op);
  const BlasInt rows = blas_int(c.rows), cols = blas_int(c.cols), k = blas_int(static_cast<Index>(tau.size()));
  const BlasInt ldq = blas_int(qr.ld), ldc = blas_int(c.ld);
  check(FREERIDGE_LAPACK(dormqr, 'L', trans, rows, cols, k, qr.data, ldq, tau.data(), c.data, ldc, &size, -1),
        "dormqr");
  Array<double> work(queried(size));
  check(FREERIDGE_LAPACK(dormqr, 'L', trans, rows, cols, k, qr.data, ldq, tau.data(), c.data, ldc, work.data(),
                         blas_int(static_cast<Index>(work.size()))),
        "dormqr");
  worked(units);
}

// V of the reflectors [first, first + count), from their first row on.
Matrix reflectors(ConstMatrixView qr, Index first, Index count) {
  Matrix v(qr.rows - first, count, 0.0);
  for (Index j = 0; j < count; ++j) {
    v(j, j) = 1;
    std::copy(qr.col(first + j) + first + j + 1, qr.col(first + j) + qr.rows, v.col(j) + j + 1);
  }
  return v;
}

void apply_panel(ConstMatrixView qr, const double* tau, Index first, Index count, Op op, MatrixView c) {
  const Matrix v = reflectors(qr, first, count);
  const Matrix t = compact_wy(v.view(), tau + first);
  multiply_compact_wy(op, v.view(), t.view(), c);
}

}  // namespace

void geqrf(MatrixView a, Span<double> tau) {
  if (a.rows == 0 || a.cols == 0) return;
  const Index k = std::min(a.rows, a.cols);
  const double units = work_of(a.rows, a.cols, k) / 2;
  if (units <= grain) return factor_whole(a, tau.data());
  const Stage stage(0, 1, units);
  for (Index first = 0; first < k; first += panel_columns) {
    const Index count = std::min(panel_columns, k - first), after = first + count;
    factor_whole(a.block(first, first, a.rows - first, count), tau.data() + first);
    if (after < a.cols)
      apply_panel(a, tau.data(), first, count, Op::transpose, a.block(first, after, a.rows - first, a.cols - after));
  }
}

void ormqr(ConstMatrixView qr, Span<const double> tau, MatrixView c, Op op) {
  const auto k = static_cast<Index>(tau.size());
  if (c.rows == 0 || c.cols == 0 || k == 0) return;
  const double units = work_of(c.rows, c.cols, k);
  if (units <= grain) return multiply_whole(qr, tau, c, op);
  const Stage stage(0, 1, units);
  const Index panels = (k + panel_columns - 1) / panel_columns;
  for (Index i = 0; i < panels; ++i) {  // Q = H_1 H_2 ...
    const Index first = (op == Op::transpose ? i : panels - 1 - i) * panel_columns;
    apply_panel(qr, tau.data(), first, std::min(panel_columns, k - first), op, c.row_range(first, c.rows - first));
  }
}

}  // namespace freeridge
