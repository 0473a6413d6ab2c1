#include "libcore/stream/unpenalised_columns.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr double dependent = 1e-10;

// Subtracts from the column its parts along those in `basis`, twice, and answers with the norm of the rest. (A QR with
// pivots would keep the largest columns; here the columns that come first are kept.)
double take_out(const Array<Array<double>>& basis, Array<double>& column) {
  const Index rows = std::ssize(column);
  for (int again = 0; again < 2; ++again)
    for (const Array<double>& direction : basis) {
      const double part = dot(rows, direction.data(), column.data());
      for (Index i = 0; i < rows; ++i) column[i] -= part * direction[i];
    }
  return norm2(rows, column.data());
}

}  // namespace

void UnpenalisedColumns::choose(ConstMatrixView r_uu, Span<const double> norms) {
  Array<Array<double>> basis;
  for (Index k = 0; k < given_; ++k) {
    Array<double> column(r_uu.rows, 0.0);
    std::copy_n(r_uu.col(k), std::min(k + 1, r_uu.rows), column.begin());
    const double left = take_out(basis, column);
    worked(4 * touched * static_cast<double>(r_uu.rows) * static_cast<double>(std::ssize(basis) + 1));
    if (!(left > dependent * norms[k])) continue;
    condition_ = std::max(condition_, norms[k] / left);
    for (double& value : column) value /= left;
    basis.push_back(std::move(column));
    kept_.push_back(k);
  }
}

UnpenalisedColumns::UnpenalisedColumns(ConstMatrixView triangle, Span<const double> norms, Index t)
    : given_(std::ssize(norms)), d_(triangle.cols - given_ - t), t_(t) {
  const Index rows = triangle.rows;
  choose(triangle.block(0, 0, std::min(rows, given_), given_), norms);
  const Index q = std::ssize(kept_);
  triangle_ = Matrix(rows, q + d_ + t_);
  copy(picked_columns(triangle, kept_).view(), triangle_.view().columns(0, q));
  copy(triangle.columns(given_, d_ + t_), triangle_.view().columns(q, d_ + t_));
  if (q < given_) {
    Array<double> tau(std::min(rows, triangle_.cols()));
    geqrf(triangle_.view(), tau);
  }
  for (Index k = 0; k < triangle_.cols(); ++k)
    for (Index i = k + 1; i < rows; ++i) triangle_(i, k) = 0;
  l_ = Matrix(q, q, 0.0);
  for (Index k = 0; k < q; ++k)
    for (Index i = 0; i <= k; ++i) l_(k, i) = triangle_(i, k);
}

double UnpenalisedColumns::log_determinant() const {
  double out = 0;
  for (Index k = 0; k < q(); ++k) out += 2 * std::log(std::abs(l_(k, k)));
  return out;
}

void UnpenalisedColumns::complete(MatrixView w) const {
  Matrix of_u(q(), w.cols);
  for (Index c = 0; c < w.cols; ++c) std::copy_n(r_uy().col(c % t_), q(), of_u.col(c));
  if (q() > 0) {
    gemm(Op::none, Op::none, -1, r_ux(), ConstMatrixView(w).row_range(given_, d_), 1, of_u.view());
    trsm(Op::transpose, l_.view(), of_u.view());
  }
  for (Index c = 0; c < w.cols; ++c) {
    std::fill_n(w.col(c), given_, 0.0);
    for (Index k = 0; k < q(); ++k) w(kept_[k], c) = of_u(k, c);
  }
}

Matrix UnpenalisedColumns::basis(ConstMatrixView u) const {
  Matrix out = picked_columns(u, kept_);
  if (q() > 0) trsm_right(Op::transpose, l_.view(), out.view());
  return out;
}

}  // namespace freeridge
