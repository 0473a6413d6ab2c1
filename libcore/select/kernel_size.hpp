// The size and the spread of the kernel matrix of some points, and their derivatives. A search bounds lambda in units
// of the size, the unit of rounding errors (factor/digits.hpp). It compares the noise with the spread, which is the
// variance of f about its mean over the points for tau = 1 (noise_prior.hpp):
//     size = tr K / m,          d log size / d log theta_i = <I, dK / d log theta_i> / tr K
//     spread = <C, K> / m,      d spread / d log theta_i = <C, dK / d log theta_i> / m,      C = I - 1 1' / m
// Cost: m^2 kernel values, and m^2 derivatives twice.
#pragma once

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

struct KernelSize {
  double log_size = 0, spread = 0;
  Array<double> gradient, spread_gradient;  // of log_size and of spread, by the logarithms of the hyperparameters
};

// points: m x d. Throws UNDEFINED where all are zero, as a linear kernel's values at x = 0.
KernelSize kernel_size(const Kernel& kernel, ConstMatrixView points);

}  // namespace freeridge
