// One output's score as a function of x = log lambda, at the places where it has been tried:
//   the polynomial through the points next to a place (barycentric form: J.-P. Berrut, L. N. Trefethen, Barycentric
//   Lagrange interpolation, SIAM Review 46 (2004)), its minimum, and what the curve says about how sure a minimum is.
#pragma once

#include <cstdint>

#include "libcore/base/array.hpp"

namespace freeridge {

constexpr double log_tolerance = 1e-7;  // of log lambda: a score within 1e-14 of the minimum

struct Tried {
  double lambda;
  double x;          // log lambda
  double score;      // NaN: no value there
  double error;      // its standard error; NaN: none
  double above = 0;  // of the score, what an estimate that may be too low was raised by
};

// Ascending in lambda.
using ScoreCurve = Array<Tried>;

// The lowest point with a value in low <= x <= high, of equal ones the one with the larger lambda; curve.size() when
// there is none.
std::size_t lowest(const ScoreCurve& curve, double low, double high);

// The point with the largest lambda, outside the neighbourhood of the lowest point, whose score equals the lowest score
// within rounding; where there is none, the lowest point. curve.size() when no point has a value.
std::size_t choice(const ScoreCurve& curve);

// The indices where the score dips, the deepest first, at most `most`. Rounding noise on a flat stretch is no dip.
Array<std::size_t> dips(const ScoreCurve& curve, std::size_t most);

// How many local minima there are, a stretch of equal scores counted once, ends of the curve included; 0 when it is
// flat.
std::int32_t count_minima(const ScoreCurve& curve);

// Over how many powers of ten of lambda around `best` the score is at most `limit`, linear between the points; up to
// the end of the curve or to a point without a value.
double decades_below(const ScoreCurve& curve, std::size_t best, double limit);

struct Minimum {
  double x, score;
};

// The minimum over [low, high] of the polynomial through the points nearest to the lowest one in it, as far as they
// reach without a gap of points without a value. Some point in [low, high] has a value.
Minimum interpolated_minimum(const ScoreCurve& curve, double low, double high);

}  // namespace freeridge
