#include "libcore/routes/iterative_route.hpp"

#include <algorithm>

#include "libcore/base/bytes.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/iterative_residual_maker.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/routes/sparse_iterative_route.hpp"

namespace freeridge {
namespace {

constexpr std::int64_t preconditioner_seed = 0;

}  // namespace

Iterative::Parts::Parts(const Problem& problem, Index rank)
    : passes(problem.kernel, problem.x, problem.sqrt_w),
      preconditioner(problem, rank, preconditioner_seed),
      k_q1(problem.n(), problem.q()) {
  if (problem.q() > 0) passes.multiply(problem.q1().view(), k_q1.view(), Precision::double_precision);
}

Iterative::Iterative(ProblemPtr the_problem, double accuracy)
    : Estimating(std::move(the_problem), accuracy), rank_(preconditioner_rank(problem().n())) {
  require_symmetric(*problem().kernel, problem().x);
  parts_ = std::make_unique<const Parts>(problem(), rank_);
  const IterativePreconditioner& made = parts_->preconditioner;
  const double largest = std::max(made.largest(), made.rank() < problem().degrees() ? made.trace_left() : 0.0);
  tolerance_ = relative_noise(problem().n()) * largest;
  const double smallest = made.rank() > 0 ? made.eigenvalues().front() : largest;
  range_ = {std::max(smallest, tolerance_), largest};
}

Iterative::Iterative(ProblemPtr the_problem, ByteReader& in) : Estimating(std::move(the_problem), in) {
  rank_ = in.integer("the rank of the preconditioner", 1, problem().n());
  const Array<double> scales = load_scales(in, "the eigenvalues' range", any_finite, 3, false);
  range_ = {scales[0], scales[1]};
  tolerance_ = scales[2];
}

void Iterative::save(ByteWriter& out) const {
  out.number(accuracy_);
  out.integer(rank_);
  out.numbers(Array<double>{range_.smallest, range_.largest, tolerance_});
}

const Iterative::Parts& Iterative::parts() const {
  if (!parts_) parts_ = std::make_unique<const Parts>(problem(), rank_);
  return *parts_;
}

ConstMatrixView Iterative::k_q1() const {
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  return parts().k_q1.view();
}

void Iterative::remember(double lambda, Index first, const Solved& solved) const {
  Index columns = solved.c.cols();
  for (const Remembered& one : remembered_) columns += one.solved.c.cols();
  for (; !remembered_.empty() && columns > 2 * problem().t(); remembered_.erase(remembered_.begin()))
    columns -= remembered_.front().solved.c.cols();
  remembered_.push_back({lambda, first, solved.copy()});
}

void Iterative::require_accuracy(const IterativeColumns& columns, double lambda) const {
  for (Index j = 0; j < columns.c.cols(); ++j)
    if (!(columns.accuracy(j) <= accuracy_))
      fail(Status::not_converged, not_converged(lambda, columns.accuracy(j), accuracy_));
}

Iterative::Solved Iterative::solved(double lambda, Index first, Index count) const {
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  for (const Remembered& one : remembered_)
    if (one.lambda == lambda && one.first == first && one.solved.c.cols() == count) return one.solved.copy();
  Matrix b = copy_of(problem().y_tilde.view().columns(first, count));
  const Parts& with = parts();
  with.preconditioner.take_out(b.view());
  const Array<double> lambdas(count, lambda), wanted(count, accuracy_);
  IterativeColumns made = IterativeSolver(with.passes, with.preconditioner)
                              .solve(b.view(), lambdas, wanted, IterativeSolver::Bounds::tight);
  require_accuracy(made, lambda);
  Array<double> accuracy;
  for (Index j = 0; j < count; ++j) accuracy.push_back(made.accuracy(j));
  Solved out{std::move(made.c), std::move(accuracy), std::move(made.size)};
  remember(lambda, first, out);
  return out;
}

void Iterative::solve(double lambda, MatrixView b) const {
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  const Parts& with = parts();
  with.preconditioner.take_out(b);
  const Array<double> lambdas(b.cols, lambda), wanted(b.cols, accuracy_);
  const IterativeColumns made = IterativeSolver(with.passes, with.preconditioner).solve(b, lambdas, wanted);
  require_accuracy(made, lambda);
  copy(made.c.view(), b);
}

FactorizationPtr factorize_iterative(ProblemPtr problem, double accuracy) {
  if (problem->linear()) return std::make_shared<SparseIterative>(std::move(problem), accuracy);
  return std::make_shared<Iterative>(std::move(problem), accuracy);
}

FactorizationPtr load_iterative(ProblemPtr problem, ByteReader& in) {
  if (problem->linear() && !problem->x.is_sparse())
    fail(Status::corrupt, "the saved route is ITERATIVE, which takes no linear kernel of an ordinary matrix");
  if (problem->linear()) return std::make_shared<SparseIterative>(std::move(problem), in);
  return std::make_shared<Iterative>(std::move(problem), in);
}

}  // namespace freeridge
