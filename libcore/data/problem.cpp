#include "libcore/data/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/rows/weighted_means.hpp"

namespace freeridge {
namespace {

constexpr double surely = 1e-8;  // the eigenvalue of q1_O'q1_O from which on the rows O determine all effects

}  // namespace

double weight_span(Span<const double> weights) {
  if (weights.empty()) return 1;
  const auto [low, high] = std::ranges::minmax_element(weights);
  return *high / *low;
}

Problem::Problem(KernelPtr kernel_, const Rows& x_, const LayoutView& y_, Span<const double> weights_, bool intercept_,
                 const LayoutView& fixed_)
    : kernel(std::move(kernel_)),
      x(x_),
      basis(x_),
      y(y_),
      weights(weights_),
      fixed(fixed_),
      intercept(intercept_),
      sqrt_w(x_.rows, 1.0),
      sum_w(static_cast<double>(x_.rows)),
      y_tilde(y.rows, y.cols),
      linear_scale(kernel->linear_scale(x_.cols)) {
  if (!weights.empty()) {
    sum_w = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sqrt_w[i] = std::sqrt(weights[i]);
      sum_w += weights[i];
      sum_log_w += std::log(weights[i]);
    }
    if (!std::isfinite(sum_w)) fail(Status::not_finite, "the sum of the weights overflows");
  }
  unpenalised = Unpenalised(intercept, fixed, sqrt_w, sum_w);
  for (Index i = 0; i < n() && fixed.cols > 0; ++i)
    if (!determined_without({&i, 1})) decisive.push_back(i);
  set_y();
  if (linear()) set_centre();
}

void Problem::set_y() {
  const Index ones = intercept ? 1 : 0;
  y_free = Matrix(q(), t(), 0.0);
  if (intercept) {
    const Array<double> mean = weighted_means(y, sqrt_w, sum_w, "y").mean;
    for (Index j = 0; j < t(); ++j) y_free(0, j) = mean[j];
  }
  copy_rows(y, 0, y_tilde.view());
  for (Index j = 0; j < t(); ++j) {
    const double mean = intercept ? y_free(0, j) : 0;
    for (Index i = 0; i < n(); ++i) {
      double& value = y_tilde(i, j);
      value = sqrt_w[i] * (value - mean);
      if (!std::isfinite(value)) fail(Status::not_finite, "y[", i, ", ", j, "], weighted and centred, overflows");
    }
    for (int pass = 0; pass < 2; ++pass)
      for (Index k = ones; k < q(); ++k) {
        const double along = dot(n(), q1().col(k), y_tilde.col(j));
        if (!std::isfinite(along)) fail(Status::not_finite, "the effects of output ", j, " overflow; rescale y");
        y_free(k, j) += along / unpenalised.nu(k);
        for (Index i = 0; i < n(); ++i) y_tilde(i, j) -= along * q1()(i, k);
      }
  }
}

void Problem::set_centre() {
  const Index ones = intercept ? 1 : 0, more = q() - ones;
  x_free = Matrix(d(), q(), 0.0);
  if (intercept) {
    Means of_x = weighted_means(x, sqrt_w, sum_w, "x");
    shift = std::move(of_x.mean);
    std::ranges::copy(of_x.rest, x_free.col(0));
  }
  if (more == 0) return;
  Matrix weighted = copy_of(q1().view().columns(ones, more));
  weight_rows(weighted.view());
  const MatrixView along = x_free.view().columns(ones, more);
  add_transposed(x, 0, shift, weighted.view(), along);
  for (Index k = 0; k < more; ++k)
    for (Index c = 0; c < d(); ++c) {
      along(c, k) /= unpenalised.nu(ones + k);
      if (!std::isfinite(along(c, k)))
        fail(Status::not_finite, "the part of column ", c, " of x that the fixed effects explain overflows; rescale x");
    }
}

Span<const Index> Problem::missing_rows(Index output) const {
  return missing ? missing->rows_of(output) : Span<const Index>();
}

double Problem::sum_w_of(Index output) const {
  const Span<const Index> rows = missing_rows(output);
  if (rows.empty()) return sum_w;
  double sum = 0;
  for (const Index i : other_indices(rows, n())) sum += weight(i);
  return sum;
}

double Problem::sum_log_w_of(Index output) const {
  double sum = sum_log_w;
  for (const Index i : missing_rows(output)) sum -= 2 * std::log(sqrt_w[i]);
  return sum;
}

double Problem::free_leverage(Index i) const {
  double sum = 0;
  for (Index k = 0; k < q(); ++k) sum += q1()(i, k) * q1()(i, k);
  return sum;
}

Matrix Problem::q1_of(Span<const Index> rows) const {
  return picked_rows(q1().view(), rows);
}

void Problem::finish_smoother(const Points& points, Index first, MatrixView p_kappa) const {
  Matrix g(q(), p_kappa.cols);
  directions(points, first, g.view());
  if (q() > 0) gemm(Op::none, Op::none, 1, q1().view(), g.view(), 1, p_kappa);
  weight_rows(p_kappa);
}

void Problem::add_free_variance(const Points& points, Index first, double lambda, const Covariances& variance) const {
  if (q() == 0 || !variance.wanted()) return;
  Matrix g(q(), variance.count());
  directions(points, first, g.view());
  variance.add(lambda, g.view());
}

// U = W^(-1/2) q1 diag(nu); the ones of the intercept exactly.
double Problem::free_function(Index i, Index k) const {
  return k == 0 && intercept ? 1 : q1()(i, k) / sqrt_w[i] * unpenalised.nu(k);
}

void Problem::subtract_free(Index row, Index from, ConstMatrixView c, MatrixView tile) const {
  if (from >= q()) return;
  Matrix u(tile.rows, q() - from);
  for (Index k = 0; k < u.cols(); ++k)
    for (Index i = 0; i < u.rows(); ++i) u(i, k) = free_function(row + i, from + k);
  gemm(Op::none, Op::transpose, -1, u.view(), c.columns(from, u.cols()), 1, tile);
}

void Problem::centre_and_weigh(Span<const Index> rows, ConstMatrixView c, MatrixView tile) const {
  if (q() > 0) {
    Matrix u(tile.rows, q());
    for (Index k = 0; k < u.cols(); ++k)
      for (Index i = 0; i < u.rows(); ++i) u(i, k) = free_function(rows[i], k);
    gemm(Op::none, Op::transpose, -1, u.view(), c, 1, tile);
  }
  Array<double> root(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) root[i] = sqrt_w[rows[i]];
  multiply_rows(root, tile);
  worked(2 * touched * static_cast<double>(tile.rows * tile.cols));
}

// I - q1_S'q1_S = q1_O'q1_O for the other rows O, whose eigenvalues are at least 1 - |q1_S|^2; where that may be
// singular, by the columns of these rows themselves.
bool Problem::determined_without(Span<const Index> rows) const {
  const Index stay = n() - std::ssize(rows);
  if (stay < q() || fixed.cols == 0) return stay >= q();
  double squares = 0;
  for (const Index i : rows) squares += free_leverage(i);
  if (squares < 1 - surely) return true;
  const Matrix own = q1_of(rows);
  Matrix gram(q(), q(), 0.0);
  for (Index k = 0; k < q(); ++k) gram(k, k) = 1 - surely;
  syrk(Op::transpose, -1, own.view(), 1, gram.view());
  if (potrf(gram.view())) return true;

  Matrix others(stay, fixed.cols);
  Array<double> roots;
  double sum = 0;
  for (const Index i : other_indices(rows, n())) {
    for (Index k = 0; k < fixed.cols; ++k) others(std::ssize(roots), k) = fixed(i, k);
    roots.push_back(sqrt_w[i]);
    sum += weight(i);
  }
  return Unpenalised(intercept, layout_view(others), roots, sum).q() == q();
}

void Problem::clear_decisive(Index row, Span<double> diagonal) const {
  for (const Index i : decisive)
    if (i >= row && i < row + std::ssize(diagonal)) diagonal[i - row] = 0;
}

void Problem::scaled_rows(const Points& points, Index row, MatrixView out) const {
  if (points.functionals == nullptr) {
    pack_rows(points.x, row, shift, out);
  } else if (points.functionals->of_function()) {
    copy(points.functionals->slopes.row_range(row, out.rows), out);
  } else {
    for (Index k = 0; k < out.cols; ++k) std::fill_n(out.col(k), out.rows, 0.0);
  }
  divide_by_scale(out);
}

Array<double> Problem::explained_norms() const {
  Array<double> out(d(), 0.0);
  for (Index l = 0; l < q(); ++l) {
    const double given = unpenalised.given_norm(l);
    for (Index k = 0; k < d(); ++k) out[k] = std::hypot(out[k], given * x_free(k, l) / (*linear_scale)[k]);
  }
  return out;
}

void Problem::divide_by_scale(MatrixView out) const {
  for (Index k = 0; k < out.cols; ++k) {
    const double scale = (*linear_scale)[k];
    if (scale == 1) continue;
    for (Index i = 0; i < out.rows; ++i) out(i, k) /= scale;
  }
}

void Problem::weighted_rows(Index row, MatrixView out) const {
  pack_rows(x, row, shift, out);
  subtract_free(row, intercept ? 1 : 0, x_free.view(), out);
  divide_by_scale(out);
  for (Index k = 0; k < out.cols; ++k)
    for (Index i = 0; i < out.rows; ++i) {
      out(i, k) *= sqrt_w[row + i];
      if (!std::isfinite(out(i, k)))
        fail(Status::not_finite, "x[", row + i, ", ", k, "], weighted and scaled, overflows");
    }
}

void Problem::scaled_entries(Index row, Index count, SparseTile& out) const {
  take_rows(x.sparse(), row, count, out);
  for (std::size_t p = 0; p < out.value.size(); ++p) out.value[p] /= (*linear_scale)[out.column[p]];
}

}  // namespace freeridge
