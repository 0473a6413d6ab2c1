#include "libcore/select/feature_rows.hpp"

#include <algorithm>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/select/gradient_parts.hpp"

namespace freeridge {
namespace {

constexpr Index evaluated_rows = 128;  // of kernel values at once

// take(begin, count) for the runs of neighbours in `rows`.
template <class Take>
void each_run(Span<const Index> rows, const Take& take) {
  for (Index begin = 0, end, n = std::ssize(rows); begin < n; begin = end) {
    for (end = begin + 1; end < n && rows[end] == rows[end - 1] + 1;) ++end;
    take(begin, end - begin);
  }
}

MatrixView room_for(Matrix& matrix, Index rows, Index cols) {
  if (matrix.rows() != rows || matrix.cols() != cols) matrix = Matrix(rows, cols);
  return matrix.view();
}

}  // namespace

FeatureRows::FeatureRows(const Problem& problem, const FeatureSystem& system)
    : problem_(problem), system_(system), gamma_(copy_of(system.products.view())) {
  trsm(Op::none, system.c.view(), gamma_.view());
  if (system.kept.empty()) {
    factor_ = TriangleDivisor(copy_of(system.c.view()));
    for (Index k = 0; k < problem.x_free.rows() && problem.intercept; ++k)
      shift_.push_back(problem.x_free(k, 0) / (*problem.linear_scale)[k]);
    return;
  }
  support_.emplace(problem.kernel, problem.basis, system.kept);
  Matrix factor(p(), p());
  gemm(Op::none, Op::none, 1, system.l.view(), system.c.view(), 0, factor.view());
  factor_ = TriangleDivisor(std::move(factor));
  centre_ = Matrix(p(), problem.q());
  if (problem.q() > 0) gemm(Op::none, Op::none, 1, system.l.view(), system.parts.view(), 0, centre_.view());
}

Index FeatureRows::tile_rows() const {
  return std::min(freeridge::tile_rows(p()), problem_.n());
}

int FeatureRows::team() const {
  return reduction_workers(problem_.n(), p() + problem_.t());
}

void FeatureRows::features(Span<const Index> rows, RowTile& tile) const {
  const MatrixView out = tile.psi.view();
  if (out.cols == 0) return;  // landmarks between which the kernel is zero have no features
  if (!support_) {
    each_run(rows, [&](Index begin, Index count) { problem_.weighted_rows(rows[begin], out.row_range(begin, count)); });
    return;
  }
  if (problem_.kernel->precomputed()) {
    each_run(rows, [&](Index begin, Index count) {
      support_->evaluate(problem_.x, rows[begin], out.row_range(begin, count));
    });
    return;
  }
  const MatrixView points = room_for(tile.points, out.rows, problem_.d());
  each_run(rows, [&](Index begin, Index count) { copy_rows(problem_.x, rows[begin], points.row_range(begin, count)); });
  const LayoutView at{points.data, points.rows, points.cols, points.ld, Layout::col_major};
  const Stage still(0, 0);
  parallel_for(pieces(out.rows, evaluated_rows), [&](Index block) {
    const Index first = block * evaluated_rows;
    support_->evaluate(at, first, out.row_range(first, std::min(evaluated_rows, out.rows - first)));
  });
}

void FeatureRows::make(Span<const Index> rows, RowTile& tile) const {
  const Index count = std::ssize(rows), t = problem_.t();
  tile.rows.assign(rows.begin(), rows.end());
  const MatrixView psi = room_for(tile.psi, count, p()), r = room_for(tile.r, count, t);
  features(rows, tile);
  if (support_) problem_.centre_and_weigh(rows, centre_.view(), psi);
  for (Index k = 0; k < p() && !shift_.empty(); ++k) {
    for (Index i = 0; i < count; ++i) psi(i, k) -= shift_[k] * problem_.sqrt_w[rows[i]];
    worked(2 * touched * static_cast<double>(count));
  }
  factor_.divide(Op::transpose, psi);
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < count; ++i) r(i, j) = problem_.y_tilde(rows[i], j);
  gemm(Op::none, Op::none, -1, psi, gamma_.view(), 1, r);
  tile.d.assign(count, 1.0);
  for (Index i = 0; i < count; ++i) tile.d[i] -= problem_.free_leverage(rows[i]);
  for (Index k = 0; k < p(); ++k) {
    const double* const column = psi.col(k);
    for (Index i = 0; i < count; ++i) tile.d[i] -= column[i] * column[i];
    worked(touched * static_cast<double>(count));
  }
}

void FeatureRows::each(int team, const std::function<void(RowTile&, int)>& take) const {
  const Index n = problem_.n(), step = tile_rows(), tiles = pieces(n, step);
  Array<RowTile> rooms(team);
  parallel_shares(tiles, team, [&](Index i, int worker) {
    make(consecutive(i * step, std::min(step, n - i * step)), rooms[worker]);
    take(rooms[worker], worker);
  });
}

void FeatureRows::solve_back(MatrixView g) const {
  factor_.divide(Op::none, g);
}

void MendedRows::put_into(RowTile& tile) const {
  if (rows.empty()) return;
  for (Index i = 0; i < tile.count(); ++i) {
    const auto place = std::ranges::lower_bound(rows, tile.rows[i]);
    if (place == rows.end() || *place != tile.rows[i]) continue;
    const Index k = place - rows.begin();
    tile.d[i] = d[k];
    for (Index j = 0; j < r.cols(); ++j) tile.r(i, j) = r(k, j);
  }
}

MendedRows mended_rows(const Factorization& factorization, double lambda, Array<Index> rows) {
  const Problem& problem = factorization.problem();
  MendedRows out{std::move(rows), {}, {}};
  if (out.rows.empty()) return out;
  std::ranges::sort(out.rows);
  Matrix residual(problem.n(), problem.t());
  Array<double> diagonal(problem.n());
  residual_maker_at(factorization, lambda)->residual_and_diagonal(0, residual.view(), diagonal);
  out.r = Matrix(std::ssize(out.rows), problem.t());
  for (std::size_t k = 0; k < out.rows.size(); ++k) {
    const Index i = out.rows[k];
    if (!(diagonal[i] > 0)) fail_no_value(no_left_out_error(i));
    out.d.push_back(diagonal[i]);
    for (Index j = 0; j < problem.t(); ++j) out.r(static_cast<Index>(k), j) = residual(i, j);
  }
  return out;
}

}  // namespace freeridge
