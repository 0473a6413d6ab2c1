#include "libcore/factor/observed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

// P~_SS from P~_S: and the diagonal, which routes make with more digits.
Matrix block_of(ConstMatrixView p, Span<const Index> which, Span<const double> diagonal) {
  Matrix out(p.rows, p.rows);
  for (Index k = 0; k < out.cols(); ++k) {
    std::copy_n(p.col(which[k]), p.rows, out.col(k));
    out(k, k) = diagonal[which[k]];
  }
  return out;
}

bool makes_whole(const Factorization& f, Index first, Index count) {
  const bool dual = f.route() == Route::cholesky || f.route() == Route::spectral || f.route() == Route::band;
  return dual && f.problem().missing->rows_in(first, count) >= f.problem().n();
}

[[noreturn]] void refuse(const char* what) {
  fail(Status::invalid_state, what, " of outputs with missing values are not made; leave these rows out of x and y");
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
  Stage stage(0, 0.2);
  maker_->residual_and_diagonal(first, residual_.view(), diagonal_);
  stage.next(1);
  if (!makes_whole(factorization, first, count)) return;
  p_ = Matrix(n, n);
  maker_->whole(p_.view());
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

// P~ is symmetric: its rows S are its columns S, transposed by blocks that fit into the cache.
Matrix AllRows::rows(Span<const Index> which) const {
  constexpr Index block = 64;
  const Index n = problem_.n(), s = std::ssize(which);
  const bool whole = p_.cols() > 0;
  Matrix out(s, n), columns(n, whole ? 0 : s);
  if (!whole) maker_->columns_of(which, columns.view());
  for (Index row = 0; row < n; row += block)
    for (Index k = 0; k < s; ++k) {
      const double* const from = whole ? p_.col(which[k]) : columns.col(k);
      for (Index i = row; i < std::min(row + block, n); ++i) out(k, i) = from[i];
    }
  worked(touched * static_cast<double>(n * s));
  return out;
}

ObservedRows::ObservedRows(const AllRows& all, const MissingOutputs::Part& part)
    : all_(all),
      part_(part),
      rows_(all.rows(part.rows)),
      p_(block_of(rows_.view(), part.rows, all.diagonal())),
      factor_(p_.view()) {
  if (!factor_.regular())
    fail(Status::undefined, "the rows in which output ", part.outputs.front(),
         " is observed do not determine its predictions in the rows in which it is missing");
}

const Matrix& ObservedRows::xt() const {
  std::call_once(made_, [&] {
    xt_ = copy_of(rows_.view());
    factor_.half_solve(xt_.view());
  });
  return xt_;
}

void ObservedRows::clear(MatrixView a) const {
  for (Index j = 0; j < a.cols; ++j)
    for (const Index i : part_.rows) a(i, j) = 0;
}

Matrix ObservedRows::half(Index first, Index count) const {
  const ConstMatrixView v = all_.residual(first, count);
  Matrix out(std::ssize(part_.rows), count);
  for (Index j = 0; j < count; ++j)
    for (Index k = 0; k < out.rows(); ++k) out(k, j) = v(part_.rows[k], j);
  factor_.half_solve(out.view());
  return out;
}

Matrix ObservedRows::excesses(Index first, Index count) const {
  Matrix out = half(first, count);
  factor_.other_half_solve(out.view());
  return out;
}

Array<double> ObservedRows::excess(Index output) const {
  const Matrix e = excesses(output, 1);
  Array<double> out;
  for (Index k = 0; k < e.rows(); ++k) out.push_back(e(k, 0) / all_.problem().sqrt_w[part_.rows[k]]);
  return out;
}

void ObservedRows::residual(Index first, MatrixView out) const {
  copy(all_.residual(first, out.cols), out);
  gemm(Op::transpose, Op::none, -1, rows_.view(), excesses(first, out.cols).view(), 1, out);
  clear(out);
}

// A difference of nearly equal numbers is rounding.
void ObservedRows::diagonal(Span<double> out) const {
  const Matrix& x = xt();
  const Index s = x.rows();
  const double rounding = 10 * std::numeric_limits<double>::epsilon() * (1 + std::sqrt(static_cast<double>(s)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double all = all_.diagonal()[i];
    const double left = all - dot(s, x.col(i), x.col(i));
    out[i] = left > rounding * all ? left : 0;
  }
  worked(touched * static_cast<double>(x.rows() * x.cols()));
  for (const Index i : part_.rows) out[i] = 0;
}

double ObservedRows::trace() const {
  Array<double> values(rows_.cols());
  diagonal(values);
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// I - rho (P~ - X X') = H + rho X X': a small leverage keeps its digits.
void ObservedRows::leverage(Span<double> out) const {
  of_all().leverage(out);
  const double rho = shrinkage();
  const Matrix& x = xt();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += rho * dot(x.rows(), x.col(i), x.col(i));
  for (const Index i : part_.rows) out[i] = 0;
}

double ObservedRows::degrees_of_freedom() const {
  Array<double> values(rows_.cols());
  leverage(values);
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

double ObservedRows::log_determinant() const {
  return of_all().log_determinant() + factor_.log_determinant() - static_cast<double>(rows_.rows()) * std::log(scale());
}

double ObservedRows::quadratic_form(Index output) const {
  const Matrix z = half(output, 1);
  return of_all().quadratic_form(output) - dot(z.rows(), z.data(), z.data()) / scale();
}

double ObservedRows::squared_norm(Index output) const {
  Matrix r(rows_.cols(), 1);
  residual(output, r.view());
  return dot(r.rows(), r.data(), r.data());
}

double ObservedRows::function_norm2(Index) const {
  refuse("the norms");
}

// c~ = P~Y~* / s
void ObservedRows::coefficients(Index first, MatrixView out) const {
  const double s = scale();
  if (!(s > 0))
    fail(Status::undefined, "the coefficients of an output with missing values are undefined at lambda = 0");
  residual(first, out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) /= s;
}

void ObservedRows::solve(Index first, Index count, Solution& solution) const {
  Matrix r(rows_.cols(), count);
  residual(first, r.view());
  of_all().solve_without(part_.rows, excesses(first, count).view(), r.view(), first, solution);
}

void ObservedRows::refine(Index, Index, Index, Solution&) const {
  refuse("refined solutions");
}

void ObservedRows::smoother(const Points& points, Index first, MatrixView a, Span<double> variance) const {
  const Problem& problem = all_.problem();
  const Index count = std::max(a.cols, static_cast<Index>(variance.size())), s = rows_.rows();
  Matrix rows(problem.n(), count), z(s, count);
  of_all().smoother(points, first, rows.view(), variance);
  for (Index j = 0; j < count; ++j)
    for (Index k = 0; k < s; ++k) z(k, j) = rows(part_.rows[k], j) / problem.sqrt_w[part_.rows[k]];
  factor_.half_solve(z.view());
  for (std::size_t q = 0; q < variance.size(); ++q)
    variance[q] += scale() * dot(s, z.col(static_cast<Index>(q)), z.col(static_cast<Index>(q)));
  if (a.cols == 0) return;
  gemm(Op::transpose, Op::none, -1, xt().view(), z.view().columns(0, a.cols), 0, a);
  problem.weight_rows(a);
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) += rows(i, j);
  clear(a);
}

void ObservedRows::columns(Index, MatrixView, MatrixView) const {
  refuse("hat matrices");
}

void ObservedRows::functional_norms(MatrixView, Span<double>) const {
  refuse("standard errors of averages");
}

}  // namespace freeridge
