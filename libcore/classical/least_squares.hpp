// The solvers of penalised least squares (scaled_problem.hpp), each with refinement of w and b:
//   primal         n >= d: QR of [1 X_c; 0 sqrt(lambda penalty)], and of R with column pivoting;  about 2 (n + d) d^2
//   dual           n < d: Cholesky of F'F + lambda I, F' = Z'X penalty^(-1/2), Z orthogonal to the ones and to the
//                  columns without penalty;  about d n^2. Where its pivots, squared, are more than 2^24 apart, or
//                  refinement does not converge: QR of [F; sqrt(lambda) I];  about 2 (n + d) n^2 more
//   minimum norm   where these say that the matrix is singular to working precision;  about 2 n d (n + d) and the
//                  refinement of rank (d - rank) coefficients
// A pivot of at most max(n, d) 2^-50 of the largest counts as zero. With a penalty the limit for the first two is 2^-24
// at least: where nothing but a small lambda makes the matrix regular, refinement would lose what the third way keeps;
// and so it is for the second where columns are of different units, because w_k = (X'a)_k / penalty_k cancels then.
// Source: G. Golub, C. Van Loan, Matrix Computations, 2013, sections 5.3 to 5.5 and 6.1.
#pragma once

#include <optional>

#include "libcore/classical/scaled_problem.hpp"

namespace freeridge {

constexpr Index enough_steps = 30;  // of refinement: it ends by itself, after two or three steps in general

struct SolvedLeastSquares {
  ScaledProblem scaled;           // its units are those of the solution and the factor
  LeastSquaresSolution solution;  // w~, b~
  Index rank = 0;                 // of X_c; with a penalty of no meaning
  // L L' = X~_c'X~_c + diag(p) of these columns, where it was factorized and is not singular; else empty.
  std::vector<Index> columns;
  Matrix l;
};

// w and b that minimise; lambda = 0: the least squares solution of minimum norm; columns with penalty 0 that are not
// determined: the minimum norm of theirs. max_steps: of refinement; 0 leaves the solution of the factorization.
SolvedLeastSquares solve_least_squares(const PenalisedProblem& problem, Index max_steps = enough_steps);

// Parts of the above; no value: singular to working precision.
std::optional<SolvedLeastSquares> solve_primal(const PenalisedProblem& problem, Index max_steps);
std::optional<SolvedLeastSquares> solve_dual(const PenalisedProblem& problem, Index max_steps);
SolvedLeastSquares solve_minimum_norm(const PenalisedProblem& problem, Index max_steps);

// The square block of R from (first, first) on, transposed: the lower triangular L of L L' = R'R.
Matrix lower_factor(ConstMatrixView qr, Index first, Index size);
// v = (L L')^-1 v
void solve_lower_factor(ConstMatrixView l, MatrixView v);
// The pivots of R that count as zero, in units of the largest.
double pivot_tolerance(Index n, Index d);
constexpr double penalised_pivot_tolerance = 0x1p-24;
constexpr double gram_pivot_tolerance = 0x1p-12;  // of a Cholesky factor that refinement starts from
constexpr int spread_of_units = 10;  // binary orders between the sizes of columns that are taken for different units

}  // namespace freeridge
