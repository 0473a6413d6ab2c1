// Rows of high leverage.  N = I - q1 q1' - B B' is a projector, N = N^2. So with E = N Y~ and the off-diagonal elements
//     N_ij = -(q1_i q1_j' + B_i B_j'),     q_i = sum_(j != i) N_ij^2 = N_ii - N_ii^2
//     N_ii = 2 q_i / (1 + (1 - 4 q_i)^(1/2))   (N_ii < 1/2),      E_i = sum_(j != i) N_ij E_j / (1 - N_ii)
// nothing is subtracted. The plain formulas N_ii = 1 - |q1_i|^2 - |B_i|^2 and E_i = Y~_i - q1_i q1'Y~ - B_i Gamma are
// differences of numbers near one, and a left-out error divides their rounding errors by about lambda / Lambda. In the
// sum for E_i an error in the columns of B is multiplied by E, which is orthogonal to these columns, instead of Y~.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// N_ii from which on the subtraction costs two digits at most.
constexpr double small_residual = 0.01;

// use(row, Z_I, E_I) for tiles I of all rows, one after the other: Z_I = -(B_I basis + q1_I constant'), basis r x s,
// constant s x q. Z_I may be changed.
using UseProjectedTile = std::function<void(Index row, MatrixView z, ConstMatrixView rest)>;
using EachProjectedTile =
    std::function<void(ConstMatrixView basis, ConstMatrixView constant, const UseProjectedTile& use)>;

// Z_I from B_I basis, in its place; q1: the rows I.
void finish_projection(ConstMatrixView q1, ConstMatrixView constant, MatrixView z);

// N_ii and E_i of single rows.
struct SmallResiduals {
  Array<Index> rows;
  Array<double> diagonal;  // N_ii
  Matrix rest;             // E_i, rows x t
};

// basis: row k is B_i for i = rows[k]; q1: the rows q1_i. noise: the rounding error of |N_i|; where |N_i| is at
// most the noise, N_ii = E_i = 0: the unpenalised fit meets the point. Cost: a pass, 2 n r for each row.
SmallResiduals small_residuals(Array<Index> rows, ConstMatrixView basis, ConstMatrixView q1, Index t, double noise,
                               const EachProjectedTile& each_tile);

}  // namespace freeridge
