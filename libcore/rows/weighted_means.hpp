// The weighted mean of each column, in two parts: `mean`, by which the column is centred, and `rest`, the mean that
// rounding leaves in the centred column. The mean of a constant column is exactly its value, so that centring leaves
// exact zeros.
//     mean_k = sum_i v_i x_ik,      rest_k = sum_i v_i (x_ik - mean_k),      v = W 1 / sum(w)
// The zeros of a sparse column take part in the second sum through their weight alone, which is 1 less the weight of
// the entries.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

struct Means {
  Array<double> mean, rest;
};

// sqrt_w: the roots of the weights; name: of the matrix, for messages. Throws NOT_FINITE where a mean overflows.
Means weighted_means(const Rows& x, Span<const double> sqrt_w, double sum_w, const char* name);

}  // namespace freeridge
