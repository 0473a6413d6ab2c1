#include "libcore/routes/linear_directions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_qr.hpp"
#include "libcore/routes/scaled_qr.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr Index direction_rows = 512, turned_rows = 64;

// Rows of X~ E with the roots of `directions`. The problem's rows are divided by the scales: factor = root scale.
class WeightedRows {
 public:
  WeightedRows(const Problem& problem, const LinearDirections& directions, Array<double> factor)
      : problem_(problem), directions_(directions), factor_(std::move(factor)) {}

  Index columns() const { return directions_.restricted ? directions_.space.cols() : problem_.d(); }

  void get(Index row, MatrixView out) {
    if (!directions_.restricted) return whole(row, out);
    if (space_.rows() < out.rows) space_ = Matrix(out.rows, problem_.d());
    const MatrixView tile = space_.view().row_range(0, out.rows);
    whole(row, tile);
    gemm(Op::none, Op::none, 1, tile, directions_.space.view(), 0, out);
  }

 private:
  void whole(Index row, MatrixView out) const {
    problem_.weighted_rows(row, out);
    for (Index k = 0; k < out.cols; ++k)
      for (Index i = 0; i < out.rows && factor_[k] != 1; ++i) out(i, k) *= factor_[k];
    worked(2 * touched * static_cast<double>(out.rows * out.cols));
  }

  const Problem& problem_;
  const LinearDirections& directions_;
  Array<double> factor_;
  Matrix space_;
};

// The norms of the columns of the problem's X~ (data/problem.hpp), with the parts of them that fixed effects explain:
// what rounding leaves of a column that they span stays small beside its norm.
Array<double> column_sizes(const Problem& problem) {
  const Index n = problem.n(), d = problem.d();
  Array<double> out = problem.explained_norms();
  Matrix tile(std::min(direction_rows, n), d);
  for (Index row = 0; row < n; row += direction_rows) {
    const MatrixView rows = tile.view().row_range(0, std::min(direction_rows, n - row));
    problem.weighted_rows(row, rows);
    for (Index k = 0; k < d; ++k) out[k] = std::hypot(out[k], norm2(rows.rows, rows.col(k)));
    worked(4 * touched * static_cast<double>(rows.rows * d));
  }
  return out;
}

// E: the rows of landmarks that pivoted Cholesky keeps, as the landmark route does.
Matrix landmark_space(const Problem& problem, Span<const Index> landmarks, Span<const double> root) {
  const Index d = problem.d(), count = std::ssize(landmarks);
  Matrix x(d, count), k(count, count), row(1, d);
  for (Index q = 0; q < count; ++q) {
    copy_rows(problem.x, landmarks[q], row.view());
    for (Index j = 0; j < d; ++j) x(j, q) = row(0, j) * root[j];
    worked(touched * static_cast<double>(d));
  }
  syrk(Op::transpose, 1, x.view(), 0, k.view());
  double largest = 0;
  for (Index q = 0; q < count; ++q) largest = std::max(largest, k(q, q));
  if (!std::isfinite(largest)) fail(Status::not_finite, "the squares of x overflow; rescale x");
  Array<Index> pivots(count);
  const Index rank = largest > 0 ? std::min(pstrf(k.view(), static_cast<double>(count) * eps * largest, pivots), d) : 0;
  Matrix kept = picked_columns(x.view(), Span(pivots).first(rank)), space(d, rank, 0.0);
  Array<double> tau(rank);
  geqrf(kept.view(), tau);
  for (Index q = 0; q < rank; ++q) space(q, q) = 1;
  ormqr(kept.view(), tau, space.view());
  return space;
}

// R with R'R = X~'X~ by blocks of rows.
Matrix triangle_of(WeightedRows& rows, Index n) {
  RowQr qr(rows.columns());
  Matrix tile(std::min(direction_rows, n), rows.columns());
  for (Index row = 0; row < n; row += direction_rows) {
    const MatrixView part = tile.view().row_range(0, std::min(direction_rows, n - row));
    rows.get(row, part);
    qr.absorb(part);
  }
  return qr.take_r();
}

// S and V (p x p) of a tall X~.
Matrix tall_directions(WeightedRows& rows, Index n, Array<double>& s) {
  const Index p = rows.columns();
  Matrix triangle = triangle_of(rows, n), u(p, p), vt(p, p), v(p, p);
  require_finite_squares(column_norms(triangle.view()), "x");
  s.resize(p);
  small_svd(triangle.view(), s, u.view(), vt.view());
  transpose(vt.view(), v.view());
  return v;
}

// S and V (p x n) of a wide one: X~' P = Q R, R = U S V_R', V = Q U.
Matrix wide_directions(WeightedRows& rows, Index n, Array<double>& s) {
  const Index p = rows.columns();
  Matrix turned(p, n), tile(std::min(turned_rows, n), p), triangle(n, n), u(n, n), vt(n, n), v(p, n);
  for (Index row = 0; row < n; row += turned_rows) {
    const MatrixView part = tile.view().row_range(0, std::min(turned_rows, n - row));
    rows.get(row, part);
    transpose(part, turned.view().columns(row, part.rows));
  }
  const ScaledQr qr(std::move(turned), triangle.view());
  require_finite_squares(qr.error_norms(), "x");
  s.resize(n);
  small_svd(triangle.view(), s, u.view(), vt.view());
  qr.expand(u.view(), v.view());
  return v;
}

}  // namespace

Index LinearDirections::rank() const {
  Index count = 0;
  for (std::size_t k = 0; k < s.size(); ++k) count += s[k] > 0 && s[k] * s[k] > noise[k] ? 1 : 0;
  return count;
}

LinearDirections linear_directions(const Problem& problem, Span<const Index> landmarks, bool equal) {
  const Index n = problem.n();
  LinearDirections out;
  Array<double> sizes = column_sizes(problem), factor(problem.d(), 1.0);
  for (Index k = 0; k < problem.d(); ++k) {
    if (equal && landmarks.empty() && sizes[k] > 0) factor[k] = 1 / sizes[k];
    sizes[k] *= factor[k];
  }
  for (Index k = 0; k < problem.d(); ++k) {
    out.root.push_back(factor[k] / (*problem.linear_scale)[k]);
    if (!std::isfinite(out.root[k]) || !std::isfinite(factor[k]))
      fail(Status::not_finite, "the coefficients of column ", k, " of x overflow; rescale x");
  }
  const Stage stage(0, 0);
  if (!landmarks.empty()) {
    out.restricted = true;
    out.space = landmark_space(problem, landmarks, out.root);
    if (out.space.cols() == 0) {  // all landmarks are zero: the slopes are, too
      out.v = Matrix(problem.d(), 0);
      return out;
    }
  }
  WeightedRows rows(problem, out, std::move(factor));
  Matrix v = n > rows.columns() ? tall_directions(rows, n, out.s) : wide_directions(rows, n, out.s);
  if (out.restricted) {
    out.v = Matrix(problem.d(), v.cols());
    gemm(Op::none, Op::none, 1, out.space.view(), v.view(), 0, out.v.view());
  } else {
    out.v = std::move(v);
  }
  Matrix vt(out.v.cols(), out.v.rows());
  transpose(out.v.view(), vt.view());
  out.noise = direction_noise(sizes, vt.view(), n);
  return out;
}

Index linear_directions_bytes(Index n, Index d, Index landmarks) {
  const Index p = landmarks > 0 ? std::min(landmarks, d) : d;
  const Index own = n > p ? checked_doubles(8 * p + direction_rows + 64, p)
                          : checked_doubles(2 * n + 192, p) + checked_doubles(8 * n, n) + checked_doubles(n, p);
  const Index space = landmarks > 0 ? checked_doubles(d, 4 * landmarks) + checked_doubles(landmarks, landmarks) : 0;
  return 8 * (own + space + checked_doubles(direction_rows, d)) + (Index{8} << 20);
}

}  // namespace freeridge
