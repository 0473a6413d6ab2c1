// Cholesky factors in blocks, so that progress is heard between them (progress.hpp):
//   potrf   A = [A11 .; A21 A22]:  L11 = chol(A11),  L21 = A21 L11^-T,  L22 = chol(A22 - L21 L21'), halves of
//           halves down to what LAPACK does within `grain`
//   pstrf   panels of columns: the pivot of each column from what is left of the diagonal, the column from the columns
//           of its panel before it; then the panel is taken out of all columns after it
// and the condition of a factor: N. Higham's estimate of |A^-1|_1 (FORTRAN codes for estimating the one-norm of a real
// or complex matrix, ACM Trans. Math. Software 14 (1988)), a few solutions with the factor.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/fortran.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lapack_info.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index panel_columns = 64;

double work_of(Index n) {
  return flop() * cube(n) / 3;
}

bool factor_whole(MatrixView a, Triangle triangle) {
  const double units = std::max(work_of(a.rows), touched * static_cast<double>(a.rows * a.rows) / 2);
  const TeamIfWorth team(units);
  const BlasInt info = fortran::potrf(letter(triangle), blas_int(a.rows), a.data, blas_int(a.ld));
  if (info < 0) check(info, "dpotrf");
  worked(units);
  return info == 0;
}

bool factor(MatrixView a, Triangle triangle) {
  if (work_of(a.rows) <= grain / 2) return factor_whole(a, triangle);
  const Index half = a.rows / 2, rest = a.rows - half;
  const MatrixView first = a.block(0, 0, half, half), second = a.block(half, half, rest, rest);
  if (!factor(first, triangle)) return false;
  if (triangle == Triangle::lower) {
    const MatrixView below = a.block(half, 0, rest, half);
    trsm_right(Op::transpose, first, below);
    syrk(Op::none, -1, below, 1, second);
  } else {
    const MatrixView beside = a.block(0, half, half, rest);
    trsm(Op::transpose, first, beside, Triangle::upper);
    syrk(Op::transpose, -1, beside, 1, second, Triangle::upper);
  }
  return factor(second, triangle);
}

// Rows and columns i < j of a symmetric matrix change places; lower triangle.
void swap_rows_and_columns(MatrixView a, Index i, Index j) {
  std::swap(a(i, i), a(j, j));
  for (Index k = 0; k < i; ++k) std::swap(a(i, k), a(j, k));
  for (Index k = i + 1; k < j; ++k) std::swap(a(k, i), a(j, k));
  for (Index k = j + 1; k < a.rows; ++k) std::swap(a(k, i), a(k, j));
}

}  // namespace

bool potrf(MatrixView a, Triangle triangle) {
  if (a.rows == 0) return true;
  const Stage stage(work_of(a.rows));
  return factor(a, triangle);
}

double symmetric_norm1(ConstMatrixView a, Triangle triangle) {
  const Index n = a.rows;
  std::vector<double> sums(static_cast<std::size_t>(n), 0.0);
  for (Index j = 0; j < n; ++j) {
    const Index begin = triangle == Triangle::lower ? j + 1 : 0, end = triangle == Triangle::lower ? n : j;
    double own = std::abs(a(j, j));
    for (Index i = begin; i < end; ++i) {
      const double value = std::abs(a(i, j));
      own += value;
      sums[static_cast<std::size_t>(i)] += value;
    }
    sums[static_cast<std::size_t>(j)] += own;
    worked(touched * static_cast<double>(end - begin));
  }
  double largest = 0;
  for (const double sum : sums)
    if (!(sum <= largest)) largest = sum;  // NaN stays
  return largest;
}

double reciprocal_condition(ConstMatrixView l, double norm1, Triangle triangle) {
  const Index n = l.rows;
  if (n == 0) return 1;
  if (!(norm1 > 0)) return 0;
  std::vector<double> v(static_cast<std::size_t>(n)), x(v.size());
  std::vector<BlasInt> sign(v.size());
  const MatrixView column{x.data(), n, 1, n};
  BlasInt kase = 0, state[3] = {};
  double estimate = 0;
  do {
    fortran::lacn2(blas_int(n), v.data(), x.data(), sign.data(), &estimate, &kase, state);
    if (kase == 0) break;
    trsm(triangle == Triangle::lower ? Op::none : Op::transpose, l, column, triangle);
    trsm(triangle == Triangle::lower ? Op::transpose : Op::none, l, column, triangle);
    if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); })) return 0;  // beyond all numbers
  } while (true);
  return estimate > 0 ? 1 / estimate / norm1 : 0;
}

Index pstrf(MatrixView a, double tolerance, std::span<Index> pivots) {
  const Index n = a.rows;
  std::iota(pivots.begin(), pivots.end(), Index{0});
  std::vector<double> sums(static_cast<std::size_t>(n)), row(static_cast<std::size_t>(panel_columns));
  const Stage stage(work_of(n));
  for (Index first = 0; first < n; first += panel_columns) {
    const Index last = std::min(first + panel_columns, n);
    std::fill(sums.begin(), sums.end(), 0.0);  // of the squares that the panel takes off the diagonal
    for (Index j = first; j < last; ++j) {
      Index pivot = j;
      double largest = -1;
      for (Index i = j; i < n; ++i) {
        double& sum = sums[static_cast<std::size_t>(i)];
        if (j > first) sum += a(i, j - 1) * a(i, j - 1);
        const double left = a(i, i) - sum;
        if (left > largest) largest = left, pivot = i;
      }
      if (!(largest > tolerance)) return j;
      if (pivot != j) {
        swap_rows_and_columns(a, j, pivot);
        std::swap(sums[static_cast<std::size_t>(j)], sums[static_cast<std::size_t>(pivot)]);
        std::swap(pivots[static_cast<std::size_t>(j)], pivots[static_cast<std::size_t>(pivot)]);
      }
      const double root = std::sqrt(largest);
      a(j, j) = root;
      const Index below = n - j - 1;
      if (below == 0) continue;
      for (Index k = first; k < j; ++k) row[static_cast<std::size_t>(k - first)] = a(j, k);
      if (j > first) gemv(Op::none, -1, a.block(j + 1, first, below, j - first), row.data(), 1, a.col(j) + j + 1);
      for (Index i = j + 1; i < n; ++i) a(i, j) /= root;
    }
    if (last < n)
      syrk(Op::none, -1, a.block(last, first, n - last, last - first), 1, a.block(last, last, n - last, n - last));
  }
  return n;
}

}  // namespace freeridge
