/*
 * freeridge_classical.h - classical regression, features and descent beside freeridge.h, in the same library
 *
 * SPDX-License-Identifier: MIT
 *
 * Calls without a handle: each takes its data and answers at once. The rules are those of freeridge.h (its part 3).
 *
 *     Classical utilities     freeridge_pinv                        the Moore-Penrose inverse
 *                             freeridge_ols, _ridge, _tls           regression by a call: ordinary, ridge, total
 *                             freeridge_polynomial_exponents,       monomials of the columns of x as features
 *                             _features, _feature_factors
 *                             freeridge_weighted_median,            absolute errors in one dimension
 *                             freeridge_absolute_slope
 *                             freeridge_stack_weights               several predictions as one: a stack
 *     Gradients and descent   freeridge_loss_gradient, _expansion_gradient    a loss and its derivatives
 *                             freeridge_gradient_descent            batch and stochastic, for four losses
 *                             freeridge_early_stopping              in closed form, beside ridge regression
 *                             freeridge_calibrate                   probabilities by Platt's method
 *
 * Answers of which a caller may want some alone stand in a struct, whose first field says its size; a pointer in it
 * that is NULL asks for nothing:
 *
 *     freeridge_ols_answers answers = {.size = sizeof answers, .w = w, .b = b, .sigma = sigma};
 *     freeridge_ols(FREERIDGE_COL_MAJOR, n, d, x, n, 1, y, n, 1, &answers);
 */
#ifndef FREERIDGE_CLASSICAL_H
#define FREERIDGE_CLASSICAL_H

#include "freeridge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------------------
 * Classical utilities. They report no progress and cannot be cancelled. x (n x d) and y (n x t) are in `layout`; w (d x
 * t) is column-major with leading dimension d, b has t numbers (zeros without intercept). The solutions of OLS and
 * ridge are refined with residuals in twice the working precision (see FREERIDGE_REFINEMENT). Sources: G. Golub, C. Van
 * Loan, Matrix Computations, 2013, chapters 5 and 6; S. Van Huffel, J. Vandewalle, The Total Least Squares Problem,
 * 1991. */

/* out: the Moore-Penrose inverse (n x m) of a (m x n), both in `layout`, by the SVD. Singular values at most rcond
 * times the largest count as zero; rcond < 0: max(m, n) machine epsilons. *rank: how many do not; NULL is fine. Cost:
 * O(m n min(m, n)). Statuses: INVALID_ARGUMENT, NOT_FINITE (also: the answer overflows), NOT_CONVERGED. */
FREERIDGE_API freeridge_status freeridge_pinv(freeridge_layout layout, int64_t m, int64_t n, const double* a,
                                              int64_t lda, double rcond, double* out, int64_t ldout, int64_t* rank);

/* What freeridge_ols finds. */
typedef struct freeridge_ols_answers {
  int64_t size;      /* sizeof(freeridge_ols_answers) */
  int64_t rank;      /* set: the rank of the (centred) x */
  double* w;         /* d x t, column-major without gaps */
  double* b;         /* t */
  double* w_error;   /* d x t: the standard errors of w */
  double* b_error;   /* t: those of b, 0 without intercept */
  double* sigma;     /* t: (sum r_i^2 / (n - rank - intercept))^(1/2) */
  double* r_squared; /* t: 1 - sum r_i^2 / sum (Y_i - mean)^2, without intercept / sum Y_i^2 */
} freeridge_ols_answers;

/* Ordinary least squares by QR with column pivoting. When x (with the intercept: its centred columns) is rank
 * deficient, the minimum-norm w is given; the intercept is never part of the norm. answers: what is wanted of them.
 * Columns are equilibrated first, so that their units do not matter to the rank: a pivot of at most max(n, d) 2^-50
 * of the largest counts as zero, and so does a centred column that is rounding beside its mean (2^-51 of its largest
 * entry). Cost: about 2 n d min(n, d), some times that when x is deficient; refinement, two or three steps in
 * general, is a fifth of it; O(d^3) more for the errors. Statuses: INVALID_ARGUMENT, NOT_FINITE (also: the answer
 * overflows), NOT_CONVERGED, UNDEFINED (of what is asked for: no degrees of freedom left: sigma and the errors; a rank
 * deficient x: the errors of w and b; a constant y: r_squared; NaN there, and all else is valid). */
FREERIDGE_API freeridge_status freeridge_ols(freeridge_layout layout, int64_t n, int64_t d, const double* x,
                                             int64_t ldx, int64_t t, const double* y, int64_t ldy, int32_t intercept,
                                             freeridge_ols_answers* answers);

/* Ridge regression: min 1/2 |Y - X w - b|^2 + lambda/2 sum_k penalty_k w_k^2, primal or dual, whichever is smaller;
 * lambda >= 0, 0: as freeridge_ols. penalty: a factor for each feature, d numbers >= 0, 0: a feature that is not
 * penalised; or NULL: all one. Where the data leave unpenalised features undetermined, their minimum-norm solution.
 * Where lambda is small beside x'x and x is rank deficient (as said there), w is kept to what x determines, so that
 * lambda -> 0 is the minimum-norm w without a jump. Cost: about 2 n d^2, for n < d n^2 d (2 n^2 d more where the
 * matrix is ill conditioned, some times that where x is deficient), refinement a fifth of it; O(n d min(n, d)) with
 * a penalty. Statuses: INVALID_ARGUMENT, NOT_FINITE (also: the answer overflows), NOT_CONVERGED. */
FREERIDGE_API freeridge_status freeridge_ridge(freeridge_layout layout, int64_t n, int64_t d, const double* x,
                                               int64_t ldx, int64_t t, const double* y, int64_t ldy, int32_t intercept,
                                               double lambda, const double* penalty, double* w, double* b);

/* What freeridge_tls finds. [X + E, Y + F] is the nearest matrix whose rows lie on the hyperplane y = w'x + b, of rank
 * d without intercept: [E F] Z = R and [E F] = R (Z'Z)^-1 Z', R = Y - X w - b, Z = [w; -I] in the columns with errors.
 * Of one output the distances are |R_i| / (1 + |w|^2)^(1/2). The singular values are the t smallest of [X Y], centred
 * with an intercept, and less its projection on the exact columns. */
typedef struct freeridge_tls_answers {
  int64_t size;            /* sizeof(freeridge_tls_answers) */
  double* w;               /* d x t, column-major without gaps */
  double* b;               /* t */
  double* singular_values; /* t, descending: those of [E F]; the sum of their squares is |[E F]|_F^2, the minimum */
  double* distances;       /* n: the norms of the rows of [E F], how far the points are from the hyperplane */
  double* x_correction;    /* n x d: E, zero in exact columns, in `layout` without gaps */
  double* y_correction;    /* n x t: F, as E */
} freeridge_tls_answers;

/* Total least squares: min |[E F]|_F^2 subject to (X + E) w + b = Y + F, by the SVD of [X Y]; with an intercept the
 * column of ones is exactly known (which means: centred columns). n >= d + t (+ 1 with intercept). exact: d flags,
 * nonzero: this column of x is known exactly and has no error (mixed LS-TLS; all of them: ordinary least squares);
 * or NULL: none. answers: the solution, and what it says of the errors. Cost: O(n (d + t)^2). Source: G. Golub, C. Van
 * Loan, An analysis of the total least squares problem, SIAM J. Numer. Anal. 17, 1980. Statuses: INVALID_ARGUMENT
 * (also: n is too small), NOT_FINITE (also: the answer overflows), NOT_CONVERGED, UNDEFINED (more than one solution
 * exists: the singular values d and d + 1 of [X Y] are equal; or none, the non-generic case: the best approximation of
 * [X Y] of rank d has no w; or the exact columns are linearly dependent; the message says which, and the answers are
 * untouched). */
FREERIDGE_API freeridge_status freeridge_tls(freeridge_layout layout, int64_t n, int64_t d, const double* x,
                                             int64_t ldx, int64_t t, const double* y, int64_t ldy, int32_t intercept,
                                             const int32_t* exact, freeridge_tls_answers* answers);

/* The monomials of d features up to `degree`, without the constant one if bias is 0. *count: how many they are, C(d +
 * degree, degree), less 1 without the constant; exponents: count x d, column-major with ld = count, in the order of the
 * features below: by degree, then lexicographic (1; x1, x2; x1^2, x1 x2, x2^2; ...). NULL is fine for each: ask for the
 * number first. Cost: O(min(d, degree)); exponents O(count d). Statuses: INVALID_ARGUMENT (also: degree < 1, or more
 * than 2147483647 monomials). */
FREERIDGE_API freeridge_status freeridge_polynomial_exponents(int64_t d, int32_t degree, int32_t bias, int64_t* count,
                                                              int32_t* exponents);

/* out: all monomials of the columns of x (n x d) up to `degree`, interactions included, n x count in `layout`; bias !=
 * 0: the constant 1 is the first. Powers by repeated multiplication. Cost: O(n count). Statuses: INVALID_ARGUMENT
 * (also: more than 2147483647 monomials), NOT_FINITE (also: a monomial overflows). */
FREERIDGE_API freeridge_status freeridge_polynomial_features(freeridge_layout layout, int64_t n, int64_t d,
                                                             const double* x, int64_t ldx, int32_t degree, int32_t bias,
                                                             double* out, int64_t ldout);

/* factors: as many numbers as freeridge_polynomial_exponents counts with bias. The features with bias, each column
 * times its factor, have the polynomial kernel (scale x'z + offset)^degree as their inner products: factor^2 =
 * multinomial coefficient * scale^|exponents| * offset^(degree - |exponents|). scale > 0, offset >= 0. Cost: O(count
 * d). Statuses: INVALID_ARGUMENT (also: more than 2147483647 monomials), NOT_FINITE (also: a factor overflows). */
FREERIDGE_API freeridge_status freeridge_polynomial_feature_factors(int64_t d, int32_t degree, double scale,
                                                                    double offset, double* factors);

/* *median: a minimiser of sum_i weights_i |values_i - m| over m: the smallest value at which the weights up to it reach
 * half of their sum; the mean of that and the next one when they reach exactly half. values: n numbers; weights: n
 * numbers >= 0, one of them positive. Cost: O(n log n). Statuses: INVALID_ARGUMENT, NOT_FINITE. */
FREERIDGE_API freeridge_status freeridge_weighted_median(int64_t n, const double* values, const double* weights,
                                                         double* median);

/* *slope: the minimiser of sum_i |y_i - slope x_i|: the weighted median of y_i / x_i with weights |x_i|; points with
 * x_i = 0 do not matter. x, y: n numbers each. Cost: O(n log n). Statuses: INVALID_ARGUMENT, NOT_FINITE (also: the
 * slope overflows), UNDEFINED (all x_i are 0; *slope is untouched). */
FREERIDGE_API freeridge_status freeridge_absolute_slope(int64_t n, const double* x, const double* y, double* slope);

/* The weights of a stack: of k predictions of each output, made without its row (leave-one-out), the mean that is
 * nearest to y: w minimises
 *     sum_i W_ii (y_i - sum_m w_m F_im)^2 + prior s^2 sum_(m >= 1) w_m^2    subject to w_m >= 0 and sum_m w_m = 1
 * by the active set method of Lawson and Hanson. f: n x k in `layout`, F_im the prediction of member m for row i; y: n
 * numbers; weights: n numbers W_ii >= 0, one of them positive, or NULL: all one. s^2 is the mean of W_ii (y_i - F_i0)^2
 * over the rows with positive weights: prior > 0 draws the weights to the first member, as so many rows would; 0: none.
 * Of members that are equal one has the weight of all. w: k numbers. errors: n numbers y_i - sum_m w_m(i) F_im, w(i)
 * the weights that are found without row i (s^2 is that of all rows): the left-out errors of the stack itself, for rows
 * that neither a member nor the weights have seen; or NULL. Several outputs: a call for each. Cost: 2 n k^2; errors
 * about 10 n k p^2 more, p the number of members with a weight. Memory: 3 n k doubles. Statuses: INVALID_ARGUMENT,
 * NOT_FINITE (also: the errors overflow), NOT_CONVERGED, UNDEFINED (errors are asked for without a prior, and one row
 * alone has a positive weight, for k > 1: NaN there, and w is valid). Sources: L. Breiman, Stacked regressions, Machine
 * Learning 24 (1996); C. Lawson, R. Hanson, Solving Least Squares Problems, 1974. */
FREERIDGE_API freeridge_status freeridge_stack_weights(freeridge_layout layout, int64_t n, int64_t k, const double* f,
                                                       int64_t ldf, const double* y, const double* weights,
                                                       double prior, double* w, double* errors);

/* ----------------------------------------------------------------------------------------------------
 * Gradients and descent: for teaching, for comparison, and for rows that come as a stream. Models, classifiers and the
 * calls above reach the minimum to all digits, usually in less time (docs/numerics.md has examples). All of it is about
 *     J(w, b) = sum_i W_ii L(y_i, x_i'w + b)  +  lambda/2 |w|^2,      lambda >= 0                               (5)
 * with a freeridge_loss; y: n numbers, -1 or +1 for LOGISTIC and HINGE (one class alone is allowed); weights: n
 * positive numbers W_ii, or NULL: all one; x is n x d in `layout`. lambda is this library's. A text that minimises 1/n
 * sum_i L_i + l |w|^2 has J = n times that with lambda = 2 n l; for the squared loss without its factor 1/2, J = n/2
 * times that with lambda = n l. A step of length g along the gradient of the text is one of length g/n (2 g/n) here. */

/* *objective: (5); gradient: d numbers dJ/dw = sum_i g_i x_i + lambda w; *gradient_b: dJ/db = sum_i g_i, where g_i =
 * W_ii dL/df_i, f_i = x_i'w + b:
 *     SQUARED f_i - y_i      LOGISTIC -y_i / (1 + exp(y_i f_i))      HINGE -y_i where y_i f_i < 1, else 0
 *     ABSOLUTE the sign of f_i - y_i, 0 where they are equal
 * the last two being subgradients where the loss has its corner. At count >= 1 points at once: w and gradient are d x
 * count, column-major without gaps; b, objective and gradient_b have count numbers. NULL is fine for each output. With
 * lambda = 0 and weights 1/m the objective is the mean loss of m other rows, such as a development set's along the path
 * of freeridge_gradient_descent. Cost: 4 n d for each point, 2 n d without gradient. Memory: 2 n doubles and the
 * answer. Statuses: INVALID_ARGUMENT, NOT_FINITE (also: an answer overflows). */
FREERIDGE_API freeridge_status freeridge_loss_gradient(freeridge_loss loss, freeridge_layout layout, int64_t n,
                                                       int64_t d, const double* x, int64_t ldx, const double* y,
                                                       const double* weights, double lambda, int64_t count,
                                                       const double* w, const double* b, double* objective,
                                                       double* gradient, double* gradient_b);

/* The same for f = sum_j c_j k(x_j, .), f_i = (K c)_i + b: *objective: J(c, b) = sum_i W_ii L(y_i, f_i) + lambda/2 c'K
 * c; gradient: n numbers dJ/dc = K (g + lambda c); *gradient_b: dJ/db = sum_i g_i. k: the n x n kernel matrix,
 * symmetric (freeridge_kernel_evaluate), of which the numbers k[i + j ldk] with i >= j count; c: n numbers. NULL is
 * fine for each output. Cost: 4 n^2, 2 n^2 without gradient. Memory: 3 n doubles. Statuses: INVALID_ARGUMENT,
 * NOT_FINITE (also: an answer overflows). */
FREERIDGE_API freeridge_status freeridge_expansion_gradient(freeridge_loss loss, int64_t n, const double* k,
                                                            int64_t ldk, const double* y, const double* weights,
                                                            double lambda, const double* c, double b, double* objective,
                                                            double* gradient, double* gradient_b);

/* How long the steps of freeridge_gradient_descent are: eta_t, t = 0, 1, ... */
typedef int32_t freeridge_step_rule;
enum {
  FREERIDGE_STEP_AUTO = 0,     /* CONSTANT for batch = n and SQUARED or LOGISTIC; else INVERSE for lambda > 0, ROOT for
                              lambda = 0 */
  FREERIDGE_STEP_CONSTANT = 1, /* step */
  FREERIDGE_STEP_INVERSE = 2,  /* step / (1 + step lambda t); with step = 1 / lambda: 1 / (lambda (t + 1)), Pegasos */
  FREERIDGE_STEP_ROOT = 3      /* step / sqrt(t + 1) */
};

/* How freeridge_gradient_descent goes. Fields that are zero have their usual values: with {.size = sizeof descent,
 * .intercept = 1} each step takes all rows, and is as long as the library chooses. */
typedef struct freeridge_descent {
  int64_t size;          /* sizeof(freeridge_descent) */
  int32_t intercept;     /* 0: b stays start_b */
  int32_t average;       /* 0: the iterates w_t; else sum_t t w_t / sum_t t over the steps t = 1, 2, ... of this call */
  const double* start_w; /* d numbers; NULL: zeros */
  double start_b;        /* b where it begins */
  int64_t done;          /* >= 0: t begins there, so that a second call goes on with the steps of a first one */
  freeridge_step_rule rule;    /* how long steps are */
  double step;                 /* > 0; 0: the library's, below */
  int64_t batch;               /* rows of a step, up to n; 0: all n. Fewer: stochastic gradient descent */
  int64_t seed;                /* of the random orders of rows */
  freeridge_progress callback; /* see freeridge_progress; NULL: none */
  void* user;                  /* handed to the callback */
  double step_used;            /* set: the step */
} freeridge_descent;

/* Gradient descent for (5), and with batch < n stochastic gradient descent; for HINGE and ABSOLUTE with subgradients.
 * Step t + 1 takes a set S of `batch` of the n rows:
 *     w <- w - eta_t (n/|S| sum_(i in S) g_i x_i + lambda w),      b <- b - eta_t n/|S| sum_(i in S) g_i
 * with the g_i of freeridge_loss_gradient. batch = n: all rows. batch < n: each pass over the rows has a new random
 * order, drawn from the seed, whose next `batch` rows are S (the rows that are left, at the end of a pass). step = 0: 1
 * / (kappa mu + lambda) for batch = n, kappa mu + lambda being the Lipschitz constant of the gradient: kappa = 1/4 for
 * LOGISTIC, else 1, mu the largest eigenvalue of sum_i W_ii x~_i x~_i', x~_i = (x_i, 1) (x_i without intercept); for
 * batch < n mu becomes the larger
 *     n (s - 1) / (s (n - 1)) mu + (n - s) / (s (n - 1)) n max_i W_ii |x~_i|^2,      s = batch
 * and for ABSOLUTE the step is multiplied by the root mean square of y (about its mean, with intercept). steps: count
 * >= 1 numbers of steps, >= 0 and strictly ascending; the last is the number of steps made. w: d x count, column-major
 * without gaps, and b: count numbers, the iterates after so many steps; objective: (5) there; NULL is fine for it.
 * descent: how it goes. Columns of very different sizes, or far from zero, make it slow: centre and scale x. Cost: 4 n
 * d a step (batch = n), 4 batch d (batch < n), 2 n d for each objective; step = 0: O(n d min(n, d)) once, O(n d) for
 * batch = 1. Memory: 2 n doubles; batch < n: n d more where x is COL_MAJOR; step = 0: n d and 3 min(n, d)^2. Statuses:
 * INVALID_ARGUMENT, NOT_FINITE (also: the iterates overflow, because the step is too large), NOT_CONVERGED, CANCELLED.
 * Sources: L. Bottou, Stochastic gradient descent tricks, 2012; S. Shalev-Shwartz, Y. Singer, N. Srebro, Pegasos, ICML
 * 2007; R. Gower et al., SGD: general analysis and improved rates, ICML 2019 (the default step); S. Lacoste-Julien, M.
 * Schmidt, F. Bach, A simpler approach to obtaining an O(1/t) convergence rate for the projected stochastic subgradient
 * method, 2012 (the average). */
FREERIDGE_API freeridge_status freeridge_gradient_descent(freeridge_loss loss, freeridge_layout layout, int64_t n,
                                                          int64_t d, const double* x, int64_t ldx, const double* y,
                                                          const double* weights, double lambda, int64_t count,
                                                          const int64_t* steps, freeridge_descent* descent, double* w,
                                                          double* b, double* objective);

/* What freeridge_early_stopping finds, of gradient descent after each number of steps k, and of the ridge regression
 * that belongs to it. */
typedef struct freeridge_early_stopping_answers {
  int64_t size;     /* sizeof(freeridge_early_stopping_answers) */
  double step_used; /* set: eta */
  double* w;        /* d x count, column-major without gaps */
  double* b;        /* count */
  double* df;       /* count: effective degrees of freedom, the sum of 1 - (1 - eta s_j^2)^k, and 1 for the intercept */
  double* lambda;   /* count: 1 / (eta k) */
  double* ridge_w;  /* as w, of ridge regression with these lambdas */
  double* ridge_b;  /* as b */
  double* ridge_df; /* as df */
} freeridge_early_stopping_answers;

/* Early stopping beside ridge regression. Gradient descent on 1/2 |y - X w - b|^2 from w = 0 with the constant step eta
 * has, after k steps, in closed form (Landweber's iteration; X = U S V' and y centred, with intercept)
 *     w = V diag((1 - (1 - eta s_j^2)^k) / s_j) U'y,      b = mean(y) - mean(x)'w
 * and ridge regression has s_j / (s_j^2 + lambda) in the place of the fraction. lambda = 1 / (eta k) is the ridge that
 * belongs to k steps: then both fractions are eta k s_j for small s_j, and 1 / s_j for large ones. y: n numbers; step:
 * eta from 0 to 2 / s_1^2; 0: 1 / s_1^2. steps: count >= 1 numbers k >= 1, in any order. answers: both solutions. Cost:
 * the SVD, O(n d min(n, d)), and 4 d min(n, d) for each k. Memory: 2 n d doubles and the answers. Statuses:
 * INVALID_ARGUMENT, NOT_FINITE (also: an answer overflows), NOT_CONVERGED. Sources: L. Landweber, An iteration formula
 * for Fredholm integral equations of the first kind, American Journal of Mathematics 73 (1951); Y. Yao, L. Rosasco, A.
 * Caponnetto, On early stopping in gradient descent learning, Constructive Approximation 26 (2007). */
FREERIDGE_API freeridge_status freeridge_early_stopping(freeridge_layout layout, int64_t n, int64_t d, const double* x,
                                                        int64_t ldx, const double* y, int32_t intercept, double step,
                                                        int64_t count, const int64_t* steps,
                                                        freeridge_early_stopping_answers* answers);

/* Probabilities from decision values of two classes, P(+1 | f) = 1 / (1 + exp(-(*offset + *slope f))), by Platt's
 * method: logistic regression of the classes on `decision`, n numbers f_i that were made without their own rows
 * (leave-one-out), with *slope >= 0 and the targets (N+ + 1/2) / (N+ + 1) for y_i = +1 and 1/2 / (N- + 1) for y_i = -1
 * in the place of 1 and 0; N+ and N- are the sums of the weights of the two classes. (Platt's own targets are twice as
 * far from 1 and 0, with larger held-out log losses.) With these targets there is one minimum, also where the values
 * separate the classes; *slope is 0 where all of them are equal, and where it would be negative: values that are lower
 * for the class +1 say nothing, as the left-out values of a fit to nothing but the mean. y: n labels, -1 or +1 (one class alone is
 * allowed); weights: n positive numbers, or NULL: all one. Platt's A and B are -*slope and -*offset. Cost: O(n) for
 * each of about 10 steps. Statuses: INVALID_ARGUMENT, NOT_FINITE (also: the slope overflows), NOT_CONVERGED. Sources:
 * J. Platt, Probabilistic outputs for support vector machines, in: Advances in Large Margin Classifiers, 1999; H.-T.
 * Lin, C.-J. Lin, R. Weng, A note on Platt's probabilistic outputs for support vector machines, Machine Learning 68
 * (2007), whose Newton's method with a line search this is. */
FREERIDGE_API freeridge_status freeridge_calibrate(int64_t n, const double* decision, const double* y,
                                                   const double* weights, double* slope, double* offset);

#ifdef __cplusplus
}
#endif

#endif
