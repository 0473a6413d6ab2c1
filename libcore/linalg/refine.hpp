// Iterative refinement with residuals in twice the working precision. The solution is kept as hi + lo; from
// the residual a solver with a factorization in double computes corrections, of which a few digits are right:
//
//   refine            min 1/2 |W^(1/2) (Y - X w - b)|^2 + 1/2 sum_k p_k w_k^2
//                       r = Y - X w - b,   b = the weighted mean of Y - X w,   w += S(X'W r - p w)
//                       S(g) solves about (X_c'W X_c + diag p) dw = g, X_c: X with its weighted column means removed
//   refine_dual       the same problem (W = I) for d > n, with w_k = (X'a)_k / p_k for p_k > 0, other w_k and b free:
//                       Y - X w - b - lambda a = 0,   (X'a)_k = 0 where p_k = 0,   1'a = 0
//                     lambda = 0: min sum_k p_k w_k^2 subject to Y = X w + b
//   refine_system     any linear system whose residual the caller can form
//
// With R from a QR factorization of [W^(1/2) X_c; diag p^(1/2)], S(g) = R^-1 R^-T g (seminormal equations). Each step
// multiplies the error by about eps cond(R), as residuals are those of the data and not of the factors, down to about
// 2^-104 (cond(R) + cond(R)^2 |r| / |X w|) of w. That is full working precision for cond(R) up to 2^25 with any
// residual r, and up to nearly 2^52 with a small one (A. Bjorck, Iterative refinement of linear least
// squares solutions, BIT 7 (1967); the same author, Stability analysis of the method of seminormal equations, Linear
// Algebra Appl. 88 (1987)).
//
// Refinement of an output stops when a correction is below 2^-75 of the solution's largest entry, when three
// corrections in a row are not half of the smallest one (the solution after the smallest is kept), or after max_steps.
// Cost: O(n d t) a step, at about a tenth of the speed of a product in double; memory: 2 n t doubles and tiles. The
// bits do not depend on the number of threads.
//
// Products of x, y, a, v with the solution must not overflow, and |x| <= 2^990: use the factors to scale.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/twofold.hpp"

namespace freeridge {

// X_ik = x_ik x_factor_k, Y_ij = y_ij y_factor_j; the factors are powers of two, so that this is exact.
struct LeastSquaresData {
  LayoutView x;                      // n x d
  LayoutView y;                      // n x t
  Span<const double> weights = {};   // n positive numbers, or empty: all one
  bool intercept = false;            // b; otherwise 0
  Span<const double> penalty = {};   // p: d numbers >= 0, or empty: all zero
  Span<const double> x_factor = {};  // d numbers, or empty: all one
  Span<const double> y_factor = {};  // t numbers, or empty: all one

  Index n() const { return x.rows; }
  Index d() const { return x.cols; }
  Index t() const { return y.cols; }
};

struct LeastSquaresSolution {
  LeastSquaresSolution(Index d, Index t) : w(d, t), b(t) {}
  TwofoldMatrix w;        // d x t
  Array<DoubleDouble> b;  // t
};

struct Refinement {
  Index steps = 0;         // corrections made
  bool converged = false;  // the smallest correction of each output was below 2^-40 of the solution
};

// r = Y - X w - b (n x t); sets solution.b to the weighted mean of Y - X w, or to 0 without intercept.
TwofoldMatrix twofold_residual(const LeastSquaresData& data, LeastSquaresSolution& solution);

// g (d x t) in, dw out, in place.
using NormalSolver = std::function<void(MatrixView g)>;

// Starts from solution.w; at the end solution.b belongs to solution.w, also after 0 steps.
Refinement refine(const LeastSquaresData& data, const NormalSolver& solve, Index max_steps,
                  LeastSquaresSolution& solution);

// In: the residuals of the three equations, `points` n x t, `features` d x t (rows with p_k > 0 are not read) and
// `ones` t. Out, in place: da in points, dw in the rows of features with p_k = 0, db in ones.
using DualSolver = std::function<void(MatrixView points, MatrixView features, Span<double> ones)>;

// Starts from zero. data.weights must be empty, data.penalty not.
Refinement refine_dual(const LeastSquaresData& data, double lambda, const DualSolver& solve, Index max_steps,
                       LeastSquaresSolution& solution);

// The residual of a linear system at a solution, in twice the working precision.
using TwofoldResidual = std::function<void(const TwofoldMatrix& solution, TwofoldMatrix& residual)>;
// v = an approximate solution of the system with the right-hand side v.
using SystemSolver = std::function<void(MatrixView v)>;

// Starts from solution.
Refinement refine_system(const TwofoldResidual& residual, const SystemSolver& solve, Index max_steps,
                         TwofoldMatrix& solution);

}  // namespace freeridge
