#include "libcore/routes/iterative_route.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/bytes.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/random.hpp"
#include "libcore/factor/reduced_kernel.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/iterative_residual_maker.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/routes/sparse_iterative_route.hpp"

namespace freeridge {
namespace {

constexpr std::int64_t preconditioner_seed = 0;
constexpr Index lanczos_steps = 40;

// A precomputed K is refused where 40 steps of Lanczos' method on Z'K_wZ find a negative eigenvalue: a Ritz value is
// never below the least eigenvalue. v_k orthonormal, q1 taken out:
//     K_w v_k = beta_k-1 v_k-1 + alpha_k v_k + beta_k v_k+1,     the Ritz values are the eigenvalues of that tridiagonal T
// What lies in the middle of many eigenvalues, or is as small as a few hundredths of them, they may not find. 40 n^2.
void require_semidefinite(const Problem& problem, const KernelPasses& passes, const IterativePreconditioner& with) {
  if (!problem.kernel->precomputed()) return;
  const Stage still(0, 0);
  const Index n = problem.n(), most = std::min(lanczos_steps, problem.degrees());
  Matrix v(n, most + 1), t(most, most, 0.0);
  Random random(preconditioner_seed);
  for (double& value : v.values()) value = 2 * random.uniform() - 1;
  Index steps = 0;
  double size = 0, length = 0;
  const auto next = [&](MatrixView w) {  // what is left of w beside the vectors so far, of length one
    with.take_out(w);
    for (int twice = 0; twice < 2 && steps > 0; ++twice) {
      Matrix along(steps, 1);
      gemm(Op::transpose, Op::none, 1, v.view().columns(0, steps), w, 0, along.view());
      gemm(Op::none, Op::none, -1, v.view().columns(0, steps), along.view(), 1, w);
    }
    length = norm2(n, w.data);
    if (length > 0) divide_by(w, length);
  };
  next(v.view().columns(0, 1));
  while (steps < most && length > 0) {
    const MatrixView w = v.view().columns(steps + 1, 1);
    passes.multiply(v.view().columns(steps, 1), w, Precision::double_precision);
    t(steps, steps) = dot(n, v.col(steps), w.data);
    size = std::max(size, std::abs(t(steps, steps)));
    ++steps;
    next(w);
    if (!(length > 16 * eps * size)) break;
    if (steps < most) t(steps, steps - 1) = length;
  }
  Array<double> ritz(steps);
  symmetric_eigen(t.view().block(0, 0, steps, steps), ritz);
  if (steps == 0 || !(ritz.front() < -indefinite(n, std::max(ritz.back(), -ritz.front())))) return;
  fail_indefinite(problem.q(), text("it has an eigenvalue of at most ", ritz.front()));
}

}  // namespace

Iterative::Parts::Parts(const Problem& problem, Index rank)
    : passes(problem.kernel, problem.x, problem.sqrt_w),
      preconditioner(problem, rank, preconditioner_seed),
      k_q1(problem.n(), problem.q()) {
  if (problem.q() > 0) passes.multiply(problem.q1().view(), k_q1.view(), Precision::double_precision);
  require_semidefinite(problem, passes, preconditioner);
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
