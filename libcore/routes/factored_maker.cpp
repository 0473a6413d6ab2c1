#include "libcore/routes/factored_maker.hpp"

#include <algorithm>

#include "libcore/factor/matrix_columns.hpp"
#include "libcore/factor/refinement.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/routes/cost.hpp"

namespace freeridge {

FactoredMaker::FactoredMaker(const Factorization& factorization, ConstMatrixView k_q1, double lambda)
    : factorization_(factorization), problem_(factorization.problem()), k_q1_(k_q1), lambda_(lambda) {}

MatrixView FactoredMaker::reduce_half(MatrixView v) const {
  const MatrixView half = reduce(v);
  divide_by(half, unit());
  half_solve(half);
  return half;
}

void FactoredMaker::apply(MatrixView v) const {
  other_half_solve(reduce_half(v));
  expand(v);
}

void FactoredMaker::solve(Index first, Index count, Solution& solution) const {
  Matrix c(problem_.n(), count);
  coefficients(first, c.view());
  set_expansion(problem_, k_q1_, first, c.view(), solution);
}

void FactoredMaker::refine(Index first, Index count, Index steps, Solution& solution) const {
  if (problem_.linear())
    fail(Status::invalid_state, "the ", route_name(factorization_.route()),
         " route refines no linear kernel; set the route PRIMAL");
  refine_expansion(
      problem_, [&](MatrixView v) { apply(v); }, lambda_, first, count, steps, solution);
}

void FactoredMaker::smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const {
  Matrix kappa(problem_.n(), std::max(a.cols, variance.count()));
  centred_cross_kernel(problem_, k_q1_, points, first, kappa.view(), variance);
  const MatrixView half = reduce_half(kappa.view());
  variance.add(-unit(), half);
  problem_.add_free_variance(points, first, lambda_, variance);
  if (a.cols == 0) return;
  other_half_solve(half);
  expand(kappa.view());
  copy(kappa.view().columns(0, a.cols), a);
  problem_.finish_smoother(points, first, a);
}

void FactoredMaker::columns(Index first, MatrixView hat, MatrixView inverse) const {
  require_basis();
  columns_by_product(*this, problem_, lambda_, is_faint(), first, hat, inverse, [&](MatrixView v) { apply(v); });
}

void FactoredMaker::columns_of(Span<const Index> which, MatrixView out) const {
  require_basis();
  for (Index q = 0; q < out.cols; ++q) {
    std::fill_n(out.col(q), out.rows, 0.0);
    out(which[q], q) = 1;
  }
  const MatrixView inner = reduce(out);
  half_solve(inner);
  other_half_solve(inner);
  multiply_by(inner, ratio());
  expand(out);
}

void FactoredMaker::solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView residual, Index first,
                                  Solution& solution) const {
  Matrix c = copy_of(residual);
  divide_by(c.view(), ratio());
  divide_by(c.view(), unit());
  set_expansion(problem_, k_q1_, first, c.view(), solution);
  take_out(problem_, which, e, first, solution);
}

}  // namespace freeridge
