#include "libcore/routes/iterative_residual_maker.hpp"

#include <algorithm>

#include "libcore/factor/left_out_row_block.hpp"
#include "libcore/factor/matrix_columns.hpp"
#include "libcore/factor/refinement.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr Index most_left_out = 256;  // rows left out together: a solution for each

}  // namespace

void IterativeResidualMaker::coefficients(Index first, MatrixView out) const {
  copy(f_.solved(lambda_, first, out.cols).c.view(), out);
}

void IterativeResidualMaker::residual(Index first, MatrixView out) const {
  coefficients(first, out);
  multiply_by(out, lambda_);
}

void IterativeResidualMaker::residual_at(Span<const Index> rows, Index first, MatrixView out) const {
  const Matrix c = f_.solved(lambda_, first, out.cols).c;
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = lambda_ * c(rows[i], j);
}

double IterativeResidualMaker::quadratic_form(Index output) const {
  const Matrix c = f_.solved(lambda_, output, 1).c;
  return dot(c.rows(), c.col(0), f_.problem().y_tilde.col(output));
}

double IterativeResidualMaker::squared_norm(Index output) const {
  const Matrix c = f_.solved(lambda_, output, 1).c;
  return lambda_ * dot(c.rows(), c.col(0), c.col(0)) * lambda_;
}

// c~'K_w c~ = c~'Y~ - lambda |c~|^2, from the terms of c~'(Y~ - lambda c~), which cancel row by row.
double IterativeResidualMaker::function_norm2(Index output) const {
  const Matrix c = f_.solved(lambda_, output, 1).c;
  const double* const y = f_.problem().y_tilde.col(output);
  double sum = 0;
  for (Index i = 0; i < c.rows(); ++i) sum += c(i, 0) * (y[i] - lambda_ * c(i, 0));
  return std::max(sum, 0.0);
}

void IterativeResidualMaker::solve(Index first, Index count, Solution& solution) const {
  const Iterative::Solved solved = f_.solved(lambda_, first, count);
  set_expansion(f_.problem(), f_.k_q1(), first, solved.c.view(), solution);
  solution.accuracy.resize(solution.b.size());
  std::copy(solved.accuracy.begin(), solved.accuracy.end(), solution.accuracy.begin() + first);
}

void IterativeResidualMaker::refine(Index first, Index count, Index steps, Solution& solution) const {
  refine_expansion(
      f_.problem(), [&](MatrixView v) { f_.solve(lambda_, v); }, lambda_, first, count, steps, solution);
}

void IterativeResidualMaker::smoother(const Points& points, Index first, MatrixView a,
                                      const Covariances& variance) const {
  const Problem& problem = f_.problem();
  const Index count = std::max(a.cols, variance.count());
  Matrix kappa(problem.n(), count);
  centred_cross_kernel(problem, f_.k_q1(), points, first, kappa.view(), variance);
  Matrix p_kappa = copy_of(kappa.view());
  f_.solve(lambda_, p_kappa.view());
  variance.add(-1, kappa.view(), p_kappa.view());
  problem.add_free_variance(points, first, lambda_, variance);
  if (a.cols == 0) return;
  copy(p_kappa.view().columns(0, a.cols), a);
  problem.finish_smoother(points, first, a);
}

void IterativeResidualMaker::columns(Index first, MatrixView hat, MatrixView inverse) const {
  columns_by_product(*this, f_.problem(), lambda_, lambda_ >= f_.eigenvalue_range().largest, first, hat, inverse,
                     [&](MatrixView v) { f_.solve(lambda_, v); });
}

void IterativeResidualMaker::block(Span<const Index> rows, MatrixView out) const {
  Matrix p(f_.problem().n(), out.cols, 0.0);
  for (Index j = 0; j < out.cols; ++j) p(rows[j], j) = 1;
  f_.solve(lambda_, p.view());
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = j; i < out.rows; ++i) out(i, j) = lambda_ * p(rows[i], j);
}

std::unique_ptr<RowBlock> Iterative::rows(Span<const Index> which) const {
  if (std::ssize(which) > most_left_out)
    fail(Status::invalid_state, "leaving out ", which.size(),
         " rows together takes as many solutions on the ITERATIVE ", "route, which makes ", most_left_out,
         " at most; set another route, or landmarks");
  return std::make_unique<LeftOutRowBlock<IterativeResidualMaker>>(which);
}

std::unique_ptr<ResidualMaker> Iterative::at(double lambda) const {
  if (!(lambda > tolerance_))
    fail(Status::not_positive_definite, "lambda is ", lambda, "; on the ITERATIVE route it has to be above ",
         tolerance_, ", the rounding of the kernel matrix: set a larger lambda, or the route SPECTRAL");
  return std::make_unique<IterativeResidualMaker>(*this, lambda);
}

}  // namespace freeridge
