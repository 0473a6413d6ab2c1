#include "libcore/factor/observed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/constants.hpp"
#include "libcore/factor/solution.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

bool makes_whole(const Factorization& f, Index first, Index count) {
  const bool dual = f.route() == Route::cholesky || f.route() == Route::spectral || f.route() == Route::band;
  return dual && f.problem().missing->rows_in(first, count) >= f.problem().n();
}

}  // namespace

AllRows::AllRows(const Factorization& factorization, std::shared_ptr<const ResidualMaker> maker, Index first,
                 Index count)
    : problem_(factorization.problem()),
      maker_(std::move(maker)),
      first_(first),
      residual_(problem_.n(), count),
      diagonal_(problem_.n()) {
  const Index n = problem_.n();
  if (!makes_whole(factorization, first, count)) {
    maker_->residual_and_diagonal(first, residual_.view(), diagonal_);
    return;
  }
  maker_->residual(first, residual_.view());
  p_ = Matrix(n, n);
  maker_->whole(p_.view(), diagonal_);
}

Index AllRows::doubles(const Factorization& factorization) {
  const Problem& problem = factorization.problem();
  const Index n = problem.n(), t = problem.t();
  Index most = 0;
  for (const MissingOutputs::Part& part : problem.missing->parts())
    most = std::max(most, static_cast<Index>(std::ssize(part.rows)));
  return checked_doubles(n, 3 * t + 3) + checked_doubles(n, 2 * most) + checked_doubles(most, most + 3 * t) +
         (makes_whole(factorization, 0, t) ? checked_doubles(n, n) : 0);
}

Matrix AllRows::columns(Span<const Index> which) const {
  Matrix out(problem_.n(), std::ssize(which));
  if (!has_whole()) {
    maker_->columns_of(which, out.view());
    return out;
  }
  for (Index k = 0; k < out.cols(); ++k) std::copy_n(column(which[k]), out.rows(), out.col(k));
  worked(touched * static_cast<double>(out.rows() * out.cols()));
  return out;
}

ObservedRows::ObservedRows(const AllRows& all, const MissingOutputs::Part& part)
    : all_(all),
      part_(part),
      columns_(all.has_whole() ? Matrix() : all.columns(part.rows)),
      p_(block()),
      factor_(p_.view()) {
  if (!all_.problem().determined_without(part.rows) || !factor_.regular())
    fail(Status::undefined, "the rows in which output ", part.outputs.front(),
         " is observed do not determine its predictions in the rows in which it is missing");
}

// With the diagonal that routes make with more digits.
Matrix ObservedRows::block() const {
  Matrix out(s(), s());
  for (Index k = 0; k < s(); ++k) {
    for (Index l = k; l < s(); ++l) out(l, k) = column(k)[part_.rows[l]];
    out(k, k) = all_.diagonal()[part_.rows[k]];
  }
  return out;
}

const Matrix& ObservedRows::x() const {
  made_.run([&] {
    x_ = all_.has_whole() ? all_.columns(part_.rows) : copy_of(columns_.view());
    factor_.half_solve_rows(x_.view());
  });
  return x_;
}

void ObservedRows::clear(MatrixView a) const {
  for (Index j = 0; j < a.cols; ++j)
    for (const Index i : part_.rows) a(i, j) = 0;
}

Matrix ObservedRows::half(Index first, Index count) const {
  Matrix out = picked_rows(all_.residual(first, count), part_.rows);
  factor_.half_solve(out.view());
  return out;
}

Matrix ObservedRows::excesses(Index first, Index count) const {
  Matrix out = half(first, count);
  factor_.other_half_solve(out.view());
  return out;
}

// out - P~_:S e
void ObservedRows::take_columns(ConstMatrixView e, MatrixView out) const {
  if (!all_.has_whole()) return gemm(Op::none, Op::none, -1, columns_.view(), e, 1, out);
  for (Index k = 0; k < e.rows; ++k) {
    const double* const p = column(k);
    for (Index j = 0; j < e.cols; ++j) {
      double* const to = out.col(j);
      for (Index i = 0; i < out.rows; ++i) to[i] -= p[i] * e(k, j);
    }
  }
  worked(touched * static_cast<double>(out.rows * e.rows * e.cols));
}

Array<double> ObservedRows::excess(Index output) const {
  const Matrix e = excesses(output, 1);
  Array<double> out;
  for (Index k = 0; k < e.rows(); ++k) out.push_back(e(k, 0) / all_.problem().sqrt_w[part_.rows[k]]);
  return out;
}

void ObservedRows::residual(Index first, MatrixView out) const {
  copy(all_.residual(first, out.cols), out);
  take_columns(excesses(first, out.cols).view(), out);
  clear(out);
}

// A difference of nearly equal numbers is rounding.
void ObservedRows::diagonal(Span<double> out) const {
  const double rounding = 10 * std::numeric_limits<double>::epsilon() * (1 + std::sqrt(static_cast<double>(s())));
  const Array<double> less = squares_of_x();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double all = all_.diagonal()[i], left = all - less[i];
    out[i] = left > rounding * all ? left : 0;
  }
  for (const Index i : part_.rows) out[i] = 0;
}

// The diagonal of X X'.
Array<double> ObservedRows::squares_of_x() const {
  const Matrix& x = this->x();
  Array<double> out(x.rows(), 0.0);
  for (Index k = 0; k < x.cols(); ++k) {
    const double* const column = x.col(k);
    for (Index i = 0; i < x.rows(); ++i) out[i] += column[i] * column[i];
  }
  worked(touched * static_cast<double>(x.rows() * x.cols()));
  return out;
}

double ObservedRows::trace() const {
  Array<double> values(all_.problem().n());
  diagonal(values);
  return sum_of(values);
}

// I - rho (P~ - X X') = H + rho X X': a small leverage keeps its digits.
void ObservedRows::leverage(Span<double> out) const {
  of_all().leverage(out);
  const double rho = shrinkage();
  const Array<double> more = squares_of_x();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += rho * more[i];
  for (const Index i : part_.rows) out[i] = 0;
}

double ObservedRows::degrees_of_freedom() const {
  Array<double> values(all_.problem().n());
  leverage(values);
  return sum_of(values);
}

double ObservedRows::log_determinant() const {
  return of_all().log_determinant() + factor_.log_determinant() - static_cast<double>(s()) * std::log(scale());
}

double ObservedRows::quadratic_form(Index output) const {
  const Matrix z = half(output, 1);
  return of_all().quadratic_form(output) - dot(z.rows(), z.data(), z.data()) / scale();
}

double ObservedRows::squared_norm(Index output) const {
  Matrix r(all_.problem().n(), 1);
  residual(output, r.view());
  return dot(r.rows(), r.data(), r.data());
}

// |w|^2 of linear kernels. Else c~'K_w c~ = Y~*'P Y~* - lambda |c~|^2 as P (K_w + lambda I) P = P, c~ = P~Y~* / s and
// lambda = rho s: where lambda is far above the eigenvalues the difference has the rounding of Y~*'P Y~*.
double ObservedRows::function_norm2(Index output) const {
  const Problem& problem = all_.problem();
  if (problem.linear()) {
    Solution solution{{},
                      Matrix(problem.d(), problem.t()),
                      Array<double>(problem.t()),
                      Array<double>(problem.t()),
                      Matrix(problem.fixed.cols, problem.t())};
    solve(output, 1, solution);
    double sum = 0;
    for (Index k = 0; k < problem.d(); ++k) {
      const double w = solution.w(k, output) * (*problem.linear_scale)[k];
      sum += w * w;
    }
    return sum;
  }
  if (!(scale() > 0)) return nan;
  return std::max(quadratic_form(output) - shrinkage() * (squared_norm(output) / scale()), 0.0);
}

// c~ = P~Y~* / s
void ObservedRows::coefficients(Index first, MatrixView out) const {
  const double s = scale();
  if (!(s > 0))
    fail(Status::undefined, "the coefficients of an output with missing values are undefined at lambda = 0");
  residual(first, out);
  divide_by(out, s);
}

void ObservedRows::solve(Index first, Index count, Solution& solution) const {
  Matrix r(all_.problem().n(), count);
  residual(first, r.view());
  of_all().solve_without(part_.rows, excesses(first, count).view(), r.view(), first, solution);
}

void ObservedRows::smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const {
  const Problem& problem = all_.problem();
  const Index count = std::max(a.cols, variance.count());
  Matrix rows(problem.n(), count), z(s(), count);
  of_all().smoother(points, first, rows.view(), variance);
  for (Index j = 0; j < count; ++j)
    for (Index k = 0; k < s(); ++k) z(k, j) = rows(part_.rows[k], j) / problem.sqrt_w[part_.rows[k]];
  factor_.half_solve(z.view());
  variance.add(scale(), z.view());
  if (a.cols == 0) return;
  gemm(Op::none, Op::none, -1, x().view(), z.view().columns(0, a.cols), 0, a);
  problem.weight_rows(a);
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) += rows(i, j);
  clear(a);
}

}  // namespace freeridge
