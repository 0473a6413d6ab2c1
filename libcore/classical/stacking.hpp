// The weights of a stack: of k predictions f_im of each output y_i, made without the row i, the best mean of them:
//     minimise sum_i W_i (y_i - sum_m w_m f_im)^2     subject to w >= 0, sum_m w_m = 1
// A prior draws the weights to the first member, f_i0: to the sum is added
//     prior s^2 sum_(m >= 1) w_m^2,      s^2 = sum_i W_i e_i0^2 / the number of W_i > 0
// so that a member has to be better by more than what as many rows say by chance. These are k - 1 rows more.
// As the weights have the sum one, y_i - sum_m w_m f_im = sum_m w_m e_im with the errors e_im = y_i - f_im, and with
// W^(1/2) E = Q R the sum is |R w|^2: the point of the convex hull of R's columns that is nearest to zero. It is found
// without its equation: for u >= 0
//     minimise |R u|^2 + (1 - sum_m u_m)^2
// has its solution at u = s w with the same w, since along any w the best s gives q / (1 + q), which rises with
// q = |R w|^2. That is non-negative least squares with the columns (r_m, 1) and the right-hand side (0, 1), solved by
// the active set method of Lawson and Hanson; a column that depends on those in the set does not enter.
// Without row i, R'R is R'(I - q_i q_i') R, q_i the row of Q, whose square root (I - c q_i q_i') R, c = (1 - (1 -
// h_i)^(1/2)) / h_i, h_i = |q_i|^2, takes the place of R: so the weights that a stack without row i has cost the active
// set method on k columns, begun at the weights of all rows, and with them
//     errors_i = sum_m w_m(i) e_im
// is the error of the whole stack on a row that neither its members nor its weights have seen. (s^2 stays.)
// Sources: L. Breiman, Stacked regressions, Machine Learning 24 (1996). C. Lawson, R. Hanson, Solving Least Squares
// Problems, 1974, chapter 23. P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976).
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct Stack {
  Array<double> w;               // k
  Array<double> errors;          // n, where they were asked for
  std::string errors_undefined;  // why they are NaN, or empty
};

// f: n x k; y: n; weights: n numbers W_i >= 0, one of them positive, or NULL: all one; prior >= 0: see above. Cost: 2 n
// k^2, and for the errors O(n k p^2), p: members with a weight. Memory: 3 n k doubles.
Stack stack_weights(const LayoutView& f, const double* y, const double* weights, double prior, bool with_errors);

}  // namespace freeridge
