// The search over lambda: a log-spaced grid of 100 values (50 where every lambda has a factor of its own: CHOLESKY and
// BAND), then the (at most five) deepest dips of each output's score to the digit.
//
// A call of scores() is what costs: a streamed route reads all data again for each, whatever the number of lambdas. So
// the dips of all outputs are refined together, a few lambdas a call, by interpolation instead of a line search:
//
//   As a function of x = log lambda every criterion is analytic in the strip |Im x| < pi. Its parts are sums of
//   1 / (Lambda_k + e^x), which have their poles on Im x = +-pi; and what it divides by has no zero inside: for Im e^x
//   of one sign the imaginary parts of all 1 / (Lambda_k + e^x) have one sign, too, so P~_ii, tr P~ and Y~'PY~ cannot
//   vanish and P~_SS cannot be singular. The polynomial through the 2 k grid points around a place, h apart, therefore
//   misses the criterion by about prod_(i<k) a_i^2 / (a_i^2 + pi^2) of what it varies by, a_i = (i + 1/2) h: with k = 6
//   and the h <= 0.44 of the default range that is below 1e-6. Its minimum is the criterion's to about the same, tried
//   in one call; with that point among the nodes the error is 1e-6 times smaller again, and the second minimum, if it
//   differs at all, is the last.
//
// On a wider range, or a coarser grid, the cells beside the dips are divided first until h < 0.5. Where the polynomial
// does not foretell what is found (next to lambdas without a value, in the rounding noise of a factorization), the
// bracket is divided as well, and so narrows whatever the criterion looks like.
//
// ERROR_RATE is a step function: the grid alone.
//
// On a route that estimates (spectrum/estimating.hpp) each lambda takes passes over all pairs of points, the more the smaller
// it is. So decades of lambda are tried from the largest downwards, two together, until the score of every output has risen
// over two of them, then thirds of the two decades beside the lowest, and the polynomial's minimum in at most three rounds. What is minimised is the
// estimate and twice its standard error: a lambda far below the best, where estimates are anything, is not taken for
// one that came out too low, and what the choice may lose is some standard errors at the best lambda.
#pragma once

#include <functional>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

struct LambdaRange {
  double low, high;
};

// From a thousandth of the smallest eigenvalue that is not zero, but at least eps times the largest and where errors
// left out have six digits (Factorization::floor), to a thousand times the largest, or the floor where that is more:
// beyond, nothing changes any more. Throws UNDEFINED when all eigenvalues are zero.
LambdaRange lambda_range(EigenvalueRange eigenvalues, double floor);
inline LambdaRange lambda_range(const Factorization& factorization) {
  return lambda_range(factorization.eigenvalue_range(), factorization.floor());
}

// count numbers from low to high, evenly spaced in log, both ends exact.
Array<double> log_grid(LambdaRange range, Index count);

struct LambdaSearch {
  Criterion criterion = Criterion::loo;
  Array<double> lambdas;         // ascending, all that were tried
  Matrix scores;                 // lambdas x t; NaN where not tried for that output, or without a value
  Array<double> best;            // t: the choice; of scores equal within rounding the larger lambda
  Array<double> best_score;      // t
  Array<double> standard_error;  // t: that of best_score; NaN when the criterion has none
  Array<std::int32_t> edge;      // t: -1, +1 when the choice is the low, high end of the range, else 0
  Array<double> decades;         // t: powers of ten around the choice with scores within 1 % (REML: 0.5) of it
  Array<std::int32_t> dips;      // t: local minima on the grid
};

// What is searched: a criterion of t outputs. `scores` as in criteria.hpp, for outputs [first, first + out.cols).
struct Searched {
  Criterion criterion;
  Index t;
  bool fine;  // a lambda costs next to nothing beside the first: the fine grid
  std::function<std::string(Span<const double> lambdas, Index first, MatrixView out, MatrixView errors)> scores;
  // Scores are estimates, and each takes passes over all pairs of points: `scores` with their standard errors in the end.
  std::function<std::string(Span<const double> lambdas, Index first, MatrixView out, MatrixView errors,
                            MatrixView uncertainty)>
      estimates = {};
  // A lambda costs as much for each output as for the first: no output has lambdas tried that are for others.
  bool alone = false;
  // Added to the score of each output where the choice is made, a function of lambda; the scores that are kept are without it.
  std::function<double(double lambda)> penalty = {};
};

// So many lambdas a search for t outputs tries, unless its criterion is rugged.
Index lambdas_of_search(Index t);
// Throws UNDEFINED when the criterion has no value for some output anywhere.
LambdaSearch search_lambda(const Searched& searched, LambdaRange range);
LambdaSearch search_lambda(const Factorization& factorization, Criterion criterion, const Groups* groups,
                           LambdaRange range, std::function<double(double lambda)> penalty = {});

}  // namespace freeridge
