// The logistic loss, L(z) = log(1 + exp(-z)), by Newton's method: iteratively reweighted regularized least squares
// (notation as in loss_problem.hpp). With p_i = 1 / (1 + exp(-f_i)), e_i = w_i y_i / (1 + exp(y_i f_i)):
//     stationarity   a = e, 1'a = 0        gap = max_i |e_i - a_i| / w_i, and |1'a| / 1'w
//     step           the weighted problem with v_i = w_i p_i (1 - p_i) and the load e - a (logistic_step.hpp)
// Steps that move no f_i by more than 1/2 are taken whole: as |L'''| <= L'', the objective is sure to fall (F. Bach,
// Self-concordant analysis for logistic regression, Electronic Journal of Statistics 4 (2010)). Along others a line
// search finds about the minimum.
// Small lambda, large tau: far from the solution each Newton step changes exp(-f) by a factor of about e only. So the
// solution is followed from a smaller tau on. At a solution the load a gives the tangent of that path,
//     d(tau a)/dlog tau = tau da,   df/dlog tau = df       (f is nearly linear in log tau where classes separate)
// and one step along the tangent may cross many orders of magnitude of tau.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/losses/loss_problem.hpp"
#include "libcore/select/loss_functions.hpp"

namespace freeridge {

// `start`: a solution of the same problem at any tau, or NULL. Memory: n^2. Throws NOT_CONVERGED.
LossSolution solve_logistic(const LossProblem& problem, const LossControl& control, const LossSolution* start);

// The left-out values after one Newton step from the solution without the point:
//     f_i - e_i S_ii / (1 - v_i S_ii) = f_i - y_i (1 + exp(-y_i f_i)) (1 - P_ii) / P_ii
// out: n numbers, NaN where P_ii is nothing but rounding. Returns the reason for the first NaN; empty if there is none.
[[nodiscard]] std::string logistic_loo(const LossProblem& problem, const LossSolution& solution, Span<double> out);

}  // namespace freeridge
