// The singular value decomposition in blocks, so that progress is heard between them (progress.hpp), by the steps of
// LAPACK's dgesdd and in the same time. dgesdd as one call would work 0.3 s at n = 1000, 3.3 s at n = 2000 and as n^3
// beyond that (one thread, 50 Gflop/s) without a look at whether to go on; and it takes 3 n^2 numbers of workspace,
// this takes 2 n^2.
//   tall         A = Q R first
//   square       A = Q B P', B bidiagonal, by panels of reflectors from both sides (J. Dongarra, D. Sorensen,
//                S. Hammarling, Block reduction of matrices to condensed forms for eigenvalue computations, J. Comput.
//                Appl. Math. 27 (1989))
//                B = U_B diag(s) V_B' by divide and conquer (bidiagonal_svd.hpp)
//                U = Q U_B,  V' = V_B' P'
//   wide         the decomposition of A'
#include <algorithm>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/bidiagonal_svd.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lapack_calls.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index last_columns = 128;  // reduced at once
constexpr Index panel = 32;          // columns reduced before A is updated

void decompose_whole(MatrixView a, Span<double> s, MatrixView u, MatrixView vt) {
  const BlasInt rows = blas_int(a.rows), cols = blas_int(a.cols);
  Array<BlasInt> iwork(8 * s.size());
  with_workspace([&](double* work, BlasInt size) {
    check(FREERIDGE_LAPACK(dgesdd, 'S', rows, cols, a.data, blas_int(a.ld), s.data(), u.data, blas_int(u.ld), vt.data,
                           blas_int(vt.ld), work, size, iwork.data()),
          "dgesdd");
  });
}

// A square matrix in bidiagonal form: B has d and above it e; reflectors from the left below the diagonal of A, with
// tau_left, those from the right beyond the next one, with tau_right.
struct Bidiagonal {
  explicit Bidiagonal(Index n) : d(n), e(d.size()), tau_left(d.size()), tau_right(d.size()) {}
  Array<double> d, e, tau_left, tau_right;
};

// x -= A y, or A'y
void subtract(Op op, ConstMatrixView a, const double* y, double* x) {
  if (a.rows > 0 && a.cols > 0) gemv(op, -1, a, y, 1, x);
}

// Reduces the first x.cols columns and rows of A = Q B P', Q = (I - tau v v') ..., P = (I - tau u u') ... The
// reflectors take their places, v in the columns and u in the rows, with their ones; what is left of A is A - V Y' - X
// U'. As LAPACK's dlabrd does, but with progress heard between the products.
void reduce_panel(MatrixView a, double* d, double* e, double* tau_left, double* tau_right, MatrixView x, MatrixView y) {
  Array<double> row(a.cols), few(x.cols + 1);
  const auto take_row = [&](ConstMatrixView from, Index i, Index first, Index count) {
    for (Index j = 0; j < count; ++j) row[j] = from(i, first + j);
  };
  // out -= B (C'z), of few columns.
  const auto correct = [&](ConstMatrixView c, const double* z, Op op, ConstMatrixView b, double* out) {
    if (c.cols == 0) return;
    gemv(Op::transpose, 1, c, z, 0, few.data());
    subtract(op, b, few.data(), out);
  };
  for (Index i = 0; i < x.cols; ++i) {
    const Index below = a.rows - i, after = below - 1;
    const ConstMatrixView v = a.block(i, 0, below, i), u = a.block(0, i + 1, i, after);
    take_row(y, i, 0, i);
    subtract(Op::none, v, row.data(), a.col(i) + i);
    subtract(Op::none, x.block(i, 0, below, i), a.col(i), a.col(i) + i);
    double* const v_i = a.col(i) + i;
    tau_left[i] = larfg({v_i, below});
    d[i] = std::exchange(v_i[0], 1.0);
    double* const y_i = y.col(i) + i + 1;
    gemv(Op::transpose, 1, a.block(i, i + 1, below, after), v_i, 0, y_i);
    correct(v, v_i, Op::none, y.block(i + 1, 0, after, i), y_i);
    correct(x.block(i, 0, below, i), v_i, Op::transpose, u, y_i);
    for (Index k = 0; k < after; ++k) y_i[k] *= tau_left[i];

    Array<double> u_i(after);
    for (Index k = 0; k < after; ++k) u_i[k] = a(i, i + 1 + k);
    take_row(a, i, 0, i + 1);
    subtract(Op::none, y.block(i + 1, 0, after, i + 1), row.data(), u_i.data());
    take_row(x, i, 0, i);
    subtract(Op::transpose, u, row.data(), u_i.data());
    tau_right[i] = larfg(u_i);
    e[i] = std::exchange(u_i[0], 1.0);
    for (Index k = 0; k < after; ++k) a(i, i + 1 + k) = u_i[k];
    double* const x_i = x.col(i) + i + 1;
    gemv(Op::none, 1, a.block(i + 1, i + 1, after, after), u_i.data(), 0, x_i);
    correct(y.block(i + 1, 0, after, i + 1), u_i.data(), Op::none, a.block(i + 1, 0, after, i + 1), x_i);
    if (i > 0) {
      gemv(Op::none, 1, u, u_i.data(), 0, few.data());
      subtract(Op::none, x.block(i + 1, 0, after, i), few.data(), x_i);
    }
    for (Index k = 0; k < after; ++k) x_i[k] *= tau_right[i];
    worked(20 * touched * static_cast<double>(below));
  }
}

Bidiagonal reduce_to_bidiagonal(MatrixView a) {
  const Index n = a.rows;
  Bidiagonal out(n);
  Index first = 0;
  for (; n - first > last_columns; first += panel) {
    const Index left = n - first, after = left - panel;
    Matrix x(left, panel), y(left, panel);
    const MatrixView here = a.block(first, first, left, left);
    reduce_panel(here, &out.d[first], &out.e[first], &out.tau_left[first], &out.tau_right[first], x.view(), y.view());
    const MatrixView rest = here.block(panel, panel, after, after);
    gemm(Op::none, Op::transpose, -1, here.block(panel, 0, after, panel), y.view().row_range(panel, after), 1, rest);
    gemm(Op::none, Op::none, -1, x.view().row_range(panel, after), here.block(0, panel, panel, after), 1, rest);
  }
  const Index left = n - first;
  const MatrixView here = a.block(first, first, left, left);
  with_workspace([&](double* work, BlasInt size) {
    check(FREERIDGE_LAPACK(dgebrd, blas_int(left), blas_int(left), here.data, blas_int(a.ld), &out.d[first],
                           &out.e[first], &out.tau_left[first], &out.tau_right[first], work, size),
          "dgebrd");
  });
  return out;
}

void decompose_square(MatrixView a, Span<double> s, MatrixView u, MatrixView vt) {
  const Index n = a.rows;
  Bidiagonal b = reduce_to_bidiagonal(a);
  Matrix square(n + 1, n + 1);
  const MatrixView v = square.view().block(0, 0, n, n);
  bidiagonal_svd(b.d, Span(b.e).first(n - 1), u, square.view());
  std::ranges::copy(b.d, s.begin());
  ormqr(a, b.tau_left, u);
  Matrix right(n - 1, n - 1);  // the rows of reflectors as columns, one row further up
  transpose(a.block(0, 1, n - 1, n - 1), right.view());
  ormqr(right.view(), Span(b.tau_right).first(n - 1), v.row_range(1, n - 1));
  transpose(v, vt);
}

void decompose_tall(MatrixView a, Span<double> s, MatrixView u, MatrixView vt) {
  const Index n = a.cols;
  if (a.rows == n) return decompose_square(a, s, u, vt);
  Array<double> tau(n);
  geqrf(a, tau);
  Matrix r(n, n, 0.0);
  for (Index j = 0; j < n; ++j) {
    std::copy_n(a.col(j), j + 1, r.col(j));
    worked(touched * static_cast<double>(n));
  }
  decompose_square(r.view(), s, u.row_range(0, n), vt);
  set_zero(u.row_range(n, a.rows - n));
  ormqr(a, tau, u);
}

// The largest magnitude; 0 when some number is not finite.
double largest_element(ConstMatrixView a) {
  double largest = 0;
  for (Index j = 0; j < a.cols; ++j) {
    const Span<const double> column(a.col(j), a.rows);
    if (first_not_finite(column) < a.rows) return 0;
    largest = std::max(largest, largest_magnitude(column));
    worked(2 * touched * static_cast<double>(a.rows));
  }
  return largest;
}

}  // namespace

void gesdd(MatrixView a, Span<double> s, MatrixView u, MatrixView vt) {
  const Index small = std::min(a.rows, a.cols);
  if (small == 0) return;
  const double units =
      flop() * (20 * cube(small) + 6 * static_cast<double>(a.rows) * static_cast<double>(a.cols * small));
  const bool in_parts = units > grain && small >= 2;
  const double largest = in_parts ? largest_element(a) : 0;
  if (largest == 0) {
    const TeamIfWorth team(units / 16);  // of many steps
    decompose_whole(a, s, u, vt);
    return worked(units);
  }
  const Stage stage(
      0, 1,
      units + 2 * touched * static_cast<double>(small) * static_cast<double>(small) * static_cast<double>(small) / 32);
  const int e = exponent_for_squares(largest);
  if (e != 0)
    for (Index j = 0; j < a.cols; ++j) {
      scale({a.col(j), a.rows}, -e);
      worked(2 * touched * static_cast<double>(a.rows));
    }
  if (a.rows >= a.cols) {
    decompose_tall(a, s, u, vt);
  } else {
    Matrix turned(a.cols, a.rows), left(a.cols, small), right(small, a.rows);
    transpose(a, turned.view());
    decompose_tall(turned.view(), s, left.view(), right.view());
    transpose(left.view(), vt);
    transpose(right.view(), u);
  }
  scale(s, e);
}

}  // namespace freeridge
