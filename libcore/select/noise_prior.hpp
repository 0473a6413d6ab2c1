// How likely a fit without noise is, before y is seen. With nu = lambda / (lambda + spread) the share of the noise in the
// variance of an output about its mean (spread: kernel_size.hpp), its density is proportional to nu^a, a = 1/2, and for each
// output
//     -log p = a log(1 + spread / lambda)
//     d / d log lambda = -a spread / (lambda + spread),      d / d spread = a / (lambda + spread)
// REML alone is often flat towards lambda = 0 where rows are few, and its least value then lies at a fit that goes through
// every point. The weight of the prior does not grow with the rows: where they are many, it decides nothing. What it is worth:
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
