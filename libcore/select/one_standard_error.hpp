// The one-standard-error rule: the largest lambda whose score is within one standard error of the best one (L. Breiman,
// J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984, section 3.4.3).
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/select/lambda_search.hpp"

namespace freeridge {

// For each output the largest lambda tried, at or above the choice, up to which every score is at most best_score +
// standard_error, and its score; NaN where that sum has no value. For criteria that are means.
struct OneStandardError {
  Array<double> lambda, score;
};
OneStandardError one_standard_error(const LambdaSearch& search);

}  // namespace freeridge
