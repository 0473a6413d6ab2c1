#include "libcore/stream/kernel_window.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/row_loops.hpp"

namespace freeridge {
namespace {

constexpr Index changes_of_a_factor = 10;  // a row
constexpr double twin = 1e-3;              // P_ii that falls to less of it has lost digits

}  // namespace

KernelFactor::KernelFactor(const KernelFactor& other)
    : WindowFactor(other),
      kernel_(other.kernel_),
      settings_(other.settings_),
      lambda_(other.lambda_),
      n_(other.n_),
      changes_(other.changes_),
      l_(copy_of(other.l_.view())),
      z_(copy_of(other.z_.view())),
      sigma_(other.sigma_),
      k_(other.k_),
      room_(other.room_),
      kappa_(other.kappa_),
      trace_(other.trace_),
      noise_(other.noise_),
      c_(copy_of(other.c_.view())),
      b_(other.b_),
      solved_(other.solved_),
      diagonal_(other.diagonal_),
      diagonal_known_(other.diagonal_known_),
      unasked_(other.unasked_) {}

std::unique_ptr<WindowFactor> KernelFactor::copy() const {
  return std::unique_ptr<WindowFactor>(new KernelFactor(*this));
}

double KernelFactor::lost() const {
  return std::min(1.0, eps * (static_cast<double>(changes_) + trace_ / noise_));
}

void KernelFactor::reserve(Index n) {
  k_.resize(std::max(n, std::ssize(k_)));
  room_.resize(std::max(n, std::ssize(room_)));
  diagonal_.reserve(n);
  if (n <= l_.rows()) return;
  const Index grown = std::max(n, std::min(n + n / 2, settings_.capacity + 1));
  require_memory(8 * checked_doubles(grown, grown + settings_.t + 1), "the kernel matrix of the window",
                 "make it with a smaller capacity, or take landmarks");
  Matrix l(grown, grown), z(grown, ones() + settings_.t);
  for (Index k = 0; k < n_; ++k) std::copy(l_.col(k) + k, l_.col(k) + n_, l.col(k) + k);
  for (Index j = 0; j < z.cols(); ++j) std::copy_n(z_.rows() > 0 ? z_.col(j) : nullptr, n_, z.col(j));
  l_ = std::move(l);
  z_ = std::move(z);
}

void KernelFactor::factorize(const WindowRows& rows, double lambda) {
  lambda_ = lambda;
  n_ = 0;
  trace_ = 0;
  noise_ = infinity;
  solved_ = diagonal_known_ = false;
  const Index n = rows.n();
  reserve(n);
  if (n > 0) {
    const MatrixView m = l_.view().block(0, 0, n, n);
    weighted_kernel_matrix(*kernel_, rows.x(), {}, Array<double>(n, 1.0), m);
    for (Index i = 0; i < n; ++i) {
      m(i, i) += lambda / rows.weights()[i];
      if (!std::isfinite(m(i, i)))
        fail(Status::not_finite, "lambda over the weight of the window's row ", i, " overflows");
      trace_ += m(i, i);
      noise_ = std::min(noise_, lambda / rows.weights()[i]);
    }
    if (!potrf(m))
      fail(Status::not_positive_definite, "K + lambda I of the window's ", n,
           " rows is numerically singular at lambda ", lambda, "; take a larger lambda");
    const MatrixView z = z_.view().row_range(0, n);
    std::fill_n(z.col(0), settings_.intercept ? n : 0, 1.0);
    copy_rows(rows.y(), 0, z.columns(ones(), settings_.t));
    trsm(Op::none, m, z);
  }
  n_ = n;
  changes_ = 0;
  sigma_ = settings_.intercept ? best_row_loops().dot(n, z_.col(0), z_.col(0)) : 0;
}

void KernelFactor::forward(double* x, Index first) const {
  const auto add = best_row_loops().add;
  for (Index k = first; k < n_; ++k) {
    const double* const column = l_.col(k) + k;
    x[k] /= column[0];
    if (x[k] != 0) add(n_ - 1 - k, -x[k], column + 1, x + k + 1);
  }
}

void KernelFactor::backward(double* x) const {
  const auto dot = best_row_loops().dot;
  for (Index k = n_ - 1; k >= 0; --k) {
    const double* const column = l_.col(k) + k;
    x[k] = (x[k] - dot(n_ - 1 - k, column + 1, x + k + 1)) / column[0];
  }
}

void KernelFactor::project(double* a) const {
  if (sigma_ > 0) best_row_loops().add(n_, -best_row_loops().dot(n_, z_.col(0), a) / sigma_, z_.col(0), a);
}

void KernelFactor::prepare(const WindowRows& rows, const GivenRow& row) {
  const LayoutView x{row.x, 1, rows.d(), rows.d(), Layout::row_major};
  if (n_ > 0) cross_kernel(*kernel_, rows.x().row_range(0, n_), {}, Rows(x), 0, {k_.data(), n_, 1, n_});
  kernel_diagonal(*kernel_, Rows(x), 0, {}, {&kappa_, 1});
  kappa_ += lambda_ / (row.sqrt_w * row.sqrt_w);
  if (!std::isfinite(kappa_))
    fail(Status::not_finite, "a kernel value of a new row, or lambda over its weight, overflows");
  forward(k_.data());
}

void KernelFactor::error(const WindowRows&, const GivenRow& row, Span<double> e) {
  if (settings_.intercept && n_ == 0) return void(std::ranges::fill(e, nan));
  const auto dot = best_row_loops().dot;
  const double rest = settings_.intercept ? 1 - dot(n_, z_.col(0), k_.data()) : 0;
  for (Index j = 0; j < settings_.t; ++j) {
    const double b = settings_.intercept ? dot(n_, z_.col(0), z(j)) / sigma_ : 0;
    e[j] = row.y[j] - b * rest - dot(n_, z(j), k_.data());
  }
}

bool KernelFactor::append(const WindowRows&, const GivenRow& row) {
  const auto dot = best_row_loops().dot;
  const double pivot = kappa_ - dot(n_, k_.data(), k_.data());
  if (!(pivot > 0) || ++changes_ > changes_of_a_factor * (n_ + 1)) return false;
  diagonal_known_ &= ++unasked_ <= changes_unasked(n_);
  const double z1l = settings_.intercept ? dot(n_, z_.col(0), k_.data()) : 1;
  if (diagonal_known_) {
    const double more = sigma_ > 0 ? (z1l - 1) * (z1l - 1) / sigma_ : 0, s = pivot + more;
    std::copy_n(k_.begin(), n_, room_.begin());
    if (sigma_ > 0) best_row_loops().add(n_, -(z1l - 1) / sigma_, z_.col(0), room_.data());
    backward(room_.data());
    for (Index i = 0; i < n_; ++i) diagonal_[i] += room_[i] * room_[i] / s;
    diagonal_.push_back(settings_.intercept && n_ == 0 ? 0 : 1 / s);
  }
  const double root = std::sqrt(pivot);
  for (Index k = 0; k < n_; ++k) l_(n_, k) = k_[k];
  l_(n_, n_) = root;
  if (settings_.intercept) {
    z_(n_, 0) = (1 - z1l) / root;
    sigma_ += z_(n_, 0) * z_(n_, 0);
  }
  for (Index j = 0; j < settings_.t; ++j) z(j)[n_] = (row.y[j] - dot(n_, z(j), k_.data())) / root;
  trace_ += kappa_;
  noise_ = std::min(noise_, lambda_ / (row.sqrt_w * row.sqrt_w));
  ++n_;
  solved_ = false;
  return true;
}

bool KernelFactor::remove(const WindowRows&, Index position) {
  if (n_ == 1 || ++changes_ > changes_of_a_factor * n_) return false;
  const RowLoops& loops = best_row_loops();
  diagonal_known_ &= ++unasked_ <= changes_unasked(n_);
  if (diagonal_known_) {
    std::fill_n(room_.begin(), n_, 0.0);
    room_[position] = 1;
    forward(room_.data(), position);
    project(room_.data());
    backward(room_.data());
    const double p = room_[position];
    diagonal_known_ = p > 0;
    for (Index i = 0; i < n_ && diagonal_known_; ++i) {
      const double left = diagonal_[i] - room_[i] * room_[i] / p;
      diagonal_[i] = left > twin * diagonal_[i] ? left : nan;
    }
    diagonal_.erase(diagonal_.begin() + position);
  }
  for (Index k = 0; k <= position; ++k) trace_ -= l_(position, k) * l_(position, k);
  const Index behind = n_ - 1 - position;
  std::copy_n(l_.col(position) + position + 1, behind, room_.begin());
  for (Index k = 0; k < position; ++k) {
    double* const column = l_.col(k);
    std::copy(column + position + 1, column + n_, column + position);
  }
  for (Index k = position + 1; k < n_; ++k) {
    const double* const from = l_.col(k) + k;
    double* const to = l_.col(k - 1) + k - 1;
    double* const x = &room_[k - position - 1];
    const Rotation by = *x == 0 ? Rotation{1, 0} : rotation_of(*from, *x);
    loops.rotate(n_ - k, by.c, by.s, from, to, x);
    for (Index j = 0; j < z_.cols(); ++j) {
      double* const of_j = z_.col(j);
      const double gone = of_j[k - 1], stays = of_j[k];
      of_j[k - 1] = by.c * stays + by.s * gone;
      of_j[k] = by.c * gone - by.s * stays;
    }
  }
  --n_;
  sigma_ = settings_.intercept ? loops.dot(n_, z_.col(0), z_.col(0)) : 0;
  solved_ = false;
  return true;
}

void KernelFactor::solve() {
  if (solved_) return;
  Matrix c(n_, settings_.t);
  Array<double> b(settings_.t, 0.0);
  const RowLoops& loops = best_row_loops();
  for (Index j = 0; j < settings_.t; ++j) {
    std::copy_n(z(j), n_, c.col(j));
    if (settings_.intercept) {
      b[j] = loops.dot(n_, z_.col(0), z(j)) / sigma_;
      loops.add(n_, -b[j], z_.col(0), c.col(j));
    }
    backward(c.col(j));
    worked(touched * static_cast<double>(n_ * n_) / 2);
  }
  require_no_overflow("the coefficients", c.view());
  c_ = std::move(c);
  b_ = std::move(b);
  solved_ = true;
}

void KernelFactor::coefficients(const WindowRows&, MatrixView c, Span<double> b) {
  solve();
  freeridge::copy(c_.view(), c);
  std::ranges::copy(b_, b.begin());
}

void KernelFactor::predict(const WindowRows& rows, const Rows& points, MatrixView out) {
  solve();
  kernel_product(*kernel_, points, 0, rows.x(), c_.view(), out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) += b_[j];
}

double KernelFactor::fresh_diagonal(Index i) {
  std::fill_n(room_.begin(), n_, 0.0);
  room_[i] = 1;
  forward(room_.data(), i);
  project(room_.data());
  return best_row_loops().dot(n_, room_.data(), room_.data());
}

std::string KernelFactor::loo(const WindowRows&, MatrixView errors) {
  solve();
  if (!diagonal_known_) {
    const RowLoops& loops = best_row_loops();
    Matrix inverse(n_, n_);
    for (Index k = 0; k < n_; ++k) {
      std::fill_n(inverse.col(k), k, 0.0);
      std::copy(l_.col(k) + k, l_.col(k) + n_, inverse.col(k) + k);
    }
    trtri(inverse.view());
    Array<double> diagonal(n_);
    for (Index i = 0; i < n_; ++i) {
      project(inverse.col(i));
      diagonal[i] = loops.dot(n_, inverse.col(i), inverse.col(i));
      worked(touched * static_cast<double>(n_));
    }
    diagonal_.assign(diagonal.begin(), diagonal.end());
    diagonal_known_ = true;
  }
  unasked_ = 0;
  const bool none = settings_.intercept && n_ == 1;
  for (Index i = 0; i < n_; ++i) {
    if (std::isnan(diagonal_[i])) diagonal_[i] = fresh_diagonal(i);
    for (Index j = 0; j < errors.cols; ++j) errors(i, j) = none ? nan : c_(i, j) / diagonal_[i];
  }
  return none ? window_of_one : "";
}

}  // namespace freeridge
