// Where the data do not determine w. In the units of w~ (D_k = 2^(2 e_k) / penalty_k turns them into those of the
// norm):
//     columns without penalty   X_U = X_B [I N] to working precision, B a basis of r columns found by QR with pivoting;
//                               of all w_U with the same fit the one of minimum norm is D C_U u, C_U = [I; N']
//     columns with a penalty    the same on what is left of them beside the ones and X_U: w_V is in the range of
//                               D C_V, because lambda penalty w_V = X_V'r and r is orthogonal to X_U
// so w = D C u with C of full rank, and u has one solution. N is refined as w is; entries below 2^-70 are zeros.
// The intercept is no part of any norm: all columns are centred.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/classical/least_squares.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr double noise = 0x1p-70;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

Index size_of(const std::vector<Index>& list) {
  return static_cast<Index>(list.size());
}

// candidates = basis and free; free columns = [1 lead basis] [..; n], lead of full rank.
struct Relations {
  std::vector<Index> basis, free;
  Matrix n;  // basis x free
};

Relations relations(const ScaledProblem& scaled, const std::vector<Index>& lead, const std::vector<Index>& candidates) {
  const PenalisedProblem& problem = scaled.problem();
  const Index n = problem.n(), ones = problem.intercept ? 1 : 0, fixed = ones + size_of(lead);
  std::vector<Index> all = lead;
  all.insert(all.end(), candidates.begin(), candidates.end());
  Matrix a(n, ones + size_of(all), 1.0);
  scaled.centred(all, a.view().columns(ones, size_of(all)));
  double largest = 0;
  for (Index j = ones; j < a.cols(); ++j) largest = std::max(largest, std::sqrt(dot(n, a.col(j), a.col(j))));
  std::vector<Index> order(at(a.cols()));
  std::vector<double> tau(at(std::min(n, a.cols())));
  geqp3(a.view(), fixed, order, tau);

  const double tolerance = pivot_tolerance(n, problem.d()) * largest;
  Index rank = 0;
  while (fixed + rank < std::min(n, a.cols()) && std::abs(a(fixed + rank, fixed + rank)) > tolerance) ++rank;
  std::vector<Index> regressors;
  Relations out;
  for (Index j = ones; j < a.cols(); ++j) {
    const Index column = all[at(order[at(j)] - ones)];
    if (j < fixed + rank) regressors.push_back(column);
    if (j >= fixed) (j < fixed + rank ? out.basis : out.free).push_back(column);
  }
  const Index p = size_of(regressors), f = size_of(out.free);
  out.n = Matrix(rank, f, 0.0);
  if (rank == 0 || f == 0) return out;

  Matrix x(n, p), y(n, f);
  scaled.scaled(regressors, x.view());
  scaled.scaled(out.free, y.view());
  LeastSquaresData data;
  data.x = {x.data(), n, p, n, Layout::col_major};
  data.y = {y.data(), n, f, n, Layout::col_major};
  data.intercept = problem.intercept;
  LeastSquaresSolution solution(p, f);
  const Matrix l = lower_factor(a.view(), ones, p);
  refine(data, [&](MatrixView g) { solve_lower_factor(l.view(), g); }, enough_steps, solution, {});
  for (Index j = 0; j < f; ++j)
    for (Index k = 0; k < rank; ++k)
      if (const double value = solution.w.hi(p - rank + k, j); std::abs(value) > noise) out.n(k, j) = value;
  return out;
}

// The columns of D C for these relations, from column `first` of c on, each of the size of one. norm[k]: the penalty.
void append_range(const ScaledProblem& scaled, const Relations& relation, std::span<const double> norm, Index first,
                  Matrix& c) {
  const auto put = [&](Index k, double value, Index column, std::vector<int>& exponent) {
    int e = 0;
    c(k, column) = std::frexp(value / std::frexp(norm.empty() ? 1.0 : norm[at(k)], &e), &exponent[at(k)]);
    exponent[at(k)] += 2 * scaled.x_exponent(k) - e;
  };
  for (Index i = 0; i < size_of(relation.basis); ++i) {
    std::vector<int> exponent(at(c.rows()), std::numeric_limits<int>::min());
    put(relation.basis[at(i)], 1, first + i, exponent);
    for (Index j = 0; j < size_of(relation.free); ++j)
      if (relation.n(i, j) != 0) put(relation.free[at(j)], relation.n(i, j), first + i, exponent);
    const int largest = *std::ranges::max_element(exponent);
    for (Index k = 0; k < c.rows(); ++k)
      if (c(k, first + i) != 0) c(k, first + i) = std::ldexp(c(k, first + i), exponent[at(k)] - largest);
  }
}

}  // namespace

SolvedLeastSquares solve_minimum_norm(const PenalisedProblem& problem, Index max_steps) {
  SolvedLeastSquares out{ScaledProblem::equilibrated(problem), {problem.d(), problem.t()}, 0, {}, {}};
  const ScaledProblem& scaled = out.scaled;
  const Index n = problem.n(), d = problem.d(), ones = problem.intercept ? 1 : 0;
  std::vector<Index> free, penalised, all(at(d));
  for (const Index k : scaled.varying())  // a penalty counts as one even where it is lost beside the data
    (problem.lambda > 0 && problem.penalty[at(k)] > 0 ? penalised : free).push_back(k);
  for (Index k = 0; k < d; ++k) all[at(k)] = k;

  const Relations u = relations(scaled, {}, free), v = relations(scaled, u.basis, penalised);
  const Index r_u = size_of(u.basis), r = r_u + size_of(v.basis), below = size_of(v.basis) > 0 ? d : 0;
  out.rank = r;
  Matrix c(d, r, 0.0), x(n, d), stack(n + below, ones + r, 0.0);
  append_range(scaled, u, {}, 0, c);
  append_range(scaled, v, problem.penalty, r_u, c);
  scaled.centred(all, x.view());
  if (problem.intercept) std::fill_n(stack.col(0), n, 1.0);
  gemm(Op::none, Op::none, 1, x.view(), c.view(), 0, stack.view().block(0, ones, n, r));
  for (Index j = r_u; j < r; ++j)
    for (Index k = 0; k < below; ++k) stack(n + k, ones + j) = std::sqrt(scaled.penalty(k)) * c(k, j);
  std::vector<double> tau(at(ones + r));
  geqrf(stack.view(), tau);
  const Matrix l = lower_factor(stack.view(), ones, r);

  const NormalSolver solve = [&](MatrixView g) {
    Matrix reduced(r, g.cols);
    gemm(Op::transpose, Op::none, 1, c.view(), g, 0, reduced.view());
    solve_lower_factor(l.view(), reduced.view());
    gemm(Op::none, Op::none, 1, c.view(), reduced.view(), 0, g);
  };
  refine(scaled.data(), solve, std::max<Index>(max_steps, 1), out.solution, {});
  return out;
}

}  // namespace freeridge
