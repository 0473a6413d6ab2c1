// The gradient of a criterion by factors e^(z_k) on the columns of a linear problem that has hardly more points than
// columns (n <= d + 1, without a complement): with T = X~'P (d x n), which the route makes of B and V without a
// subtraction, and the S of point_gradient.hpp
//     dJ / dz_k = 2 x~_k'S x~_k,    x~_k'P = T_k,    x~_k'c_j = w_kj = T_k Y~_j
//     LOO, GCV   2 (sum_i |pbar_i| T_ki^2 - sum_j (T_k cbar_j) w_kj)
//     REML       t sum_i x~_ik T_ki - sum_j m / (Y~_j'c_j) w_kj^2
//     GROUPS     2 sum_gj (T_kg v_gj) (T_kg e_gj - w_kj)
//     dJ / d log lambda = -1/2 sum_k dJ / dz_k,  as the criteria do not change with (c K, c lambda)
// x~_k'S x~_k as it stands would be a difference of the size of x~_k'x~_k: columns far from zero, without an intercept,
// would take all its digits.
// Cost: 2 n^2 d. Memory: 2 n d, and P_gg for GROUPS.
#pragma once

#include "libcore/select/score_gradient.hpp"

namespace freeridge {

// `kernel` has the d numbers dJ / dz_k.
ScoreGradient wide_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                            double lambda);

}  // namespace freeridge
