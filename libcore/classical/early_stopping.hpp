// Gradient descent on 1/2 |y - X w - b|^2 from w = 0 with a constant step eta (Landweber's iteration), at any number of
// steps k at once, beside ridge regression. With the columns of X and y centred (intercept) and X = U S V':
//     w_k = V diag(phi_j / s_j) U'y,      phi_j = 1 - (1 - eta s_j^2)^k            after k steps
//     w   = V diag(phi_j / s_j) U'y,      phi_j = s_j^2 / (s_j^2 + lambda)          ridge
// and b = mean(y) - mean(x)'w: at each step the best b for w. Both filters phi are nearly 1 for large s_j and nearly 0
// for small s_j, where they are about k eta s_j^2 and s_j^2 / lambda. So
//     lambda = 1 / (eta k)
// is the ridge that belongs to k steps. Degrees of freedom: sum_j phi_j, and one for the intercept.
// Sources: L. Landweber, An iteration formula for Fredholm integral equations of the first kind, American Journal of
// Mathematics 73 (1951). Y. Yao, L. Rosasco, A. Caponnetto, On early stopping in gradient descent learning,
// Constructive Approximation 26 (2007). A. Ali, J. Kolter, R. Tibshirani, A continuous-time view of early stopping for
// least squares, AISTATS 2019: the risk along the path is at most 1.69 times the best risk of ridge.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct FilteredPath {
  Matrix w;         // d x count
  Array<double> b;  // count; zeros without intercept
  Array<double> df;
};

struct EarlyStopping {
  double step = 0;       // eta: as it was given, or 1 / s_1^2
  Array<double> lambda;  // 1 / (eta k)
  FilteredPath descent, ridge;
};

// step: 0 < step <= 2 / s_1^2, or 0: 1 / s_1^2. steps: numbers of steps, each >= 1. Cost: the SVD, O(n d min(n, d)),
// and O(d min(n, d)) for each k. Memory: 2 n d and the answer.
EarlyStopping early_stopping(const LayoutView& x, const double* y, bool intercept, double step,
                             Span<const Index> steps);

}  // namespace freeridge
