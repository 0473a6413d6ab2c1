// How large the kernel matrix of some points is, and how that changes with the kernel: a search bounds lambda in units of it,
// as rounding is (factor/digits.hpp),
//     size = tr K / m,      d log size / d log theta_i = <I, dK / d log theta_i> / tr K
// Cost: m^2 kernel values and derivatives.
#pragma once

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

struct KernelSize {
  double log_size = 0;
  Array<double> gradient;  // of log_size, by the logarithms of the hyperparameters
};

// points: m x d. Throws UNDEFINED where all are zero, as a linear kernel's values at x = 0.
KernelSize kernel_size(const Kernel& kernel, ConstMatrixView points);

}  // namespace freeridge
