// Iterative refinement of solutions, with residuals in twice the working precision (linalg/refine.hpp):
//   w of linear kernels   min 1/2 |W^(1/2) (Y - X w - b)|^2 + lambda/2 sum_k s_k^2 w_k^2, s the kernel's scales
//   c of other kernels    Y - K c - U a - lambda W^-1 c = 0,  U'c = 0,   U the intercept's ones and fixed effects
// Residuals are those of x, and of K, whose entries are evaluated again as doubles: rounding in K_w and in the factors
// drops out. b is the weighted mean of Y - X w, and a has the coefficients of U in Y - K c.
#pragma once

#include <functional>

#include "libcore/base/progress.hpp"
#include "libcore/factor/solution.hpp"

namespace freeridge {

// solve(g) (d x outputs, in place): (X_s' X_s + lambda I)^+ g for the weighted, centred and scaled X_s of the primal
// route. The outputs [first, first + count) of the solution. O(n d count) a step.
void refine_hyperplane(const Problem& problem, const std::function<void(MatrixView)>& solve, double lambda, Index first,
                       Index count, Index steps, Solution& solution);

// solve(v) (n x outputs, in place): P v, P = (K_w + lambda I)^-1 with the intercept taken out. Kernels that are not
// linear. n^2 kernel values and O(n^2 count) a step.
void refine_expansion(const Problem& problem, const std::function<void(MatrixView)>& solve, double lambda, Index first,
                      Index count, Index steps, Solution& solution);

}  // namespace freeridge
