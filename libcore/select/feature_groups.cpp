#include "libcore/select/feature_groups.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/factor/left_out_rows.hpp"
#include "libcore/factor/row_refit.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/select/gradient_parts.hpp"

namespace freeridge {
namespace {

void add_to_diagonal(MatrixView a, double value) {
  for (Index k = 0; k < a.cols; ++k) a(k, k) += value;
}

// [Psi_S, q1_S]
Matrix with_free(const Problem& problem, const RowTile& tile) {
  const Index p = tile.psi.cols();
  Matrix a(tile.count(), p + problem.q());
  copy(tile.psi.view(), a.view().columns(0, p));
  copy(problem.q1_of(tile.rows).view(), a.view().columns(p, problem.q()));
  return a;
}

// The group's scored rows of e, with zeros in its gap.
Matrix scored(const Group& group, const Matrix& e) {
  Matrix out = copy_of(e.view());
  clear_gap(group, out.view());
  return out;
}

// By I - A A' or I - A'A. False where too few digits would be left.
bool solve_by_core(const Group& group, ConstMatrixView a, LeftOutGroup& out) {
  const Index k = a.cols, t = out.tile.r.cols();
  const bool few = a.rows <= k;
  Matrix core(few ? a.rows : k, few ? a.rows : k);
  syrk(few ? Op::none : Op::transpose, -1, a, 0, core.view());
  add_to_diagonal(core.view(), 1);
  const double noise = 10 * eps * (1 + std::sqrt(static_cast<double>(k)));
  const LeftOutFactor system(core.view(), Array<double>(core.rows(), noise));
  if (system.error() > refit_from) return false;
  const auto solve = [&](ConstMatrixView from) {
    Matrix to = copy_of(from);
    if (few) {
      system.solve(to.view());
      return to;
    }
    Matrix inner(k, t);
    gemm(Op::transpose, Op::none, 1, a, from, 0, inner.view());
    system.solve(inner.view());
    gemm(Op::none, Op::none, 1, a, inner.view(), 1, to.view());
    return to;
  };
  out.e = solve(out.tile.r.view());
  out.v = solve(scored(group, out.e).view());
  gemm(Op::transpose, Op::none, 1, out.tile.psi.view(), out.e.view(), 0, out.epsilon.view());
  gemm(Op::transpose, Op::none, 1, out.tile.psi.view(), out.v.view(), 0, out.nu.view());
  return true;
}

// Pi with Pi'Pi = I - Psi'Psi for all rows: lambda C^-1 C^-T, where directions that count as zero have 1 in the place of
// lambda / weight. With q_k = C^-1 v_k weight_k^(1/2), orthonormal, and the directions k that count:
//     Pi'Pi = sum_k lambda / weight_k q_k q_k' + (I - sum_k q_k q_k')
Matrix penalty(const FeatureSystem& system, double lambda) {
  const Index p = system.c.rows(), r = system.half.cols();
  Matrix q(p, r);
  if (system.half.rows() == 0) {  // sparse rows: all directions count
    Matrix out(p, p, 0.0);
    add_to_diagonal(out.view(), std::sqrt(lambda));
    trsm_right(Op::transpose, system.c.view(), out.view());
    return out;
  }
  copy(system.half.view(), q.view());
  Matrix out(r + p, p, 0.0);
  for (Index k = 0; k < r; ++k) {
    const double s = norm2(p, q.col(k));
    if (s > 0) divide_by(q.view().columns(k, 1), s / std::sqrt(system.weight[k]));
  }
  trsm(Op::none, system.c.view(), q.view());
  for (Index k = 0; k < r; ++k)
    for (Index j = 0; j < p; ++j) out(k, j) = std::sqrt(lambda / system.weight[k]) * q(j, k);
  const MatrixView rest = out.view().row_range(r, p);
  add_to_diagonal(rest, 1);
  gemm(Op::none, Op::transpose, -1, q.view(), q.view(), 1, rest);
  return out;
}

// By the rows that stay (factor/row_refit.hpp).
void refit(const FeatureRows& rows, const Group& group, double lambda, ConstMatrixView a, LeftOutGroup& out) {
  const Problem& problem = rows.problem();
  const Index k = a.cols, p = rows.p(), t = problem.t();
  RowRefit others(k, t);
  RowTile tile;
  const Array<Index> which = other_indices(group.rows, problem.n());
  for (std::size_t begin = 0; begin < which.size(); begin += tile.rows.size()) {
    const auto count = std::min(static_cast<std::size_t>(rows.tile_rows()), which.size() - begin);
    rows.make(Span(which).subspan(begin, count), tile);
    Matrix block(tile.count(), k + t);
    copy(with_free(problem, tile).view(), block.view().columns(0, k));
    copy(picked_rows(problem.y_tilde.view(), tile.rows).view(), block.view().columns(k, t));
    others.absorb(block.view());
  }
  others.penalise(penalty(rows.system(), lambda).view());
  if (!others.determined())
    fail_no_value(text("the rows beside group ", group.label, " determine its predictions to no digit"));
  const Matrix beta = others.beta();
  out.e = picked_rows(problem.y_tilde.view(), out.tile.rows);
  gemm(Op::none, Op::none, -1, a, beta.view(), 1, out.e.view());
  out.v = scored(group, out.e);
  out.nu = copy_of(others.leave_out(a, out.v.view()).view().row_range(0, p));
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < p; ++i) out.epsilon(i, j) = rows.gamma()(i, j) - beta(i, j);
}

}  // namespace

void leave_out(const FeatureRows& rows, const Group& group, double lambda, LeftOutGroup& out) {
  rows.make(group.rows, out.tile);
  const Matrix a = with_free(rows.problem(), out.tile);
  out.epsilon = Matrix(rows.p(), out.tile.r.cols());
  out.nu = Matrix(rows.p(), out.tile.r.cols());
  const bool few_stay = rows.problem().n() - a.rows() < a.cols();
  if (few_stay || !solve_by_core(group, a.view(), out)) refit(rows, group, lambda, a.view(), out);
}

Index leave_out_doubles(Index rows, Index p, Index d, Index t) {
  const Index size = std::min(rows, p + 1);
  const Index again = checked_doubles(8, checked_doubles(p + t + 1, p + t + 1)) +  // a refit's triangle and penalty
                      checked_doubles(tile_rows(p), 3 * p + d + 4 * t + 2);
  return checked_doubles(rows, 2 * p + d + 4 * t + 1) + checked_doubles(2 * size, size) + checked_doubles(4 * p, t) +
         again;
}

}  // namespace freeridge
