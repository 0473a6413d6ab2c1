// Moments of squared left-out errors, for rows that are seen in parts, or on several machines. Of the rows with an error,
// for each lambda and output,
//     rows,   weight = sum_i W_ii,   mean = sum_i W_ii e_i^2 / weight,   spread = (sum_i W_ii (e_i^2 - mean)^2)^(1/2)
// and how many rows have none. Moments of parts are joined as in spread.hpp, in any order but for rounding; all zeros are
// those of no row. Of all rows
//     LOO = mean,     standard error = spread / (weight (rows - 1))^(1/2)
// as point_criteria.cpp has them, and neither where some row has no error.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/select/spread.hpp"

namespace freeridge {

// Counts are doubles, so that moments are one array.
struct Moments {
  double rows = 0, weight = 0, mean = 0, spread = 0, undefined = 0;

  void join(const Moments& part);
};
constexpr Index moment_numbers = 5;

// Throws NOT_FINITE or INVALID_ARGUMENT where no rows have such moments. name[5 k], ..., name[5 k + 4] are those of pair k.
void require_moments(const char* name, Span<const double> moments);
Moments moments_at(Span<const double> moments, Index pair);
void put_moments(const Moments& from, Index pair, Span<double> moments);
// inout = inout and more, joined pair by pair. Throws NOT_FINITE where a weight overflows.
void join_moments(Span<double> inout, Span<const double> more);

// scores, errors: lambdas x t, pair l t + j of lambda l and output j; errors may be without data: not wanted. Answers with
// the reason for the first NaN.
std::string moment_scores(Span<const double> lambdas, Span<const double> moments, MatrixView scores, MatrixView errors);

// The lowest LOO of each output among lambdas > 0 that were tried, t numbers each; as LambdaSearch has them, and `next`:
// the minimum of the polynomial through the scores next to the choice, and the choice itself where that was tried to seven
// digits of log lambda or lies at an end. Throws UNDEFINED where an output has no value at any lambda.
struct MomentChoice {
  Array<double> lambda, score, standard_error, decades, next;
  Array<std::int32_t> edge, dips;
};
MomentChoice choose_by_moments(Span<const double> lambdas, Index t, Span<const double> moments);

}  // namespace freeridge
