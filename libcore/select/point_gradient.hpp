// The gradient of a criterion by a matrix of all pairs of points, for problems of few points (n is about the number of
// features, or less). With c = P Y~, p = diag P and M = K_w + lambda I, dP = -P dM P:
//     dJ = <S, dM>,   dJ / d log lambda = lambda tr S
//     LOO     S = -sym(V c') - P diag(pbar) P,  V = P cbar,  cbar_ij = 2 alpha_j e_ij / (p_i sum w),
//             pbar_i = -2 sum_j alpha_j e_ij^2 / (p_i sum w),  e = c / p (W^(1/2) times the errors)
//     GCV     the same, J_j = n |c_j|^2 / T^2,  T = sum p,  cbar_j = 2 n alpha_j c_j / T^2,  pbar = -2 J / T
//     REML    S = t P / 2 - sum_j m / (2 Y~_j'c_j) c_j c_j'
//     GROUPS  S = sum_gj sym(a_gj (b_gj - c_j)'),  a = P_:g v,  b = P_:g e,  e = (P_gg)^-1 c_g,
//             v = 2 alpha_j beta_g (P_gg)^-1 D e,  D: one for the rows that are scored, zero for those of the gap
// P is computed as a sum of positive terms, so that lambda may be far below the eigenvalues. Source: S. Petit, J. Bect,
// P. Feliot, E. Vazquez, on the adjoint gradients of cross-validation criteria of Gaussian processes, 2020.
// Cost: 4 n^3, GROUPS 2 n^2 t a group more. Memory: 3 n^2.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

struct PointGradient {
  double score;
  double log_lambda;
  Matrix s;  // n x n, both triangles
};

PointGradient point_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                             double lambda);

}  // namespace freeridge
