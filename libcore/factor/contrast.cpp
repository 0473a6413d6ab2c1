#include "libcore/factor/contrast.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lower_triangle.hpp"

namespace freeridge {
namespace {

constexpr double as_heavy = 0.25;  // of the heaviest row: a row stays where it is

void swap_rows(MatrixView a, Index i, Index j) {
  if (i == j) return;
  for (Index k = 0; k < a.cols; ++k) std::swap(a(i, k), a(j, k));
}

// S = A diag(s) B', O = B A' for the first q rows of V; V = V O + [I; 0] and T = A diag(1 / (1 + s)) A'.
void make_reflector(Matrix& v, Matrix& o, Matrix& t) {
  const Index n = v.rows(), q = v.cols();
  Matrix first = copy_of(v.view().row_range(0, q)), a(q, q), bt(q, q), turned(n, q);
  Array<double> s(q);
  gesdd(first.view(), s, a.view(), bt.view());
  gemm(Op::transpose, Op::transpose, 1, bt.view(), a.view(), 0, o.view());
  gemm(Op::none, Op::none, 1, v.view(), o.view(), 0, turned.view());
  const auto of_singular_values = [&](const auto& f) {
    for (Index j = 0; j < q; ++j)
      for (Index i = 0; i < q; ++i) {
        t(i, j) = 0;
        for (Index k = 0; k < q; ++k) t(i, j) += a(i, k) * a(j, k) * f(s[k]);
      }
  };
  of_singular_values([](double value) { return value; });
  for (Index j = 0; j < q; ++j)
    for (Index i = 0; i < q; ++i) turned(i, j) = t(i, j) + (i == j ? 1 : 0);
  of_singular_values([](double value) { return 1 / (1 + value); });
  v = std::move(turned);
}

}  // namespace

Contrast::Contrast(Index n, ConstMatrixView q1, Pivot pivot)
    : n_(n), v_(n, q1.cols), vt_(n, q1.cols), o_(q1.cols, q1.cols), t_(q1.cols, q1.cols) {
  if (!active()) return;
  copy(q1, v_.view());
  if (pivot == Pivot::heaviest) choose_places(q1);
  exchange(v_.view(), false);
  make_reflector(v_, o_, t_);
  gemm(Op::none, Op::none, 1, v_.view(), t_.view(), 0, vt_.view());
}

void Contrast::choose_places(ConstMatrixView q1) {
  Matrix rest = copy_of(q1);  // of the rows, after those in the places before
  Array<Index> swaps(q());
  Array<double> size(n_), unit(q());
  for (Index k = 0; k < q(); ++k) {
    std::fill(size.begin(), size.end(), 0.0);
    for (Index l = 0; l < q(); ++l)
      for (Index i = k; i < n_; ++i) size[i] += rest(i, l) * rest(i, l);
    const auto heaviest = std::max_element(size.begin() + k, size.end());
    swaps[k] = size[k] < as_heavy * as_heavy * *heaviest ? heaviest - size.begin() : k;
    const double length = std::sqrt(size[swaps[k]]);
    swap_rows(rest.view(), k, swaps[k]);
    if (!(length > 0)) continue;
    const MatrixView others = rest.view().row_range(k + 1, n_ - k - 1);
    for (Index l = 0; l < q(); ++l) unit[l] = rest(k, l) / length;
    gemv(Op::none, 1, others, unit.data(), 0, size.data());
    ger(-1, size.data(), unit.data(), others);
    worked(4 * touched * static_cast<double>(n_ * q()));
  }
  if (swaps == consecutive(0, q())) return;
  swaps_ = std::move(swaps);
  rows_ = consecutive(0, n_);
  for (Index k = 0; k < q(); ++k) std::swap(rows_[k], rows_[swaps_[k]]);
  places_.resize(n_);
  for (Index place = 0; place < n_; ++place) places_[rows_[place]] = place;
}

void Contrast::reflect(MatrixView b) const {
  if (b.cols == 0) return;
  if (q() == 1) {  // a product with a vector is faster as such
    Array<double> projection(b.cols);
    gemv(Op::transpose, 1, b, v_.data(), 0, projection.data());
    return ger(-1, vt_.data(), projection.data(), b);
  }
  Matrix projection(q(), b.cols);
  gemm(Op::transpose, Op::none, 1, v_.view(), b, 0, projection.view());
  gemm(Op::none, Op::none, -1, vt_.view(), projection.view(), 1, b);
}

void Contrast::exchange(MatrixView b, bool back) const {
  const Index count = std::ssize(swaps_);
  for (Index i = 0; i < count; ++i) {
    const Index k = back ? count - 1 - i : i;
    swap_rows(b, k, swaps_[k]);
  }
}

// K V T; K by places. K V = K q1 O + K [I; 0].
Matrix Contrast::product(ConstMatrixView k, ConstMatrixView k_q1) const {
  Matrix out(n_, q());
  if (k_q1.cols == 0) {
    symm(k, vt_.view(), out.view());
    return out;
  }
  Matrix in_places = copy_of(k_q1), k_v(n_, q());
  exchange(in_places.view(), false);
  for (Index j = 0; j < q(); ++j) {
    for (Index i = 0; i < j; ++i) k_v(i, j) = k(j, i);
    std::copy_n(k.col(j) + j, n_ - j, k_v.col(j) + j);
  }
  gemm(Op::none, Op::none, 1, in_places.view(), o_.view(), 1, k_v.view());
  gemm(Op::none, Op::none, 1, k_v.view(), t_.view(), 0, out.view());
  return out;
}

void Contrast::reduce_symmetric(MatrixView k, ConstMatrixView k_q1) const {
  if (!active()) return;
  for (std::size_t i = 0; i < swaps_.size(); ++i) swap_symmetric(k, static_cast<Index>(i), swaps_[i]);
  reflect_symmetric(k, k_q1);
}

void Contrast::expand_symmetric(MatrixView k) const {
  if (!active()) return;
  for (Index j = 0; j < q(); ++j) std::fill(k.col(j) + j, k.col(j) + n_, 0.0);
  reflect_symmetric(k, {});
  for (std::size_t i = swaps_.size(); i-- > 0;) swap_symmetric(k, static_cast<Index>(i), swaps_[i]);
}

// P = K V T - V (T V'K V T) / 2
Matrix Contrast::update(ConstMatrixView k, ConstMatrixView k_q1) const {
  Matrix p = product(k, k_q1), inner(q(), q());
  gemm(Op::transpose, Op::none, 0.5, vt_.view(), p.view(), 0, inner.view());
  gemm(Op::none, Op::none, -1, v_.view(), inner.view(), 1, p.view());
  return p;
}

void Contrast::reflect_symmetric(MatrixView k, ConstMatrixView k_q1) const {
  const Matrix p = update(k, k_q1);
  if (q() == 1) return syr2(-1, v_.data(), p.data(), k);
  syr2k(-1, v_.view(), p.view(), 1, k);
}

MatrixView Contrast::reduce(MatrixView b) const {
  exchange(b, false);
  if (active()) reflect(b);
  return rows(b);
}

void Contrast::reduce_right(MatrixView b) const {
  if (!active() || b.rows == 0) return;
  for (Index k = 0; k < std::ssize(swaps_); ++k)
    if (swaps_[k] != k) std::swap_ranges(b.col(k), b.col(k) + b.rows, b.col(swaps_[k]));
  Matrix projection(b.rows, q());
  gemm(Op::none, Op::none, 1, b, vt_.view(), 0, projection.view());
  gemm(Op::none, Op::transpose, -1, projection.view(), v_.view(), 1, b);
}

void Contrast::expand(MatrixView b) const {
  if (!active()) return;
  for (Index j = 0; j < b.cols; ++j) std::fill_n(b.col(j), q(), 0.0);
  reflect(b);
  exchange(b, true);
}

}  // namespace freeridge
