#include "libcore/select/landmark_contraction.hpp"

#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/log_gradient.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

Matrix landmark_points(const Problem& problem, const FeatureSystem& system) {
  const Index p = std::ssize(system.kept);
  Matrix out(p, problem.d());
  for (Index q = 0; q < p; ++q) copy_rows(problem.basis, system.kept[q], out.view().row_range(q, 1));
  return out;
}

void add_landmark_pairs(const Problem& problem, const FeatureSystem& system, MatrixView h, Span<double> out) {
  if (out.empty()) return;
  trsm(Op::transpose, system.l.view(), h);
  trsm_right(Op::none, system.l.view(), h);
  const Matrix points = landmark_points(problem, system);
  add_log_gradient(*problem.kernel, points.view(), points.view(), h, out);
}

LandmarkContraction::LandmarkContraction(const FeatureRows& rows, int team)
    : rows_(rows), sums_(team, Array<double>(hyperparameter_count(*rows.problem().kernel), 0.0)) {
  if (!sums_[0].empty()) landmarks_ = landmark_points(rows.problem(), rows.system());
}

void LandmarkContraction::add(const RowTile& tile, MatrixView g, int worker) {
  if (sums_[worker].empty()) return;
  rows_.solve_back(g);
  add_solved(tile, g, worker);
}

void LandmarkContraction::add_solved(const RowTile& tile, MatrixView g, int worker) {
  if (sums_[worker].empty()) return;
  for (Index k = 0; k < g.cols; ++k) {
    for (Index i = 0; i < g.rows; ++i) g(i, k) *= -2 * rows_.problem().sqrt_w[tile.rows[i]];
    worked(touched * static_cast<double>(g.rows));
  }
  add_log_gradient(*rows_.problem().kernel, tile.points.view(), landmarks_.view(), g, sums_[worker]);
}

void LandmarkContraction::add_to(Span<double> out) const {
  for (const Array<double>& sum : sums_)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += sum[i];
}

void run_last_pass(const FeatureRows& rows, const LastPass& pass, Span<double> out) {
  if (out.empty()) return;
  const int team = rows.team();
  LandmarkContraction contraction(rows, team);
  Array<Matrix> rooms(team), lefts(team);
  rows.each(team, [&](RowTile& tile, int worker) {
    const Index count = tile.count(), k = pass.right.cols();
    if (rooms[worker].rows() < count) rooms[worker] = Matrix(count, rows.p()), lefts[worker] = Matrix(count, k);
    const MatrixView g = rooms[worker].view().row_range(0, count), left = lefts[worker].view().row_range(0, count),
                     psi = tile.psi.view();
    Array<double> d(count, 0.0);
    pass.fill(tile, left, d);
    for (Index c = 0; c < g.cols; ++c) {
      for (Index i = 0; i < count; ++i) g(i, c) = d[i] * psi(i, c);
      worked(touched * static_cast<double>(count));
    }
    if (pass.inner.cols() > 0) gemm(Op::none, Op::none, -1, psi, pass.inner.view(), 1, g);
    gemm(Op::none, Op::transpose, 1, left, pass.right.view(), 1, g);
    contraction.add(tile, g, worker);
  });
  contraction.add_to(out);
}

}  // namespace freeridge
