// The search over lambda: a log-spaced grid of 100 values (50 where every lambda has a factor of its own: CHOLESKY and
// BAND; 32 where the grid would be most of the work: a sparse grid), then the (at most five) deepest dips of each output's score to the digit.
//
// The cost is in the calls of scores(): a streamed route reads all data again for each call, whatever the number of
// lambdas. So the dips of all outputs are refined together, a few lambdas a call, by interpolation instead of a line
// search:
//
//   As a function of x = log lambda every criterion is analytic in the strip |Im x| < pi. Its parts are sums of
//   1 / (Lambda_k + e^x), which have their poles on Im x = +-pi; and its divisors have no zero inside: for Im e^x of
//   one sign the imaginary parts of all 1 / (Lambda_k + e^x) have one sign, too, so P~_ii, tr P~ and Y~'PY~ cannot
//   vanish and P~_SS cannot be singular. Take the polynomial through the 2 k grid points around a place, h apart, and
//   let a_i = (i + 1/2) h. Relative to the variation of the criterion its error is about
//   prod_(i<k) a_i^2 / (a_i^2 + pi^2): with k = 6 and the h <= 0.44 of the default range that is below 1e-6. The
//   minimum of the polynomial is as near to that of the criterion, and is tried in one call. With that point among the
//   nodes the error is 1e-6 times smaller again, and the second minimum, if it differs at all, is the last.
//
// On a wider range, or a coarser grid, the cells beside the dips are divided first until h < 0.5 (on a sparse grid those
// of dips at its ends, and others until h < 1.6). Where the score at
// the minimum of the polynomial is not the one foretold (next to lambdas without a value, in the rounding noise of a
// factorization), the bracket is divided, too, so that it becomes narrower whatever the criterion looks like.
//
// ERROR_RATE is a step function: only the grid is tried.
//
// On a route that estimates (spectrum/estimating.hpp) each lambda takes passes over all pairs of points, and smaller
// lambdas take more of them. So decades of lambda are tried from the largest downwards, two together, until the score
// of every output has risen over two of them; then thirds of the two decades beside the lowest, and the polynomial's
// minimum in at most three rounds. The estimate plus twice its standard error is minimised: so a lambda far below the
// best, where estimates have large errors, is not chosen because its estimate came out too low, and the choice loses at
// most some standard errors.
#pragma once

#include <functional>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

struct LambdaRange {
  double low, high;
};

// From a thousandth of the smallest eigenvalue that is not zero, or eps times the largest, or the lambda from which on
// left-out errors have six digits (Factorization::floor), whichever is the largest; to a thousand times the largest
// eigenvalue, or a thousand times the floor where that is larger. Beyond that nothing changes any more. Throws
// UNDEFINED when all eigenvalues are zero.
LambdaRange lambda_range(EigenvalueRange eigenvalues, double floor);
inline LambdaRange lambda_range(const Factorization& factorization) {
  return lambda_range(factorization.eigenvalue_range(), factorization.floor());
}

// The range of a search over [low, high]; low = high = 0: lambda_range. Where all eigenvalues are zero every lambda has
// the same answer, and the range is 1 alone, or the floor where that is larger.
LambdaRange search_range(double low, double high, EigenvalueRange eigenvalues, double floor);

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

// The criterion that is searched, of t outputs. `scores` as in criteria.hpp, for outputs [first, first + out.cols).
struct Searched {
  Criterion criterion;
  Index t;
  bool fine;  // a lambda costs next to nothing beside the first: the fine grid
  std::function<std::string(Span<const double> lambdas, Index first, MatrixView out, MatrixView errors)> scores;
  // For scores that are estimates, each of which takes passes over all pairs of points: as `scores`, with their
  // standard errors in the last argument.
  std::function<std::string(Span<const double> lambdas, Index first, MatrixView out, MatrixView errors,
                            MatrixView uncertainty)>
      estimates = {};
  // A lambda costs as much for each output as for the first: so an output's lambdas are tried for that output alone.
  bool alone = false;
  // A grid of few lambdas, for many small models.
  bool sparse = false;
  // A function of lambda that is added to the score of each output for the choice; the scores that are kept are without
  // it.
  std::function<double(double lambda)> penalty = {};
};

// The number of lambdas that a search for t outputs tries, unless the criterion is rugged.
Index lambdas_of_search(Index t);
// Throws UNDEFINED when the criterion has no value for some output anywhere.
LambdaSearch search_lambda(const Searched& searched, LambdaRange range);
LambdaSearch search_lambda(const Factorization& factorization, Criterion criterion, const Groups* groups,
                           LambdaRange range, std::function<double(double lambda)> penalty = {}, bool sparse = false);

}  // namespace freeridge
