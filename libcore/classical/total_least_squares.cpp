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
// Source: S. Van Huffel, J. Vandewalle, The Total Least Squares Problem, 1991, sections 2.3 and 3.5.
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

Array<double> singular_values(ConstMatrixView a, Matrix& vt) {
  Matrix copy(a.rows, a.cols), u(a.rows, a.cols);
  for (Index j = 0; j < a.cols; ++j) std::copy_n(a.col(j), a.rows, copy.col(j));
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
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < t; ++i) part(i, j) = vt(first + j, q - t + i);
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
  Matrix vt, v22(t, t), rhs(t, d), w(d, t);
  const Array<double> s = singular_values(r, vt);
  const double tolerance = relative * s.front(), gap = s[d - 1] - s[d];
  if (!(gap > tolerance)) fail_of_tie(vt.view(), s, d, relative, e);

  for (Index j = 0; j < t; ++j) std::copy_n(vt.col(d + j) + d, t, v22.col(j));
  for (Index k = 0; k < d; ++k) std::copy_n(vt.col(k) + d, t, rhs.col(k));
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

}  // namespace

RegressionResult tls(const LayoutView& x, const LayoutView& y, bool intercept, Span<const std::int32_t> exact) {
  const Index n = x.rows, d = x.cols, t = y.cols, ones = intercept ? 1 : 0;
  if (n < d + t + ones)
    fail(Status::invalid_argument, "n is ", n, "; total least squares needs at least d + t", intercept ? " + 1" : "",
         " = ", d + t + ones, " points");
  require_finite("x", x);
  require_finite("y", y);
  checked_doubles(n, 2 * (d + t + 1));
  require_memory(16 * n * (d + t + 1), "total least squares of this size", "use fewer rows or features at a time");

  Array<ScaledColumn> known, noisy;  // noisy: those of x, then those of y
  for (Index k = 0; k < d; ++k)
    (!exact.empty() && exact[k] != 0 ? known : noisy).push_back({&x, k, column_statistics(x, k, intercept)});
  const auto e_count = static_cast<Index>(known.size()), inner = static_cast<Index>(noisy.size());
  if (inner == 0) {
    RegressionResult out = ols(x, y, intercept);
    if (out.rank < d) fail(Status::undefined, "the exact columns are linearly dependent: their rank is ", out.rank);
    return out;
  }
  for (Index j = 0; j < t; ++j) noisy.push_back({&y, j, column_statistics(y, j, intercept)});
  int e = std::numeric_limits<int>::min();  // one common scale for all columns with errors
  for (const ScaledColumn& column : noisy)
    if (column.statistics.deviation > 0) e = std::max(e, column.own_exponent());
  if (e == std::numeric_limits<int>::min()) e = 0;
  for (ScaledColumn& column : noisy) column.exponent = e;
  for (ScaledColumn& column : known) column.exponent = column.own_exponent();

  const Index p = ones + e_count, q = inner + t;
  Matrix a(n, p, 1.0), c(n, q);
  for (Index k = 0; k < e_count; ++k) known[k].copy(a.col(ones + k));
  for (Index k = 0; k < q; ++k) noisy[k].copy(c.col(k));
  Array<Index> order(p);
  Array<double> tau(p), tau_c(q);
  geqp3(a.view(), ones, order, tau);
  for (Index k = ones; k < p; ++k)
    if (!(std::abs(a(k, k)) > pivot_tolerance(n, d) * std::abs(a(ones, ones))))
      fail(Status::undefined, "the exact columns are linearly dependent: their rank is ", k - ones);
  ormqr(a.view(), tau, c.view(), Op::transpose);
  Matrix top(p, q), r(q, q, 0.0);
  for (Index j = 0; j < q; ++j) std::copy_n(c.col(j), p, top.col(j));
  const MatrixView rest = c.view().row_range(p, n - p);
  geqrf(rest, tau_c);
  for (Index j = 0; j < q; ++j) std::copy_n(rest.col(j), j + 1, r.col(j));

  const Matrix w = hyperplane(r.view(), inner, pivot_tolerance(n, q), e);

  // R_E w_E = T_Y - T_X w: b of the centred columns, then the exact columns.
  Matrix w_known(p, t);
  for (Index j = 0; j < t; ++j) std::copy_n(top.col(inner + j), p, w_known.col(j));
  gemm(Op::none, Op::none, -1, top.view().columns(0, inner), w.view(), 1, w_known.view());
  trsm(Op::transpose, lower_factor(a.view(), 0, p).view(), w_known.view());

  RegressionResult out(d, t);
  out.rank = d;
  for (Index j = 0; j < t; ++j) {
    DoubleDouble b;
    if (intercept) b = DoubleDouble(w_known(0, j)) + DoubleDouble(noisy[inner + j].shift());
    for (Index k = 0; k < inner; ++k) {
      out.w(noisy[k].index, j) = w(k, j);
      b -= two_product(noisy[k].shift(), w(k, j));
    }
    for (Index k = ones; k < p; ++k) {
      const ScaledColumn& column = known[order[k] - ones];
      out.w(column.index, j) = std::ldexp(w_known(k, j), e - column.exponent);
      b -= two_product(column.shift(), w_known(k, j));
    }
    out.b[j] = std::ldexp(b.hi, e);
    bool finite = std::isfinite(out.b[j]);
    for (Index k = 0; k < d; ++k) finite = finite && std::isfinite(out.w(k, j));
    if (!finite) fail(Status::not_finite, "the solution for output ", j, " overflows; rescale x or y");
  }
  return out;
}

}  // namespace freeridge
