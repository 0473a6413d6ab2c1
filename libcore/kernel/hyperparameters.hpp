// The hyperparameters of a kernel: all continuous numbers in its tree, in the order of its text. These are the weights
// of a sum (each before its term), the scales of a scaled kernel (before the inner kernel), sigma of gaussian and
// laplacian, length of matern, period of periodic, scale and offset of polynomial; not degree and nu, which choose the function.
//     0.3 * linear() + 1 * scaled([2, 5], gaussian(sigma = 1.5))     has 0.3, 1, 2, 5, 1.5
// A name is the way from the outermost kernel down to the number. It consists of the word of each kernel on the way and
// of the number's own word, joined by points; behind a sum or a product the place of the part stands in brackets:
//     sum.weight[0]   sum.weight[1]   sum[1].scaled.scale[0]   sum[1].scaled.scale[1]   sum[1].scaled.gaussian.sigma
// All are positive, except that weights and offsets may be 0. Searches work on the logarithms of the numbers: a 0 stays
// 0 there, and the derivative by it is 0.
#pragma once

#include <optional>
#include <string>

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

inline Index hyperparameter_count(const Kernel& kernel) {
  return kernel.extent().hyperparameters;
}
Array<double> hyperparameters(const Kernel& kernel);
// 0 <= i < hyperparameter_count(kernel)
std::string hyperparameter_name(const Kernel& kernel, Index i);

// The place of a number w with k = w k', k' without it: the weight of a sum of one term, scaled or additive or as it is.
std::optional<Index> factor_of_kernel(const Kernel& kernel);

// The weights of a kernel that is a sum, or a sum within scaled kernels, and their places among the hyperparameters; none
// for another kernel.
struct WeightsOfSum {
  Array<double> value;
  Array<Index> place;
};
WeightsOfSum weights_of_sum(const Kernel& kernel);

// The same tree with other numbers, hyperparameter_count(kernel) of them. Parts that the kernel shared become separate
// parts. Throws NOT_FINITE and INVALID_ARGUMENT, with the place and the name, where a number is not allowed.
KernelPtr with_hyperparameters(const Kernel& kernel, Span<const double> values);

// The same tree with a smoother kernel of the same bandwidth in the place of each Matern kernel with nu = 3/2: one with
// nu = 5/2, or, for infinity, the Gaussian kernel. NULL where there is none.
KernelPtr with_smoothness(const Kernel& kernel, double nu);

}  // namespace freeridge
