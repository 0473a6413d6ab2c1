// LOG_LOSS, the left-out log loss of an output y_i of -1 and +1, and its derivatives by the left-out values
// f_i = y_i - e_i, which are exact (criteria.hpp):
//     J = sum_i v_i loss_i,   loss_i = -(t_i log q_i + (1 - t_i) log(1 - q_i)),   q_i = 1 / (1 + exp(-(a f_i + b)))
// a >= 0, b and the targets t_i are those of Platt's method (calibration.hpp) for the values f_i, v_i = W_ii / sum W.
// As a and b are at their minimum,
//     dJ / df_i = v_i a (q_i - t_i)
// The weights count in units of their mean, so that a common factor of them changes nothing. Standard error of J:
// se^2 = sum_i v_i (loss_i - J)^2 / (n - 1). Cost: O(n) for each of about 10 steps.
#pragma once

#include "libcore/base/array.hpp"

namespace freeridge {

struct LogLoss {
  double score = 0, error = 0;
  Array<double> slope;  // dJ / df_i
};

// f: finite; y: -1 or +1; weights: as many positive numbers. Throws NOT_FINITE, NOT_CONVERGED.
LogLoss log_loss(Span<const double> f, Span<const double> y, Array<double> weights);

}  // namespace freeridge
