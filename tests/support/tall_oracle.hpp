// Ridge regression on tall data by its normal equations in long double: with the weighted means of the rows in use
// taken out of X and Y (intercept),
//     (X_c'W X_c + lambda I) w = X_c'W Y_c,   b = mean(Y) - w'mean(X)
// O(n d^2 + d^3) a fit, so that thousands of rows can be left out by fitting again. X_c'W X_c + lambda I must not be
// singular. Nothing here is shared with the library.
#pragma once

#include "support/matrix.hpp"

namespace oracle {

using support::Dense;
using support::Labels;
using support::Matrix;
using support::Vector;

struct TallProblem {
  Matrix x, y;
  Vector weights;  // empty: all one
  bool intercept = true;
};

struct Plane {
  Dense w;  // d x t
  Dense b;  // 1 x t
};

// The fit to the rows marked in `use` (empty: all rows).
Plane fit(const TallProblem& problem, double lambda, const std::vector<char>& use = {});

Matrix predict(const Plane& plane, const Matrix& points);

// Y - prediction at the rows of each group, fitted again without them; NaN where the label is negative.
Matrix group_errors(const TallProblem& problem, const Labels& group, double lambda);

// The rows of the weighted hat matrix's diagonal: x_c'(X_c'W X_c + lambda I)^-1 x_c W_ii + W_ii / sum(W).
Matrix leverage(const TallProblem& problem, double lambda);

// R of A = Q R with a positive diagonal, by Gram-Schmidt in long double: each column made orthogonal twice.
Dense triangle(const Matrix& a);

}  // namespace oracle
