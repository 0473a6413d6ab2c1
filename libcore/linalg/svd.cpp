// The singular value decomposition in blocks, so that progress is heard between them (progress.hpp); as LAPACK's
// dgesdd,
// step by step:
//   tall         A = Q R first
//   square       A = Q B P', B bidiagonal, by panels of reflectors from both sides (J. Dongarra, D. Sorensen,
//                S. Hammarling, Block reduction of matrices to condensed forms for eigenvalue computations, J. Comput.
//                Appl. Math. 27 (1989))
//                B = U_B diag(s) V_B' by divide and conquer (dbdsdc, the one step that cannot be asked on its way)
//                U = Q U_B,  V' = V_B' P'
//   wide         the decomposition of A'
#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/linalg/fortran.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lapack_info.hpp"
#include "libcore/progress.hpp"

namespace freeridge {
namespace {

constexpr Index last_columns = 128;  // reduced at once

double cube(Index n) {
  const auto size = static_cast<double>(n);
  return size * size * size;
}

void decompose_whole(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  double size = 0;
  const BlasInt rows = blas_int(a.rows), cols = blas_int(a.cols);
  std::vector<BlasInt> iwork(8 * s.size());
  const auto run = [&](double* work, BlasInt lwork) {
    check(fortran::gesdd('S', rows, cols, a.data, blas_int(a.ld), s.data(), u.data, blas_int(u.ld), vt.data,
                         blas_int(vt.ld), work, lwork, iwork.data()),
          "dgesdd");
  };
  run(&size, -1);
  Matrix work(queried(size), 1);
  run(work.data(), blas_int(work.rows()));
}

void copy_transposed(ConstMatrixView from, MatrixView to) {
  copy_out(from, Layout::row_major, to.data, to.ld);
  worked(2 * touched * static_cast<double>(from.rows * from.cols));
}

// A square matrix in bidiagonal form: B has d and above it e; reflectors from the left below the diagonal of A, with
// tau_left, those from the right beyond the next one, with tau_right.
struct Bidiagonal {
  explicit Bidiagonal(Index n) : d(static_cast<std::size_t>(n)), e(d.size()), tau_left(d.size()), tau_right(d.size()) {}
  std::vector<double> d, e, tau_left, tau_right;
};

Bidiagonal reduce_to_bidiagonal(MatrixView a) {
  const Index n = a.rows;
  Bidiagonal out(n);
  Index first = 0;
  while (n - first > last_columns) {
    // Each column is two products of what is left of A with a vector.
    const Index left = n - first;
    const double column = 2 * touched * static_cast<double>(left * left);
    const Index count = std::clamp<Index>(static_cast<Index>(grain / column), 4, 32), after = left - count;
    Matrix x(left, count), y(left, count);
    const auto at = static_cast<std::size_t>(first);
    const MatrixView here = a.block(first, first, left, left);
    const BlasInt size = blas_int(left);
    fortran::labrd(size, size, blas_int(count), here.data, blas_int(a.ld), &out.d[at], &out.e[at], &out.tau_left[at],
                   &out.tau_right[at], x.data(), size, y.data(), size);
    worked(column * static_cast<double>(count));
    const MatrixView rest = here.block(count, count, after, after);
    gemm(Op::none, Op::transpose, -1, here.block(count, 0, after, count), y.view().row_range(count, after), 1, rest);
    gemm(Op::none, Op::none, -1, x.view().row_range(count, after), here.block(0, count, count, after), 1, rest);
    first += count;
  }
  const Index left = n - first;
  const auto at = static_cast<std::size_t>(first);
  const MatrixView here = a.block(first, first, left, left);
  double size = 0;
  const auto run = [&](double* work, BlasInt lwork) {
    check(fortran::gebrd(blas_int(left), blas_int(left), here.data, blas_int(a.ld), &out.d[at], &out.e[at],
                         &out.tau_left[at], &out.tau_right[at], work, lwork),
          "dgebrd");
  };
  run(&size, -1);
  Matrix work(queried(size), 1);
  run(work.data(), blas_int(work.rows()));
  return out;
}

// Of the bidiagonal matrix: U and V', n x n.
void decompose(Bidiagonal& b, MatrixView u, MatrixView vt) {
  const Index n = u.rows;
  Matrix work(3 * n * n + 4 * n, 1);
  std::vector<BlasInt> iwork(static_cast<std::size_t>(8 * n));
  double unused = 0;
  BlasInt unused_int = 0;
  check(fortran::bdsdc('U', 'I', blas_int(n), b.d.data(), b.e.data(), u.data, blas_int(u.ld), vt.data, blas_int(vt.ld),
                       &unused, &unused_int, work.data(), iwork.data()),
        "dbdsdc");
  worked(2 * cube(n));
}

void decompose_square(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  const Index n = a.rows;
  Bidiagonal b = reduce_to_bidiagonal(a);
  decompose(b, u, vt);
  std::ranges::copy(b.d, s.begin());
  ormqr(a, b.tau_left, u);
  // The rows of reflectors as columns, one row further up.
  Matrix right(n - 1, n - 1, 0.0), v(n, n);
  for (Index j = 0; j < n - 1; ++j)
    for (Index i = j + 1; i < n - 1; ++i) right(i, j) = a(j, i + 1);
  worked(2 * touched * static_cast<double>(n * n));
  copy_transposed(vt, v.view());
  ormqr(right.view(), std::span(b.tau_right).first(static_cast<std::size_t>(n - 1)), v.view().row_range(1, n - 1));
  copy_transposed(v.view(), vt);
}

void decompose_tall(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  const Index n = a.cols;
  if (a.rows == n) return decompose_square(a, s, u, vt);
  std::vector<double> tau(static_cast<std::size_t>(n));
  geqrf(a, tau);
  Matrix r(n, n, 0.0);
  for (Index j = 0; j < n; ++j) std::copy_n(a.col(j), j + 1, r.col(j));
  decompose_square(r.view(), s, u.row_range(0, n), vt);
  for (Index j = 0; j < n; ++j) std::fill_n(u.col(j) + n, a.rows - n, 0.0);
  ormqr(a, tau, u);
}

// The exponent of the largest magnitude; nothing when some number is not finite, or all are zero.
bool exponent_of(ConstMatrixView a, int& exponent) {
  double largest = 0;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) {
      const double value = std::abs(a(i, j));
      if (!(value <= largest)) largest = value;
    }
    if (!std::isfinite(largest)) return false;
    worked(touched * static_cast<double>(a.rows));
  }
  if (largest == 0) return false;
  exponent = std::ilogb(largest);
  return true;
}

}  // namespace

void gesdd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  const Index small = std::min(a.rows, a.cols);
  if (small == 0) return;
  const double units = 20 * cube(small) + 6 * static_cast<double>(a.rows) * static_cast<double>(a.cols * small);
  int exponent = 0;
  if (units <= grain || small < 2 || !exponent_of(a, exponent)) {
    decompose_whole(a, s, u, vt);
    return worked(units);
  }
  const Stage stage(units + 2 * touched * static_cast<double>(small) * static_cast<double>(small) *
                                static_cast<double>(small) / 32);
  const int scale = std::abs(exponent) > 480 ? exponent : 0;  // squares must neither overflow nor vanish
  if (scale != 0)
    for (Index j = 0; j < a.cols; ++j)
      for (Index i = 0; i < a.rows; ++i) a(i, j) = std::ldexp(a(i, j), -scale);
  if (a.rows >= a.cols) {
    decompose_tall(a, s, u, vt);
  } else {
    Matrix turned(a.cols, a.rows), left(a.cols, small), right(small, a.rows);
    copy_transposed(a, turned.view());
    decompose_tall(turned.view(), s, left.view(), right.view());
    copy_transposed(left.view(), vt);
    copy_transposed(right.view(), u);
  }
  if (scale != 0)
    for (double& value : s) value = std::ldexp(value, scale);
}

}  // namespace freeridge
