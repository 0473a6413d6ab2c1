// A criterion at one lambda for all outputs, and its derivatives by log lambda and by the logarithm of each
// hyperparameter of the kernel, on a dual problem. Notation of factorization.hpp: G = K_w + lambda I,
// P = Z (Z'GZ)^-1 Z', c = P Y~, p = diag P; weights are in K_w and Y~ and nowhere else. As dP = -P dG P, one symmetric
// matrix S carries all derivatives:
//     dJ = -<S, dG>,      dJ / d log lambda = -lambda tr S,      dJ / d log theta_i = -<S, dK_w / d log theta_i>
//     LOO      S = sym(V c') - B B',   V = P u,   u = 2 alpha c / (p^2 sum w),   B = P |D|^(1/2),
//              D = -2 sum alpha c^2 / (p^3 sum w)
//     GCV      the same with u = 2 n alpha c / T^2,  D = -2 J / T,  T = tr P
//     REML     S = sum_j m / (2 Y~_j'c_j) c_j c_j' - t/2 P
//     GROUPS   S = sym(sum over groups S and outputs of a_S (c - b_S)'),   a_S = P_:S v_S,  b_S = P_:S e_S,
//              e_S = P_SS^-1 c_S,   v_S = 2 alpha share_S / (sum of weights of S) P_SS^-1 e_S
//     LOG_LOSS S = sym(V c') + P D P,   V = -P (h / p),   D = diag(sum h c / p^2) of both signs,
//              h_i = W_ii^(-1/2) dJ / df_i (log_loss.hpp)
// alpha_j = 1 / variance of output j, as in combined_score (bandwidth.hpp), whose score is J. S is made by tiles,
// contracted (log_gradient.hpp) and dropped.
// Cost: n^2 kernel values, n^3/3 for the factor and 2/3 n^3 for P; LOO, GCV and LOG_LOSS n^3 more, GROUPS 4 n^2 for each group
// and output; for S n^2 derivatives of the kernel (with very many groups 20 times).
// Memory: n^2 for P, n (4 t + 0.1 n) at most for panels, tiles, and for GROUPS the square of the largest group.
// Sources: S. Sundararajan, S. Keerthi, Predictive approaches for choosing hyperparameters in Gaussian processes,
// Neural Computation 13 (2001); S. Petit, J. Bect, S. Da Veiga, P. Feliot, E. Vazquez, Towards new
// cross-validation-based estimators for Gaussian process regression: efficient adjoint computation of gradients,
// arXiv:2002.11543, 2020.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/data/problem.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

struct ScoreGradient {
  double score = 0;
  double log_lambda = 0;
  Array<double> kernel;  // by the logarithms of the hyperparameters, in their order
};

// Adds `share` times a gradient by the same numbers.
void add(ScoreGradient& sum, const ScoreGradient& part, double share);

// Throws NOT_FINITE where the score, or a derivative of it by lambda or a number of this kernel, overflows.
void require_finite(const ScoreGradient& gradient, const Kernel& kernel);

// Calls the function of `of` that belongs to the criterion.
template <class Gradient>
ScoreGradient gradient_by(Gradient& of, Criterion criterion, const Groups* groups) {
  if (criterion == Criterion::loo) return of.loo();
  if (criterion == Criterion::gcv) return of.gcv();
  return criterion == Criterion::reml ? of.reml() : of.groups(*groups);
}

// LOO, GCV, REML, LOG_LOSS and GROUPS (groups: for these alone). Throws NOT_POSITIVE_DEFINITE where the CHOLESKY route has no
// factor, UNDEFINED where the criterion has no value, NOT_FINITE where a derivative overflows.
ScoreGradient score_gradient(const Problem& problem, Criterion criterion, const Groups* groups, double lambda);

// REML alone: a third of the flops. Throws as score_gradient does.
double reml_score(const Problem& problem, double lambda);

// The bytes that score_gradient takes. t: outputs.
Index score_gradient_bytes(const Kernel& kernel, Index n, Index d, Index t, Criterion criterion, const Groups* groups);

// Checks for every way to make the gradient: throws INVALID_ARGUMENT for a criterion without derivatives, and, where
// not all pairs of points are looked at, for those of labels.
void require_differentiable(Criterion criterion);
void require_not_of_labels(Criterion criterion);
// Throws UNDEFINED where a score is not finite, with the output.
void require_scores(Span<const double> scores, double lambda);

}  // namespace freeridge
