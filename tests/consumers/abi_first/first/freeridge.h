/*
 * freeridge.h - regularized least squares with everything free after one factorization
 *
 * SPDX-License-Identifier: MIT
 *
 * 1. What is solved
 * -----------------
 * n points x_i (rows of x, d features each), outputs Y (n x t), weights W_ii > 0 (1 unless set), a kernel k and
 * lambda >= 0. For every output column the library finds f in the space of k, and b, minimising
 *
 *     1/2 sum_i W_ii (Y_i - f(x_i) - b)^2  +  lambda/2 ||f||_k^2                                             (1)
 *
 *   - The loss is a SUM over points, not a mean: lambda here is "lambda_total". If your text divides the loss by n,
 *     lambda here = n * lambda there (README.md has the table of other systems' conventions).
 *   - b, the intercept, is never penalised; freeridge_set_intercept(model, 0) removes it.
 *   - Nothing is centred or scaled behind your back. A scaled kernel divides columns when you ask for it.
 *   - The solution is f(x) = sum_i c_i k(x_i, x); for the linear kernel also f(x) = w'x.
 *   - lambda = 0 means the limit lambda -> 0: the minimum-norm least-squares solution.
 *
 * 2. How it is used
 * -----------------
 *     kernel, model       freeridge_kernel_*, freeridge_create
 *     data                freeridge_set_data (or _view), freeridge_set_weights, ...
 *     factorize           freeridge_factorize: the one expensive step
 *     lambda              freeridge_set_lambda, freeridge_set_lambdas or freeridge_select_lambda: nearly free
 *     answers             freeridge_loo, freeridge_group_errors, freeridge_predict, freeridge_get_*
 *
 * A model is in one of four states; each call names the least state it needs, and answers INVALID_STATE before it:
 *
 *     EMPTY  --set_data-->  DATA  --factorize-->  FACTORIZED  --set_lambda(s), select_lambda-->  FITTED
 *
 * set_data, set_data_view, set_weights, set_kernel, set_intercept and set_route go back to DATA (unset the
 * factorization and the lambdas). set_groups, set_expected_lambdas and set_progress change no state.
 *
 * 3. Rules that hold for every call
 * ---------------------------------
 * Status      Every call that can fail returns a freeridge_status. A call that fails leaves the model as it was, and
 *             freeridge_last_error() has its own words on that thread: what was wrong, which argument, which value.
 *             Outputs of a failed call are untouched, with two exceptions: UNDEFINED means that some entries have no
 *             value at this lambda; those are NaN and all others are valid. After CANCELLED they may be partly written.
 * Checks      Pointers must not be NULL unless said otherwise (INVALID_ARGUMENT). All numbers that go in must be finite
 *             (NOT_FINITE). Sizes are int64_t, at least 1 and at most 2147483647 each; a product of sizes that
 *             overflows, and a leading dimension that is too short, are INVALID_ARGUMENT.
 * Memory      A request that cannot fit into the machine's memory is refused with OUT_OF_MEMORY before it is tried.
 *             Any call may also return OUT_OF_MEMORY or INTERNAL; they are not listed again below.
 * Matrices    x and y come in either layout: element (i, j) is a[i + j * ld] for COL_MAJOR (ld >= rows) and
 *             a[i * ld + j] for ROW_MAJOR (ld >= columns). Outputs "n x t" without a layout argument are
 *             column-major with their own ld >= n.
 * Ownership   The library frees what it allocates (the _destroy calls) and never keeps a pointer of yours, but for
 *             freeridge_set_data_view and the callback's user pointer.
 * Threads     Handles are independent: two threads may use two models. One model is used by one thread at a time, but
 *             calls that take a const freeridge_model * may run side by side on one model.
 * Manners     The library prints nothing, installs no signal handlers, never exits and lets no exception out.
 *
 * Costs below: m is n - 1 with an intercept, n without; r is the number of eigenvalues in use (m for SPECTRAL,
 * rank of x for PRIMAL). "since" marks give the version that brought a call.
 *
 * Sources. [RL] R. Rifkin, R. Lippert, Notes on Regularized Least Squares, MIT-CSAIL-TR-2007-025. [CT] G. Cawley,
 * N. Talbot, Fast exact leave-one-out cross-validation of sparse least-squares support vector machines, Neural Networks
 * 17 (2004). [GHW] G. Golub, M. Heath, G. Wahba, Generalized cross-validation, Technometrics 21 (1979). [PT] H.
 * Patterson, R. Thompson, Recovery of inter-block information when block sizes are unequal, Biometrika 58 (1971).
 */
#ifndef FREERIDGE_H
#define FREERIDGE_H

#include <stdint.h>

#if defined(FREERIDGE_STATIC)
#define FREERIDGE_API
#elif defined(_WIN32)
#if defined(FREERIDGE_BUILD)
#define FREERIDGE_API __declspec(dllexport)
#else
#define FREERIDGE_API __declspec(dllimport)
#endif
#else
#define FREERIDGE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define FREERIDGE_VERSION_MAJOR 0
#define FREERIDGE_VERSION_MINOR 1
#define FREERIDGE_VERSION_PATCH 0

/* ----------------------------------------------------------------------------------------------------------------- */
/* Types and constants. Values are pinned: they are never changed or used again; new ones are only added.              */
/* ----------------------------------------------------------------------------------------------------------------- */

typedef struct freeridge_model freeridge_model;   /* data, factorization and fitted answers; opaque */
typedef struct freeridge_kernel freeridge_kernel; /* a kernel function k(x, z); opaque, immutable */

typedef int32_t freeridge_status;
enum {
  FREERIDGE_OK = 0,
  /* the caller's mistakes, 1-9 */
  FREERIDGE_INVALID_ARGUMENT = 1,   /* NULL, a size, a leading dimension, a parameter or an enum value out of range */
  FREERIDGE_INVALID_STATE = 2,      /* called too early: the message names the call that is missing */
  FREERIDGE_NOT_FINITE = 3,         /* NaN or Inf went in, or the data overflow the kernel */
  FREERIDGE_DIMENSION_MISMATCH = 4, /* sizes that are fine alone but do not fit together */
  /* resources, 10-19 */
  FREERIDGE_OUT_OF_MEMORY = 10,
  /* numerics, 20-29 */
  FREERIDGE_NOT_POSITIVE_DEFINITE = 20, /* CHOLESKY route: K + lambda I is numerically singular; raise lambda or use SPECTRAL */
  FREERIDGE_NOT_CONVERGED = 21,         /* a LAPACK iteration did not converge */
  FREERIDGE_UNDEFINED = 22,             /* the answer does not exist at this lambda, e.g. LOO where the leverage is one */
  /* the caller's wish, 30-39 */
  FREERIDGE_CANCELLED = 30, /* the progress callback returned nonzero */
  /* files, 40-49 (no call returns them yet) */
  FREERIDGE_IO = 40,
  FREERIDGE_CORRUPT = 41,
  FREERIDGE_NEWER_FORMAT = 42,
  /* a fault of the library, 90-99: please report it with freeridge_build_info() */
  FREERIDGE_INTERNAL = 90
};

typedef int32_t freeridge_layout;
enum { FREERIDGE_COL_MAJOR = 1, FREERIDGE_ROW_MAJOR = 2 };

/* How the factorization is computed. All routes give the same answers; they differ in cost, and in what they can do at
 * lambda = 0 (see freeridge_set_lambda). Values 3 and 5 are reserved. */
typedef int32_t freeridge_route;
enum {
  FREERIDGE_AUTO = 0,     /* PRIMAL for a linear kernel with d < n; else CHOLESKY for few expected lambdas; else SPECTRAL */
  FREERIDGE_CHOLESKY = 1, /* n^3/3 for EVERY lambda, and as much again for its LOO; keeps K */
  FREERIDGE_SPECTRAL = 2, /* eigenvalues of K, about 9 n^3 once; then O(n^2) a lambda */
  FREERIDGE_PRIMAL = 4    /* linear kernels: Householder QR of x and the SVD of R, about 6 n d^2 once; then O(n d) a lambda */
};

/* Criteria, to be minimised over lambda. e are the errors left out, r = Y - fitted, H the hat matrix, M = K + lambda W^-1.
 * A mean over points is weighted with W_ii. */
typedef int32_t freeridge_criterion;
enum {
  FREERIDGE_LOO = 1,   /* sum_i W_ii e_i^2 / sum_i W_ii, e the exact leave-one-out errors [RL 3], [CT] */
  FREERIDGE_GCV = 2,   /* n sum_i W_ii r_i^2 / tr(I - H)^2 [GHW] */
  FREERIDGE_REML = 3,  /* negative restricted log-likelihood, its variance profiled out [PT]:
                          1/2 (m log(2 pi s2) + m + log|M| + log(1'M^-1 1)), s2 = Y'PY/m; no 1'M^-1 1 without intercept */
  FREERIDGE_GROUPS = 4 /* sum W_ii e_i^2 / sum W_ii over the rows that freeridge_set_groups leaves out */
};

/* Progress: fraction goes from 0 to 1 within a call; return nonzero to cancel, which makes the call return CANCELLED and
 * leaves the model as before. Called on the thread that made the call. It must not call into the same model. */
typedef int32_t (*freeridge_progress)(double fraction, void *user);

/* ----------------------------------------------------------------------------------------------------------------- */
/* Kernels. A kernel is a small immutable object; *out is set on success only and is destroyed by the caller.           */
/* Statuses: INVALID_ARGUMENT, NOT_FINITE. Cost: O(1), scaled: O(d). Since 0.1.                                         */
/* ----------------------------------------------------------------------------------------------------------------- */

/* k(x, z) = x'z */
FREERIDGE_API freeridge_status freeridge_kernel_linear(freeridge_kernel **out);

/* k(x, z) = (scale x'z + offset)^degree;  degree >= 1, scale > 0, offset >= 0 (so that k is positive semi-definite) */
FREERIDGE_API freeridge_status freeridge_kernel_polynomial(int32_t degree, double scale, double offset,
                                                           freeridge_kernel **out);

/* k(x, z) = exp(-||x - z||^2 / sigma^2);  sigma > 0, in the units of x.
 * Beware of other conventions: gamma = 1/sigma^2; a "standard deviation" s has sigma = sqrt(2) s. */
FREERIDGE_API freeridge_status freeridge_kernel_gaussian(double sigma, freeridge_kernel **out);

/* k(x, z) = inner(x / scale, z / scale), column by column.  inner is copied; scale: d positive numbers, copied.
 * A model with this kernel needs data with exactly d columns. */
FREERIDGE_API freeridge_status freeridge_kernel_scaled(const freeridge_kernel *inner, int64_t d, const double *scale,
                                                       freeridge_kernel **out);

/* Frees a kernel; NULL is fine. Models keep their own copy. */
FREERIDGE_API void freeridge_kernel_destroy(freeridge_kernel *kernel);

/* ----------------------------------------------------------------------------------------------------------------- */
/* A model and its data                                                                                                */
/* ----------------------------------------------------------------------------------------------------------------- */

/* Makes an EMPTY model; the kernel is copied. *out is set on success only. Statuses: INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_create(const freeridge_kernel *kernel, freeridge_model **out);

/* Frees a model and all it holds; NULL is fine. Since 0.1. */
FREERIDGE_API void freeridge_destroy(freeridge_model *model);

/* Replaces the kernel (copied), for loops over bandwidths. Goes back to DATA. O(1).
 * Statuses: INVALID_ARGUMENT; DIMENSION_MISMATCH when a scaled kernel does not fit the data's d. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_kernel(freeridge_model *model, const freeridge_kernel *kernel);

/* Copies the data into the model: x (n x d) and y (n x t), both in `layout`, with leading dimensions ldx and ldy.
 * Weights and groups belong to the rows: they are dropped. Goes to DATA. O(n (d + t)).
 * Statuses: INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH (scaled kernel with another d). Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_data(freeridge_model *model, freeridge_layout layout, int64_t n, int64_t d,
                                                  const double *x, int64_t ldx, int64_t t, const double *y, int64_t ldy);

/* The same without the copy: x and y are borrowed, and must stay as they are until the next set_data, set_data_view or
 * destroy. Statuses as above. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_data_view(freeridge_model *model, freeridge_layout layout, int64_t n,
                                                       int64_t d, const double *x, int64_t ldx, int64_t t,
                                                       const double *y, int64_t ldy);

/* weights: n positive numbers W_ii, copied; NULL: all one. Needs DATA, goes back to DATA.
 * Statuses: INVALID_ARGUMENT (a weight <= 0), NOT_FINITE, INVALID_STATE. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_weights(freeridge_model *model, const double *weights);

/* on != 0: with an unpenalised intercept (the default); on == 0: b = 0. Goes back to DATA. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_intercept(freeridge_model *model, int32_t on);

/* group: n labels, copied. Rows with the same label >= 0 are left out together; rows with a negative label never are.
 * NULL: no groups. At least one label must be >= 0. Used by the criterion FREERIDGE_GROUPS. Needs DATA, changes no
 * state. Statuses: INVALID_ARGUMENT, INVALID_STATE. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_groups(freeridge_model *model, const int32_t *group);

/* Overrules the route; FREERIDGE_AUTO gives the choice back. Goes back to DATA. PRIMAL needs a linear kernel, which
 * factorize checks. Statuses: INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_route(freeridge_model *model, freeridge_route route);

/* A hint for AUTO: how many values of lambda will be looked at (count >= 1; 100 unless set). Changes no state: it counts
 * at the next factorize. Statuses: INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_expected_lambdas(freeridge_model *model, int64_t count);

/* callback: see freeridge_progress above; NULL: none. `user` is handed to it. Heard by factorize, score, select_*,
 * group_errors and predict. Changes no state. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_progress(freeridge_model *model, freeridge_progress callback, void *user);

/* ----------------------------------------------------------------------------------------------------------------- */
/* Factorize and lambda                                                                                                */
/* ----------------------------------------------------------------------------------------------------------------- */

/* *bytes: what factorize, and one lambda with LOO after it, will allocate at most beside the data. Needs DATA. O(1).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT (PRIMAL with another kernel). Since 0.1. */
FREERIDGE_API freeridge_status freeridge_memory_required(const freeridge_model *model, int64_t *bytes);

/* Pays for everything: builds and factorizes K or x by the chosen route (costs at freeridge_route). Needs DATA, goes to
 * FACTORIZED. Statuses: INVALID_STATE; INVALID_ARGUMENT (PRIMAL with a kernel that is not linear); NOT_FINITE (a kernel
 * value overflows); NOT_CONVERGED; CANCELLED. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_factorize(freeridge_model *model);

/* Sets one lambda >= 0 for all outputs and solves (1). Needs FACTORIZED, goes to FITTED.
 * lambda = 0: the minimum-norm least-squares solution (SPECTRAL, PRIMAL; directions whose eigenvalue is below rounding
 * are left out); CHOLESKY has an answer while K is numerically positive definite, else NOT_POSITIVE_DEFINITE.
 * Cost: SPECTRAL, PRIMAL O(n r t); CHOLESKY n^3/3 + O(n^2 t).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT (lambda < 0), NOT_FINITE, NOT_POSITIVE_DEFINITE. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_lambda(freeridge_model *model, double lambda);

/* The same with lambda[j] for output j; lambda: t numbers >= 0, copied. Cost: the sum over different values. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_set_lambdas(freeridge_model *model, const double *lambda);

/* ----------------------------------------------------------------------------------------------------------------- */
/* Answers at the lambdas set                                                                                          */
/* ----------------------------------------------------------------------------------------------------------------- */

/* Exact leave-one-out errors, as if point i had been left out and (1) solved again, for each i: n x t, column-major,
 *     errors[i + j ld] = Y_ij - f_j^(-i)(x_i) = (P Y)_ij / P_ii,   P = M^-1 - M^-1 1 1'M^-1 / (1'M^-1 1)   [RL 3], [CT]
 * The left-out prediction is Y - errors. Needs FITTED. Cost: SPECTRAL, PRIMAL O(n r t); CHOLESKY n^3/3.
 * Statuses: INVALID_STATE, INVALID_ARGUMENT, UNDEFINED (a point whose leverage is one, e.g. n = 1 with an intercept: its
 * error is NaN). Since 0.1. */
FREERIDGE_API freeridge_status freeridge_loo(const freeridge_model *model, double *errors, int64_t ld);

/* Exact leave-group-out errors: all rows of a group are left out together, for every group: n x t, column-major,
 *     e_S = (P_SS)^-1 (P Y)_S
 * group: n labels; negative: never left out, its error is NaN. Any partition: k-fold, hold-out, uneven groups.
 * Needs FITTED. Cost: O(n r t) and, for a group of s rows, O(s^2 r + s^3).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT (no label >= 0), UNDEFINED (a group whose leaving out leaves no answer: its
 * errors are NaN), CANCELLED. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_group_errors(const freeridge_model *model, const int32_t *group, double *errors,
                                                      int64_t ld);

/* Predictions f(x) + b at m new points: x is m x d, out is m x t, both in `layout`. out must not overlap x.
 * Needs FITTED. Cost: O(m n (d + t)), linear kernels O(m d t); memory O(tile).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, CANCELLED. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_predict(const freeridge_model *model, freeridge_layout layout, int64_t m,
                                                 const double *x, int64_t ldx, double *out, int64_t ldout);

/* c: n x t, column-major, ld >= n: f(x) = sum_i c_i k(x_i, x). At lambda > 0, c_i = W_ii (Y_i - fitted_i) / lambda. Needs
 * FITTED. Cost: O(n r t). Statuses: INVALID_STATE, INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_coefficients(const freeridge_model *model, double *c, int64_t ld);

/* w: d x t, column-major, ld >= d: f(x) = w'x, in the original units of x also with a scaled kernel. Linear kernels
 * only. Needs FITTED. Statuses: INVALID_STATE (also: the kernel is not linear), INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_hyperplane(const freeridge_model *model, double *w, int64_t ld);

/* b: t intercepts (0 without intercept). Needs FITTED. Statuses: INVALID_STATE, INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_intercept(const freeridge_model *model, double *b);

/* fitted: n x t, column-major, ld >= n: f(x_i) + b, from the residuals (no kernel is evaluated again). Needs FITTED.
 * Cost: O(n r t). Statuses: INVALID_STATE, INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_fitted(const freeridge_model *model, double *fitted, int64_t ld);

/* leverage: n x t, column-major, ld >= n: H_ii at each output's lambda, H the hat matrix (fitted = H Y), the
 * intercept's share included. Its column sums are the effective degrees of freedom. Needs FITTED. Cost as
 * freeridge_loo. Statuses: INVALID_STATE, INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_leverage(const freeridge_model *model, double *leverage, int64_t ld);

/* lambda: t numbers, those in force. Needs FITTED. Statuses: INVALID_STATE, INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_lambda(const freeridge_model *model, double *lambda);

/* *route: what factorize ran (never AUTO). Needs FACTORIZED. Statuses: INVALID_STATE, INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_route(const freeridge_model *model, freeridge_route *route);

/* *n, *d, *t: the data's sizes. Needs DATA. Statuses: INVALID_STATE, INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_dimensions(const freeridge_model *model, int64_t *n, int64_t *d, int64_t *t);

/* *sigma: the bandwidth of the model's kernel (of the Gaussian inside a scaled kernel too). Statuses: INVALID_STATE (the
 * kernel has no bandwidth), INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_bandwidth(const freeridge_model *model, double *sigma);

/* ----------------------------------------------------------------------------------------------------------------- */
/* Choosing lambda and the bandwidth                                                                                   */
/* ----------------------------------------------------------------------------------------------------------------- */

/* lambdas: count >= 1 numbers, ascending, evenly spaced in log: the range that freeridge_select_lambda searches by
 * default, from a thousandth of the smallest eigenvalue that matters (at least machine epsilon times the largest) to a
 * thousand times the largest. Needs FACTORIZED. O(count). Statuses: INVALID_STATE, INVALID_ARGUMENT; UNDEFINED when all
 * eigenvalues are zero (constant x: no lambda matters). Since 0.1. */
FREERIDGE_API freeridge_status freeridge_lambda_grid(const freeridge_model *model, int64_t count, double *lambdas);

/* The criterion at count >= 1 given lambdas (each >= 0), whatever lambda is in force: scores is count x t, column-major,
 * ld >= count. Needs FACTORIZED. Cost: LOO: SPECTRAL, PRIMAL O(n r (t + 1)) a lambda as matrix products; GCV, REML:
 * O(r t) a lambda; GROUPS as freeridge_group_errors a lambda; CHOLESKY: n^3/3 more a lambda.
 * Statuses: INVALID_STATE (GROUPS without groups), INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (some scores have no value:
 * they are NaN, the others are valid), CANCELLED. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_score(const freeridge_model *model, freeridge_criterion criterion, int64_t count,
                                               const double *lambdas, double *scores, int64_t ld);

/* Minimises the criterion over lambda in [low, high] for each output (low = high = 0: the range of freeridge_lambda_grid)
 * by 100 log-spaced values and Brent's method on log lambda in every dip, and SETS the lambdas found, as
 * freeridge_set_lambdas does. lambda, score: t numbers each, the choice and its score; a tie goes to the larger lambda.
 * Needs FACTORIZED, goes to FITTED. Every score seen is kept: freeridge_get_search.
 * Statuses: INVALID_STATE, INVALID_ARGUMENT (0 < low <= high does not hold), NOT_FINITE, UNDEFINED (the criterion has no
 * value anywhere in the range), CANCELLED. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_select_lambda(freeridge_model *model, freeridge_criterion criterion, double low,
                                                       double high, double *lambda, double *score);

/* *count: how many lambdas the last freeridge_select_lambda looked at (0 before the first, and after a change of state).
 * Statuses: INVALID_ARGUMENT. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_search_count(const freeridge_model *model, int64_t *count);

/* What the last freeridge_select_lambda saw: lambdas: count numbers, ascending; scores: count x t, column-major, ld >=
 * count, NaN where a lambda was not tried for that output; edge: t flags, -1 / +1 when the choice sits at the low / high
 * end of the range (the optimum may lie beyond it), else 0. Statuses: INVALID_STATE (no search yet), INVALID_ARGUMENT.
 * Since 0.1. */
FREERIDGE_API freeridge_status freeridge_get_search(const freeridge_model *model, double *lambdas, double *scores,
                                                    int64_t ld, int32_t *edge);

/* Chooses the bandwidth sigma of the model's kernel (Gaussian, also inside a scaled kernel) in [low, high], each tried
 * sigma with its own factorization and its own whole lambda search, and leaves the model FITTED at the best one. low =
 * high = 0: from the median distance of the points. With several outputs the criterion is the sum over outputs of
 * score / weighted variance of Y (LOO, GCV, GROUPS), or of the scores (REML). At most `budget` (>= 3) factorizations are
 * spent: a log-spaced scan with two thirds of them, Brent's method on log sigma with the rest.
 * tried: budget x 2 numbers, column-major with ld = budget: sigma and its criterion, in the order tried; *used: how many.
 * *sigma: the choice. Needs DATA, goes to FITTED. Cost: `used` times factorize and select_lambda.
 * Statuses: INVALID_STATE (no data, kernel without bandwidth, GROUPS without groups), INVALID_ARGUMENT, NOT_FINITE,
 * UNDEFINED (all points coincide; no score has a value), CANCELLED. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_select_bandwidth(freeridge_model *model, freeridge_criterion criterion,
                                                          double low, double high, int64_t budget, double *sigma,
                                                          double *tried, int64_t *used);

/* ----------------------------------------------------------------------------------------------------------------- */
/* About the library                                                                                                   */
/* ----------------------------------------------------------------------------------------------------------------- */

/* The status as a word, "INVALID_ARGUMENT"; "UNKNOWN" for any other number. Static text. Since 0.1. */
FREERIDGE_API const char *freeridge_status_name(freeridge_status status);

/* What went wrong in the last failed call on this thread, one line, "" before the first. Valid until the next failed call
 * on this thread; never NULL. Since 0.1. */
FREERIDGE_API const char *freeridge_last_error(void);

/* The version of the library that runs (the macros above: of the header compiled with). NULL is fine for each. Since 0.1. */
FREERIDGE_API freeridge_status freeridge_version(int32_t *major, int32_t *minor, int32_t *patch);

/* One line for bug reports: version, compiler, BLAS and its threads. Valid until the next call on this thread. Since 0.1. */
FREERIDGE_API const char *freeridge_build_info(void);

#ifdef __cplusplus
}
#endif

#endif
