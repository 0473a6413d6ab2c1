#include "libcore/routes/sparse_iterative_maker.hpp"

#include <algorithm>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/linear_features.hpp"

namespace freeridge {

const NormalColumns& SparseIterativeMaker::solved() const {
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  if (!solved_) solved_ = std::make_unique<const NormalColumns>(f_.solved(lambda_, f_.products().view(), {}));
  return *solved_;
}

void SparseIterativeMaker::residual(Index first, MatrixView out) const {
  f_.residual(first, solved().w.view().columns(first, out.cols), out);
}

double SparseIterativeMaker::squared_norm(Index output) const {
  Matrix r(f_.problem().n(), 1);
  residual(output, r.view());
  return dot(r.rows(), r.data(), r.data());
}

double SparseIterativeMaker::function_norm2(Index output) const {
  const Matrix& w = solved().w;
  return dot(w.rows(), w.col(output), w.col(output));
}

double SparseIterativeMaker::quadratic_form(Index output) const {
  return squared_norm(output) / lambda_ + function_norm2(output);
}

void SparseIterativeMaker::coefficients(Index first, MatrixView out) const {
  residual(first, out);
  divide_by(out, lambda_);
}

void SparseIterativeMaker::solve(Index first, Index count, Solution& solution) const {
  const NormalColumns& made = solved();
  set_hyperplane(f_.problem(), first, made.w.view().columns(first, count), solution);
  solution.accuracy.resize(solution.b.size());
  for (Index j = first; j < first + count; ++j) solution.accuracy[j] = made.accuracy(j);
}

void SparseIterativeMaker::refine(Index, Index, Index, Solution&) const {
  fail(Status::invalid_state, "a hyperplane of sparse rows is not refined; ask for more accuracy");
}

// variance = lambda z'(X~'X~ + lambda I)^-1 z,  a = X~ (X~'X~ + lambda I)^-1 z,  z the centred and scaled point
void SparseIterativeMaker::smoother(const Points& points, Index first, MatrixView a,
                                    const Covariances& variance) const {
  const Problem& problem = f_.problem();
  const Index count = std::max(a.cols, variance.count());
  Matrix rows(count, problem.d()), z(problem.d(), count);
  linear_rows(problem, points, first, rows.view());
  transpose(rows.view(), z.view());
  const NormalColumns made = f_.solved(lambda_, z.view(), {});
  variance.add(lambda_, z.view(), made.w.view());
  problem.add_free_variance(points, first, lambda_, variance);
  if (a.cols == 0) return;
  f_.rows().multiply(made.w.view().columns(0, a.cols), a);
  problem.finish_smoother(points, first, a);
}

}  // namespace freeridge
