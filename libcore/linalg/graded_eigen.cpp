#include "libcore/linalg/graded_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "libcore/base/constants.hpp"
#include "libcore/linalg/column_order.hpp"
#include "libcore/linalg/jacobi_rotations.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/linalg/merge_columns.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr int graded_to = 600;  // the exponent of the largest element: 300 for those of L, whose squares exist

// L in the first columns of A, whose number is returned; order[i]: the row of A that came to place i.
Index pivoted_cholesky(MatrixView a, Span<const double> sizes, Index most_rank, Array<Index>& order) {
  const Index m = a.rows;
  const double floor = std::sqrt(static_cast<double>(m)) * eps;
  Array<double> taken(m, 0.0);  // sums of squares of the rows of L
  for (Index j = 0; j < most_rank; ++j) {
    Index pivot = -1;
    double largest = 0;
    for (Index i = j; i < m; ++i) {
      const double size = sizes[order[i]], left = a(i, i) - taken[i];
      if (left > largest && left > floor * size * size) largest = left, pivot = i;
    }
    if (pivot < 0) return j;
    swap_symmetric(a, j, pivot);
    std::swap(order[j], order[pivot]);
    std::swap(taken[j], taken[pivot]);
    const Index rest = m - j - 1;
    const double root = std::sqrt(largest), pivot_size = sizes[order[j]];
    a(j, j) = root;
    Array<double> row(j);
    for (Index k = 0; k < j; ++k) row[k] = a(j, k);
    if (j > 0) gemv(Op::none, -1, a.block(j + 1, 0, rest, j), row.data(), 1, a.col(j) + j + 1);
    for (Index i = j + 1; i < m; ++i) {
      const double size = sizes[order[i]];
      // Of a row that depends on the pivots before, as one that stands twice, nothing but rounding is left.
      if (a(i, i) - taken[i] <= 4 * floor * size * size && std::abs(a(i, j)) <= 4 * floor * size * pivot_size)
        a(i, j) = 0;
      a(i, j) /= root;
      taken[i] += a(i, j) * a(i, j);
    }
    worked(2 * touched * static_cast<double>(m));
    report(fraction(j, most_rank));
  }
  return most_rank;
}

// The m - r last columns of V, from L in the first ones; their Rayleigh quotients in w. Answers as graded_eigen.
double null_space(MatrixView a, Index r, Span<const double> sizes, Span<const Index> order, Span<double> w) {
  const Index m = a.rows, rest = m - r;
  double left = 0;
  if (rest == 0) return left;
  const ConstMatrixView l1 = a.block(0, 0, r, r), l2 = a.block(r, 0, rest, r);
  const MatrixView s = a.block(r, r, rest, rest), top = a.block(0, r, r, rest);
  syrk(Op::none, -1, l2, 1, s);
  for (Index j = 0; j < rest; ++j) {
    w[j] = s(j, j);
    for (Index i = j; i < rest; ++i) {
      const double size = sizes[order[r + i]] * sizes[order[r + j]];
      if (s(i, j) != 0) left = std::max(left, std::abs(s(i, j)) / size);
    }
    std::fill_n(s.col(j), rest, 0.0);
    s(j, j) = 1;
    for (Index k = 0; k < r; ++k) top(k, j) = -l2(j, k);
    worked(4 * touched * static_cast<double>(m));
  }
  trsm(Op::transpose, l1, top);
  const MatrixView n = a.columns(r, rest);
  for (Index j = 0; j < rest; ++j) w[j] /= dot(m, n.col(j), n.col(j));
  Matrix gram(rest, rest);
  for (int pass = 0; pass < 2; ++pass) {  // the second one makes N orthonormal also where N'N is ill-conditioned
    syrk(Op::transpose, 1, n, 0, gram.view());
    if (!potrf(gram.view())) return std::numeric_limits<double>::infinity();
    trsm_right(Op::transpose, gram.view(), n);
  }
  return left;
}

}  // namespace

double graded_eigen(MatrixView a, Span<const double> all_sizes, Index most_rank, Span<double> w) {
  const Index m = a.rows;
  double largest = 0;
  bool finite = true;
  for (Index j = 0; j < m; ++j) {
    largest = std::max(largest, a(j, j));
    for (Index i = j; i < m; ++i) finite = finite && std::isfinite(a(i, j));
    worked(touched * static_cast<double>(m - j));
  }
  if (!finite) {
    std::ranges::fill(w, std::numeric_limits<double>::infinity());
    return 0;
  }
  // By a power of four, whose root L is scaled by.
  const int exponent = largest > 0 ? (graded_to - exponent_of(largest)) / 2 : 0;
  Array<double> sizes(all_sizes.begin(), all_sizes.end());
  scale(sizes, exponent);
  for (Index j = 0; j < m; ++j) {
    scale({a.col(j) + j, m - j}, 2 * exponent);
    worked(4 * touched * static_cast<double>(m - j));
  }
  Array<Index> order = consecutive(0, m);
  Stage stage(0, 0.1);
  const Index r = pivoted_cholesky(a, sizes, std::min(m, most_rank), order);
  stage.next(0.15);
  const Span<double> zeros = w.subspan(r);
  const double left = null_space(a, r, sizes, order, zeros);
  scale(zeros, -2 * exponent);

  const MatrixView x = a.columns(0, r);
  for (Index j = 1; j < r; ++j) std::fill_n(x.col(j), j, 0.0);
  stage.next(0.95);
  orthogonalise_columns(x);
  stage.next(1);
  for (Index k = 0; k < r; ++k) {
    const double length = norm2(m, x.col(k)), value = std::ldexp(length, -exponent);
    w[k] = value * value;
    for (Index i = 0; i < m; ++i) x(i, k) /= length;
    worked(4 * touched * static_cast<double>(m));
  }
  Array<double> column(m);
  for (Index k = 0; k < m; ++k) {
    std::copy_n(a.col(k), m, column.begin());
    for (Index i = 0; i < m; ++i) a(order[i], k) = column[i];
    worked(4 * touched * static_cast<double>(m));
  }
  sort_with_columns(w, std::less<>(), {a});
  return left;
}

}  // namespace freeridge
