// The search over the bandwidth sigma of a kernel, each worth one factorization and its own whole search over lambda:
// five log-spaced sigmas, then one at a time where the score is most likely to be lower (expected_improvement.hpp), on
//   x = log sigma,  f = log score (REML: score / 50; ERROR_RATE: the score),
// so that a change of f by 0.01 means the same for all. Sigmas that score nearly as well as the best one are ties: the
// one nearest the typical distance of the points is chosen.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/data/problem.hpp"
#include "libcore/select/lambda_search.hpp"

namespace freeridge {

struct BandwidthRange {
  double low, high;
};

// The median distance between points, with the columns divided by `scale`, the scales of a kernel. It is taken over the
// pairs of at most 256 evenly spaced rows that do not coincide; 0 when all coincide.
double median_distance(Span<const double> scale, const Rows& x);
// The same of a periodic or a sphere kernel (kernel/other_distance.hpp) of these columns of x.
double median_other_distance(const Kernel& kernel, Span<const double> scale, Span<const Index> columns, const Rows& x);
inline double median_distance(const Kernel& kernel, const Rows& x) {
  return median_distance(kernel.feature_scale(x.cols), x);
}

// From a sixteenth of the median distance to 64 times it. Throws UNDEFINED when that is 0.
BandwidthRange bandwidth_range(double median);

// How sure the choice can be.
struct BandwidthShape {
  std::int32_t edge = 0;  // -1, +1 when the choice is the low, high end of the range, else 0
  double decades = 0;     // powers of ten of sigma around the choice with scores within 1 % (REML: 0.5) of the best
  std::int32_t dips = 0;  // local minima among what was tried
};

struct BandwidthSearch {
  Array<double> sigma, score;  // as tried
  double best = 0;             // the choice
  BandwidthShape shape;
};

constexpr Index usual_budget = 15;

// Calls score(sigma) at most `budget` >= 3 times in [low, high]; infinite scores are fine. Of the sigmas with scores
// within 0.3 % (REML: 0.15) of the lowest, the choice is the nearest to `typical` in log (where that is not a positive
// number: to the middle of the range). Throws UNDEFINED when all scores are infinite.
BandwidthSearch search_bandwidth(BandwidthRange range, double typical, Index budget, Criterion criterion,
                                 const std::function<double(double)>& score);

// One number for all outputs: of one output its score; of several the sum of score / weighted variance of Y (REML,
// LOG_LOSS: of the scores; ERROR_RATE has but one).
// The divisors: the weighted variances of Y in the rows in which an output is observed (fixed effects are not
// subtracted before); of an output that is constant the mean of its squares, and 1 where an intercept explains it; 1
// where scores are added up as they are.
Array<double> score_divisors(const Problem& problem, Criterion criterion);
double combined_score(const Problem& problem, Criterion criterion, Span<const double> scores);

}  // namespace freeridge
