// Least squares where the data do not determine w, or where columns differ so much in size that the other solvers would
// see only the largest. w is written as D C u, where u has one solution:
//     columns without penalty   X_U = X_B [I N] to working precision, B a basis of r columns found by QR with pivoting;
//                               of all w_U with the same fit the one of minimum norm is D C_U u, C_U = [I; N']
//     columns with a penalty    the same on what is left of them beside the ones and X_U: w_V is in the range of
//                               D C_V, because lambda penalty w_V = X_V'r and r is orthogonal to X_U
// So w = D C u, and C has full rank. D is 1 (columns without penalty) or 1 / penalty, in the units of w~. Whether a
// column depends on others is decided in its own units, whatever lambda is.
// Columns go into the basis by size (in the units of the norm), the largest first. Then each column of D C has about
// its largest entry in its own row of the basis, and the columns differ clearly. If small columns were the basis, a
// large column that depends on them would dominate all columns of D C, and these would be equal to all digits.
// N is refined as w is; entries below 2^-70 are zeros. The intercept is no part of any norm: all columns are centred.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/classical/least_squares.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr double rounding = 0x1p-70;

// A basis of some columns, and the coefficients N of the other (free) ones: X_free = X_basis N, after the ones and the
// columns treated earlier have been projected out. It stands for the range of D [I N]'.
struct Range {
  struct Dependent {
    Index column;
    Array<double> n;  // coefficients of the first columns of the basis; those of the others are 0
  };
  Array<Index> basis;
  Array<Dependent> free;
};

// Puts each candidate into the basis, unless it is a linear combination of the ones, `lead` and the basis.
void extend(const ScaledProblem& own, const Array<Index>& lead, const Array<Index>& candidates, Range& range) {
  const PenalisedProblem& problem = own.problem();
  Array<Index> all = lead;
  all.insert(all.end(), range.basis.begin(), range.basis.end());
  const Index n = problem.n(), ones = problem.intercept ? 1 : 0, fixed = ones + std::ssize(all);
  all.insert(all.end(), candidates.begin(), candidates.end());
  Matrix a(n, ones + std::ssize(all), 1.0);
  own.centred(all, a.view().columns(ones, std::ssize(all)));
  double largest = 0;
  for (Index j = ones; j < a.cols(); ++j) largest = std::max(largest, std::sqrt(dot(n, a.col(j), a.col(j))));
  Array<Index> order(a.cols());
  Array<double> tau(std::min(n, a.cols()));
  geqp3(a.view(), fixed, order, tau);

  const double tolerance = pivot_tolerance(n, problem.d()) * largest;
  Index rank = 0;
  while (fixed + rank < std::min(n, a.cols()) && std::abs(a(fixed + rank, fixed + rank)) > tolerance) ++rank;
  Array<Index> regressors, free;
  for (Index j = ones; j < a.cols(); ++j) {
    const Index column = all[order[j] - ones];
    (j < fixed + rank ? regressors : free).push_back(column);
    if (j >= fixed && j < fixed + rank) range.basis.push_back(column);
  }
  const Index p = std::ssize(regressors), f = std::ssize(free), kept = std::ssize(range.basis);
  if (kept == 0 || f == 0) return;

  Matrix x(n, p), y(n, f);
  own.scaled(regressors, x.view());
  own.scaled(free, y.view());
  LeastSquaresData data;
  data.x = {x.data(), n, p, n, Layout::col_major};
  data.y = {y.data(), n, f, n, Layout::col_major};
  data.intercept = problem.intercept;
  LeastSquaresSolution solution(p, f);
  const Matrix l = lower_factor(a.view(), ones, p);
  refine(
      data, [&](MatrixView g) { solve_lower_factor(l.view(), g); }, enough_steps, solution);
  for (Index j = 0; j < f; ++j) {
    Array<double> row(kept, 0.0);
    for (Index k = 0; k < kept; ++k)
      if (const double value = solution.w.hi(p - kept + k, j); std::abs(value) > rounding) row[k] = value;
    range.free.push_back({free[j], std::move(row)});
  }
}

// Extends the basis by classes of columns of about one size, measured as X_k / sqrt(norm_k), the largest first.
Range range_of(const ScaledProblem& own, const Array<Index>& lead, Array<Index> candidates, Span<const double> norm) {
  const auto size = [&](Index k) { return 2 * own.x_exponent(k) - (norm.empty() ? 0 : exponent_of(norm[k])); };
  std::ranges::stable_sort(candidates, std::ranges::greater{}, size);
  Range out;
  for (auto first = candidates.begin(); first != candidates.end();) {
    const auto last =
        std::find_if(first, candidates.end(), [&](Index k) { return size(k) < size(*first) - 2 * spread_of_units; });
    Array<Index> part(first, last);
    std::ranges::sort(part);
    extend(own, lead, part, out);
    first = last;
  }
  return out;
}

// Writes the columns of D [I N]' to c, from column `first` on, each scaled to about one.
void append_range(const ScaledProblem& own, const ScaledProblem& scaled, const Range& range, Span<const double> norm,
                  Index first, Matrix& c) {
  const auto put = [&](Index k, double value, Index column, Array<int>& exponent) {
    int e = 0;
    c(k, column) = std::frexp(value / std::frexp(norm.empty() ? 1.0 : norm[k], &e), &exponent[k]);
    exponent[k] += own.x_exponent(k) + scaled.x_exponent(k) - e;
  };
  for (Index i = 0; i < std::ssize(range.basis); ++i) {
    Array<int> exponent(c.rows(), std::numeric_limits<int>::min());
    put(range.basis[i], 1, first + i, exponent);
    for (const Range::Dependent& dependent : range.free)
      if (i < std::ssize(dependent.n) && dependent.n[i] != 0)
        put(dependent.column, dependent.n[i], first + i, exponent);
    const int largest = *std::ranges::max_element(exponent);
    for (Index k = 0; k < c.rows(); ++k)
      if (c(k, first + i) != 0) c(k, first + i) = std::ldexp(c(k, first + i), exponent[k] - largest);
  }
}

}  // namespace

SolvedLeastSquares solve_minimum_norm(const PenalisedProblem& problem, Index max_steps) {
  SolvedLeastSquares out{ScaledProblem::equilibrated(problem), {problem.d(), problem.t()}, 0, {}, {}};
  const ScaledProblem& scaled = out.scaled;
  const Index n = problem.n(), d = problem.d(), ones = problem.intercept ? 1 : 0;
  Array<Index> free, penalised;
  for (const Index k : scaled.varying())  // by the penalty as given, however small
    (problem.lambda > 0 && problem.penalty[k] > 0 ? penalised : free).push_back(k);

  PenalisedProblem alone = problem;
  alone.lambda = 0;
  const ScaledProblem own = ScaledProblem::equilibrated(alone);
  const Range u = range_of(own, {}, free, {}), v = range_of(own, u.basis, penalised, problem.penalty);
  const Index r_u = std::ssize(u.basis), r = r_u + std::ssize(v.basis), below = std::ssize(v.basis) > 0 ? d : 0;
  out.rank = r;
  Matrix c(d, r, 0.0), x(n, d), stack(n + below, ones + r, 0.0);
  append_range(own, scaled, u, {}, 0, c);
  append_range(own, scaled, v, problem.penalty, r_u, c);
  scaled.centred(consecutive(0, d), x.view());
  if (problem.intercept) std::fill_n(stack.col(0), n, 1.0);
  gemm(Op::none, Op::none, 1, x.view(), c.view(), 0, stack.view().block(0, ones, n, r));
  for (Index j = r_u; j < r; ++j)
    for (Index k = 0; k < below; ++k) stack(n + k, ones + j) = std::sqrt(scaled.penalty(k)) * c(k, j);
  Array<double> tau(ones + r);
  geqrf(stack.view(), tau);
  const Matrix l = lower_factor(stack.view(), ones, r);

  const NormalSolver solve = [&](MatrixView g) {
    Matrix reduced(r, g.cols);
    gemm(Op::transpose, Op::none, 1, c.view(), g, 0, reduced.view());
    solve_lower_factor(l.view(), reduced.view());
    gemm(Op::none, Op::none, 1, c.view(), reduced.view(), 0, g);
  };
  refine(scaled.data(), solve, std::max<Index>(max_steps, 1), out.solution);
  return out;
}

}  // namespace freeridge
