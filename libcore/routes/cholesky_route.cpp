#include "libcore/routes/cholesky_route.hpp"

#include "libcore/routes/routes.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {

Cholesky::Cholesky(ProblemPtr the_problem, ReducedKernel kernel)
    : Factorization(std::move(the_problem)), kernel_(std::move(kernel)), z_y_(copy_of(problem().y_tilde.view())) {
  const ConstMatrixView reduced = inner();
  for (Index i = 0; i < reduced.rows; ++i) diagonal_.push_back(reduced(i, i));
  trace_ = kernel_.trace();
  if (!contrast().active()) set_shares();
  contrast().reduce(z_y_.view());
  if (kernel_.graded()) sizes_ = kernel_.inner_sizes();
}

// Reads the strictly lower triangle of the storage alone: a residual maker may be at work in the upper triangle and the
// diagonal.
void Cholesky::save(ByteWriter& out) const {
  kernel_.save(out);
  const ConstMatrixView k = inner();
  for (Index j = 0; j < k.cols; ++j) {
    out.number(diagonal_[j]);
    out.numbers({k.col(j) + j + 1, k.rows - j - 1});
  }
}

void Cholesky::set_shares() {
  const ConstMatrixView k = inner();
  const Index n = k.rows;
  row_share_.assign(n, 0.0);
  square_share_ = row_share_;
  if (trace_ <= 0) return;
  for (Index j = 0; j < n; ++j) {
    row_share_[j] = k(j, j) / trace_;
    for (Index i = j; i < n; ++i) {
      const double share = k(i, j) / trace_;
      square_share_[i] += share * share;
      if (i != j) square_share_[j] += share * share;
    }
    worked(2 * touched * static_cast<double>(n - j));
  }
}

FactorizationPtr factorize_cholesky(ProblemPtr problem) {
  ReducedKernel kernel(*problem);
  if (problem->kernel->precomputed()) kernel.require_semidefinite();
  return std::make_shared<Cholesky>(std::move(problem), std::move(kernel));
}

FactorizationPtr load_cholesky(ProblemPtr problem, ByteReader& in) {
  const Pivot pivot = in.version() < 2 ? Pivot::first : Pivot::heaviest;
  ReducedKernel kernel(*problem, in, triangle_numbers(problem->degrees()), pivot);
  load_triangle(in, "the kernel matrix", kernel.inner(), Triangle::lower);
  return std::make_shared<Cholesky>(std::move(problem), std::move(kernel));
}

}  // namespace freeridge
