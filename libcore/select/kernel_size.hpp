// How large the kernel matrix of some points is, and how that changes with the kernel: a search bounds lambda in units of it,
//     size = tr(J K J) / m,   J = I - 1 1' / m where an intercept takes the mean away, else I
//     d size / d log theta_i = <J, dK / d log theta_i> / m
// which is the mean of the eigenvalues that lambda is compared with. Cost: m^2 kernel values and derivatives.
#pragma once

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

struct KernelSize {
  double log_size = 0;
  Array<double> gradient;  // of log_size, by the logarithms of the hyperparameters
};

// points: m x d. Of a K that is constant to rounding: rounding's size, without derivatives.
KernelSize kernel_size(const Kernel& kernel, ConstMatrixView points, bool centred);

}  // namespace freeridge
