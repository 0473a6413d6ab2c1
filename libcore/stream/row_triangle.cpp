#include "libcore/stream/row_triangle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/row_loops.hpp"
#include "libcore/linalg/row_qr.hpp"
#include "libcore/stream/row_stack.hpp"

namespace freeridge {
namespace {

constexpr Index rows_of_tile = 256;
constexpr double heavier = 4;  // of the roots of weights

}  // namespace

RowTriangle::RowTriangle(Index p, Index t, bool intercept) : p_(p), t_(t), intercept_(intercept), shift_(p + t, 0.0) {
  r_ = Matrix(q() + t, q(), 0.0);
  row_.resize(q() + t);
}

RowTriangle RowTriangle::copy() const {
  RowTriangle out;
  out.p_ = p_, out.t_ = t_, out.intercept_ = intercept_, out.count_ = count_;
  out.r_ = copy_of(r_.view());
  out.shift_ = shift_;
  out.row_ = row_;
  return out;
}

void RowTriangle::clear(double lambda) {
  count_ = 0;
  std::ranges::fill(r_.values(), 0.0);
  for (Index k = 0; k < p_; ++k) r_(ones() + k, ones() + k) = std::sqrt(lambda);
}

void RowTriangle::pack(const GivenRow& row) const {
  double* to = row_.data();
  if (intercept_) *to++ = row.sqrt_w;
  for (Index k = 0; k < p_; ++k) to[k] = row.sqrt_w * (row.x[k] - shift_[k]);
  for (Index j = 0; j < t_; ++j) to[p_ + j] = row.sqrt_w * (row.y[j] - shift_[p_ + j]);
}

void RowTriangle::add(const GivenRow& row) {
  // The first row is the shift, and one that is much heavier than all before it: from theirs it would have their rounding.
  const double mass = r_(0, 0);
  for (Index k = 0; intercept_ && row.sqrt_w > heavier * std::abs(mass) && k < p_ + t_; ++k) {
    const double to = k < p_ ? row.x[k] : row.y[k - p_];
    if (mass != 0) r_(1 + k, 0) -= (to - shift_[k]) * mass;
    shift_[k] = to;
  }
  pack(row);
  const auto rotate = best_row_loops().rotate;
  const Index width = q() + t_;
  for (Index k = 0; k < q(); ++k) {
    if (row_[k] == 0) continue;
    double* const of_k = r_.col(k) + k;
    const Rotation by = rotation_of(*of_k, row_[k]);
    rotate(width - k, by.c, by.s, of_k, of_k, &row_[k]);
  }
  if (intercept_ && std::has_single_bit(static_cast<std::uint64_t>(++count_))) recentre();
}

double RowTriangle::remove(const GivenRow& row) {
  pack(row);
  const auto unrotate = best_row_loops().unrotate;
  const Index width = q() + t_;
  double kept = 1;
  for (Index k = 0; k < q(); ++k) {
    if (row_[k] == 0) continue;
    double* const of_k = r_.col(k) + k;
    const double s = row_[k] / *of_k, square = (1 - s) * (1 + s);
    if (!(square > 0)) return 0;
    kept *= square;
    unrotate(width - k, std::sqrt(square), s, of_k, &row_[k]);
  }
  return kept;
}

void RowTriangle::scale(double factor) {
  for (double& value : r_.values()) value *= factor;
}

void RowTriangle::recentre() {
  for (Index k = 0; k < p_ + t_; ++k) {
    shift_[k] += r_(1 + k, 0) / r_(0, 0);
    r_(1 + k, 0) = 0;
  }
}

void RowTriangle::absorb(const Rows& x, const LayoutView& y, const double* weights) {
  const Index n = x.rows, width = q() + t_;
  if (n == 0) return;
  if (intercept_ && count_ == 0 && r_(0, 0) == 0) {
    double sum = 0;
    std::ranges::fill(shift_, 0.0);
    for (Index i = 0; i < n; ++i) {  // a running mean, which cannot overflow
      const double w = weights == nullptr ? 1 : weights[i];
      sum += w;
      for (Index k = 0; k < p_; ++k) shift_[k] += (x(i, k) - shift_[k]) * (w / sum);
      for (Index j = 0; j < t_; ++j) shift_[p_ + j] += (y(i, j) - shift_[p_ + j]) * (w / sum);
      worked(touched * static_cast<double>(width));
    }
  }
  Matrix r(width, width, 0.0);
  for (Index k = 0; k < q(); ++k)
    for (Index l = k; l < width; ++l) r(k, l) = r_(l, k);
  RowQr qr(std::move(r));
  Matrix room(std::min(n, rows_of_tile), width);
  for (Index row = 0; row < n; row += rows_of_tile) {
    const MatrixView tile = room.view().row_range(0, std::min(rows_of_tile, n - row));
    pack_weighted(x, y, weights, row, intercept_ ? Span<const double>(shift_) : Span<const double>(), tile);
    qr.absorb(tile);
  }
  for (Index k = 0; k < q(); ++k)
    for (Index l = k; l < width; ++l) r_(l, k) = qr.r()(k, l);
  count_ += n;
}

void RowTriangle::absorb_penalty(double lambda) {
  const Index width = q() + t_;
  Matrix r(width, width, 0.0), rows(p_, width, 0.0);
  for (Index k = 0; k < q(); ++k)
    for (Index l = k; l < width; ++l) r(k, l) = r_(l, k);
  for (Index k = 0; k < p_; ++k) rows(k, ones() + k) = std::sqrt(lambda);
  RowQr qr(std::move(r));
  qr.absorb(rows.view());
  for (Index k = 0; k < q(); ++k)
    for (Index l = k; l < width; ++l) r_(l, k) = qr.r()(k, l);
}

void RowTriangle::solve(MatrixView w, Span<double> level) const {
  const auto dot = best_row_loops().dot;
  for (Index j = 0; j < t_; ++j) {
    double* const of_j = w.col(j);
    for (Index k = p_ - 1; k >= 0; --k) {
      const double* const row = r_.col(ones() + k) + ones() + k;
      of_j[k] = (row[p_ - k + j] - dot(p_ - 1 - k, row + 1, of_j + k + 1)) / row[0];
    }
    level[j] = intercept_ ? shift_[p_ + j] + (r_(q() + j, 0) - dot(p_, r_.col(0) + 1, of_j)) / r_(0, 0) : 0;
  }
}

double RowTriangle::leverage(const GivenRow& row, Span<double> g) const {
  pack(row);
  const auto add = best_row_loops().add;
  double h = 0;
  for (Index k = 0; k < q(); ++k) {
    const double* const of_k = r_.col(k) + k;
    const double value = row_[k] / of_k[0];
    g[k] = value;
    h += value * value;
    if (value != 0) add(q() - 1 - k, -value, of_k + 1, &row_[k] + 1);
  }
  return h;
}

double RowTriangle::direction(const GivenRow& row, Span<double> g) const {
  const double h = leverage(row, g);
  const auto dot = best_row_loops().dot;
  for (Index k = q() - 1; k >= 0; --k) {
    const double* const of_k = r_.col(k) + k;
    g[k] = (g[k] - dot(q() - 1 - k, of_k + 1, g.data() + k + 1)) / of_k[0];
  }
  return h;
}

double RowTriangle::along(const GivenRow& row, Span<const double> g) const {
  return row.sqrt_w *
         ((intercept_ ? g[0] : 0) + best_row_loops().shifted_dot(p_, row.x, shift_.data(), g.data() + ones()));
}

void RowTriangle::leverages(const Rows& x, const LayoutView& y, const double* weights, Span<double> h) const {
  Matrix room(std::min(x.rows, rows_of_tile), q() + t_);
  for (Index row = 0; row < x.rows; row += rows_of_tile) {
    const MatrixView tile = room.view().row_range(0, std::min(rows_of_tile, x.rows - row));
    pack_weighted(x, y, weights, row, intercept_ ? Span<const double>(shift_) : Span<const double>(), tile);
    const MatrixView a = tile.columns(0, q());
    trsm_right(Op::transpose, factor(), a);
    for (Index i = 0; i < a.rows; ++i) h[row + i] = 0;
    for (Index k = 0; k < a.cols; ++k)
      for (Index i = 0; i < a.rows; ++i) h[row + i] += a(i, k) * a(i, k);
  }
}

}  // namespace freeridge
