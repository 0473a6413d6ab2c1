// The Cholesky factor by halves, with progress between them (progress.hpp), down to what LAPACK does within `grain`:
//     A = [A11 .; A21 A22],   L11 = chol(A11),   L21 = A21 L11^-T,   L22 = chol(A22 - L21 L21')
// and the condition of a factor: N. Higham's estimate of |A^-1|_1 (FORTRAN codes for estimating the one-norm of a real
// or complex matrix, ACM Trans. Math. Software 14 (1988)), a few solutions with the factor.
#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lapack_calls.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

double work_of(Index n) {
  return flop() * cube(n) / 3;
}

bool factor_whole(MatrixView a, Triangle triangle) {
  const double units = std::max(work_of(a.rows), touched * static_cast<double>(a.rows * a.rows) / 2);
  const TeamIfWorth team(units);
  const BlasInt info = FREERIDGE_LAPACK(dpotrf, letter(triangle), blas_int(a.rows), a.data, blas_int(a.ld));
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

}  // namespace

bool potrf(MatrixView a, Triangle triangle) {
  if (a.rows == 0) return true;
  const Stage stage(0, 1, work_of(a.rows));
  return factor(a, triangle);
}

double symmetric_norm1(ConstMatrixView a, Triangle triangle) {
  const Index n = a.rows;
  Array<double> sums(n, 0.0);
  for (Index j = 0; j < n; ++j) {
    const Index begin = triangle == Triangle::lower ? j + 1 : 0, end = triangle == Triangle::lower ? n : j;
    double own = std::abs(a(j, j));
    for (Index i = begin; i < end; ++i) {
      const double value = std::abs(a(i, j));
      own += value;
      sums[i] += value;
    }
    sums[j] += own;
    worked(touched * static_cast<double>(end - begin));
  }
  double largest = 0;
  for (const double sum : sums)
    if (!(sum <= largest)) largest = sum;  // NaN stays
  return largest;
}

double reciprocal_condition(ConstMatrixView l, double norm1, Triangle triangle) {
  return reciprocal_condition(l.rows, norm1, [&](Span<double> b) {
    const MatrixView column{b.data(), l.rows, 1, l.rows};
    trsm(triangle == Triangle::lower ? Op::none : Op::transpose, l, column, triangle);
    trsm(triangle == Triangle::lower ? Op::transpose : Op::none, l, column, triangle);
  });
}

double reciprocal_condition(Index n, double norm1, const std::function<void(Span<double> b)>& solve) {
  if (n == 0) return 1;
  if (!(norm1 > 0)) return 0;
  Array<double> v(n), x(v.size());
  Array<BlasInt> sign(v.size());
  BlasInt kase = 0, state[3] = {};
  double estimate = 0;
  do {
    FREERIDGE_LAPACK_OF_VECTORS(dlacn2, blas_int(n), v.data(), x.data(), sign.data(), &estimate, &kase, &state[0]);
    if (kase == 0) break;
    solve(x);
    if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); })) return 0;  // beyond all numbers
  } while (true);
  return estimate > 0 ? 1 / estimate / norm1 : 0;
}

}  // namespace freeridge
