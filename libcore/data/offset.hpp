// How the offset b of f(x) + b is treated:
//     none        there is no b
//     free        b is not penalised
//     penalised   the penalty is lambda/2 (||f||^2 + b^2): the problem of the kernel k + 1 without an offset, in which
//                 sum_i c_i (k(x_i, x) + 1) = f(x) + b   with   b = sum_i c_i
// (L. Rosasco's lectures on regularization networks call this the augmented input x~ = (x, 1).)
#pragma once

#include <cstdint>

namespace freeridge {

enum class Offset : std::int32_t { none = 0, free = 1, penalised = 2 };

}  // namespace freeridge
