// The search over lambda: a log-spaced grid, then Brent's method on log lambda in the (at most five) deepest dips of
// each output's score. Every score seen is kept.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/select/criteria.hpp"

namespace freeridge {

struct LambdaRange {
  double low, high;
};

// From a thousandth of the smallest eigenvalue that is not zero, but at least eps times the largest, to a thousand
// times the largest: beyond, nothing changes any more. Throws UNDEFINED when all eigenvalues are zero.
LambdaRange lambda_range(const Factorization& factorization);

// count numbers from low to high, evenly spaced in log, both ends exact.
std::vector<double> log_grid(LambdaRange range, Index count);

struct LambdaSearch {
  std::vector<double> lambdas;     // ascending, all that were tried
  Matrix scores;                   // lambdas x t; NaN where not tried for that output, or without a value
  std::vector<double> best;        // t: the choice; of equal scores the larger lambda
  std::vector<double> best_score;  // t
  std::vector<std::int32_t> edge;  // t: -1, +1 when the choice is the low, high end of the range, else 0
};

// Throws UNDEFINED when the criterion has no value for some output anywhere.
LambdaSearch search_lambda(const Factorization& factorization, Criterion criterion, const Groups* groups,
                           LambdaRange range, const Progress& progress);

}  // namespace freeridge
