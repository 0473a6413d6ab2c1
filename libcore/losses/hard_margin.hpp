// The hard margin, the limit lambda -> 0 of the hinge loss (notation as in loss_problem.hpp):
//     min over f, b   1/2 ||f||^2   subject to   y_i (f(x_i) + b) >= 1
// A solution a of the soft margin in which no number is at its bound, |a_i| < w_i, fulfils the conditions of the hard
// margin, too. So tau grows (lambda falls) until no number is at its bound. Where the classes can be separated that is
// at a finite tau. Where they cannot, the nearest points of the convex hulls of the two classes
//     u = sum_{y_i > 0} a_i phi_i / s,   v = -sum_{y_i < 0} a_i phi_i / s,   s = sum_{y_i > 0} a_i
//     |u - v|^2 = a'Ka / s^2
// come together as tau grows (without intercept: the point sum_i a_i phi_i / sum_i |a_i| of the hull of all y_i phi_i
// comes to 0). Where |u - v|^2 is as small as rounding beside the largest kernel value, the classes count as
// overlapping.
#pragma once

#include "libcore/losses/loss_problem.hpp"

namespace freeridge {

// The tau of `problem` is not used; that of the solution is one at which no number is at its bound. Cost: some
// solutions of the soft margin. Throws UNDEFINED where the classes overlap, NOT_CONVERGED as solve_hinge.
LossSolution solve_hard_margin(LossProblem problem, const LossControl& control);

}  // namespace freeridge
