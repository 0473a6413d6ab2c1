// The weighted median m: a minimiser of sum_i w_i |v_i - m|. The sum falls in m while the weights of all v_i <= m are
// less than half of all weights, rises when they are more, and is flat between two values when they are exactly half.
// The sums are exact (base/exact_sum.hpp), so that "exactly half" is not a matter of rounding.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// values: any number but NaN; weights >= 0, one of them positive; both n. O(n log n).
double weighted_median(Span<const double> values, Span<const double> weights);

// values finite, weights finite and >= 0, one positive: otherwise NOT_FINITE, INVALID_ARGUMENT.
double checked_weighted_median(Span<const double> values, Span<const double> weights);

// The minimiser of sum_i |y_i - slope x_i| = sum_i |x_i| |y_i / x_i - slope|. UNDEFINED: all x_i are 0; NOT_FINITE.
double absolute_slope(Span<const double> x, Span<const double> y);

}  // namespace freeridge
