// Scaling by powers of two, which changes no digit: so that squares neither overflow nor vanish.
#pragma once

#include <algorithm>
#include <cmath>

#include "libcore/base/array.hpp"

namespace freeridge {

// The largest |value|, without those that are NaN; 0 where there are none.
inline double largest_magnitude(Span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// The exponent e of |value| in [2^(e - 1), 2^e); 0 for 0.
inline int exponent_of(double value) {
  int e = 0;
  std::frexp(value, &e);
  return e;
}

// The exponent of the largest magnitude where squares of numbers of its size might overflow or vanish; 0 elsewhere.
inline int exponent_for_squares(double largest) {
  return largest < 0x1p-480 || largest > 0x1p+480 ? exponent_of(largest) : 0;
}

// values 2^e
inline void scale(Span<double> values, int e) {
  for (double& value : values) value = std::ldexp(value, e);
}

}  // namespace freeridge
