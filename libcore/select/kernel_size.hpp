// The size and the spread of the kernel matrix of some points, in the unit of lambda, and their derivatives. lambda has
// the unit of w K, as (K_w + lambda I) shows: a common factor of all weights is a factor of lambda. So both are
// multiplied by the mean weight wbar. A search bounds lambda in units of the size, the unit of rounding errors
// (factor/digits.hpp). It compares the noise with the spread: for tau = 1 the variance of f about its mean over the
// points is spread / wbar, and the weighted mean of the variances lambda / w_i of the errors is lambda / wbar
// (noise_prior.hpp):
//     size = wbar tr K / m,        d log size / d log theta_i = <I, dK / d log theta_i> / tr K
//     spread = wbar <C, K> / m,    d spread / d log theta_i = wbar <C, dK / d log theta_i> / m,    C = I - 1 1' / m
// Cost: m^2 kernel values, and m^2 derivatives twice.
#pragma once

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

struct KernelSize {
  double log_size = 0, spread = 0;
  Array<double> gradient, spread_gradient;  // of log_size and of spread, by the logarithms of the hyperparameters
};

// points: m x d, or of given values [K_1 ... K_k], m x k m; weight: wbar > 0. Throws UNDEFINED where all are zero, as a
// linear kernel's values at x = 0.
KernelSize kernel_size(const Kernel& kernel, ConstMatrixView points, double weight);

}  // namespace freeridge
