// The numbers of doubles that several files need.
#pragma once

#include <limits>

namespace freeridge {

inline constexpr double eps = std::numeric_limits<double>::epsilon();  // 2^-52, the gap between 1 and the next double
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace freeridge
