// The gradient of a criterion on the PRIMAL route. A linear kernel is k(x, z) = sum_k pi_k x_k z_k,
// pi_k = 1 / scale_k^2; a factor e^(z_k) on column k makes pi_k e^(2 z_k). In the notation of feature_rows.hpp, with
// U = Phi~ N^-1 = Psi C^-1:
//     dJ / dz_k = -2 lambda (sum_j w_kj g_kj + sum_i dbar_i U_ik^2),    w = N^-1 Phi~'Y~,  g = N^-1 Phi~'rbar
//     LOO     feature_loo.hpp
//     GCV     rbar_j = 2 n alpha_j r_j / T^2,  g = 2 n alpha_j lambda / T^2 N^-1 w,
//             sum_i U_ik^2 = (N^-1 Phi~'Phi~ N^-1)_kk
//     GROUPS  g = sum 2 alpha beta nu',  and for each group -2 alpha beta nu'_k epsilon'_k in the place of
//             dbar_i U_ik^2;  epsilon' = C^-T epsilon, nu' = C^-T nu (feature_groups.hpp)
//     REML    dJ / dz_k = t (Phi~'Phi~ N^-1)_kk - sum_j m / q_j lambda w_kj^2,   q_j = lambda Y~_j'P Y~_j
//     dJ / d log lambda = -1/2 sum_k dJ / dz_k,  as the criteria do not change with (c K, c lambda)
// The gradient by the kernel's own hyperparameters is the gradient of k(v, 1), with
// v_k = dJ / dpi_k = dJ / dz_k / (2 pi_k): one pair of points is enough, whatever sums and scales the kernel consists
// of.
// Cost: LOO 2 n d^2 flops, GROUPS n d^2 and more, one pass; GCV and REML O(d^3). Sparse rows are filled, a tile at a
// time.
// Memory: O(d^2) and a tile of rows for each thread. Without a complement (n <= d + 1): wide_gradient.hpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/select/score_gradient.hpp"

namespace freeridge {

// A ScoreGradient whose `kernel` has the d numbers dJ / dz_k in the place of derivatives by hyperparameters.
ScoreGradient column_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                              double lambda);
// The gradient by the hyperparameters of `kernel`, a linear kernel of the first d columns: the problem's own kernel,
// or, where the problem has a column of ones in addition, the kernel without it. groups: for GROUPS only. Throws
// UNDEFINED where the criterion has no value at lambda.
ScoreGradient primal_gradient(const Factorization& factorization, const Kernel& kernel, Index d, Criterion criterion,
                              const Groups* groups, double lambda);

// The bytes that primal_gradient takes. rows: of the largest group, 0 for other criteria.
Index primal_gradient_bytes(Index n, Index d, Index t, Index rows);

}  // namespace freeridge
