#include "libcore/select/feature_groups.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/blas.hpp"
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

}  // namespace

void leave_out(const FeatureRows& rows, const Group& group, LeftOutGroup& out) {
  rows.make(group.rows, out.tile);
  const Matrix a = with_free(rows.problem(), out.tile);
  const Index s = a.rows(), k = a.cols(), t = out.tile.r.cols();
  const bool few = s <= k;
  const Index size = few ? s : k;
  Matrix core(size, size);
  syrk(few ? Op::none : Op::transpose, -1, a.view(), 0, core.view());
  add_to_diagonal(core.view(), 1);
  const double noise = 10 * eps * (1 + std::sqrt(static_cast<double>(k)));
  const LeftOutFactor system(core.view(), Array<double>(size, noise));
  if (!system.regular())
    fail_no_value(text("the rows beside group ", group.label, " determine its predictions to no digit"));
  const auto solve = [&](ConstMatrixView from) {
    Matrix to = copy_of(from);
    if (few) {
      system.solve(to.view());
      return to;
    }
    Matrix inner(k, t);
    gemm(Op::transpose, Op::none, 1, a.view(), from, 0, inner.view());
    system.solve(inner.view());
    gemm(Op::none, Op::none, 1, a.view(), inner.view(), 1, to.view());
    return to;
  };
  out.e = solve(out.tile.r.view());
  Matrix scored = copy_of(out.e.view());
  clear_gap(group, scored.view());
  out.v = solve(scored.view());
  out.epsilon = Matrix(rows.p(), t);
  out.nu = Matrix(rows.p(), t);
  gemm(Op::transpose, Op::none, 1, out.tile.psi.view(), out.e.view(), 0, out.epsilon.view());
  gemm(Op::transpose, Op::none, 1, out.tile.psi.view(), out.v.view(), 0, out.nu.view());
}

Index leave_out_doubles(Index rows, Index p, Index d, Index t) {
  const Index size = std::min(rows, p + 1);
  return checked_doubles(rows, 2 * p + d + 4 * t + 1) + checked_doubles(size, size) + checked_doubles(4 * p, t);
}

}  // namespace freeridge
