// The gradient of a criterion on the LANDMARK route, by log lambda and the logarithms of the kernel's hyperparameters.
// The landmarks are fixed rows of x; those that depend on the others stay left out. In the notation of
// feature_rows.hpp, let rbar = dJ/dr, dbar = dJ/dd and D = diag(dbar). With a complement:
//     Z = sym(rbar Y~') + D,    E = Psi'Z Psi,    dJ = <Z, dP~>
//     K-bar_TR  = -2 W^(1/2) (Z Psi - q1 q1'Z Psi - Psi E) (L C)^-1
//     K-bar_RR  = lambda L^-T C^-T E C^-1 L^-1,       dJ / d log lambda = lambda tr C^-T E C^-1
//     Z Psi - q1 q1'Z Psi - Psi E = 1/2 (P~ rbar) Gamma' + 1/2 r Gamma_r' + D Psi - q1 (q1'D Psi) - Psi (Psi'D Psi),
//         Gamma_r = Psi'rbar,  P~ rbar = rbar - q1 q1'rbar - Psi Gamma_r
//     LOO     feature_loo.hpp
//     GCV     rbar_j = 2 n alpha_j r_j / T^2,  dbar = -2 J / T,  T = tr P~
//     GROUPS  rbar_g = 2 alpha beta v_g (feature_groups.hpp), and in Z the block -alpha beta (v_g e_g' + e_g v_g') in
//             the place of D
//     REML    Z Psi - ... = sum_j m / (2 q_j) r_j Gamma_j' - t / 2 Psi,   q_j = lambda Y~_j'P Y~_j
//             K-bar_RR = 1/2 L^-T (sum_j m / q_j lambda w_j w_j' - t V diag(S^2 / (S^2 + lambda)) V') L^-1,
//             w = C^-T Gamma
// K-bar is contracted with the derivatives of k tile by tile (log_gradient.hpp). Passes over the points beside that of
// the factorization: LOO and GROUPS two, GCV and REML one. Cost: LOO 6 n r^2 flops and two passes of kernel values, GCV
// 4 n r^2, REML 2 n r^2. Memory: for each thread r^2 and two tiles of rows; GROUPS n t numbers a division, and rows of
// the largest group. Without a complement (n <= r + q) the gradient is made by all pairs of points
// (point_gradient.hpp), with K-bar_TR = 2 W^(1/2) S W^(1/2) Phi L^-1.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/select/score_gradient.hpp"

namespace freeridge {

// groups: for GROUPS only. Throws UNDEFINED where the criterion has no value at lambda.
ScoreGradient landmark_gradient(const Factorization& factorization, Criterion criterion, const Groups* groups,
                                double lambda);

// The bytes that landmark_gradient takes. q: columns that are not penalised, at most; rows: of the largest group, 0 for
// other criteria.
Index landmark_gradient_bytes(const Kernel& kernel, Index n, Index d, Index t, Index q, Index landmarks, Index rows);

}  // namespace freeridge
