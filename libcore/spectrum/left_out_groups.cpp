#include "libcore/spectrum/left_out_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/factor/intercept.hpp"
#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_qr.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr double near_singular =
    1e-4;  // the smallest eigenvalue of N_SS or C below which more than four digits are lost

// Whether a positive semi-definite matrix, lower triangle, may have an eigenvalue below near_singular: 1 / |A^-1|_1 is
// at most the smallest one.
bool may_be_near_singular(ConstMatrixView a) {
  Matrix factor = copy_of(a);
  const double norm = symmetric_norm1(a);
  return !potrf(factor.view()) || !(reciprocal_condition(factor.view(), norm) * norm > near_singular);
}

std::vector<Index> others_of(Index n, std::span<const Index> which) {
  std::vector<char> own(static_cast<std::size_t>(n), 0);
  for (const Index i : which) own[static_cast<std::size_t>(i)] = 1;
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i)
    if (own[static_cast<std::size_t>(i)] == 0) out.push_back(i);
  return out;
}

}  // namespace

SpectrumRows::SpectrumRows(const SpectrumFactorization& factor, std::span<const Index> which) : f_(factor) {
  SpectrumFactorization::Room room;
  const SpectrumFactorization::Tile tile = f_.gather(which, room);
  const Index s = tile.b.rows, r = tile.b.cols, stay = f_.problem().n() - s;
  b_ = copy_of(tile.b);
  if (f_.complement()) rest_ = copy_of(tile.rest);
  q1_ = q1_of(which);
  const Index unknowns = r + (q1_.empty() ? 0 : 1);
  way_ = f_.complement() && stay < unknowns ? Way::refit : f_.complement() && s > r + 1 ? Way::woodbury : Way::dense;
  if (way_ == Way::refit)
    keep_others(which);
  else if (way_ == Way::woodbury)
    set_woodbury(which);
  else if (f_.complement())
    set_dense(which, tile.rest_diagonal);
  if (way_ == Way::dense && s == 1 && !tile.small.empty()) set_single(which.front());
  if (way_ == Way::dense && s == 1 && f_.complement()) noise_.front() = f_.row_noise() * f_.row_noise();
}

std::vector<double> SpectrumRows::q1_of(std::span<const Index> rows) const {
  std::vector<double> out;
  for (const Index i : rows)
    if (f_.problem().intercept) out.push_back(f_.problem().q1[static_cast<std::size_t>(i)]);
  return out;
}

bool SpectrumRows::left_out(const ResidualMaker& of_factor, Index first, MatrixView out) const {
  const auto& maker = static_cast<const SpectrumMaker&>(of_factor);
  if (way_ == Way::refit) return left_out_refit(maker, first, out);
  gemm(Op::none, Op::none, 1, b_.view(), maker.shared_gamma(first, out.cols).view(), 0, out);
  if (f_.complement())
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) += rest_(i, first + j);
  return way_ == Way::woodbury ? left_out_woodbury(maker, first, out) : left_out_dense(maker, out);
}

// ---- few stay ----

void SpectrumRows::keep_others(std::span<const Index> which) {
  const std::vector<Index> others = others_of(f_.problem().n(), which);
  SpectrumFactorization::Room room;
  b_others_ = others.empty() ? Matrix(0, b_.cols()) : copy_of(f_.gather(others, room).b);
  q1_others_ = q1_of(others);
  const auto pick = [&](std::span<const Index> rows) {
    Matrix out(static_cast<Index>(rows.size()), f_.problem().t());
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i) out(i, j) = f_.problem().y_tilde(rows[static_cast<std::size_t>(i)], j);
    return out;
  };
  y_ = pick(which);
  y_others_ = pick(others);
}

bool SpectrumRows::left_out_refit(const SpectrumMaker& maker, Index first, MatrixView out) const {
  const Index stay = b_others_.rows(), r = b_.cols(), t = out.cols;
  for (Index j = 0; j < t; ++j) std::copy_n(y_.col(first + j), out.rows, out.col(j));
  if (!(maker.lambda() > 0)) return false;
  if (stay == 0) return q1_.empty();

  std::vector<double> q1 = q1_others_;
  const double length = norm2(static_cast<Index>(q1.size()), q1.data());
  for (double& value : q1) value /= length;
  const Contrast contrast(stay, q1);
  Matrix b_room = copy_of(b_others_.view()), y_room = copy_of(y_others_.view().columns(first, t));
  const MatrixView b = contrast.reduce(b_room.view()), c = contrast.reduce(y_room.view());  // Z'B_O, Z'Y~_O
  Matrix scaled(b.rows, r), k(b.rows, b.rows), g(r, t);
  for (Index l = 0; l < r; ++l)
    for (Index i = 0; i < b.rows; ++i) scaled(i, l) = b(i, l) * std::sqrt(maker.eigenvalue(l));
  syrk(Op::none, 1, scaled.view(), 0, k.view());
  for (Index i = 0; i < k.cols(); ++i) k(i, i) += maker.lambda();
  if (!potrf(k.view())) return false;
  trsm(Op::none, k.view(), c);
  trsm(Op::transpose, k.view(), c);
  gemm(Op::transpose, Op::none, 1, b, c, 0, g.view());
  for (Index j = 0; j < t; ++j)
    for (Index l = 0; l < r; ++l) g(l, j) *= maker.eigenvalue(l);

  gemm(Op::none, Op::none, -1, b_.view(), g.view(), 1, out);
  if (q1.empty()) return true;
  Matrix left = copy_of(y_others_.view().columns(first, t));
  gemm(Op::none, Op::none, -1, b_others_.view(), g.view(), 1, left.view());
  for (Index j = 0; j < t; ++j) {
    const double beta = dot(stay, q1.data(), left.col(j)) / length;
    for (Index i = 0; i < out.rows; ++i) out(i, j) -= q1_[static_cast<std::size_t>(i)] * beta;
  }
  return true;
}

// ---- few go ----

void SpectrumRows::set_dense(std::span<const Index> which, std::span<const double> rest_diagonal) {
  const Index s = b_.rows();
  Matrix inside = copy_of(b_.view());
  f_.drop_outside(inside.view());
  fixed_ = Matrix(s, s);
  syrk(Op::none, -1, inside.view(), 0, fixed_.view());
  for (Index j = 0; j < s; ++j) {
    fixed_(j, j) = rest_diagonal[static_cast<std::size_t>(j)];
    for (Index i = j + 1; i < s && !q1_.empty(); ++i)
      fixed_(i, j) -= q1_[static_cast<std::size_t>(i)] * q1_[static_cast<std::size_t>(j)];
    worked(touched * static_cast<double>(s - j));
  }
  noise_.assign(static_cast<std::size_t>(s), f_.subtraction_noise());
  if (s > 1 && may_be_near_singular(fixed_.view())) {
    way_ = Way::woodbury;
    triangle_of_others(which);
  }
}

// A single row of high leverage.
void SpectrumRows::set_single(Index row) {
  const std::shared_ptr<const SmallResiduals> mended = f_.small_residuals({row});
  fixed_(0, 0) = mended->diagonal.front();
  for (Index j = 0; j < rest_.cols(); ++j) rest_(0, j) = mended->rest(0, j);
}

bool SpectrumRows::left_out_dense(const SpectrumMaker& maker, MatrixView v) const {
  const Index s = b_.rows(), r = b_.cols();
  Matrix p(s, s, 0.0);
  if (f_.complement()) std::ranges::copy(fixed_.values(), p.values().begin());
  const auto add = [&](double sign) {  // the columns whose share is positive, or negative
    std::vector<Index> columns;
    for (Index k = 0; k < r; ++k)
      if (sign * maker.share(k) > 0) columns.push_back(k);
    Matrix scaled(s, static_cast<Index>(columns.size()));
    for (Index c = 0; c < scaled.cols(); ++c) {
      const Index k = columns[static_cast<std::size_t>(c)];
      const double root = std::sqrt(std::abs(maker.share(k)));
      for (Index i = 0; i < s; ++i) scaled(i, c) = b_(i, k) * root;
      worked(touched * static_cast<double>(s));
    }
    syrk(Op::none, sign, scaled.view(), 1, p.view());
  };
  add(1);
  add(-1);
  std::vector<double> diagonal(static_cast<std::size_t>(s));
  for (Index i = 0; i < s; ++i) diagonal[static_cast<std::size_t>(i)] = p(i, i);
  f_.clear_rounding(maker.weights(), diagonal);
  for (Index i = 0; i < s; ++i) p(i, i) = diagonal[static_cast<std::size_t>(i)];
  return solve_left_out(p.view(), v, noise_);
}

// ---- many go, many stay ----

void SpectrumRows::set_woodbury(std::span<const Index> which) {
  const Index r = b_.cols();
  const double noise = f_.subtraction_noise();
  fixed_ = Matrix(r + 1, r + 1, 0.0);
  const bool more_go = 2 * b_.rows() > f_.problem().n();
  if (more_go)
    add_others(which);
  else
    subtract_own();
  noise_.assign(static_cast<std::size_t>(r + 1), more_go ? noise * noise : noise);  // of a sum of squares, off by noise
  if (q1_.empty()) noise_.back() = 0;
  if (may_be_near_singular(fixed_.view())) triangle_of_others(which);
}

// f(rows, tile) for the rows that stay, some at a time.
template <class F>
void SpectrumRows::each_other(std::span<const Index> which, const F& f) const {
  const std::vector<Index> others = others_of(f_.problem().n(), which);
  SpectrumFactorization::Room room;
  for (std::size_t begin = 0; begin < others.size();) {
    const auto count = std::min(static_cast<std::size_t>(f_.tile_rows()), others.size() - begin);
    const std::span<const Index> rows = std::span(others).subspan(begin, count);
    f(rows, f_.gather(rows, room));
    begin += count;
  }
}

void SpectrumRows::add_others(std::span<const Index> which) {
  const Index r = b_.cols();
  each_other(which, [&](std::span<const Index> rows, const SpectrumFactorization::Tile& tile) {
    syrk(Op::transpose, 1, tile.b, 1, fixed_.view().block(0, 0, r, r));
    const std::vector<double> q1 = q1_of(rows);
    if (q1.empty()) return;
    for (Index k = 0; k < r; ++k) fixed_(r, k) += dot(tile.b.rows, q1.data(), tile.b.col(k));
    fixed_(r, r) += dot(tile.b.rows, q1.data(), q1.data());
  });
  if (q1_.empty()) fixed_(r, r) = 1;  // no such direction
}

// R and Q'E_O of [B_O, q1_O] = Q R.
void SpectrumRows::triangle_of_others(std::span<const Index> which) {
  const Index r = b_.cols(), t = f_.problem().t(), ones = q1_.empty() ? 0 : 1;
  RowQr qr(r + ones + t);
  each_other(which, [&](std::span<const Index> rows, const SpectrumFactorization::Tile& tile) {
    Matrix all(tile.b.rows, r + ones + t);
    copy(tile.b, all.view().columns(0, r));
    if (ones == 1) std::ranges::copy(q1_of(rows), all.col(r));
    copy(tile.rest, all.view().columns(r + ones, t));
    qr.absorb(all.view());
  });
  const ConstMatrixView triangle = qr.r();
  triangle_ = Matrix(r + ones, r + ones, 0.0);
  for (Index k = 0; k < triangle_.cols(); ++k) std::copy_n(triangle.col(k), k + 1, triangle_.col(k));
  others_ = copy_of(triangle.block(0, r + ones, r + ones, t));
}

void SpectrumRows::subtract_own() {
  const Index s = b_.rows(), r = b_.cols();
  syrk(Op::transpose, -1, b_.view(), 0, fixed_.view().block(0, 0, r, r));
  if (!q1_.empty()) {
    for (Index k = 0; k < r; ++k) fixed_(r, k) = -dot(s, q1_.data(), b_.col(k));
    fixed_(r, r) = -dot(s, q1_.data(), q1_.data());
  }
  for (Index k = 0; k <= r; ++k) fixed_(k, k) += 1;
}

bool SpectrumRows::left_out_woodbury(const SpectrumMaker& maker, Index first, MatrixView v) const {
  const Index s = b_.rows(), r = b_.cols(), t = v.cols;
  std::vector<double> root(static_cast<std::size_t>(r + 1), 1.0);  // the diagonal of D
  for (Index k = 0; k < r; ++k) root[static_cast<std::size_t>(k)] = std::sqrt(1 - maker.p(k));
  Matrix inner(r + 1, t, 0.0);  // (I - A'A)^-1 A'v
  if (!(triangle_.cols() > 0 ? solve_by_triangle(maker, first, root, inner.view())
                             : solve_by_core(maker, v, root, inner.view())))
    return false;
  for (Index j = 0; j < t; ++j)
    for (Index k = 0; k < r; ++k) inner(k, j) *= root[static_cast<std::size_t>(k)];
  for (Index j = 0; j < t && !q1_.empty(); ++j)
    for (Index i = 0; i < s; ++i) v(i, j) += q1_[static_cast<std::size_t>(i)] * inner(r, j);
  gemm(Op::none, Op::none, 1, b_.view(), inner.view().row_range(0, r), 1, v);
  return true;
}

bool SpectrumRows::solve_by_core(const SpectrumMaker& maker, ConstMatrixView v, std::span<const double> root,
                                 MatrixView inner) const {
  const Index s = b_.rows(), r = b_.cols(), size = r + 1;
  Matrix core(size, size);
  for (Index j = 0; j < size; ++j) {
    for (Index i = j; i < size; ++i)
      core(i, j) = root[static_cast<std::size_t>(i)] * fixed_(i, j) * root[static_cast<std::size_t>(j)];
    worked(touched * static_cast<double>(size - j));
  }
  for (Index k = 0; k < r; ++k) core(k, k) += maker.p(k);
  gemm(Op::transpose, Op::none, 1, b_.view(), v, 0, inner.row_range(0, r));
  for (Index j = 0; j < v.cols; ++j) {
    for (Index k = 0; k < r; ++k) inner(k, j) *= root[static_cast<std::size_t>(k)];
    if (!q1_.empty()) inner(r, j) = dot(s, q1_.data(), v.col(j));
  }
  return solve_left_out(core.view(), inner, noise_);
}

bool SpectrumRows::solve_by_triangle(const SpectrumMaker& maker, Index first, std::span<const double> root,
                                     MatrixView inner) const {
  const Index r = b_.cols(), size = triangle_.cols(), t = inner.cols;
  Matrix stack(r + size, size + t, 0.0);
  const MatrixView below = stack.view().row_range(r, size), right = below.columns(size, t);
  for (Index k = 0; k < r; ++k) {
    const double p = std::sqrt(maker.p(k));
    stack(k, k) = p;
    for (Index j = 0; j < t; ++j)
      stack(k, size + j) = root[static_cast<std::size_t>(k)] * p * f_.spectrum().gamma(k, first + j);
  }
  for (Index k = 0; k < size; ++k)
    for (Index i = 0; i <= k; ++i) below(i, k) = triangle_(i, k) * root[static_cast<std::size_t>(k)];
  copy(others_.view().columns(first, t), right);
  gemm(Op::none, Op::none, 1, triangle_.view().columns(0, r), maker.shared_gamma(first, t).view(), 1, right);
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < size; ++i) right(i, j) = -right(i, j);

  // Columns of norm one: what is small by its p, or by how little of it stays, is not near singular for that.
  std::vector<double> norm = column_norms(stack.view().columns(0, size));
  double limit = static_cast<double>(size) * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < size; ++k) {
    const double length = norm[static_cast<std::size_t>(k)];
    if (!(length > 0)) return false;
    limit = std::max(limit, f_.subtraction_noise() / length);
    for (Index i = 0; i < stack.rows(); ++i) stack(i, k) /= length;
  }
  RowQr qr(size + t);
  qr.absorb(stack.view());
  Matrix factor(size, size, 0.0);
  for (Index k = 0; k < size; ++k)
    for (Index i = 0; i <= k; ++i) factor(k, i) = qr.r()(i, k);
  for (Index k = 0; k < size; ++k)
    if (factor(k, k) == 0) return false;
  // The norm of the matrix is between 1 and its order, in the norm that the condition is estimated for.
  if (!(reciprocal_condition(factor.view(), 1) > limit * limit)) return false;
  const MatrixView solution = inner.row_range(0, size);
  copy(qr.r().block(0, size, size, t), solution);
  trsm(Op::transpose, factor.view(), solution);
  for (Index j = 0; j < t; ++j)
    for (Index k = 0; k < size; ++k) solution(k, j) /= norm[static_cast<std::size_t>(k)];
  return true;
}

}  // namespace freeridge
