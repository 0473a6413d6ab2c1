#include "libcore/select/log_loss.hpp"

#include <cmath>

#include "libcore/select/calibration.hpp"
#include "libcore/select/loss_functions.hpp"

namespace freeridge {

LogLoss log_loss(Span<const double> f, Span<const double> y, Array<double> weights) {
  const auto n = static_cast<double>(f.size());
  double sum = 0;
  for (const double weight : weights) sum += weight / n;
  for (double& weight : weights) weight /= sum;
  const Calibration found = calibrate(f, y.data(), weights.data());
  const CalibrationTargets targets(y, weights.data());
  LogLoss out;
  Array<double> loss(f.size());
  out.slope.resize(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double z = found.offset + found.slope * f[i], t = targets.of(y[i]), v = weights[i] / n;
    loss[i] = logistic_loss(z) + (1 - t) * z;
    out.score += v * loss[i];
    out.slope[i] = v * found.slope * (y[i] > 0 ? (1 - t) - sigmoid(-z) : sigmoid(z) - t);
  }
  for (std::size_t i = 0; i < f.size(); ++i)
    out.error += weights[i] / n * (loss[i] - out.score) * (loss[i] - out.score) / (n - 1);
  out.error = std::sqrt(out.error);
  return out;
}

}  // namespace freeridge
