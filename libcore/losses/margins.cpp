// The geometry of a classifier (notation as in loss_problem.hpp, alpha_i = a_i y_i and z_i = y_i f_i there):
//     distance of x to the hyperplane f + b = 0    (f(x) + b) / ||f||
//     margin and slack of a point                  z_i,   max(0, 1 - z_i)
// and a bound of the distance of the solution from the optimum, by the dual (S. Boyd, L. Vandenberghe, Convex
// Optimization, 2004, section 5.5.1; L* is the conjugate of L):
//     dual     - sum_i w_i L*(-alpha_i / w_i) - 1/2 a'(tau K)a  <=  the minimum  <=  the primal objective
//     gap      primal - dual = sum_i w_i (L(z_i) + L*(-p_i) + p_i z_i),  p_i = alpha_i / w_i,  as 1'a = 0 or b = 0
// Each term of the gap is >= 0 and is computed without cancellation:
//     HINGE        (1 - p_i) (1 - z_i) where z_i < 1,   p_i (z_i - 1) where z_i > 1
//     LOGISTIC     the divergence of (p_i, 1 - p_i) from (q_i, 1 - q_i), q_i = 1 / (1 + exp(z_i)):
//                  q g((p - q)/q) + (1 - q) g((q - p)/(1 - q)),   g(r) = (1 + r) log(1 + r) - r
// For a hard margin (f + b) / m fulfils all constraints, m = min_i z_i:
//     primal   1/2 a'(tau K)a / m^2,     dual   sum_i alpha_i - 1/2 a'(tau K)a
//     gap      1/2 a'(tau K)a (1 - m) (1 + m) / m^2 + sum_i alpha_i (z_i - 1)
#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/losses/classifier.hpp"
#include "libcore/select/loss_functions.hpp"

namespace freeridge {
namespace {

// g(r) of the head, r >= -1.
double divergence_part(double r) {
  if (r <= -1) return 1;
  if (std::abs(r) > 1e-3) return std::max(0.0, (1 + r) * std::log1p(r) - r);
  return r * r * (1 / 2.0 - r * (1 / 6.0 - r * (1 / 12.0 - r * (1 / 20.0 - r / 30))));
}

// p log(p / q) - (p - q), q = 1 / (1 + exp(z)); the terms of the divergence from (q, 1 - q) add up to >= 0.
double logistic_part(double p, double z) {
  const double q = sigmoid(-z);
  if (q > 1e-300) return q * divergence_part((p - q) / q);
  return p > 0 ? p * std::log(p) + p * (z - 1) : 0;
}

// w times the gap of a point with alpha = w p. A weight far below the largest one may have been rounded to 0; alpha is
// 0 then.
double logistic_gap(double alpha, double w, double z) {
  if (w == 0) return 0;
  const double p = alpha / w;
  return w * (logistic_part(p, z) + logistic_part(1 - p, -z));
}

double hinge_gap(double alpha, double w, double z) {
  return z < 1 ? (w - alpha) * (1 - z) : alpha * (z - 1);
}

void require_hinge(Loss loss, const char* what) {
  if (loss != Loss::hinge) fail(Status::invalid_state, "the loss is LOGISTIC; ", what, " known for HINGE only");
}

}  // namespace

std::string Classifier::distances(const Rows& points, double* distance) const {
  const double norm = fitted().norm;
  Array<double> decision(points.rows);
  predict(points, decision.data(), nullptr);
  bool overflows = false;
  for (double& value : decision) {
    value = norm > 0 ? value / norm : nan;
    overflows = overflows || std::isinf(value);
  }
  if (overflows) fail(Status::not_finite, "a distance overflows: ||f|| is ", norm, "; rescale x");
  std::ranges::copy(decision, distance);
  return norm > 0 ? "" : "the distance is undefined: f is constant, and there is no hyperplane";
}

void Classifier::margins(double* margin, double* slack, double* alpha, std::int32_t* support) const {
  const Fit& fit = fitted();
  if (slack != nullptr) require_hinge(loss_, "slacks are");
  if (support != nullptr) require_hinge(loss_, "support vectors are");
  for (std::size_t i = 0; i < fit.c.size(); ++i) {
    const double z = data_->y[i] * fit.solution.f[i], a = std::abs(fit.solution.a[i]);
    if (margin != nullptr) margin[i] = z;
    if (slack != nullptr) slack[i] = std::max(0.0, 1 - z);
    if (alpha != nullptr) alpha[i] = data_->y[i] * fit.c[i];
    if (support == nullptr) continue;
    const bool bounded = !fit.hard() && a >= data_->weights[i];
    support[i] = static_cast<std::int32_t>(a == 0    ? SupportKind::none
                                           : bounded ? SupportKind::bounded
                                                     : SupportKind::free);
  }
}

std::string Classifier::duality(double* dual, double* gap) const {
  const Fit& fit = fitted();
  if (dual == nullptr && gap == nullptr) return "";
  const LossSolution& s = fit.solution;
  double terms = 0, nearest = infinity;
  for (std::size_t i = 0; i < s.f.size(); ++i) {
    const double z = data_->y[i] * s.f[i], alpha = data_->y[i] * s.a[i], w = data_->weights[i];
    nearest = std::min(nearest, z);
    if (fit.hard())
      terms += alpha * (z - 1);
    else
      terms += loss_ == Loss::hinge ? hinge_gap(alpha, w, z) : logistic_gap(alpha, w, z);
  }
  const double certified = (fit.hard() ? fit.objective / (s.squared / 2) : data_->omega) * terms;
  if (dual != nullptr) *dual = fit.objective - certified;
  if (!fit.hard()) {
    if (gap != nullptr) *gap = certified;
    return "";
  }
  const bool feasible = nearest > 0;
  const double above = fit.objective * (1 - nearest) * (1 + nearest) / (nearest * nearest);
  if (gap != nullptr) *gap = feasible ? std::max(0.0, above + certified) : nan;
  return feasible || gap == nullptr
             ? ""
             : "the primal value is undefined: the tolerance leaves a point on the wrong side of the plane";
}

}  // namespace freeridge
