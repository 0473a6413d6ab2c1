#include "libcore/spectrum/lambda_basis.hpp"

#include <algorithm>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

double largest(ConstMatrixView a) {
  double most = 0;
  for (Index j = 0; j < a.cols; ++j) most = std::max(most, largest_magnitude({a.col(j), a.rows}));
  return most;
}

}  // namespace

std::optional<LambdaBasis> lambda_basis(ConstMatrixView p) {
  const Index size = p.rows, count = p.cols, most_columns = std::min(size, 2 * count / 3);
  // Columns of one size, so that the error of each is measured by its own.
  Matrix scaled(size, count), left(size, count), q(size, most_columns), r(most_columns, count, 0.0);
  Array<double> scale(count);
  for (Index l = 0; l < count; ++l) {
    const double most = largest(p.columns(l, 1));
    if (!(most > 0)) return std::nullopt;
    for (Index k = 0; k < size; ++k) scaled(k, l) = left(k, l) = p(k, l) / most;
    scale[l] = most;
  }
  Index rank = 0;
  for (double first = 0;; ++rank) {
    Index pivot = 0;
    double norm = 0;
    for (Index l = 0; l < count; ++l)
      if (const double value = norm2(size, left.col(l)); value > norm) norm = value, pivot = l;
    if (rank == 0) first = norm;
    if (norm <= eps * first) break;
    if (rank == most_columns) return std::nullopt;
    for (Index k = 0; k < size; ++k) q(k, rank) = left(k, pivot) / norm;
    worked(3 * touched * static_cast<double>(size * count));
    for (Index l = 0; l < count; ++l) {
      const double part = dot(size, q.col(rank), left.col(l));
      r(rank, l) = part;
      for (Index k = 0; k < size; ++k) left(k, l) -= part * q(k, rank);
    }
  }

  LambdaBasis out{Matrix(size, rank), Matrix(rank, count)};
  for (Index j = 0; j < rank; ++j) std::copy_n(q.col(j), size, out.q.col(j));
  for (Index l = 0; l < count; ++l) std::copy_n(r.col(l), rank, out.r.col(l));
  gemm(Op::none, Op::none, -1, out.q.view(), out.r.view(), 1, scaled.view());
  if (!(largest(scaled.view()) <= 16 * eps)) return std::nullopt;
  for (Index l = 0; l < count; ++l)
    for (Index j = 0; j < rank; ++j) out.r(j, l) *= scale[l];
  return out;
}

}  // namespace freeridge
