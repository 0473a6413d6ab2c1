#include "libcore/routes/cholesky_route.hpp"

#include "libcore/routes/kernel_on_device.hpp"
#include "libcore/routes/routes.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {

Cholesky::Cholesky(ProblemPtr the_problem, ReducedKernel kernel, std::unique_ptr<CholeskyMatrix> matrix)
    : Factorization(std::move(the_problem)),
      kernel_(std::move(kernel)),
      matrix_(std::move(matrix)),
      z_y_(copy_of(problem().y_tilde.view())) {
  const Array<double> diagonal = matrix_->diagonal();
  trace_ = kernel_.trace(diagonal);
  if (!contrast().active()) set_shares(diagonal);
  contrast().reduce(z_y_.view());
  if (kernel_.graded()) sizes_ = kernel_.inner_sizes();
}

// Reads the strictly lower triangle alone: a residual maker may be at work in the upper triangle and the diagonal.
void Cholesky::save(ByteWriter& out) const {
  kernel_.save(out);
  const Array<double> diagonal = matrix_->diagonal();
  Array<double> room(diagonal.size());
  for (Index j = 0; j < std::ssize(diagonal); ++j) {
    out.number(diagonal[j]);
    out.numbers(matrix_->below(j, room));
  }
}

void Cholesky::set_shares(Span<const double> diagonal) {
  row_share_.assign(std::ssize(diagonal), 0.0);
  square_share_ = row_share_;
  if (trace_ <= 0) return;
  for (std::size_t i = 0; i < diagonal.size(); ++i) row_share_[i] = diagonal[i] / trace_;
  square_share_ = matrix_->square_sums(trace_);
}

FactorizationPtr factorize_cholesky(ProblemPtr problem, const EnginePtr& engine) {
  if (engine != nullptr) {
    KernelOnDevice there(engine, *problem);
    if (problem->kernel->precomputed()) there.require_semidefinite();
    auto matrix = matrix_on_device(engine, std::move(there.storage), problem->degrees());
    return std::make_shared<Cholesky>(std::move(problem), std::move(there.about), std::move(matrix));
  }
  ReducedKernel kernel(*problem);
  if (problem->kernel->precomputed()) kernel.require_semidefinite();
  auto matrix = matrix_on_host(kernel);
  return std::make_shared<Cholesky>(std::move(problem), std::move(kernel), std::move(matrix));
}

FactorizationPtr load_cholesky(ProblemPtr problem, ByteReader& in) {
  const Pivot pivot = in.version() < 2 ? Pivot::first : Pivot::heaviest;
  ReducedKernel kernel(*problem, in, triangle_numbers(problem->degrees()), pivot);
  load_triangle(in, "the kernel matrix", kernel.inner(), Triangle::lower);
  auto matrix = matrix_on_host(kernel);
  return std::make_shared<Cholesky>(std::move(problem), std::move(kernel), std::move(matrix));
}

}  // namespace freeridge
