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
};

// From w_s, the hyperplane of the centred and scaled columns (x - shift) / scale, outputs [first, first + w_s.cols);
// level = ybar - shift_rest'w, shift_rest: the means that rounding left in the centred columns.
void set_hyperplane(const Problem& problem, Index first, ConstMatrixView w_s, Solution& solution);

// From c~ (c = W^(1/2) c~), for the dual routes. k_q1 = K_w q1 (n; empty without intercept):
//   q1'(Y~ - K_w c~ - b 1~) = 0   gives   b = ybar - k_q1'c~ / sqrt(sum(w))
// nearly_none: for linear kernels, another part of c~, whose function is zero except in columns of x that are so small
// that K does not show them. w_k takes the share of nearly_none in column k where that share exceeds rounding.
void set_expansion(const Problem& problem, Span<const double> k_q1, Index first, ConstMatrixView c_tilde,
                   Solution& solution, ConstMatrixView nearly_none = {});

// For new points in the dual routes: out (n x q) = kappa = W^(1/2) k(X, x*) - k_q1 / sqrt(sum(w)), x*_q = points[first
// + q], and prior (q, or empty): k~(x*, x*) = k(x*, x*) - 2 k'W 1 / sum(w) + q1'K_w q1 / sum(w), NaN for precomputed
// kernels. Without an intercept kappa = W^(1/2) k(X, x*), prior = k(x*, x*). n q kernel values.
void centred_cross_kernel(const Problem& problem, Span<const double> k_q1, const Rows& points, Index first,
                          MatrixView out, Span<double> prior);

}  // namespace freeridge
