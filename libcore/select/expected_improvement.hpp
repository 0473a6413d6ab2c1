// The next place to try for the minimum of an expensive function of one variable: where the expected improvement on the
// lowest value so far is largest, under a Gaussian process through the points tried,
//
//   f ~ mu + s Z,  cov(Z(x), Z(z)) = (1 + r) exp(-r),  r = sqrt(3) |x - z| / length      (Matern 3/2)
//   Z(x) has, given the values, the mean m = k'K^-1 f and the variance v = 1 - k'K^-1 k
//   E max(best - Z(x), 0) = (best - m) Phi(u) + sqrt(v) phi(u),   u = (best - m) / sqrt(v)
//
// mu and s are the mean and the standard deviation of the values. Points far away hardly change the process: for each
// gap between two points only the eight nearest points are used, so that a search costs O(points) a step. D. Jones, M.
// Schonlau, W. Welch, Efficient global optimization of expensive black-box functions, Journal of Global Optimization
// 13, 1998.
#pragma once

#include "libcore/base/array.hpp"

namespace freeridge {

struct Point {
  double x, f;
};

struct Improvement {
  double x, expected;  // in units of f
};

// At least two points, ascending in x, f finite. Gaps narrower than `closest` are left alone; expected is 0 when there
// is nothing to gain in any other.
Improvement most_promising(const Array<Point>& points, double length, double closest);

}  // namespace freeridge
