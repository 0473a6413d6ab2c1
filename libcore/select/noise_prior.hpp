// Priors that keep lambda from its bounds.
//
// REML, LOG_LOSS: a prior distribution of the noise, under which a fit without noise is unlikely. The share of the noise in the
// variance of an output about its mean is nu = lambda / (lambda + spread) (spread: kernel_size.hpp). Its prior density
// is proportional to nu^a, a = 1/2, and for each output
//     -log p = a log(1 + spread / lambda)
//     d / d log lambda = -a spread / (lambda + spread),      d / d spread = a / (lambda + spread)
// With few rows REML alone is often flat towards lambda = 0, and its minimum is then a fit through every point. The
// weight of the prior does not grow with the number of rows: with many rows it decides nothing. Measurements:
// docs/defaults.md.
//
// EVIDENCE: V = spread / lambda is the variance of the log odds f about their mean over the points, under the prior of
// f. Without a prior of V itself it grows for ever where the classes are separable. Its logarithm is normal, about
// log 8 with the standard deviation 1.5; for all outputs together
//     -log p = 1/2 (log(V / 8) / 1.5)^2
#pragma once

#include <cmath>

#include "libcore/base/array.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

struct NoisePenalty {
  double value, log_lambda, spread;  // -log p of an output, its derivatives by log lambda and by spread
};

inline NoisePenalty noise_penalty(double lambda, double spread) {
  constexpr double a = 0.5;
  const double slope = a / (lambda + spread);
  return {a * std::log1p(spread / lambda), -slope * spread, slope};
}

inline NoisePenalty amplitude_penalty(double lambda, double spread) {
  constexpr double usual = 8, deviation = 1.5;
  const double u = std::log(spread / lambda / usual) / deviation;
  return {u * u / 2, -u / deviation, u / deviation / spread};
}

// The one that belongs to the criterion, of `outputs` outputs.
inline NoisePenalty noise_penalty(Criterion criterion, double outputs, double lambda, double spread) {
  if (criterion == Criterion::evidence) return amplitude_penalty(lambda, spread);
  const NoisePenalty each = noise_penalty(lambda, spread);
  return {outputs * each.value, outputs * each.log_lambda, outputs * each.spread};
}

}  // namespace freeridge
