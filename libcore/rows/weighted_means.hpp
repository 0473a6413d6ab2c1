// The weighted mean of each column, in two parts, mean + rest: the mean that the column is centred by, and what rounding
// has left of the column's mean then. A constant column has exactly its value, so that centring leaves exact zeros.
//     mean_k = sum_i v_i x_ik,      rest_k = sum_i v_i (x_ik - mean_k),      v = W 1 / sum(w)
// Of a sparse column the zeros take part in the second sum by their weight alone, 1 less that of its entries.
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
