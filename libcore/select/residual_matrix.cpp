#include "libcore/select/residual_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/routes/regular_cholesky.hpp"

namespace freeridge {
namespace {

// A / s + lambda / s I, lower triangle.
void scale_and_shift(MatrixView a, double s, double lambda) {
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = j; i < a.rows; ++i) a(i, j) /= s;
    a(j, j) += lambda / s;
    worked(touched * static_cast<double>(a.rows - j));
  }
}

}  // namespace

ResidualMatrix::ResidualMatrix(const Problem& problem, double lambda, bool with_p) : c(problem.n(), problem.t()) {
  ReducedKernel kernel(problem);
  const Contrast& contrast = kernel.contrast;
  const MatrixView inner = kernel.inner();
  const Index m = contrast.m();
  s = cholesky_unit(kernel.trace(kernel.diagonal()) / static_cast<double>(std::max<Index>(m, 1)), lambda);
  const Array<double> sizes = kernel.graded() ? kernel.inner_sizes() : Array<double>();
  scale_and_shift(inner, s, lambda);
  using Wanted = RegularMatrix::Wanted;
  regular_cholesky(inner, Triangle::lower, {lambda, s, kernel.constant_part, sizes},
                   problem.kernel->precomputed() ? Wanted::smallest_eigenvalue : Wanted::factor);

  log_determinant = static_cast<double>(m) * std::log(s);
  for (Index i = 0; i < m; ++i) log_determinant += 2 * std::log(inner(i, i));
  copy(problem.y_tilde.view(), c.view());
  const MatrixView half = contrast.reduce(c.view());
  trsm(Op::none, inner, half);
  for (Index j = 0; j < half.cols; ++j) quadratic_form.push_back(dot(m, half.col(j), half.col(j)) / s);
  trsm(Op::transpose, inner, half);
  contrast.expand(c.view());

  if (!with_p) return;
  potri(inner);
  contrast.expand_symmetric(kernel.storage.view());
  p = std::move(kernel.storage);
}

void ResidualMatrix::fill_upper_and_scale(Span<const double> factor) {
  each_pair_below(p.rows(), [&](Index i, Index j) {
    p(j, i) = p(i, j) * factor[i];
    p(i, j) *= factor[j];
  });
  for (Index i = 0; i < p.rows(); ++i) p(i, i) *= factor[i];
}

}  // namespace freeridge
