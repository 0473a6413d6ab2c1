#include "libcore/routes/iterative_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/data/pivoted_cholesky.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr Index basis_rows = 512;  // of F that become rows of U together
constexpr Index least_rank = 512;

}  // namespace

Index preconditioner_rank(Index n) {
  const auto root = static_cast<Index>(std::sqrt(32.0 * static_cast<double>(n)));
  return std::min(n, std::max(root, least_rank));
}

IterativePreconditioner::IterativePreconditioner(const Problem& problem, Index rank, std::int64_t seed)
    : problem_(problem) {
  Random random(seed);
  Stage stage(0, 0.6);
  PivotedCholesky cholesky = pivoted_cholesky(*problem.kernel, problem.x, problem.sqrt_w, rank, random);
  trace_left_ = sum_of(cholesky.left);
  stage.next(1);
  set_basis(std::move(cholesky.factor), std::ssize(cholesky.rows));
}

void IterativePreconditioner::set_basis(Matrix factor, Index columns) {
  const MatrixView f = factor.view().columns(0, columns);
  take_out(f);
  Matrix v(columns, columns);
  if (columns > 0) syrk(Op::transpose, 1, f, 0, v.view());
  Array<double> values(columns);
  if (columns > 0) syevd(v.view(), values);
  const double zero =
      columns > 0 ? static_cast<double>(8 * columns) * std::numeric_limits<double>::epsilon() * values.back() : 0;
  const Index none =
      std::lower_bound(values.begin(), values.end(), std::max(zero, std::numeric_limits<double>::min())) -
      values.begin();
  for (Index k = none; k < columns; ++k) {
    eigenvalues_.push_back(values[k]);
    const double root = std::sqrt(values[k]);
    for (Index i = 0; i < columns; ++i) v(i, k) /= root;
  }
  Matrix rows(std::min(basis_rows, f.rows), columns);
  for (Index row = 0; row < f.rows && rank() > 0; row += basis_rows) {
    const MatrixView part = rows.view().row_range(0, std::min(basis_rows, f.rows - row));
    copy(f.row_range(row, part.rows), part);
    gemm(Op::none, Op::none, 1, part, v.view().columns(none, rank()), 0, f.block(row, 0, part.rows, rank()));
    report(fraction(row + part.rows, f.rows));
  }
  u_ = std::move(factor);
}

void IterativePreconditioner::take_out(MatrixView v) const {
  const Matrix& q1 = problem_.q1();
  if (q1.cols() == 0 || v.cols == 0) return;
  Matrix along(q1.cols(), v.cols);
  gemm(Op::transpose, Op::none, 1, q1.view(), v, 0, along.view());
  gemm(Op::none, Op::none, -1, q1.view(), along.view(), 1, v);
}

void IterativePreconditioner::apply(ConstMatrixView r, Span<const double> lambdas, MatrixView z) const {
  const ConstMatrixView u = u_.view().columns(0, rank());
  Matrix along(rank(), r.cols);
  if (rank() > 0) gemm(Op::transpose, Op::none, 1, u, r, 0, along.view());
  for (Index j = 0; j < r.cols; ++j) {
    for (Index k = 0; k < rank(); ++k) along(k, j) *= eigenvalues_[k] / (eigenvalues_[k] + lambdas[j]);
    if (z.col(j) != r.col(j)) std::copy_n(r.col(j), r.rows, z.col(j));
  }
  if (rank() > 0) gemm(Op::none, Op::none, -1, u, along.view(), 1, z);
  take_out(z);
  for (Index j = 0; j < z.cols; ++j)
    for (Index i = 0; i < z.rows; ++i) z(i, j) /= lambdas[j];
}

void IterativePreconditioner::diagonal(double lambda, Span<double> out) const {
  for (Index i = 0; i < std::ssize(out); ++i) out[i] = 1 - problem_.free_leverage(i);
  for (Index k = 0; k < rank(); ++k) {
    const double share = eigenvalues_[k] / (eigenvalues_[k] + lambda);
    const double* const u = u_.col(k);
    for (Index i = 0; i < std::ssize(out); ++i) out[i] -= share * u[i] * u[i];
    worked(touched * static_cast<double>(out.size()));
  }
  for (double& value : out) value = std::max(value, 0.0);
}

}  // namespace freeridge
