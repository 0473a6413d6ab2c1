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
  with_workspace([&](double* work, BlasInt size) {
    check(FREERIDGE_LAPACK(dgeqrf, blas_int(a.rows), blas_int(a.cols), a.data, blas_int(a.ld), tau, work, size),
          "dgeqrf");
  });
  worked(units);
}

void multiply_whole(ConstMatrixView qr, Span<const double> tau, MatrixView c, Op op) {
  const double units = work_of(c.rows, c.cols, static_cast<Index>(tau.size()));
  const TeamIfWorth team(units);
  with_workspace([&](double* work, BlasInt size) {
    check(FREERIDGE_LAPACK(dormqr, 'L', letter(op), blas_int(c.rows), blas_int(c.cols), blas_int(std::ssize(tau)),
                           qr.data, blas_int(qr.ld), tau.data(), c.data, blas_int(c.ld), work, size),
          "dormqr");
  });
  worked(units);
}

// For the reflectors [first, first + count).
void apply_panel(ConstMatrixView qr, const double* tau, Index first, Index count, Op op, MatrixView c) {
  const Matrix v = reflectors_below(qr.block(first, first, qr.rows - first, count));
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
  const Index panels = pieces(k, panel_columns);
  for (Index i = 0; i < panels; ++i) {  // Q = H_1 H_2 ...
    const Index first = (op == Op::transpose ? i : panels - 1 - i) * panel_columns;
    apply_panel(qr, tau.data(), first, std::min(panel_columns, k - first), op, c.row_range(first, c.rows - first));
  }
}

}  // namespace freeridge
