#include "mpi/reflected_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge::mpi {
namespace {

// The rows `which` of x, one after the other.
Matrix rows_of(const Rows& x, Span<const Index> which) {
  Matrix out(std::ssize(which), x.cols);
  for (Index k = 0; k < x.cols; ++k)
    for (Index i = 0; i < out.rows(); ++i) out(i, k) = x(which[i], k);
  return out;
}

LayoutView as_rows(ConstMatrixView a) {
  return {a.data, a.rows, a.cols, a.ld, Layout::col_major};
}

// The first row of local column j that is computed: that of the diagonal block, or 0 for the whole column.
Index first_row(const Dealing& dealing, bool whole, Index j) {
  return whole ? 0 : Dealing::first_from(dealing.row, dealing.col[j] / dealing.nb * dealing.nb);
}

}  // namespace

ReflectedKernel::ReflectedKernel(const Team& team, const Problem& problem) : team_(team), problem_(problem) {
  v_.assign(problem.n(), 0.0);
  k_q1_ = Matrix(problem.n(), problem.q());
  if (problem.q() == 0) return;
  const double* const q1 = problem.q1().col(0);
  std::copy_n(q1, problem.n(), v_.begin());
  tau_ = 1 / (1 + std::abs(v_.back()));
  v_.back() += std::copysign(1, v_.back());
}

void ReflectedKernel::reflect(MatrixView a) const {
  for (Index j = 0; j < a.cols && tau_ > 0; ++j) {
    const double along = tau_ * dot(a.rows, v_.data(), a.col(j));
    for (Index i = 0; i < a.rows; ++i) a(i, j) -= along * v_[i];
  }
}

void ReflectedKernel::fill(const Dealing& dealing, bool whole, MatrixView out) const {
  const Matrix own = rows_of(problem_.x, dealing.row);
  const Index cols = std::ssize(dealing.col);
  for (Index j = 0; j < cols; j += dealing.nb) {
    const Index count = std::min<Index>(dealing.nb, cols - j), i = first_row(dealing, whole, j);
    const Matrix others = rows_of(problem_.x, Span<const Index>(dealing.col).subspan(j, count));
    const MatrixView tile = out.block(i, j, out.rows - i, count);
    if (tile.rows == 0) continue;
    cross_kernel(*problem_.kernel, as_rows(own.view().row_range(i, tile.rows)), problem_.shift, as_rows(others.view()),
                 0, tile);
    for (Index c = 0; c < count; ++c)
      for (Index r = 0; r < tile.rows; ++r)
        tile(r, c) *= problem_.sqrt_w[dealing.row[i + r]] * problem_.sqrt_w[dealing.col[j + c]];
    worked(touched * static_cast<double>(tile.rows * count));
  }
}

// This rank's part of K_w q1, and behind it that of the trace of K_w: the blocks' lower triangle, read twice.
Array<double> ReflectedKernel::products(const Dealing& dealing, ConstMatrixView k) const {
  Array<double> sum(problem_.n() + 1, 0.0);
  const double* const q = problem_.q() > 0 ? problem_.q1().col(0) : v_.data();
  for (Index j = 0; j < k.cols; ++j) {
    const Index column = dealing.col[j];
    double along = 0;
    for (Index i = Dealing::first_from(dealing.row, column); i < k.rows; ++i) {
      const Index row = dealing.row[i];
      sum[row] += k(i, j) * q[column];
      if (row != column) along += k(i, j) * q[row];
      if (row == column) sum.back() += k(i, j);
    }
    sum[column] += along;
    worked(touched * static_cast<double>(k.rows));
  }
  return sum;
}

// Sets w, from K_w v = K_w q1 + s K_w e, and the trace of the leading block, tr K_w - q1'K_w q1.
void ReflectedKernel::set_update(Span<const double> k_q1) {
  const Index n = problem_.n();
  const double sign = std::copysign(1, v_.back());
  const Index last[] = {n - 1};
  const Matrix point = rows_of(problem_.x, last);
  Matrix k_last(n, 1);
  cross_kernel(*problem_.kernel, problem_.x, problem_.shift, as_rows(point.view()), 0, k_last.view());
  std::copy(k_q1.begin(), k_q1.end(), k_q1_.col(0));
  w_.resize(n);
  for (Index i = 0; i < n; ++i)
    w_[i] = tau_ * (k_q1[i] + sign * problem_.sqrt_w[i] * problem_.sqrt_w[n - 1] * k_last(i, 0));
  const double along = tau_ / 2 * dot(n, w_.data(), v_.data());
  for (Index i = 0; i < n; ++i) w_[i] -= along * v_[i];
  constant_ = dot(n, problem_.q1().col(0), k_q1.data());
  trace_ -= constant_;
}

void ReflectedKernel::update(const Dealing& dealing, bool whole, MatrixView out) const {
  for (Index j = 0; j < out.cols; ++j) {
    const double v_j = v_[dealing.col[j]], w_j = w_[dealing.col[j]];
    for (Index i = first_row(dealing, whole, j); i < out.rows; ++i)
      out(i, j) -= v_[dealing.row[i]] * w_j + w_[dealing.row[i]] * v_j;
    worked(touched * static_cast<double>(out.rows));
  }
}

void ReflectedKernel::make(const Dealing& dealing, bool whole, MatrixView out) {
  Array<double> sum;
  team_.together([&] {
    fill(dealing, whole, out);
    if (!known_) sum = products(dealing, out);
  });
  if (!known_) {
    team_.sum(sum);
    team_.together([&] {
      trace_ = sum.back();
      if (tau_ > 0) set_update(Span<const double>(sum).first(problem_.n()));
    });
    known_ = true;
  }
  if (tau_ > 0) team_.together([&] { update(dealing, whole, out); });
}

}  // namespace freeridge::mpi
