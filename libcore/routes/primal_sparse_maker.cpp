#include "libcore/routes/primal_sparse_maker.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/factor/left_out_rows.hpp"
#include "libcore/factor/matrix_columns.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/routes/band_route.hpp"

namespace freeridge {
namespace {
constexpr double cancels = 1e-2;  // of |Y~|^2: below, |P~Y~|^2 is summed up over the rows
constexpr double subtraction = 1e-14;
constexpr std::size_t refitted_rows = 512;
}  // namespace

Matrix SparseMaker::solved(Index first, Index count) const {
  Matrix out = copy_of(f_.full.view().columns(first, count));
  divide_by(out.view(), f_.unit);
  return out;
}

Matrix SparseMaker::solved(Matrix z) const {
  f_.l.solve(z.view());
  divide_by(z.view(), f_.unit);
  return z;
}

void SparseMaker::residual(Index first, MatrixView out) const {
  p_.fitted(0, p_.hyperplane(solved(first, out.cols).view()).view(), out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = p_.problem().y_tilde(i, first + j) - out(i, j);
}

void SparseMaker::diagonal(Span<double> out) const {
  leverage(out);
  for (double& value : out) value = not_one(value);
}

void SparseMaker::leverage(Span<double> out) const {
  const auto n = static_cast<Index>(out.size());
  p_.leverages(0, {&f_, 1}, {out.data(), n, 1, n});
}

double SparseMaker::trace() const {
  return static_cast<double>(p_.problem().degrees() - p_.d()) + p_.penalty(lambda_) / f_.unit * f_.inverse_trace();
}

// Far above the largest eigenvalue d - lambda tr (B + lambda I)^-1 would lose all digits.
double SparseMaker::degrees_of_freedom() const {
  const auto constant = static_cast<double>(p_.problem().q());
  if (lambda_ < p_.largest()) return static_cast<double>(p_.problem().n()) - trace();
  return f_.fitted_trace(p_.band()) + constant;
}

double SparseMaker::log_determinant() const {
  const Index others = p_.problem().degrees() - p_.d();
  if (p_.penalty(lambda_) != lambda_) return -infinity;
  return f_.log_determinant() + (others == 0 ? 0 : static_cast<double>(others) * std::log(lambda_));
}

double SparseMaker::squared_norm(Index output) const {
  const Problem& problem = p_.problem();
  const double* const y = problem.y_tilde.col(output);
  const Index n = problem.n(), d = p_.d();
  const double all = dot(n, y, y), explained = f_.quadratic_form(output),
               shrunk = lambda_ / f_.unit * dot(d, f_.full.col(output), f_.full.col(output)) / f_.unit;
  const double left = all - explained - shrunk;
  if (left > cancels * all) return left;
  Matrix r(n, 1);
  residual(output, r.view());
  return dot(n, r.data(), r.data());
}

double SparseMaker::quadratic_form(Index output) const {
  return squared_norm(output) / lambda_ + function_norm2(output);
}

double SparseMaker::function_norm2(Index output) const {  // |w|^2
  return dot(p_.d(), f_.full.col(output), f_.full.col(output)) / f_.unit / f_.unit;
}

// (Y~ - X~ w_s) / lambda. Where lambda is as small as rounding, X~ B^-1 (B + lambda I)^-1 Gamma instead, which lacks
// the part of Y~ that no w explains.
void SparseMaker::coefficients(Index first, MatrixView out) const {
  if (lambda_ > 0 && lambda_ >= p_.tolerance()) {
    residual(first, out);
    return divide_by(out, lambda_);
  }
  Matrix g = solved(first, out.cols);
  const BandedFactor at_zero = p_.factor(0);
  at_zero.l.solve(g.view());
  divide_by(g.view(), at_zero.unit);
  p_.fitted(0, p_.hyperplane(g.view()).view(), out);
}

void SparseMaker::solve(Index first, Index count, Solution& solution) const {
  set_hyperplane(p_.problem(), first, p_.hyperplane(solved(first, count).view()).view(), solution);
}

void SparseMaker::refine(Index, Index, Index, Solution&) const {
  fail(Status::invalid_state, "a hyperplane of sparse rows is not refined; give x as an ordinary matrix");
}

void SparseMaker::smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const {
  const Problem& problem = p_.problem();
  Matrix z(p_.d(), std::max(a.cols, variance.count()));
  p_.project(points, first, z.view());
  if (variance.wanted()) {
    Matrix half = copy_of(z.view());
    f_.l.half_solve(half.view());
    variance.add(lambda_ / f_.unit, half.view());
    problem.add_free_variance(points, first, lambda_, variance);
  }
  if (a.cols == 0) return;
  p_.fitted(0, p_.hyperplane(solved(std::move(z)).view()).view(), a);
  problem.finish_smoother(points, first, a);
}

// hat = q1 q1' + X~ Q (B + lambda I)^-1 Q'X~';  P = (I - hat) / lambda, and where lambda is rounding as in
// `coefficients`
void SparseMaker::columns(Index first, MatrixView hat, MatrixView inverse) const {
  const Index count = std::max(hat.cols, inverse.cols);
  Matrix z = p_.projected_rows(consecutive(first, count));
  const auto solve_at = [&](const BandedFactor& f) {
    f.l.solve(z.view());
    divide_by(z.view(), f.unit);
  };
  solve_at(f_);
  const bool by_remainder = lambda_ > 0 && lambda_ >= p_.tolerance();
  const MatrixView h = hat.cols > 0 ? hat : inverse;
  if (hat.cols > 0 || by_remainder) {
    p_.fitted(0, p_.hyperplane(z.view()).view(), h);
    const ConstMatrixView q1 = p_.problem().q1().view();
    if (q1.cols > 0) gemm(Op::none, Op::transpose, 1, q1, q1.row_range(first, count), 1, h);
  }
  if (inverse.cols == 0) return;
  if (by_remainder) {
    if (hat.cols > 0) copy(hat, inverse);
    return remainder_over(lambda_, first, inverse);
  }
  solve_at(p_.factor(0));
  p_.fitted(0, p_.hyperplane(z.view()).view(), inverse);
}

// I - hat
void SparseMaker::columns_of(Span<const Index> which, MatrixView out) const {
  const Problem& problem = p_.problem();
  p_.fitted(0, p_.hyperplane(solved(p_.projected_rows(which)).view()).view(), out);
  if (problem.q() > 0) gemm(Op::none, Op::transpose, 1, problem.q1().view(), problem.q1_of(which).view(), 1, out);
  for (Index q = 0; q < out.cols; ++q)
    for (Index i = 0; i < out.rows; ++i) out(i, q) = (i == which[q] ? 1 : 0) - out(i, q);
}

void SparseMaker::solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView, Index first,
                                Solution& solution) const {
  Matrix z(p_.d(), e.cols), g = solved(first, e.cols);
  gemm(Op::none, Op::none, 1, p_.projected_rows(which).view(), e, 0, z.view());
  z = solved(std::move(z));
  for (Index j = 0; j < e.cols; ++j)
    for (Index k = 0; k < g.rows(); ++k) g(k, j) -= z(k, j);
  set_hyperplane(p_.problem(), first, p_.hyperplane(g.view()).view(), solution);
  take_out(p_.problem(), which, e, first, solution);
}

// ---- rows ----

SparseRows::SparseRows(const SparsePrimal& factorization, Span<const Index> which)
    : p_(factorization), which_(which.begin(), which.end()), z_(factorization.projected_rows(which)) {}

// [Z_O', q1_O, Y~_O], some rows at a time.
const RowRefit& SparseRows::others() const {
  once_.run([&] {
    const Problem& problem = p_.problem();
    const Index d = z_.rows(), q = problem.q(), t = problem.t();
    RowRefit refit(d + q, t);
    const Array<Index> others = other_indices(which_, problem.n());
    for (std::size_t begin = 0; begin < others.size(); begin += refitted_rows) {
      const Span<const Index> some =
          Span(others).subspan(begin, std::min<std::size_t>(refitted_rows, others.size() - begin));
      Matrix rows(std::ssize(some), d + q + t);
      transpose(p_.projected_rows(some).view(), rows.view().columns(0, d));
      copy(problem.q1_of(some).view(), rows.view().columns(d, q));
      copy(picked_rows(problem.y_tilde.view(), some).view(), rows.view().columns(d + q, t));
      refit.absorb(rows.view());
    }
    others_.emplace(refit);
  });
  return *others_;
}

bool SparseRows::refit(double lambda, Index first, MatrixView out) const {
  const Problem& problem = p_.problem();
  const Index d = z_.rows(), s = z_.cols();
  RowRefit with_penalty(others());
  Matrix pi(d, d, 0.0), a(s, d + problem.q());
  for (Index k = 0; k < d; ++k) pi(k, k) = std::sqrt(lambda);
  with_penalty.penalise(pi.view());
  if (!with_penalty.determined()) return false;
  transpose(z_.view(), a.view().columns(0, d));
  copy(problem.q1_of(which_).view(), a.view().columns(d, problem.q()));
  copy(picked_rows(problem.y_tilde.view().columns(first, out.cols), which_).view(), out);
  gemm(Op::none, Op::none, -1, a.view(), with_penalty.beta().view().columns(first, out.cols), 1, out);
  return true;
}

bool SparseRows::left_out(const ResidualMaker& of_factorization, Index first, MatrixView out) const {
  const auto& maker = static_cast<const SparseMaker&>(of_factorization);
  const BandedFactor& f = maker.factor();
  const Problem& problem = p_.problem();
  const Index s = z_.cols();
  Matrix half = copy_of(z_.view()), p(s, s);
  f.l.half_solve(half.view());
  syrk(Op::transpose, -1 / f.unit, half.view(), 0, p.view());
  if (problem.q() > 0) syrk(Op::none, -1, problem.q1_of(which_).view(), 1, p.view());
  for (Index j = 0; j < s; ++j) p(j, j) += 1;
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < s; ++i) out(i, j) = problem.y_tilde(which_[i], first + j);
  gemm(Op::transpose, Op::none, -1 / f.unit, half.view(), f.half.view().columns(first, out.cols), 1, out);
  const LeftOutFactor system(p.view(), Array<double>(s, subtraction));
  if (problem.n() - s < z_.rows() + problem.q() || system.error() > refit_from)
    return refit(maker.lambda(), first, out);
  system.solve(out);
  return true;
}

}  // namespace freeridge
