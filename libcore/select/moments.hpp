// Moments of squared left-out errors, for rows that come in parts, or are on several machines. For each lambda and
// output, over the rows that have a left-out error,
//     rows,   weight = sum_i W_ii,   mean = sum_i W_ii e_i^2 / weight,   spread = (sum_i W_ii (e_i^2 - mean)^2)^(1/2)
// and the number of rows without one. Moments of parts are joined as in spread.hpp; their order matters by rounding
// alone. Without any row all moments are zero. From the moments of all rows
//     LOO = mean,     standard error = spread / (weight (rows - 1))^(1/2)
// as in point_criteria.cpp. Neither has a value where some row has no left-out error.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/select/lambda_search.hpp"
#include "libcore/select/spread.hpp"

namespace freeridge {

// Counts are doubles, so that moments are an array of doubles.
struct Moments {
  double rows = 0, weight = 0, mean = 0, spread = 0, undefined = 0;

  void join(const Moments& part);
};
constexpr Index moment_numbers = 5;

// Throws NOT_FINITE or INVALID_ARGUMENT for numbers that cannot be moments. name[5 k], ..., name[5 k + 4] belong to
// pair k.
void require_moments(const char* name, Span<const double> moments);
Moments moments_at(Span<const double> moments, Index pair);
void put_moments(const Moments& from, Index pair, Span<double> moments);
// Joins `more` to `inout`, pair by pair. Throws NOT_FINITE where a weight overflows.
void join_moments(Span<double> inout, Span<const double> more);

// scores, errors: lambdas x t, pair l t + j of lambda l and output j; errors may be without data: not wanted. Answers
// with the reason for the first NaN.
std::string moment_scores(Span<const double> lambdas, Span<const double> moments, MatrixView scores, MatrixView errors);

// The choice for each output among lambdas > 0 that were tried, by its lowest LOO; a lambda that is given twice counts
// once. next, t numbers: a lambda to try, at the minimum of the polynomial through the scores next to the choice.
// `next` is the choice itself where a lambda within 1e-7 of that minimum, in log lambda, was tried, or where the choice
// is the smallest or largest lambda that was tried. Throws UNDEFINED where an output has no value at any lambda.
struct MomentChoice {
  LambdaSearch search;
  Array<double> next;
};
MomentChoice choose_by_moments(Span<const double> lambdas, Index t, Span<const double> moments);

}  // namespace freeridge
