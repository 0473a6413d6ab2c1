// Functions in twice the working precision, of which kernel values with 27 digits or more are made (Kernel::twofold):
//     exp(x) = 2^k (1 + s)^512,   s = exp(r) - 1 = r + r^2 / 2 + r^3 / 6 + ...,   r = (x - k log 2) / 512,   |r| < 7e-4
//     sqrt(x) = q + (x - q^2) / (2 q),   q = sqrt of the leading part
//     sin(pi u) = v - v^3 / 3! + v^5 / 5! - ...,   v = pi (u - k),   k the whole number next to u;   but for its sign
// From r^4 on the terms are so small that doubles are enough. 1 + s is squared as s <- 2 s + s^2, so that s keeps its
// digits beside the 1. exp has a relative error of about 1e-27.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/double_double.hpp"

namespace freeridge {

DoubleDouble twofold_exp(DoubleDouble x);
DoubleDouble twofold_sqrt(DoubleDouble x);
DoubleDouble twofold_half_sine(DoubleDouble u);  // |sin(pi u)| with a sign
DoubleDouble twofold_inner_product(Span<const DoubleDouble> x, Span<const DoubleDouble> z);

}  // namespace freeridge
