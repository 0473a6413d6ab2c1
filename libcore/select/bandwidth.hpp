// The search over the bandwidth sigma of a kernel: a log-spaced scan, then Brent's method on log sigma. Each sigma is
// worth one factorization and its own whole search over lambda.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "libcore/factor/problem.hpp"
#include "libcore/select/lambda_search.hpp"

namespace freeridge {

struct BandwidthRange {
  double low, high;
};

// From a sixteenth of the median distance between points (columns divided by the kernel's scales) to 64 times it; the
// median over the pairs of at most 256 evenly spaced rows. Throws UNDEFINED when all of them coincide.
BandwidthRange bandwidth_range(const Kernel& kernel, const LayoutView& x);

struct BandwidthSearch {
  std::vector<double> sigma, score;  // as tried
  double best = 0;                   // of equal scores the larger sigma
};

// Calls score(sigma) at most `budget` times in [low, high]; infinite scores are fine. Throws UNDEFINED when all are.
BandwidthSearch search_bandwidth(BandwidthRange range, Index budget, const std::function<double(double)>& score);

// One number for all outputs: of one output its score; of several the sum of score / weighted variance of Y (REML: of
// the scores; ERROR_RATE has but one).
double combined_score(const Problem& problem, Criterion criterion, std::span<const double> scores);

}  // namespace freeridge
