// [1 X_E] = Q [R_E; 0], exact columns and the ones;   Q'[X Y] = [T_X T_Y; C]   of the other columns;   C = U S V':
//     w = -V_12 V_22^-1   (V in blocks of d' and t rows and columns),   R_E w_E = T_Y - T_X w
// Adding the smallest [E F] to C gives the best approximation of C of rank d'. It is the only one exactly if
// S_d' > S_(d' + 1); its null space is then spanned by the last t columns of V, and w exists exactly if V_22 is
// regular. So there is one solution exactly if both hold. (If the smallest singular value of X_c exceeds S_(d' + 1),
// both hold; for t > 1 they may hold without it.)
// A tie, S_p > S_(p + 1) = ... = S_q > S_(q + 1) with p < d' < q: the null space may take any q - d' of the q - p
// columns of V with equal singular values, and has all columns after them. Some such null space has a w, and then many
// have one, exactly if the last t rows of V have rank t in the columns from p + 1 on and full rank in those from q + 1
// on.
// The smallest errors of a solution, with R = Y - X w - b, and Z = [w_N; -I] for the weights w_N of the columns with
// errors, Z = Q_Z R_Z:
//     [E F] Z = R,      [E F] = D Q_Z',   D = R R_Z^-1 (n x t)
// Q_Z has orthonormal columns. So |D_i|, the norm of row i, is the distance of point i from the hyperplane along the
// coordinates with errors, and the singular values of D are those of [E F], which are S_(d' + 1), ..., S_(d' + t).
// R is summed from the centred columns with twice the digits, as it may be much smaller than its terms.
// Sources: S. Van Huffel, J. Vandewalle, The Total Least Squares Problem, 1991, sections 2.2, 2.3 and 3.5; G. Golub, C.
// Van Loan, An analysis of the total least squares problem, SIAM J. Numer. Anal. 17, 1980.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/classical/least_squares.hpp"
#include "libcore/classical/regression.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

// A column of x or y times 2^-exponent, minus its mean (but for rounding).
struct ScaledColumn {
  const LayoutView* from;
  Index index;
  ColumnStatistics statistics;
  int exponent = 0;

  int own_exponent() const { return statistics.exponent + exponent_of(statistics.deviation); }
  double shift() const { return std::ldexp(statistics.mean, statistics.exponent - exponent); }
  void copy(double* to) const {
    const double mean = shift();
    for (Index i = 0; i < from->rows; ++i)
      to[i] = statistics.deviation > 0 ? std::ldexp((*from)(i, index), -exponent) - mean : 0;
  }
};

// a: at least as many rows as columns.
Array<double> singular_values(ConstMatrixView a, Matrix& vt) {
  Matrix copy = copy_of(a), u(a.rows, a.cols);
  Array<double> s(a.cols);
  vt = Matrix(a.cols, a.cols);
  gesdd(copy.view(), s, u.view(), vt.view());
  return s;
}

// The rank of the last t rows of V, in its columns from `first` on.
Index rank_below(ConstMatrixView vt, Index first, Index t, double tolerance) {
  const Index q = vt.cols, columns = q - first, most = std::min(t, columns);
  if (most == 0) return 0;
  Matrix part(t, columns);
  transpose(vt.block(first, q - t, columns, t), part.view());
  Array<Index> order(columns);
  Array<double> tau(most);
  geqp3(part.view(), 0, order, tau);
  Index rank = 0;
  while (rank < most && std::abs(part(rank, rank)) > tolerance) ++rank;
  return rank;
}

// Says what a tie means: S_d = S_(d + 1) to within `relative` S_1. The space that the tied columns of V span is known
// up to relative S_1 over the distance of their singular value to the next other ones.
[[noreturn]] void fail_of_tie(ConstMatrixView vt, Span<const double> s, Index d, double relative, int e) {
  const auto q = static_cast<Index>(s.size());
  const double next = s[d], tolerance = relative * s.front();
  Index p = d - 1, end = d + 1;
  while (p > 0 && !(s[p - 1] > next + tolerance)) --p;
  while (end < q && !(s[end] < next - tolerance)) ++end;
  double noise = relative;
  if (p > 0) noise = tolerance / (s[p - 1] - next);
  if (end < q) noise = std::max(noise, tolerance / (next - s[end]));
  const bool many = rank_below(vt, p, q - d, noise) == q - d && rank_below(vt, end, q - d, noise) == q - end;
  fail(Status::undefined, many ? "more than one solution exists" : "no solution exists (the non-generic case)",
       ": the singular values ", d, " and ", d + 1, " of [x y] are the same, ", std::ldexp(next, e),
       ", to working precision");
}

// w (d x t) from R'R = C'C. C has the data divided by 2^e, which the messages take back.
Matrix hyperplane(ConstMatrixView r, Index d, double relative, int e) {
  const Index t = r.cols - d;
  Matrix vt, w(d, t);
  const Array<double> s = singular_values(r, vt);
  const double tolerance = relative * s.front(), gap = s[d - 1] - s[d];
  if (!(gap > tolerance)) fail_of_tie(vt.view(), s, d, relative, e);

  Matrix v22 = copy_of(vt.view().block(d, d, t, t)), rhs = copy_of(vt.view().block(d, 0, t, d));
  Array<Index> order(t);
  Array<double> tau(t);
  geqp3(v22.view(), 0, order, tau);
  if (!(std::abs(v22(t - 1, t - 1)) > tolerance / gap))  // the error of V_22
    fail(Status::undefined,
         "no solution exists (the non-generic case): to working precision ever larger weights come "
         "ever closer to the best approximation of [x y] by a matrix of rank ",
         d);
  ormqr(v22.view(), tau, rhs.view(), Op::transpose);
  trsm(Op::transpose, lower_factor(v22.view(), 0, t).view(), rhs.view());
  for (Index j = 0; j < t; ++j)
    for (Index k = 0; k < d; ++k) w(k, order[j]) = -rhs(j, k);
  return w;
}

// The columns of [x y] without their means: the exact ones, each in a unit of its own, and those with errors, the
// `inner` ones of x before those of y, all in the unit 2^exponent.
struct Columns {
  Array<ScaledColumn> exact, noisy;
  Index inner = 0;
  int exponent = 0;
};

Columns columns_of(const LayoutView& x, const LayoutView& y, bool intercept, Span<const std::int32_t> exact) {
  Columns out;
  for (Index k = 0; k < x.cols; ++k)
    (!exact.empty() && exact[k] != 0 ? out.exact : out.noisy).push_back({&x, k, column_statistics(x, k, intercept)});
  out.inner = std::ssize(out.noisy);
  for (Index j = 0; j < y.cols; ++j) out.noisy.push_back({&y, j, column_statistics(y, j, intercept)});
  int e = std::numeric_limits<int>::min();
  for (const ScaledColumn& column : out.noisy)
    if (column.statistics.deviation > 0) e = std::max(e, column.own_exponent());
  out.exponent = e == std::numeric_limits<int>::min() ? 0 : e;
  for (ScaledColumn& column : out.noisy) column.exponent = out.exponent;
  for (ScaledColumn& column : out.exact) column.exponent = column.own_exponent();
  return out;
}

[[noreturn]] void fail_dependent(Index rank) {
  fail(Status::undefined, "the exact columns are linearly dependent: their rank is ", rank);
}

// [1 X_E] = Q [R_E; 0] and Q'[X Y] = [T; C], C = Q_C R.
struct Triangles {
  Array<Index> order;  // of the columns of [1 X_E]
  Matrix exact;        // R_E'
  Matrix top, rest;    // T, R
};

Triangles triangles_of(const Columns& columns, Index n, Index ones, double tolerance) {
  const Index p = ones + std::ssize(columns.exact), q = std::ssize(columns.noisy);
  Matrix a(n, p, 1.0), c(n, q);
  for (Index k = ones; k < p; ++k) columns.exact[k - ones].copy(a.col(k));
  for (Index k = 0; k < q; ++k) columns.noisy[k].copy(c.col(k));
  Triangles out{Array<Index>(p), {}, Matrix(p, q), Matrix(q, q, 0.0)};
  Array<double> tau(p), tau_c(q);
  geqp3(a.view(), ones, out.order, tau);
  for (Index k = ones; k < p; ++k)
    if (!(std::abs(a(k, k)) > tolerance * std::abs(a(ones, ones)))) fail_dependent(k - ones);
  ormqr(a.view(), tau, c.view(), Op::transpose);
  const MatrixView rest = c.view().row_range(p, n - p);
  geqrf(rest, tau_c);
  for (Index j = 0; j < q; ++j) {
    std::copy_n(c.col(j), p, out.top.col(j));
    std::copy_n(rest.col(j), j + 1, out.rest.col(j));
  }
  out.exact = lower_factor(a.view(), 0, p);
  return out;
}

// w and b of output j in the units of the data, from w of the columns with errors and from [b; w_E] of the others.
void set_output(const Columns& columns, Span<const Index> order, Index j, const double* w, const double* of_exact,
                bool intercept, RegressionResult& out) {
  const Index ones = intercept ? 1 : 0, inner = columns.inner;
  DoubleDouble b;
  if (intercept) b = DoubleDouble(of_exact[0]) + DoubleDouble(columns.noisy[inner + j].shift());
  for (Index k = 0; k < inner; ++k) {
    out.w(columns.noisy[k].index, j) = w[k];
    b -= two_product(columns.noisy[k].shift(), w[k]);
  }
  for (Index k = ones; k < std::ssize(order); ++k) {
    const ScaledColumn& column = columns.exact[order[k] - ones];
    out.w(column.index, j) = std::ldexp(of_exact[k], columns.exponent - column.exponent);
    b -= two_product(column.shift(), of_exact[k]);
  }
  out.b[j] = std::ldexp(b.hi, columns.exponent);
  if (!std::isfinite(out.b[j]) || !all_finite({out.w.col(j), out.w.rows()}))
    fail(Status::not_finite, "the solution for output ", j, " overflows; rescale x or y");
}

// Y_j less the terms of all columns, without their mean where there is an intercept: n x t in the unit of the columns
// with errors. w: of these columns; of_exact: of [1 X_E] in the order `order`, where that of the ones is not read.
Matrix residuals_of(const Columns& columns, Span<const Index> order, ConstMatrixView w, ConstMatrixView of_exact,
                    Index ones) {
  const Index n = columns.noisy.front().from->rows, t = w.cols, inner = columns.inner;
  Array<double> column(n);
  Array<DoubleDouble> sums(n * t);
  const auto subtract = [&](const ScaledColumn& from, const auto& weight) {
    from.copy(column.data());
    for (Index j = 0; j < t; ++j)
      for (Index i = 0; i < n; ++i) sums[j * n + i] -= two_product(column[i], weight(j));
  };
  for (Index j = 0; j < t; ++j) {
    columns.noisy[inner + j].copy(column.data());
    for (Index i = 0; i < n; ++i) sums[j * n + i] = column[i];
  }
  for (Index k = 0; k < inner; ++k) subtract(columns.noisy[k], [&](Index j) { return w(k, j); });
  for (Index k = ones; k < std::ssize(order); ++k)
    subtract(columns.exact[order[k] - ones], [&](Index j) { return of_exact(k, j); });

  Matrix out(n, t);
  for (Index j = 0; j < t; ++j) {
    DoubleDouble mean;
    for (Index i = 0; i < n && ones > 0; ++i) mean += sums[j * n + i];
    mean = mean / DoubleDouble(static_cast<double>(n));
    for (Index i = 0; i < n; ++i) out(i, j) = static_cast<double>(sums[j * n + i] - mean);
  }
  return out;
}

void unscale(MatrixView values, int exponent) {
  for (Index j = 0; j < values.cols; ++j)
    for (Index i = 0; i < values.rows; ++i) values(i, j) = std::ldexp(values(i, j), exponent);
  require_no_overflow("the corrections of x and y", values);
}

// residuals: R, which becomes D.
TotalErrors errors_of(const Columns& columns, ConstMatrixView w, Matrix residuals, Index d, bool corrections) {
  const Index n = residuals.rows(), t = w.cols, inner = columns.inner;
  Matrix z(inner + t, t, 0.0), q(inner + t, t, 0.0), vt;
  Array<double> tau(t);
  for (Index j = 0; j < t; ++j) {
    std::copy_n(w.col(j), inner, z.col(j));
    z(inner + j, j) = -1;
    q(j, j) = 1;
  }
  geqrf(z.view(), tau);
  trsm_right(Op::transpose, lower_factor(z.view(), 0, t).view(), residuals.view());
  ormqr(z.view(), tau, q.view());

  TotalErrors out;
  out.singular_values = singular_values(residuals.view(), vt);
  unscale({out.singular_values.data(), t, 1, t}, columns.exponent);
  out.distances.assign(n, 0.0);
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < n; ++i) out.distances[i] = std::hypot(out.distances[i], residuals(i, j));
  unscale({out.distances.data(), n, 1, n}, columns.exponent);
  if (!corrections) return out;
  Matrix noisy(n, inner);
  out.x = Matrix(n, d, 0.0);
  out.y = Matrix(n, t);
  gemm(Op::none, Op::transpose, 1, residuals.view(), q.view().row_range(inner, t), 0, out.y.view());
  unscale(out.y.view(), columns.exponent);
  if (inner == 0) return out;
  gemm(Op::none, Op::transpose, 1, residuals.view(), q.view().row_range(0, inner), 0, noisy.view());
  unscale(noisy.view(), columns.exponent);
  for (Index k = 0; k < inner; ++k) std::copy_n(noisy.col(k), n, out.x.col(columns.noisy[k].index));
  return out;
}

// Ordinary least squares: all columns of x are exact.
TlsResult of_exact_columns(const LayoutView& x, const LayoutView& y, bool intercept, const Columns& columns,
                           TlsWanted wanted) {
  const Index d = x.cols, t = y.cols, ones = intercept ? 1 : 0;
  TlsResult out(ols(x, y, intercept));
  if (out.rank < d) fail_dependent(out.rank);
  if (wanted == TlsWanted::solution) return out;
  const Array<Index> order = consecutive(0, ones + d);
  Matrix weights(ones + d, t, 0.0);
  for (Index j = 0; j < t; ++j)
    for (Index k = 0; k < d; ++k)
      weights(ones + k, j) = std::ldexp(out.w(k, j), columns.exact[k].exponent - columns.exponent);
  const Matrix none(0, t);
  out.errors = errors_of(columns, none.view(), residuals_of(columns, order, none.view(), weights.view(), ones), d,
                         wanted == TlsWanted::corrections);
  return out;
}

}  // namespace

TlsResult tls(const LayoutView& x, const LayoutView& y, bool intercept, Span<const std::int32_t> exact,
              TlsWanted wanted) {
  const Index n = x.rows, d = x.cols, t = y.cols, ones = intercept ? 1 : 0;
  if (n < d + t + ones)
    fail(Status::invalid_argument, "n is ", n, "; total least squares needs at least d + t", intercept ? " + 1" : "",
         " = ", d + t + ones, " points");
  require_finite("x", x);
  require_finite("y", y);
  checked_doubles(n, 3 * (d + t + 1));
  require_memory((wanted == TlsWanted::solution ? 16 : 24) * n * (d + t + 1), "total least squares of this size",
                 "use fewer rows or features at a time");

  const Columns columns = columns_of(x, y, intercept, exact);
  const Index inner = columns.inner;
  if (inner == 0) return of_exact_columns(x, y, intercept, columns, wanted);
  const Triangles triangles = triangles_of(columns, n, ones, pivot_tolerance(n, d));
  const Matrix w = hyperplane(triangles.rest.view(), inner, pivot_tolerance(n, inner + t), columns.exponent);

  // R_E w_E = T_Y - T_X w: b of the centred columns, then the exact columns.
  Matrix of_exact = copy_of(triangles.top.view().columns(inner, t));
  gemm(Op::none, Op::none, -1, triangles.top.view().columns(0, inner), w.view(), 1, of_exact.view());
  trsm(Op::transpose, triangles.exact.view(), of_exact.view());

  TlsResult out(RegressionResult(d, t));
  out.rank = d;
  for (Index j = 0; j < t; ++j) set_output(columns, triangles.order, j, w.col(j), of_exact.col(j), intercept, out);
  if (wanted != TlsWanted::solution)
    out.errors = errors_of(columns, w.view(), residuals_of(columns, triangles.order, w.view(), of_exact.view(), ones),
                           d, wanted == TlsWanted::corrections);
  return out;
}

}  // namespace freeridge
