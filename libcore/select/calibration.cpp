#include "libcore/select/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/select/loss_functions.hpp"

namespace freeridge {
namespace {

constexpr int most_calibration_steps = 200;

// The problem in u_i = (f_i / size - centre) / width, which are between -1 and 1; z_i = a + s u_i.
class Platt {
 public:
  Platt(Span<const double> f, const double* y, const double* weights)
      : u_(f.begin(), f.end()), target_(u_.size()), weight_(u_.size(), 1.0) {
    const CalibrationTargets targets({y, f.size()}, weights);
    double positive = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      if (weights != nullptr) weight_[i] = weights[i];
      total_ += weight_[i];
      positive += weight_[i] * (target_[i] = targets.of(y[i]));
    }
    a_ = level_ = std::log(positive) - std::log(total_ - positive);
    scale();
  }
  Calibration solve();
  // The log odds of the mean target: the best offset where the slope is 0.
  double level() const { return level_; }

 private:
  struct Move {
    double a, s, fall;  // fall: how far the objective's tangent falls along the move
  };

  void scale();
  double objective(double a, double s) const;
  Move newton() const;
  // The largest change of z, and so of a point's log odds, in a move.
  static double change(const Move& move) { return std::abs(move.a) + std::abs(move.s); }

  Array<double> u_, target_, weight_;
  double total_ = 0, level_ = 0, size_ = 0, centre_ = 0, width_ = 0;
  double a_ = 0, s_ = 0;
};

void Platt::scale() {
  for (const double f : u_) size_ = std::max(size_, std::abs(f));
  if (size_ == 0) return;
  for (std::size_t i = 0; i < u_.size(); ++i) centre_ += weight_[i] / total_ * (u_[i] /= size_);
  bool equal = true;
  for (double& u : u_) {
    equal = equal && u == u_[0];
    width_ = std::max(width_, std::abs(u - centre_));
  }
  if (equal) width_ = 0;  // the mean may differ from equal numbers by rounding
  for (double& u : u_) u = width_ > 0 ? (u - centre_) / width_ : 0;
}

double Platt::objective(double a, double s) const {
  double sum = 0;
  for (std::size_t i = 0; i < u_.size(); ++i) {
    const double z = a + s * u_[i];
    sum += weight_[i] / total_ * (logistic_loss(z) + (1 - target_[i]) * z);  // log(1 + exp(z)) = log(1 + exp(-z)) + z
  }
  return sum;
}

Platt::Move Platt::newton() const {
  double ga = 0, gs = 0, haa = 0, has = 0, hss = 0;
  for (std::size_t i = 0; i < u_.size(); ++i) {
    const double z = a_ + s_ * u_[i], w = weight_[i] / total_, p = sigmoid(z), curvature = w * p * sigmoid(-z);
    ga += w * (p - target_[i]);
    gs += w * (p - target_[i]) * u_[i];
    haa += curvature;
    has += curvature * u_[i];
    hss += curvature * u_[i] * u_[i];
  }
  if (width_ == 0) return {-ga / haa, 0, ga * ga / haa};
  const double rest = hss - has / haa * has;
  const double ds = -(gs - has / haa * ga) / rest, da = -(ga + has * ds) / haa;
  return {da, ds, -(ga * da + gs * ds)};
}

Calibration Platt::solve() {
  double before = objective(a_, s_), last = 0;
  for (int steps = 0; steps < most_calibration_steps; ++steps) {
    const Move move = newton();
    const double moved = change(move);
    if (!std::isfinite(moved)) break;
    double t = 1;
    if (moved > 0.5) {  // shorter moves are sure to fall (F. Bach, see logistic.hpp)
      while (t > 1e-10 && !(objective(a_ + t * move.a, s_ + t * move.s) <= before - 1e-4 * t * move.fall)) t /= 2;
    }
    a_ += t * move.a;
    s_ += t * move.s;
    before = objective(a_, s_);
    worked(4 * touched * static_cast<double>(u_.size()));
    // Newton's method doubles the number of digits: after a small move the error is about its square. Rounding ends it,
    // too.
    const double small = 1e-9 * (1 + std::abs(a_) + std::abs(s_));
    if (moved <= small || (steps > 0 && moved <= 1e3 * small && moved >= last)) {
      if (width_ == 0) return {0, a_};
      const double slope = s_ / width_;
      return {slope / size_, a_ - slope * centre_};
    }
    last = moved;
  }
  fail(Status::not_converged, "no calibration within ", most_calibration_steps,
       " Newton steps; rescale the decision values");
}

}  // namespace

CalibrationTargets::CalibrationTargets(Span<const double> y, const double* weights) {
  double mass[2] = {0, 0};
  for (std::size_t i = 0; i < y.size(); ++i) mass[y[i] > 0] += weights == nullptr ? 1 : weights[i];
  positive = (mass[1] + 0.5) / (mass[1] + 1);
  negative = 0.5 / (mass[0] + 1);
}

Calibration calibrate(Span<const double> decision, const double* y, const double* weights) {
  const auto n = static_cast<Index>(decision.size());
  for (Index i = 0; i < n; ++i)
    if (!std::isfinite(decision[i]))
      fail(Status::not_finite, "decision[", i, "] is ", decision[i], "; every value must be finite");
  Platt platt(decision, y, weights);
  const Calibration found = platt.solve();
  if (found.slope < 0) return {0, platt.level()};
  if (!std::isfinite(found.slope) || !std::isfinite(found.offset))
    fail(Status::not_finite, "the slope overflows; rescale the decision values");
  return found;
}

}  // namespace freeridge
