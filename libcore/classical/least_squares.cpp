#include "libcore/classical/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/memory.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {

double pivot_tolerance(Index n, Index d) {
  return static_cast<double>(std::max(n, d)) * 0x1p-50;
}

Matrix lower_factor(ConstMatrixView qr, Index first, Index size) {
  Matrix l(size, size, 0.0);
  for (Index j = 0; j < size; ++j)
    for (Index i = 0; i <= j; ++i) l(j, i) = qr(first + i, first + j);
  return l;
}

namespace {

// a P = Q [R; 0]: returns R, and puts Q'c in the place of c. QR with pivoting takes twice the time of QR without. So
// with many columns `a` is factorized without pivoting, and the pivots are chosen in its triangle, whose columns have
// the same lengths and angles.
Matrix pivoted_qr(Matrix& a, Index fixed, Span<Index> order, MatrixView c) {
  constexpr Index many_columns = 64;
  Array<double> tau(order.size());
  const Index cols = a.cols();
  Matrix r(cols, cols, 0.0);
  const auto keep_r = [&](ConstMatrixView qr) {
    for (Index j = 0; j < cols; ++j) std::copy_n(qr.col(j), j + 1, r.col(j));
  };
  if (cols <= many_columns) {
    geqp3(a.view(), fixed, order, tau);
    ormqr(a.view(), tau, c, Op::transpose);
    keep_r(a.view());
    return r;
  }
  geqrf(a.view(), tau);
  ormqr(a.view(), tau, c, Op::transpose);
  keep_r(a.view());
  geqp3(r.view(), fixed, order, tau);
  ormqr(r.view(), tau, c.row_range(0, cols), Op::transpose);
  return r;
}

}  // namespace

void solve_lower_factor(ConstMatrixView l, MatrixView v) {
  trsm(Op::none, l, v);
  trsm(Op::transpose, l, v);
}

std::optional<SolvedLeastSquares> solve_primal(const PenalisedProblem& problem, Index max_steps) {
  SolvedLeastSquares out{ScaledProblem::equilibrated(problem), {problem.d(), problem.t()}, 0, {}, {}};
  const ScaledProblem& scaled = out.scaled;
  const Array<Index> varying = scaled.varying();
  const Index n = problem.n(), t = problem.t(), ones = problem.intercept ? 1 : 0;
  const auto d = static_cast<Index>(varying.size());
  const Index penalised = std::ranges::count_if(varying, [&](Index k) { return scaled.penalty(k) > 0; });
  if (n + penalised < ones + d) return {};

  // [1 X_c; 0 sqrt(p)] with the ones first: then R without its first row and column is the triangle of the centred
  // columns.
  Matrix a(n + penalised, ones + d, 0.0), rhs(n + penalised, t, 0.0);
  if (problem.intercept) std::fill_n(a.col(0), n, 1.0);
  scaled.centred(varying, a.view().block(0, ones, n, d));
  for (Index k = 0, row = n; k < d; ++k)
    if (const double p = scaled.penalty(varying[k]); p > 0) a(row++, ones + k) = std::sqrt(p);
  scaled.centred_y(rhs.view().row_range(0, n));
  Array<Index> order(ones + d);
  const Matrix r = pivoted_qr(a, ones, order, rhs.view());
  double largest = 0, smallest = HUGE_VAL;
  for (Index k = ones; k < ones + d; ++k) {
    largest = std::max(largest, std::abs(r(k, k)));
    smallest = std::min(smallest, std::abs(r(k, k)));
  }
  const double tolerance = std::max(pivot_tolerance(n, d), penalised > 0 ? penalised_pivot_tolerance : 0);
  if (!(smallest > tolerance * largest)) return {};

  for (Index k = ones; k < ones + d; ++k) out.columns.push_back(varying[order[k] - ones]);
  out.rank = d;
  out.l = lower_factor(r.view(), ones, d);
  const MatrixView w = rhs.view().row_range(ones, d);
  trsm(Op::transpose, out.l.view(), w);
  for (Index j = 0; j < t; ++j)
    for (Index k = 0; k < d; ++k) out.solution.w.hi(out.columns[k], j) = w(k, j);

  const NormalSolver solve = [&](MatrixView g) {
    Matrix picked = picked_rows(g, out.columns);
    for (Index j = 0; j < g.cols; ++j) std::fill_n(g.col(j), g.rows, 0.0);
    solve_lower_factor(out.l.view(), picked.view());
    for (Index j = 0; j < g.cols; ++j)
      for (Index k = 0; k < d; ++k) g(out.columns[k], j) = picked(k, j);
  };
  refine(scaled.data(), solve, max_steps, out.solution);
  return out;
}

SolvedLeastSquares solve_least_squares(const PenalisedProblem& problem, Index max_steps) {
  const Index n = problem.n(), d = problem.d(), t = problem.t(), small = std::min(n, d);
  checked_doubles(n + d, 2 * small + 3 * t);
  require_memory(8 * (n + d) * (2 * small + 3 * t), "least squares of this size",
                 "use fewer rows or features at a time");
  std::optional<SolvedLeastSquares> out =
      d <= problem.m() ? solve_primal(problem, max_steps) : solve_dual(problem, max_steps);
  return out ? std::move(*out) : solve_minimum_norm(problem, max_steps);
}

}  // namespace freeridge
