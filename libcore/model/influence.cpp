// What each row does to the fit, lambda and the kernel held. With the hat matrix H, h_i = H_ii, A = I - H = rho P~, the
// left-out errors e and the residuals r, all of one output
//     f(x_j) - f_(-i)(x_j) = H_ji e_i
//     tr(I - H)_(-i) = tr A - A_ii - o_i / A_ii,   o_i = sum_{j != i} A_ij^2
//     df_(-i)        = df - h_i + o_i / A_ii
//     sigma_(-i)^2   = sum_{j != i} W_jj (r_j + H_ji e_i)^2 / tr(I - H)_(-i)
//     coefficient a'Y less that without row i:   a_i e_i                a linear kernel's
// Columns of A are those of P~, which have their digits where A is small beside I; of ITERATIVE, and where outputs are
// missing, I less the smoother rows of all points. A tile at a time. A row in which the output is not observed has no
// part in the fit: e_i = h_i = o_i = 0, and nothing is subtracted from n.
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

// Sums over the rows j other than i, for each row i.
struct WithoutRows {
  Array<double> off_diagonal;  // o_i
  Matrix squares;              // sum_j W_jj (r_j + H_ji e_i)^2
};

// Columns [row, row + out.cols) of W^(1/2) A W^(-1/2). root: of the weights, 0 in rows that are not observed.
void columns_of_residuals(const ResidualMaker& maker, const Problem& problem, Span<const double> root, bool of_smoother,
                          Index row, MatrixView out) {
  if (!of_smoother) {
    maker.columns_of(consecutive(row, out.cols), out);
    return multiply_by(out, maker.shrinkage());
  }
  maker.smoother(problem.own_points(), row, out, {});  // column q: W^(-1/2) times that of W^(1/2) H W^(-1/2)
  for (Index q = 0; q < out.cols; ++q)
    for (Index i = 0; i < out.rows; ++i)
      out(i, q) = root[i] > 0 ? (i == row + q ? 1 : 0) - root[row + q] * out(i, q) / root[i] : 0;
}

// residual: W^(1/2) r.
WithoutRows sums_without_rows(const ResidualMaker& maker, const Problem& problem, Span<const double> root,
                              bool of_smoother, ConstMatrixView residual, ConstMatrixView errors) {
  const Index n = problem.n();
  WithoutRows out{Array<double>(n, 0.0), Matrix(n, errors.cols, 0.0)};
  each_smoother_tile(n, n, [&](Index row, Index rows) {
    Matrix a(n, rows);
    columns_of_residuals(maker, problem, root, of_smoother, row, a.view());
    for (Index q = 0; q < rows; ++q) {
      if (root[row + q] == 0) continue;
      a(row + q, q) = 0;
      for (Index i = 0; i < n; ++i) out.off_diagonal[i] += a(i, q) * a(i, q);
      for (Index j = 0; j < errors.cols; ++j)
        for (Index i = 0; i < n; ++i) {
          const double r = residual(row + q, j) - a(i, q) * root[i] * errors(i, j);
          if (i != row + q) out.squares(i, j) += r * r;
        }
    }
    worked(8 * touched * static_cast<double>(n * rows * (errors.cols + 1)));
  });
  return out;
}

}  // namespace

std::string Model::influence(MatrixView df, MatrixView sigma, MatrixView change) const {
  require_fitted();
  const Problem& problem = factorization_->problem();
  if (change.cols > 0 && !problem.linear())
    fail(Status::invalid_state, "only a linear kernel has coefficients that change without a row");
  const Index n = this->n(), p = change.cols > 0 ? change.cols / t() : 0;
  const bool deviations = df.cols > 0 || sigma.cols > 0;
  require_room_to_predict(n, 1, smoother_rows(n, n));
  require_room(8 * (checked_doubles(n, 4 * t() + 4) + checked_doubles(n + problem.d(), checked_doubles(2 + t(), p))),
               "the influence of each row", "use fewer outputs or features");
  const Hearing hearing(listener_);
  Stage stage(0, 0.3);
  std::string reason;
  Matrix errors(n, t()), freedom(n, t()), deviation(n, t()), coefficients(p > 0 ? n : 0, p * t());
  for (const std::string& why : left_out().reasons) keep_first(reason, why);
  copy(left_out().errors.view(), errors.view());
  for (Index j = 0; j < t(); ++j)
    for (const Index i : problem.missing_rows(j)) errors(i, j) = 0;
  stage.next(1);
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const ConstMatrixView e = errors.view().columns(first, count);
    if (p > 0) changes_of_coefficients(maker, e, coefficients.view().columns(first * p, count * p));
    if (!deviations) return;
    Array<double> root(problem.sqrt_w.begin(), problem.sqrt_w.end()), leverage(n), diagonal(n);
    for (const Index i : maker.unobserved()) root[i] = 0;
    Matrix residual(n, count);  // W^(1/2) r
    maker.residual_and_diagonal(first, residual.view(), diagonal);
    multiply_by(residual.view(), maker.shrinkage());
    maker.leverage(leverage);
    double trace = 0, df_of_all = 0;
    for (Index i = 0; i < n; ++i) {
      diagonal[i] = root[i] > 0 ? maker.shrinkage() * diagonal[i] : 0;
      if (root[i] == 0) leverage[i] = 0;
      trace += diagonal[i];
      df_of_all += leverage[i];
    }
    const bool of_smoother = !maker.unobserved().empty() || factorization_->route() == Route::iterative;
    const WithoutRows without = sums_without_rows(maker, problem, root, of_smoother, residual.view(), e);
    const double rounding = static_cast<double>(n) * eps * trace;
    for (Index j = first; j < first + count; ++j)
      for (Index i = 0; i < n; ++i) {
        const double h = leverage[i], error = errors(i, j);
        const double moved = without.off_diagonal[i] == 0 ? 0 : without.off_diagonal[i] / diagonal[i];
        const double of_fit = df_of_all - h + moved, rest = trace - diagonal[i] - moved;
        const double left = rest > rounding ? rest : 0;
        freedom(i, j) = std::isnan(error) ? nan : of_fit;
        deviation(i, j) = std::isnan(error)   ? nan
                          : known_sigma2_ > 0 ? std::sqrt(known_sigma2_)
                          : left > 0          ? std::sqrt(without.squares(i, j - first) / left / kept_share())
                                              : nan;
        if (std::isnan(deviation(i, j)))
          keep_first(reason,
                     text("sigma without row ", i, " is undefined: no degrees of freedom are left for the errors"));
      }
  });
  report(1);
  const auto require = [](const Matrix& answer, bool wanted, const char* what) {  // NaN is an answer
    for (const double value : wanted ? answer.values() : Span<const double>())
      if (std::isinf(value)) fail(Status::not_finite, what, " overflow; rescale y or x");
  };
  require(freedom, df.cols > 0, "the degrees of freedom without a row");
  require(deviation, sigma.cols > 0, "the deviations of the errors without a row");
  require(coefficients, p > 0, "the changes of the coefficients");
  if (df.cols > 0) copy(freedom.view(), df);
  if (sigma.cols > 0) copy(deviation.view(), sigma);
  copy(coefficients.view(), change);
  return reason;
}

// Column k of output j: a_k e_j for the coefficient a_k'Y, from predictions at the first row z of x, F and, for each of
// their columns, a step s from there to the value that is farthest away: slope = (f(z + s) - f(z)) / s, b = f(z) -
// z'slopes.
void Model::changes_of_coefficients(const ResidualMaker& maker, ConstMatrixView errors, MatrixView change) const {
  const LayoutView fixed = data_->fixed_view();
  const Index n = this->n(), d = this->d(), slopes = d + fixed.cols, constant = offset_ == Offset::none ? 0 : 1;
  const auto value = [&](Index i, Index k) { return k < d ? data_->x(i, k) : fixed(i, k - d); };
  Matrix of_b(n, 1);
  const auto take = [&](ConstMatrixView a, Index k) {
    for (Index j = 0; j < errors.cols; ++j)
      for (Index i = 0; i < n; ++i) change(i, k + (constant + slopes) * j) = a(i, 0) * errors(i, j);
  };
  const Index height = std::max<Index>(1, std::min(smoother_rows(n, slopes + 1) - 1, slopes));
  for (Index first = 0; first < slopes; first += height) {
    report(fraction(first, slopes));
    const Index count = std::min(height, slopes - first);
    Array<double> step(count);
    Matrix x(count + 1, d), f(count + 1, fixed.cols), a(n, count + 1);
    for (Index q = 0; q <= count; ++q)
      for (Index k = 0; k < slopes; ++k) (k < d ? x(q, k) : f(q, k - d)) = value(0, k);
    for (Index q = 0; q < count; ++q) {
      const Index k = first + q;
      for (Index i = 0; i < n; ++i)
        if (const double s = value(i, k) - value(0, k); std::abs(s) > std::abs(step[q])) step[q] = s;
      if (step[q] == 0) step[q] = 1;
      (k < d ? x(q + 1, k) : f(q + 1, k - d)) += step[q];
    }
    const OffsetRows seen = problem_rows(*kernel_, layout_view(x));
    maker.smoother(Points(seen.x, layout_view(f)), 0, a.view(), {});
    const MatrixView z = a.view().columns(0, 1);
    if (first == 0) copy(z, of_b.view());
    for (Index q = 0; q < count; ++q) {
      const MatrixView slope = a.view().columns(q + 1, 1);
      for (Index i = 0; i < n; ++i) {
        slope(i, 0) = (slope(i, 0) - z(i, 0)) / step[q];
        of_b(i, 0) -= value(0, first + q) * slope(i, 0);
      }
      take(slope, constant + first + q);
    }
  }
  if (constant == 1) take(of_b.view(), 0);
}

}  // namespace freeridge
