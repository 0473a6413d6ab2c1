// Probabilities from decision values f_i of two classes, by Platt's method:
//     P(+1 | f) = 1 / (1 + exp(-(offset + slope f)))
// where slope >= 0 and offset minimise
//     sum_i W_i (t_i log(1 + exp(-z_i)) + (1 - t_i) log(1 + exp(z_i))),     z_i = offset + slope f_i
// with the targets t_i = (N+ + 1/2) / (N+ + 1) for y_i = +1 and 1/2 / (N- + 1) for y_i = -1; N+ and N- are the sums of
// W_i over the two classes. As no target is 0 or 1 there is one minimum, also where f separates the classes. Platt's
// own targets, (N+ + 1) / (N+ + 2) and 1 / (N- + 2), draw probabilities twice as far towards 1/2, and held-out log
// losses are larger (docs/defaults.md). Left-out values of a fit that knows nothing but the mean of the labels are
// lower for a row of +1 than for one of -1; without the bound a negative slope would make a perfect classifier of them.
// Sources: J. Platt, Probabilistic outputs for support vector machines, in: Advances in Large Margin Classifiers, 1999
// (its A is -slope, its B is -offset). H.-T. Lin, C.-J. Lin, R. Weng, A note on Platt's probabilistic outputs for
// support vector machines, Machine Learning 68 (2007): Newton's method with a line search.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct Calibration {
  double slope = 0;  // 0 where all decision values are equal
  double offset = 0;
};

// t_i of the two classes.
struct CalibrationTargets {
  double positive, negative;
  CalibrationTargets(Span<const double> y, const double* weights);
  double of(double label) const { return label > 0 ? positive : negative; }
};

// y: -1 or +1, one class alone is allowed; weights: n positive numbers, or NULL: all one. O(n) for each of about 10
// steps. Throws NOT_FINITE, NOT_CONVERGED.
Calibration calibrate(Span<const double> decision, const double* y, const double* weights);

}  // namespace freeridge
