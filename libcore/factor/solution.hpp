// A solved problem in the form that predicts.
//   linear kernels   f(x) + b = (x - shift)'w + level = w'x + b
//                    w in the original units of x; b = level - shift'w loses digits where the mean of x is large, so
//                    predictions use shift and level
//   other kernels    f(x) = sum_i c_i k(x_i, x) + b
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/data/problem.hpp"

namespace freeridge {

struct Solution {
  Matrix c;             // n x t; empty for linear kernels
  Matrix w;             // d x t; empty for other kernels
  Array<double> b;      // t; zeros without intercept
  Array<double> level;  // t: f(shift) + b; linear kernels
  Matrix fixed = {};    // the effects of F, fixed.cols x t; 0 for columns that depend on others
  // t: bounds of the error of c relative to c, in the norm of G, where the route has them (ITERATIVE); else empty
  Array<double> accuracy = {};
};

// Sets the outputs [first, first + w_s.cols) from w_s, the hyperplane of the centred and scaled columns (x - shift) /
// scale. level and the fixed effects are those of A - C w (data/problem.hpp). With an intercept alone, level = ybar -
// rest'w, rest: the means that rounding left in the centred columns.
void set_hyperplane(const Problem& problem, Index first, ConstMatrixView w_s, Solution& solution);

// b and the fixed effects from the coefficients of U (q numbers).
void set_free(const Problem& problem, Index column, Span<const double> of_u, Solution& solution);

// Corrects b, level and the fixed effects for other outputs: Y~ less e in the rows `which`, where e has a column for
// each output from `first` on. The coefficients of U become A less diag(nu)^-1 q1_S'e.
void take_out(const Problem& problem, Span<const Index> which, ConstMatrixView e, Index first, Solution& solution);

// From c~ (c = W^(1/2) c~), for the dual routes. k_q1 = K_w q1 (n x q):
//   q1'(W^(1/2) Y - K_w c~ - W^(1/2) U a) = 0   gives   a = A - diag(nu)^-1 k_q1'c~
// nearly_none: for linear kernels, another part of c~, whose function is zero except in columns of x that are so small
// that K does not show them. w_k takes the share of nearly_none in column k where that share exceeds rounding.
void set_expansion(const Problem& problem, ConstMatrixView k_q1, Index first, ConstMatrixView c_tilde,
                   Solution& solution, ConstMatrixView nearly_none = {});

// For new points in the dual routes: out (n x count) = kappa and prior (or none) += k~(x*, x*) of
// ResidualMaker::smoother, NaN for precomputed kernels. n count kernel values.
void centred_cross_kernel(const Problem& problem, ConstMatrixView k_q1, const Points& points, Index first,
                          MatrixView out, const Covariances& prior);

}  // namespace freeridge
