// The hinge loss, L(z) = max(0, 1 - z), in its dual (notation as in loss_problem.hpp; a_i y_i is alpha_i lambda /
// omega):
//     min over a   1/2 a'(tau K)a - y'a,    0 <= a_i y_i <= w_i,    1'a = 0 (with intercept)
// by sequential minimal optimisation: two numbers move at a time, one without intercept, those that promise the largest
// decrease (R. Fan, P. Chen, C. Lin, Working set selection using second order information, JMLR 6 (2005)). With
// G = y - tau K a, the negative gradient, up = {a_i may grow}, down = {a_i may shrink}:
//     stationarity   max_up G - min_down G <= tolerance;   without intercept |G_i| <= tolerance for all a_i that may
//                    move in the direction of G_i
//     b              the mean of G_i over the free numbers, 0 < a_i y_i < w_i; where there is none, the middle of
//                    [max_up G, min_down G]
//     gap            the largest of |1 - z_i| (free), 1 - z_i (a_i = 0), z_i - 1 (at the bound), z = y (tau K a + b)
// Now and then the free numbers F move together, towards the solution of their own problem, until one meets a bound:
//     tau (K_FF + rounding I) da_F + db 1 = G_F,  1'da_F = 0
// The bounds of a do not depend on lambda, so the solution at another lambda is a feasible start. Nor does a row with a_i = 0
// have a part in the solution, which is that without it, too; without another row the problem is solved again with w_i = 0,
// from a with a_i = 0 and the numbers of the other class times 1 - |a_i| / (their sum of |a|), so that 1'a = 0.
#pragma once

#include "libcore/losses/loss_problem.hpp"

namespace freeridge {

constexpr Index most_free = 1024;  // with more free numbers there is no joint step, whose matrix would exceed 8 MB

// control.iterations: moves, in multiples of n. O(n) a move. Throws NOT_CONVERGED.
LossSolution solve_hinge(const LossProblem& problem, const LossControl& control, const LossSolution* start);

// out: the decision value of each row by the solution without it. Answers with the reason for the first NaN, empty when
// there is none: a row that alone is of its class has none (with intercept). Throws NOT_CONVERGED.
std::string hinge_loo(const LossProblem& problem, const LossControl& control, const LossSolution& solution,
                      Span<double> out);

}  // namespace freeridge
