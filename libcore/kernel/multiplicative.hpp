// The multiplicative kernel: the product of one kernel over terms of the columns,
//     k(x, z) = prod_t inner(x_t, z_t),      x_t: the columns of term t,  t = 1, ..., m
// Of the Laplacian kernel it is exp(-sum_k |x_k - z_k| / sigma), the Laplacian of the L1 norm; of a Matern kernel the
// tensor product of O. Roustant, D. Ginsbourger, Y. Deville, DiceKriging, Journal of Statistical Software 51(1), 2012;
// of 1 * constant() + w * inner the ANOVA kernel prod_t (1 + w inner(x_t, z_t)), a function with which is a sum of
// functions of any number of terms each: M. Stitson et al., Support vector regression with ANOVA decomposition kernels,
// 1999; N. Durrande et al., ANOVA kernels and RKHS of zero mean functions, Journal of Multivariate Analysis 115, 2013.
#pragma once

#include <cstdint>

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

// label and what is thrown: as in kernel_of_terms (column_terms.hpp).
KernelPtr multiplicative_kernel(KernelPtr inner, Span<const std::int32_t> label);

}  // namespace freeridge
