#include "libcore/losses/logistic_step.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/factor/residual_diagonal.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr double nothing = 1e-100;  // d_i below it: the point's load goes to rho0

MatrixView column(Array<double>& values) {
  const Index n = static_cast<Index>(values.size());
  return {values.data(), n, 1, std::max<Index>(n, 1)};
}

}  // namespace

LogisticStep::LogisticStep(const LossProblem& problem, double tau, Span<const double> v, MatrixView storage)
    : p_(problem), tau_(tau), storage_(storage), d_(v.begin(), v.end()), root_(v.size()) {
  const Index n = p_.n();
  for (double& value : d_) value = std::sqrt(value);
  const double root_tau = std::sqrt(tau);
  for (std::size_t i = 0; i < d_.size(); ++i) root_[i] = root_tau * d_[i];
  Array<double> q1;
  if (p_.intercept) {
    const double largest = *std::ranges::max_element(d_);
    if (!(largest > 0))
      fail(Status::not_converged, "the second derivatives of all loss terms underflow; use a larger lambda");
    q1 = d_;
    for (double& value : q1) value /= largest;
    const double norm = std::sqrt(dot(n, q1.data(), q1.data()));
    for (double& value : q1) value /= norm;
    norm_ = norm * largest;
  }
  contrast_.emplace(n, q1);
  for (Index j = 0; j < n; ++j) {
    const double* const k = p_.k.col(j);
    double* const b = storage_.col(j);
    const double root_j = root_[j];
    for (Index i = j; i < n; ++i) b[i] = root_[i] * k[i] * root_j;
    b[j] += 1;
    worked(2 * touched * static_cast<double>(n - j));
  }
  contrast_->reduce_symmetric(storage_);
  if (!potrf(factor()))
    fail(Status::not_converged,
         "a Newton step meets a numerically singular matrix: lambda is too small for the precision of this kernel "
         "matrix; use a larger lambda");
}

Array<double> LogisticStep::apply(Span<const double> x) const {
  Array<double> scaled(x.begin(), x.end()), out(x.size());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= root_[i];
  symv(p_.k, scaled.data(), out.data());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = x[i] + root_[i] * out[i];
  return out;
}

LogisticStep::Move LogisticStep::solve(Span<const double> load, double s) const {
  const std::size_t n = load.size();
  Array<double> right(n), rest(n, 0.0);
  bool any_rest = false;
  for (std::size_t i = 0; i < n; ++i) {
    const bool carried = d_[i] > nothing;
    right[i] = carried ? load[i] / d_[i] : 0;
    rest[i] = carried ? 0 : load[i];
    any_rest = any_rest || rest[i] != 0;
  }
  if (any_rest) {
    Array<double> k_rest(n);
    symv(p_.k, rest.data(), k_rest.data());
    for (std::size_t i = 0; i < n; ++i) right[i] -= d_[i] * (tau_ * k_rest[i]);
  }

  // eta = q1 along + Z z,  Z'BZ z = Z'(right - B q1 along)
  Array<double> eta = right;
  const double along = contrast_->active() ? (s - sum_of(rest)) / norm_ : 0;
  if (along != 0) {
    Array<double> constant(n);
    for (std::size_t i = 0; i < n; ++i) constant[i] = d_[i] / norm_ * along;
    const Array<double> image = apply(constant);
    for (std::size_t i = 0; i < n; ++i) eta[i] -= image[i];
  }
  const MatrixView z = contrast_->reduce(column(eta));
  trsm(Op::none, factor(), z);
  trsm(Op::transpose, factor(), z);
  contrast_->expand(column(eta));
  for (std::size_t i = 0; i < n && along != 0; ++i) eta[i] += d_[i] / norm_ * along;

  Move out{std::move(rest), 0};
  if (contrast_->active()) {  // db |d| = q1'(right - B eta)
    const Array<double> image = apply(eta);
    for (std::size_t i = 0; i < n; ++i) out.db += d_[i] / norm_ * (right[i] - image[i]);
    out.db /= norm_;
  }
  for (std::size_t i = 0; i < n; ++i) out.da[i] += d_[i] * eta[i];
  return out;
}

Array<double> LogisticStep::residual_diagonal() const {
  Array<double> out(d_.size());
  freeridge::residual_diagonal(
      *contrast_, [&](MatrixView b, Index from) { trsm(Op::none, factor().block(from, from, b.rows, b.rows), b); },
      out);
  return out;
}

double LogisticStep::response(Index i) const {
  Array<double> load(d_.size(), 0.0);
  load[i] = 1;
  const Move moved = solve(load, 0);
  return tau_ * dot(p_.n(), p_.k.col(i), moved.da.data()) + moved.db;
}

}  // namespace freeridge
