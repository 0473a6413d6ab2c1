// The additive kernel: the mean of one kernel over terms of the columns,
//     k(x, z) = 1 / m sum_t inner(x_t, z_t),      x_t: the columns of term t,  t = 1, ..., m
// A function with this kernel is a sum of m functions of one term each, without interactions between them. As a mean it
// keeps inner(x, x) = 1, so that a weight in front says how large the additive part is, whatever d. Terms are single
// columns, or the columns with equal labels (those of a factor); columns with a negative label are in none. Divisors
// of the columns stand around it: scaled(l, additive(inner)) has a length for each column.
// T. Hastie, R. Tibshirani, Generalized Additive Models, 1990; D. Duvenaud, H. Nickisch, C. Rasmussen, Additive
// Gaussian processes, NIPS 2011 (order one).
#pragma once

#include <cstdint>

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

// label and what is thrown: as in kernel_of_terms (column_terms.hpp).
KernelPtr additive_kernel(KernelPtr inner, Span<const std::int32_t> label);

}  // namespace freeridge
