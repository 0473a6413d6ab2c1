// The solvers of penalised least squares (scaled_problem.hpp), each with refinement of w and b:
//   primal         n >= d: QR of [1 X_c; 0 sqrt(lambda penalty)], and of R with column pivoting;  about 2 (n + d) d^2
//   dual           n < d: Cholesky of F'F + lambda I, F' = Z'X penalty^(-1/2), Z orthogonal to the ones and to the
//                  columns without penalty;  about d n^2. Where its pivots, squared, are more than 2^24 apart, or
//                  refinement does not converge: QR of [F; sqrt(lambda) I];  about 2 (n + d) n^2 more
//   minimum norm   where these say that the matrix is singular to working precision;  about 2 n d (n + d) and the
//                  refinement of rank (d - rank) coefficients
// A pivot of at most max(n, d) 2^-50 of the largest counts as zero. With a penalty the primal and dual solvers give up
// from 2^-24 on already: a matrix that only a small lambda makes regular has so bad a condition that refinement would
// not converge to all digits, and the third solver keeps them. For the dual solver the limit is 2^-24 also without a
// penalty where the sizes of columns differ by more than 2^10: w_k = (X'a)_k / penalty_k is then a difference of nearly
// equal numbers.
// Source: G. Golub, C. Van Loan, Matrix Computations, 2013, sections 5.3 to 5.5 and 6.1.
#pragma once

#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/classical/scaled_problem.hpp"

namespace freeridge {

constexpr Index enough_steps = 30;  // of refinement, at most; it usually ends by itself after two or three

struct SolvedLeastSquares {
  ScaledProblem scaled;           // its units are those of the solution and the factor
  LeastSquaresSolution solution;  // w~, b~
  Index rank = 0;                 // of X_c; has no meaning where there is a penalty
  // L L' = X~_c'X~_c + diag(p) for these columns, in this order. Empty where this matrix is singular or was not
  // factorized.
  Array<Index> columns;
  Matrix l;
};

// The w and b that minimise. Where there are many (lambda = 0, or columns without penalty that the data do not
// determine), the w of minimum norm. max_steps: steps of refinement; 0: none.
SolvedLeastSquares solve_least_squares(const PenalisedProblem& problem, Index max_steps = enough_steps);

// The solvers that it chooses from. No value: the matrix is singular to working precision.
std::optional<SolvedLeastSquares> solve_primal(const PenalisedProblem& problem, Index max_steps);
std::optional<SolvedLeastSquares> solve_dual(const PenalisedProblem& problem, Index max_steps);
SolvedLeastSquares solve_minimum_norm(const PenalisedProblem& problem, Index max_steps);

// The square block of R from (first, first) on, transposed: the lower triangular L of L L' = R'R.
Matrix lower_factor(ConstMatrixView qr, Index first, Index size);
// v = (L L')^-1 v
void solve_lower_factor(ConstMatrixView l, MatrixView v);
// A pivot of R below this times the largest pivot counts as zero.
double pivot_tolerance(Index n, Index d);
constexpr double penalised_pivot_tolerance = 0x1p-24;
// A Cholesky factor with a smaller pivot, relative to the largest, is too inexact to start refinement from.
constexpr double gram_pivot_tolerance = 0x1p-12;
constexpr int spread_of_units = 10;  // columns whose sizes differ by more than 2^10 are taken to have different units

}  // namespace freeridge
