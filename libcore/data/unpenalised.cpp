#include "libcore/data/unpenalised.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr double depends = 1e-10;

}  // namespace

Unpenalised::Unpenalised(bool constant, const LayoutView& fixed, Span<const double> sqrt_w, double sum_w)
    : constant_(constant), given_(fixed.cols) {
  const Index n = std::ssize(sqrt_w), most = std::min(n, fixed.cols + (constant ? 1 : 0));
  Matrix room(n, most);
  r_ = Matrix(most, most, 0.0);
  q1_ = Matrix(n, 0);
  if (constant) {
    const double root = std::sqrt(sum_w);
    for (Index i = 0; i < n; ++i) room(i, 0) = sqrt_w[i] / root;
    r_(0, 0) = 1;
    scale_.push_back(1);
    nu_.push_back(root);
  }
  Array<double> column(n);
  for (Index j = 0; j < fixed.cols && std::ssize(nu_) < most; ++j) {
    double largest = 0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(fixed(i, j)));
    if (largest == 0) continue;
    const double scale = std::ldexp(1.0, std::clamp(std::ilogb(largest), -1022, 1022));
    for (Index i = 0; i < n; ++i) column[i] = sqrt_w[i] * (fixed(i, j) / scale);
    if (!add(room.view(), column)) continue;
    kept_.push_back(j);
    scale_.push_back(scale);
  }
  q1_ = std::ssize(nu_) == most ? std::move(room) : copy_of(room.view().columns(0, std::ssize(nu_)));
}

bool Unpenalised::add(MatrixView q1, Span<double> column) {
  const Index n = q1.rows, k = std::ssize(nu_);
  Array<double> size(n);  // of the terms of each row
  for (Index i = 0; i < n; ++i) size[i] = std::abs(column[i]);
  for (int pass = 0; pass < 2; ++pass)
    for (Index l = 0; l < k; ++l) {
      const double along = dot(n, q1.col(l), column.data());
      r_(l, k) += along / nu_[l];
      for (Index i = 0; i < n; ++i) {
        const double part = along * q1(i, l);
        column[i] -= part;
        size[i] += std::abs(part);
      }
      worked(2 * touched * static_cast<double>(n));
    }
  const double nu = norm2(n, column.data());
  bool independent = false;
  for (Index i = 0; i < n; ++i) independent = independent || std::abs(column[i]) > depends * size[i];
  if (!independent || !(nu > 0)) {
    for (Index l = 0; l < k; ++l) r_(l, k) = 0;
    return false;
  }
  for (Index i = 0; i < n; ++i) q1(i, k) = column[i] / nu;
  r_(k, k) = 1;
  nu_.push_back(nu);
  return true;
}

double Unpenalised::given_norm(Index k) const {
  double norm = 0;
  for (Index l = 0; l <= k; ++l) norm = std::hypot(norm, nu_[l] * r_(l, k));
  return norm;
}

double Unpenalised::log_determinant() const {
  double sum = 0;
  for (Index k = 0; k < q(); ++k) sum += 2 * (std::log(nu_[k]) + std::log(scale_[k]));
  return sum;
}

// u = R^-T diag(scale)^-1 [1, f]
void Unpenalised::directions(const LayoutView& fixed, Index first, MatrixView g) const {
  const Index ones = constant_ ? 1 : 0;
  for (Index p = 0; p < g.cols; ++p) {
    double* const u = g.col(p);
    for (Index k = 0; k < q(); ++k) {
      u[k] = k < ones ? 1 : fixed(first + p, kept_[k - ones]) / scale_[k];
      for (Index l = 0; l < k; ++l) u[k] -= r_(l, k) * u[l];
    }
    for (Index k = 0; k < q(); ++k) u[k] /= nu_[k];
  }
}

// R^-1 of_u
double Unpenalised::effects(Span<const double> of_u, double* of_f) const {
  const Index ones = constant_ ? 1 : 0;
  Array<double> beta(of_u.begin(), of_u.end());
  for (Index k = q() - 1; k >= 0; --k)
    for (Index l = 0; l < k; ++l) beta[l] -= r_(l, k) * beta[k];
  std::fill_n(of_f, given_, 0.0);
  for (Index k = ones; k < q(); ++k) of_f[kept_[k - ones]] = beta[k] / scale_[k];
  return constant_ ? beta[0] : 0;
}

// e_place' R^-1 diag(nu)^-1
void Unpenalised::set_direction(Index place, Span<double> g) const {
  std::ranges::fill(g, 0.0);
  g[place] = 1;
  for (Index k = place + 1; k < q(); ++k)
    for (Index l = place; l < k; ++l) g[k] -= g[l] * r_(l, k);
  for (Index k = 0; k < q(); ++k) g[k] /= nu_[k];
}

double Unpenalised::direction_of(Index j, Span<double> g) const {
  const auto at = std::ranges::find(kept_, j);
  if (at == kept_.end()) return 0;
  const Index place = (constant_ ? 1 : 0) + (at - kept_.begin());
  set_direction(place, g);
  return scale_[place];
}

}  // namespace freeridge
