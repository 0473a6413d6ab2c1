// How likely a fit without noise is, before y is seen. With nu = lambda / (lambda + spread) the share of the noise in the
// variance of an output about its mean (spread: kernel_size.hpp), its density is proportional to nu, and for each output
//     -log p = log(1 + spread / lambda)
//     d / d log lambda = -spread / (lambda + spread),      d / d spread = 1 / (lambda + spread)
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
  return {std::log1p(spread / lambda), -spread / (lambda + spread), 1 / (lambda + spread)};
}

}  // namespace freeridge
