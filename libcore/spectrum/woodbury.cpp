#include "libcore/spectrum/woodbury.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_qr.hpp"
#include "libcore/spectrum/spectrum_residual_maker.hpp"
#include "libcore/spectrum/stacked_triangle.hpp"

namespace freeridge {

WoodburyGroup::WoodburyGroup(GroupRows rows, bool core) : rows_(std::move(rows)) {
  if (core) {
    const Index r = rows_.f.r();
    const double noise = rows_.f.subtraction_noise();
    const bool more_go = 2 * rows_.b.rows() > rows_.f.problem().n();
    core_ = Matrix(r + q(), r + q(), 0.0);
    more_go ? add_others() : subtract_own();
    noise_.assign(core_.rows(), more_go ? noise * noise : noise);  // of a sum of squares, off by noise
  }
  if (!core || may_be_near_singular(core_.view())) triangle_of_others();
}

// f(rows, tile) for the rows that stay, some at a time.
template <class F>
void WoodburyGroup::each_other(const F& f) const {
  const Array<Index> others = other_indices(rows_.which, rows_.f.problem().n());
  SpectrumFactorization::Room room;
  for (std::size_t begin = 0; begin < others.size();) {
    const auto count = std::min(static_cast<std::size_t>(rows_.f.tile_rows()), others.size() - begin);
    const Span<const Index> some = Span(others).subspan(begin, count);
    f(some, rows_.f.gather(some, room));
    begin += count;
  }
}

void WoodburyGroup::add_others() {
  const Index r = rows_.f.r();
  each_other([&](Span<const Index> some, const SpectrumFactorization::Tile& tile) {
    syrk(Op::transpose, 1, tile.b, 1, core_.view().block(0, 0, r, r));
    if (q() == 0) return;
    const Matrix q1 = rows_.f.problem().q1_of(some);
    gemm(Op::transpose, Op::none, 1, q1.view(), tile.b, 1, core_.view().block(r, 0, q(), r));
    syrk(Op::transpose, 1, q1.view(), 1, core_.view().block(r, r, q(), q()));
  });
}

void WoodburyGroup::subtract_own() {
  const Index r = rows_.f.r();
  syrk(Op::transpose, -1, rows_.b.view(), 0, core_.view().block(0, 0, r, r));
  if (q() > 0) {
    gemm(Op::transpose, Op::none, -1, rows_.q1.view(), rows_.b.view(), 0, core_.view().block(r, 0, q(), r));
    syrk(Op::transpose, -1, rows_.q1.view(), 0, core_.view().block(r, r, q(), q()));
  }
  for (Index k = 0; k < r + q(); ++k) core_(k, k) += 1;
}

// R and Q'E_O of [B_O, q1_O] = Q R.
void WoodburyGroup::triangle_of_others() {
  const Index r = rows_.f.r(), t = rows_.f.problem().t(), size = r + q();
  RowQr qr(size + t);
  each_other([&](Span<const Index> some, const SpectrumFactorization::Tile& tile) {
    Matrix all(tile.b.rows, size + t);
    copy(tile.b, all.view().columns(0, r));
    copy(rows_.f.problem().q1_of(some).view(), all.view().columns(r, q()));
    copy(tile.rest, all.view().columns(size, t));
    qr.absorb(all.view());
  });
  triangle_ = copy_of(qr.r().block(0, 0, size, size));
  others_ = copy_of(qr.r().block(0, size, size, t));
}

bool WoodburyGroup::left_out(const ResidualMaker& residual_maker, Index first, MatrixView v) const {
  const SpectrumAt& at = static_cast<const SpectrumResidualMaker&>(residual_maker).spectrum();
  const Index r = rows_.f.r(), t = v.cols;
  rows_.residual(at, first, v);
  Array<double> root(r + q(), 1.0);
  for (Index k = 0; k < r; ++k) root[k] = std::sqrt(1 - at.p(k));
  Matrix inner(r + q(), t, 0.0);
  if (!(triangle_.cols() > 0 ? solve_by_triangle(at, first, root, inner.view())
                             : solve_by_core(at, v, root, inner.view())))
    return false;
  multiply_rows(root, inner.view().row_range(0, r));
  if (q() > 0) gemm(Op::none, Op::none, 1, rows_.q1.view(), inner.view().row_range(r, q()), 1, v);
  gemm(Op::none, Op::none, 1, rows_.b.view(), inner.view().row_range(0, r), 1, v);
  return true;
}

bool WoodburyGroup::solve_by_core(const SpectrumAt& at, ConstMatrixView v, Span<const double> root,
                                  MatrixView inner) const {
  const Index r = rows_.f.r(), size = r + q();
  Matrix core(size, size);
  for (Index j = 0; j < size; ++j) {
    for (Index i = j; i < size; ++i) core(i, j) = root[i] * core_(i, j) * root[j];
    worked(touched * static_cast<double>(size - j));
  }
  for (Index k = 0; k < r; ++k) core(k, k) += at.p(k);
  gemm(Op::transpose, Op::none, 1, rows_.b.view(), v, 0, inner.row_range(0, r));
  multiply_rows(root, inner.row_range(0, r));
  if (q() > 0) gemm(Op::transpose, Op::none, 1, rows_.q1.view(), v, 0, inner.row_range(r, q()));
  return solve_left_out(core.view(), inner, noise_);
}

// [diag(p)^(1/2), D diag(p)^(1/2) Gamma; R D, -Q'v_O]
Matrix WoodburyGroup::least_squares_system(const SpectrumAt& at, Index first, Span<const double> root, Index t) const {
  const Index r = rows_.f.r(), size = triangle_.cols();
  Matrix stack(r + size, size + t, 0.0);
  const MatrixView below = stack.view().row_range(r, size), right = below.columns(size, t);
  for (Index k = 0; k < r; ++k) {
    const double p = std::sqrt(at.p(k));
    stack(k, k) = p;
    for (Index j = 0; j < t; ++j) stack(k, size + j) = root[k] * p * rows_.f.spectrum().gamma(k, first + j);
  }
  for (Index k = 0; k < size; ++k)
    for (Index i = 0; i <= k; ++i) below(i, k) = triangle_(i, k) * root[k];
  copy(others_.view().columns(first, t), right);
  gemm(Op::none, Op::none, 1, triangle_.view().columns(0, r), rows_.f.shared_gamma(at, first, t).view(), 1, right);
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < size; ++i) right(i, j) = -right(i, j);
  return stack;
}

bool WoodburyGroup::solve_by_triangle(const SpectrumAt& at, Index first, Span<const double> root,
                                      MatrixView inner) const {
  const Index size = triangle_.cols(), t = inner.cols;
  Matrix system = least_squares_system(at, first, root, t);
  const StackedTriangle stack(system.view(), size);
  double limit = static_cast<double>(size) * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < size; ++k) {
    if (stack.l(k, k) == 0) return false;
    limit = std::max(limit, rows_.f.subtraction_noise() / stack.norms[k]);
  }
  // The norm of the matrix is between 1 and its order, in the norm that the condition is estimated for.
  if (!(reciprocal_condition(stack.l.view(), 1) > limit * limit)) return false;
  const MatrixView solution = inner.row_range(0, size);
  copy(stack.right.view(), solution);
  trsm(Op::transpose, stack.l.view(), solution);
  divide_rows(stack.norms, solution);
  return true;
}

}  // namespace freeridge
