// The weighted mean of numbers q_i with weights v_i, and root^2 = sum_i v_i (q_i - mean)^2, for standard errors. Two
// parts a and b are joined by
//     root^2 = root_a^2 + root_b^2 + (mean_a - mean_b)^2 v_a v_b / (v_a + v_b)
// (T. Chan, G. Golub, R. LeVeque, Algorithms for computing the sample variance, The American Statistician 37 (1983)):
// sum v q^2 - v mean^2 would cancel. root is kept instead of root^2, as the q are squares themselves, whose squares
// might overflow.
#pragma once

#include <cmath>

namespace freeridge {

struct Spread {
  double v = 0, mean = 0, root = 0;

  void join(const Spread& part) {
    if (part.v == 0) return;  // nothing beside the other weights, to the last bit
    const double all = v + part.v, difference = part.mean - mean;
    root = std::hypot(root, part.root, difference * std::sqrt(v / all * part.v));
    mean += difference * (part.v / all);
    v = all;
  }
};

}  // namespace freeridge
