// The hyperparameters of a kernel: all continuous numbers in its tree, in the order of its text. These are the weights
// of a sum (each before its term), the scales of a scaled kernel (before the inner kernel), sigma of gaussian and
// laplacian, length of matern, scale and offset of polynomial; not degree and nu, which choose the function.
//     0.3 * linear() + 1 * scaled([2, 5], gaussian(sigma = 1.5))     has 0.3, 1, 2, 5, 1.5
// A name is the way from the outermost kernel down to the number: the word of each kernel on the way, with the place of
// the part in brackets behind a sum or a product, then the number's own word; all joined by points:
//     sum.weight[0]   sum.weight[1]   sum[1].scaled.scale[0]   sum[1].scaled.scale[1]   sum[1].scaled.gaussian.sigma
// All are positive, but that weights and offsets may be 0. Searches work on their logarithms: there 0 is a fixed point,
// and the derivative by it is 0.
#pragma once

#include <string>

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

inline Index hyperparameter_count(const Kernel& kernel) {
  return kernel.extent().hyperparameters;
}
Array<double> hyperparameters(const Kernel& kernel);
// 0 <= i < hyperparameter_count(kernel)
std::string hyperparameter_name(const Kernel& kernel, Index i);

// The same tree with other numbers, hyperparameter_count(kernel) of them; what parts of the kernel shared is separate
// then. Throws NOT_FINITE and INVALID_ARGUMENT, with the place and the name, where a number cannot be.
KernelPtr with_hyperparameters(const Kernel& kernel, Span<const double> values);

}  // namespace freeridge
