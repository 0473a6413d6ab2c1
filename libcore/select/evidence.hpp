// EVIDENCE, the negative logarithm of the evidence of kernel logistic regression by Laplace's method, and its
// derivatives. f is a Gaussian process with the covariance G, and P(y_i = +1) = pi_i = 1 / (1 + exp(-f_i)). H has the
// columns that are not penalised: the ones of the intercept, and fixed effects less their means and divided by their
// root mean squares; they have the prior variance 25. u_i = W_ii / omega, so that a common factor of weights and lambda changes
// nothing; omega = sum W / (n - c), the mean weight where the c copies of rows count as one row of their summed weight
// each (repeated_rows.hpp; of several outputs the least c):
//     G = (omega / lambda) K + 25 H H'
// lambda is that of kernel logistic regression, sum_i W_ii log(1 + exp(-y_i f_i)) + lambda / 2 |f|^2. The mode of each
// output is found by Newton's method, with halved steps while the objective alpha'f / 2 + sum u log(1 + exp(-y f)) is
// higher:
//     w_i = u_i pi_i (1 - pi_i),   g_i = u_i ((y_i + 1) / 2 - pi_i),   B = I + w^(1/2) G w^(1/2) = L L'
//     b = w f + g,   alpha = b - w^(1/2) B^-1 w^(1/2) G b,   f = G alpha;   at the mode alpha = g
//     E = 1/2 g'f + sum_i u_i log(1 + exp(-y_i f_i)) + sum_i log L_ii              added up over the outputs
//     R = w^(1/2) B^-1 w^(1/2),   s_i = -1/2 (1 - [B^-1]_ii) (1 - 2 pi_i),   v = s - R G s
//     S = 1/2 (g g' - R) + sym(v g')         likewise;      dE = -<S, dG>
// w_i times the posterior variance of f_i is 1 - [B^-1]_ii, and v is how the mode moves; nothing is divided by w_i, which
// may underflow. A row in which an output is not observed has u_i = 0. Cost: n^2 kernel values and as many derivatives;
// for each output (Newton steps + 1) n^3 / 3 + 2/3 n^3. Memory: 3 n^2.
// Source: C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, sections 3.4 and 5.5.1.
#pragma once

#include "libcore/data/problem.hpp"
#include "libcore/select/score_gradient.hpp"

namespace freeridge {

// alpha at the modes, n x outputs, where the next search for them begins; empty: f = 0.
using Modes = Matrix;

// Y: -1 or +1. Throws NOT_FINITE, NOT_POSITIVE_DEFINITE or NOT_CONVERGED where there is no mode.
ScoreGradient evidence_gradient(const Problem& problem, double lambda, Modes& modes);

// The bytes that it takes.
Index evidence_gradient_bytes(const Kernel& kernel, Index n, Index d, Index t);

}  // namespace freeridge
