// A prior distribution of the noise, under which a fit without noise is unlikely. The share of the noise in the
// variance of an output about its mean is nu = lambda / (lambda + spread) (spread: kernel_size.hpp). Its prior density
// is proportional to nu^a, a = 1/2, and for each output
//     -log p = a log(1 + spread / lambda)
//     d / d log lambda = -a spread / (lambda + spread),      d / d spread = a / (lambda + spread)
// With few rows REML alone is often flat towards lambda = 0, and its minimum is then a fit through every point. The
// weight of the prior does not grow with the number of rows: with many rows it decides nothing. Measurements:
// docs/defaults.md.
#pragma once

#include <cmath>

namespace freeridge {

struct NoisePenalty {
  double value, log_lambda, spread;  // -log p of an output, its derivatives by log lambda and by spread
};

inline NoisePenalty noise_penalty(double lambda, double spread) {
  constexpr double a = 0.5;
  const double slope = a / (lambda + spread);
  return {a * std::log1p(spread / lambda), -slope * spread, slope};
}

}  // namespace freeridge
