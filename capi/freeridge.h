/*
 * freeridge.h - regularized least squares with everything free after one factorization
 *
 * SPDX-License-Identifier: MIT
 *
 * Contents: sections, and a line for each call (without freeridge_ before its name)
 * ------------------------------------------------------------------------------
 *     Kernels
 *         kernel_linear                  x'z
 *         kernel_polynomial              (scale x'z + offset)^degree
 *         kernel_gaussian                exp(-|x - z|^2 / sigma^2)
 *         kernel_laplacian               exp(-|x - z| / sigma)
 *         kernel_matern                  nu = 0.5, 1.5 or 2.5
 *         kernel_sum, kernel_product     of kernels
 *         kernel_scaled                  columns divided by lengths
 *         kernel_additive                a function of each column, added
 *         kernel_precomputed             a matrix that is given
 *         kernel_describe, kernel_parse  as text, and back
 *         kernel_name, kernel_get_counts, kernel_parameter_name, kernel_get_parameter, kernel_get_part    its tree
 *         kernel_get_hyperparameters, kernel_hyperparameter_name, kernel_with_hyperparameters    its numbers
 *         kernel_evaluate                values k(x_i, z_j)
 *         kernel_linear_scale            is it linear, and in which units?
 *         kernel_destroy
 *     A model and its data
 *         create, clone, destroy
 *         set_kernel                     another kernel
 *         set_data                       x and y, dense
 *         set_points                     the same of any points: sparse, a reader's, with unpenalised columns
 *         set_weights                    of the rows
 *         set_groups                     rows that are left out together, and their gaps
 *         set_progress                   a callback that hears, and may cancel
 *     Parameters
 *         set_parameter, get_parameter   intercept, route, memory limit, seed, refinement, ...
 *         parameter_bounds               what each may be
 *     What a model was told
 *         get_kernel, get_weights, get_groups
 *     Landmarks
 *         set_landmarks                  how many, or which
 *         get_requested_landmarks, get_landmarks    what was asked for, and what is in use
 *         landmark_trace, landmark_curve    what they leave out, and the score of fewer
 *         get_rank, get_tolerance        eigenvalues in use, and where they are rounding
 *     Factorize and lambda
 *         memory_required, explain       before it begins: bytes, route and seconds
 *         factorize                      the one expensive step
 *         set_lambda, set_lambdas        one for all outputs, or one for each
 *     Answers at the lambdas set
 *         loo, group_errors              exact errors left out
 *         get_accuracy                   of an iterative solution
 *         predict                        at new rows, dense
 *         predict_points                 at new points of any kind, at many lambdas
 *         coefficients                   c and the intercept, at many lambdas
 *         hyperplane                     w and the intercept, at many lambdas
 *         get_unpenalised, get_unpenalised_covariance    the columns without a penalty
 *         variance_components            and heritability
 *         get_fitted, get_leverage       of the rows
 *         get_lambda, get_route, get_dimensions, get_bandwidth    what is in force
 *     Diagnostics and intervals
 *         degrees_of_freedom, cooks_distance
 *         influence                      sigma, degrees of freedom and coefficients without each row
 *         score_test                     of a part of the variance
 *         predict_jackknife              intervals without a model of the noise
 *         predict_left_out               predictions without rows of the data
 *         predict_variance, predict_covariance    of predictions
 *         predict_combinations           averages and differences of predictions, with errors and covariances
 *     Eigenvalues, conditioning, and whole matrices
 *         eigenvalues, condition_number, hat_matrix
 *     Coefficients and effects with their errors
 *         coefficient_covariance, coefficient_errors    of linear kernels
 *         predict_gradient               marginal effects at points
 *         average_gradient               their averages, with errors
 *     Choosing lambda and the bandwidth
 *         lambda_grid                    where to look
 *         score                          criteria at many lambdas, with standard errors
 *         estimate_score, score_gradient    by probes; with the derivatives by the numbers of the kernel
 *         objective                      the parts of (1)
 *         select_lambda, get_search      the search, and what it saw
 *         select_bandwidth               of one length
 *         select_kernel, get_kernel_search    all of the kernel's numbers, and what the search saw
 *         loo_learnt                     left-out errors with the choice included
 *         lambda_flags                   how far a lambda can be trusted
 *         make_folds, make_holdout, make_blocks    labels of groups
 *         convert_lambda                 from and to other systems
 *     Save and load
 *         save, load                     a file
 *         save_to_memory, load_from_memory    bytes
 *         locate_saved_x                 where the rows stand among them
 *     Streaming
 *         accumulator_create, accumulator_create_landmarks, accumulator_destroy
 *         accumulator_set_parameter, accumulator_get_parameter, accumulator_get_unpenalised
 *         accumulator_add, accumulator_merge    rows, and other accumulators
 *         accumulator_set_progress, accumulator_memory_required, accumulator_get_dimensions
 *         accumulator_solve              w and b at many lambdas
 *         accumulator_score, accumulator_objective, accumulator_lambda_grid, accumulator_select_lambda    GCV and REML
 *         accumulator_errors             a second pass: exact errors left out
 *         accumulator_squared_errors     on rows that were not added
 *         accumulator_save, accumulator_save_to_memory, accumulator_load, accumulator_load_from_memory
 *     Rows in shards
 *         accumulator_compact, accumulator_prepare, accumulator_merge_bytes    of many processes
 *         accumulator_moments, moments_join, moments_score, moments_select_lambda    of errors left out
 *         accumulator_predictor          a model that predicts
 *     Rows that come and go
 *         window_create, window_destroy, window_set_progress
 *         window_add, window_remove      rows; the error of each before it comes
 *         window_set_lambda, window_select_lambda
 *         window_loo                     exact errors left out, of all rows
 *         window_coefficients, window_predict
 *         window_get_rows, window_get_state    the rows that are there; sizes, lambda and lost digits
 *     Many small models
 *         batch                          a model for each stretch of rows, in one call
 *     Other losses for two classes
 *         classifier_create, classifier_destroy
 *         classifier_set_data, classifier_set_weights, classifier_set_progress
 *         classifier_set_parameter, classifier_get_parameter, classifier_memory_required
 *         classifier_fit, classifier_predict, classifier_loo    logistic regression, support vectors
 *         classifier_get_coefficients, classifier_get_convergence, classifier_get_support
 *         classifier_distances, classifier_get_margins
 *         classifier_get_kernel, classifier_get_weights, classifier_get_dimensions, classifier_get_lambda
 *         classifier_save, classifier_save_to_memory, classifier_load, classifier_load_from_memory
 *     About the library
 *         status_name, last_error        what went wrong
 *         version, build_info
 *         set_threads, get_threads
 *
 * freeridge_classical.h, the second header of the same library, has calls without a handle: least squares, ridge and
 * total least squares, the pseudo-inverse, polynomial features, medians, gradient descent, early stopping, calibration.
 *
 * 1. What is solved
 * -----------------
 * n points x_i (rows of x, d features each), outputs Y (n x t), weights W_ii > 0 (1 unless set), a kernel k and
 * lambda >= 0. For every output column the library finds f in the space of k, and b, minimising
 *
 *     1/2 sum_i W_ii (Y_i - f(x_i) - b)^2  +  lambda/2 ||f||_k^2                                             (1)
 *
 *   - The loss is a SUM over points, not a mean: lambda here is "lambda_total". If your text divides the loss by n,
 *     lambda here = n * lambda there (docs/other-systems.md has a table of other systems' conventions).
 *   - b, the intercept, is not penalised unless FREERIDGE_INTERCEPT says so, which can also remove it.
 *   - Nothing is centred or scaled behind your back. A scaled kernel divides columns when you ask for it.
 *   - The solution is f(x) = sum_i c_i k(x_i, x) (the representer theorem: it is the best of the whole space of k, the
 *     reproducing kernel Hilbert space, RKHS); for the linear kernel also f(x) = w'x.
 *   - lambda = 0 means the limit lambda -> 0: the minimum-norm least-squares solution.
 *
 * 2. How it is used
 * -----------------
 *     kernel, model       freeridge_kernel_*, freeridge_create
 *     data                freeridge_set_data or freeridge_set_points, freeridge_set_weights, ...
 *     factorize           freeridge_factorize: the one expensive step
 *     lambda              freeridge_set_lambda, freeridge_set_lambdas or freeridge_select_lambda: nearly free
 *     answers             freeridge_loo, freeridge_group_errors, freeridge_predict(_points), freeridge_get_*
 *     for later           freeridge_save, freeridge_load
 *
 * A model is in one of four states; each call names the least state it needs, and answers INVALID_STATE before it:
 *
 *     EMPTY  --set_data-->  DATA  --factorize-->  FACTORIZED  --set_lambda(s), select_lambda-->  FITTED
 *
 * set_data, set_points, set_weights, set_kernel, set_landmarks and the parameters that say so go back to DATA (unset
 * the factorization and the lambdas). set_groups, set_progress and the other parameters change no state. A model loaded
 * from what was saved for prediction only answers INVALID_STATE to all calls but a few ("Save and load").
 *
 * 3. Rules that hold for every call
 * ---------------------------------
 * Status      Every call that can fail returns a freeridge_status. A call that fails leaves the model as it was, and
 *             freeridge_last_error() has its own words on that thread: what was wrong, which argument, which value.
 *             Outputs of a failed call are untouched, with two exceptions: UNDEFINED means that some entries have no
 *             value at this lambda; those are NaN and all others are valid. predict, predict_points, coefficients
 *             and hyperplane at lambdas of their own, hat_matrix, batch, classifier_predict, accumulator_errors,
 *             kernel_evaluate, and loo and group_errors of a reader's rows, and all calls on new points of a reader
 *             work in pieces: after CANCELLED, IO, OUT_OF_MEMORY, NOT_POSITIVE_DEFINITE, UNDEFINED as
 *             FREERIDGE_MISSING says, or when a value overflows on the way (NOT_FINITE), their output may be partly
 *             written.
 * Checks      Pointers must not be NULL unless said otherwise (INVALID_ARGUMENT). All numbers that go in must be finite
 *             (NOT_FINITE). Sizes are int64_t, at least 1 and at most 2147483647 each; a product of sizes that
 *             overflows in bytes, and a leading dimension that is too short or beyond 2147483647, are INVALID_ARGUMENT.
 * Memory      A request that cannot fit into the machine's memory, or beyond FREERIDGE_MEMORY_LIMIT, is refused
 *             with OUT_OF_MEMORY before it is tried.
 *             Any call may also return OUT_OF_MEMORY or INTERNAL, any on a model with a device DEVICE_UNAVAILABLE
 *             (FREERIDGE_DEVICE), and any that asks a model whose route is ITERATIVE
 *             for a solution NOT_CONVERGED; they are not listed again below.
 * Matrices    x and y come in either layout: element (i, j) is a[i + j * ld] for COL_MAJOR (ld >= rows) and
 *             a[i * ld + j] for ROW_MAJOR (ld >= columns). Outputs "n x t" without a layout argument are
 *             column-major with their own ld >= n. Outputs must not overlap what goes in, nor one another.
 * Ownership   The library frees what it allocates (the _destroy calls) and never keeps a pointer of yours, but for
 *             freeridge_set_points that borrows, and the callback's user pointer.
 * Threads     Handles are independent: two threads may use two models. One model is used by one thread at a time, but
 *             calls that take a const freeridge_model * may run side by side on one model.
 * Manners     The library prints nothing, installs no signal handlers, never exits and lets no exception out.
 *
 * Costs below are counted in multiplications and additions: m is n - 1 with an intercept, n without; r is the number
 * of eigenvalues in use (m for SPECTRAL, rank of x for PRIMAL; read n for CHOLESKY and BAND), b the bandwidth of BAND
 * (16 for many lambdas, up to 64 for few).
 *
 * Sources. [RL] R. Rifkin, R. Lippert, Notes on Regularized Least Squares, MIT-CSAIL-TR-2007-025. [CT] G. Cawley,
 * N. Talbot, Fast exact leave-one-out cross-validation of sparse least-squares support vector machines, Neural Networks
 * 17 (2004). [GHW] G. Golub, M. Heath, G. Wahba, Generalized cross-validation, Technometrics 21 (1979). [PT] H.
 * Patterson, R. Thompson, Recovery of inter-block information when block sizes are unequal, Biometrika 58 (1971).
 * [DEFTW] M. Diaz, E. Epperly, Z. Frangella, J. Tropp, R. Webber, Robust, randomized preconditioning for kernel ridge
 * regression, arXiv:2304.12465. [RW] C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006,
 * sections 3.4 and 5.5.1.
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

/* ----------------------------------------------------------------------------------------------------
 * Types and constants. Values are pinned: they are never changed or used again; new ones are only added. */

typedef struct freeridge_model freeridge_model;   /* data, factorization and fitted answers; opaque */
typedef struct freeridge_kernel freeridge_kernel; /* a kernel function k(x, z); opaque, immutable */

/* How a call ended; the tens digit is the family. */
typedef int32_t freeridge_status;
enum {
  FREERIDGE_OK = 0, /* all is well */
  /* the caller's mistakes, 1-9 */
  FREERIDGE_INVALID_ARGUMENT = 1,   /* NULL, a size, a leading dimension, a parameter or an enum value out of range */
  FREERIDGE_INVALID_STATE = 2,      /* called too early: the message names the call that is missing */
  FREERIDGE_NOT_FINITE = 3,         /* NaN or Inf went in, or the data overflow the kernel */
  FREERIDGE_DIMENSION_MISMATCH = 4, /* sizes that are fine alone but do not fit together */
  /* resources, 10-19 */
  FREERIDGE_OUT_OF_MEMORY = 10,      /* refused before it was tried, or the system had no more */
  FREERIDGE_DEVICE_UNAVAILABLE = 11, /* the device, or a library for it, is not there or failed */
  /* numerics, 20-29 */
  FREERIDGE_NOT_POSITIVE_DEFINITE = 20, /* CHOLESKY, BAND: K + lambda I is numerically singular; use SPECTRAL */
  FREERIDGE_NOT_CONVERGED = 21,         /* an iteration of LAPACK or of ITERATIVE did not converge */
  FREERIDGE_UNDEFINED = 22,             /* no such answer at this lambda, e.g. LOO where the leverage is one */
  /* the caller's wish, 30-39 */
  FREERIDGE_CANCELLED = 30, /* the progress callback returned nonzero */
  /* files and saved bytes, 40-49 */
  FREERIDGE_IO = 40,           /* the file could not be opened, read or written */
  FREERIDGE_CORRUPT = 41,      /* cut short, changed, or not saved by this library */
  FREERIDGE_NEWER_FORMAT = 42, /* written by a later version, which this one cannot read */
  /* a fault of the library, 90-99: please report it with freeridge_build_info() */
  FREERIDGE_INTERNAL = 90 /* what should not happen */
};

/* How a matrix lies in memory, with leading dimension ld. */
typedef int32_t freeridge_layout;
enum {
  FREERIDGE_COL_MAJOR = 1, /* element (i, j) is a[i + j * ld] */
  FREERIDGE_ROW_MAJOR = 2  /* element (i, j) is a[i * ld + j] */
};

/* How a sparse matrix lies in memory: by lines, which are its rows (CSR) or its columns (CSC). start: one number more
 * than there are lines, start[0] = 0; the entries of line l are those p with start[l] <= p < start[l + 1], each the
 * number value[p] in column (CSR) or row (CSC) index[p], counted from 0, ascending within the line and each place once.
 * Other places are zero; an entry may be zero, too. scipy.sparse and the R package Matrix have them like that, once
 * their indices are sorted. */
typedef int32_t freeridge_sparse_format;
enum {
  FREERIDGE_CSR = 1, /* compressed rows */
  FREERIDGE_CSC = 2  /* compressed columns */
};

/* Hands out rows first, first + 1, ..., `count` of them at most, of points that need not be in memory
 * (freeridge_points): x is count x d and y count x t, without gaps, in the layout of the points. By columns the leading
 * dimension is `count`, also where fewer rows are given; what is not written is NOT_FINITE. weights has ones, which a
 * reader of weighted rows replaces by positive numbers. For new points y and weights are NULL. Returns how many rows it
 * gave: fewer than `count`, or none, where there are no more (with n = -1 it is asked once more then, and answers 0:
 * rows after a stretch of fewer are an error), and less than 0 where it failed. `user` is that of the points. As for
 * freeridge_progress it must return, on the thread that called it, and must not call into the same handle; a C++
 * exception that it throws makes the call INTERNAL. */
typedef int64_t (*freeridge_reader)(int64_t first, int64_t count, double* x, double* y, double* weights, void* user);

/* Rows of features, with all that belongs to them. One of x, start and reader is not NULL: the rows are an
 * ordinary matrix, a sparse one, or those that a reader hands out. In C:
 *     freeridge_points points = {.size = sizeof points, .n = n, .d = d, .layout = FREERIDGE_COL_MAJOR, .x = x};
 * Fields that are not named are zero. Where the rows are a reader's, a call on new points reads each row once, in
 * stretches, and needs no more memory than for a stretch (the averages and `others` of freeridge_kernel_evaluate: than
 * for all of them); `n` must be known there, and what it writes may be partly written where it fails. Sparse rows are
 * taken as they are by linear kernels, and filled by tiles of rows elsewhere. Nothing of the struct is kept beyond the
 * call, but for what freeridge_set_points borrows. Statuses of every call that takes points: INVALID_ARGUMENT (also:
 * size; no rows, or rows of two kinds; start does not ascend from 0 or a line has more entries than places; an index
 * that is out of range or does not ascend within its line), NOT_FINITE, DIMENSION_MISMATCH (d is not that of the
 * model), IO (a reader fails or ends too early). */
typedef struct freeridge_points {
  int64_t size;                   /* sizeof(freeridge_points) */
  int64_t n;                      /* rows; -1: until the reader has no more (freeridge_set_points) */
  int64_t d;                      /* columns */
  freeridge_layout layout;        /* of x, of what a reader hands out, and of unpenalised */
  freeridge_sparse_format format; /* of start, index and value */
  const double* x;                /* n x d in `layout` */
  int64_t ldx;                    /* 0: without gaps */
  const int64_t* start;           /* sparse rows, n x d in `format`; start: one number more than there are lines */
  const int32_t* index;           /* the places of the entries within their lines */
  const double* value;            /* the entries; NULL is fine for both where there are none */
  freeridge_reader reader;        /* the rows that a callback hands out */
  void* user;                     /* handed to the reader */
  int64_t unpenalised_count;      /* q columns without a penalty, beside x: the values of the fixed effects; 0: none */
  const double* unpenalised;      /* n x q in `layout` */
  int64_t ldu;                    /* 0: without gaps */
} freeridge_points;

/* How the factorization is computed. All routes give the same answers; they differ in cost, and in what they can do at
 * lambda = 0 (see freeridge_set_lambda). */
typedef int32_t freeridge_route;
enum {
  FREERIDGE_ROUTE_AUTO = 0,     /* LANDMARK when landmarks are set; PRIMAL for linear kernels (with d >= n where it fits
                               into memory); else that of the next three which is the fastest and fits
                               (freeridge_explain). Sparse x, linear kernel: ITERATIVE where that one does not fit, or
                               takes more than 1e13 flops and ten times as long */
  FREERIDGE_ROUTE_CHOLESKY = 1, /* n^3/3 for EVERY lambda, and as much again for its LOO; memory n^2. For a few
                                   lambdas */
  FREERIDGE_ROUTE_SPECTRAL = 2, /* eigenvalues of K, about 9 n^3 once; then O(n^2) a lambda; memory 2.1 n^2. For n up
                                   to about 1000, for kernels of low rank, and for lambda = 0 */
  FREERIDGE_ROUTE_BAND = 3,     /* K to banded form, 8/3 n^3 once; then 2 n^2 (b + 2 + t) a lambda with its LOO; memory
                               n^2; no answer below freeridge_get_tolerance, nor where weights differ by more than
                               2^27. For many lambdas at large n */
  FREERIDGE_ROUTE_PRIMAL = 4,   /* linear kernels: QR of x and the SVD of R, 2 to 6 n d^2; then O(n d) a lambda, and,
                                 where x has more than 2^21 numbers, 2 n d^2 for each pass (one for all lambdas of a
                                 score). d >= n: QR of x', 2 n^2 d, memory 2 n d; the columns' units cost no digits,
                                 as in the x x' of the first three, whose eigenvalues below freeridge_get_tolerance
                                 are rounding */
  FREERIDGE_ROUTE_LANDMARK = 5, /* the problem restricted to landmarks (freeridge_set_landmarks): 2 n r^2; then O(n r)
                                  a lambda, and n r kernel values and 2 n r^2 for each pass; memory O(r^2) beside the
                                  data */
  FREERIDGE_ROUTE_ITERATIVE = 6 /* the problem of all points at any n, for kernels that are not linear, and for linear
                                   ones with sparse x. Sparse x: conjugate gradients with the diagonal on the normal
                                   equations, O(entries + n + d) a step and column, some 10 to 500 steps a lambda;
                                   memory as that of x, and some (n + 13 d) (t + 8) numbers. Else: conjugate gradients
                                   over kernel values that are made anew in each pass, with a preconditioner of r
                                   columns for every lambda, r^2 about 32 n and r at least 512 [DEFTW]. Set-up: n r
                                   kernel values, 5 n r^2; a lambda: some 5 to 50 passes of n^2 / 2 kernel values;
                                   memory 8 n r bytes. Solutions with a bound of their error
                                   (FREERIDGE_ACCURACY), predictions and what few more solutions give; LOO and
                                   GCV as estimates (freeridge_estimate_score); no errors left out of single points,
                                   leverages, REML, eigenvalues, nor lambda = 0: INVALID_STATE and
                                   NOT_POSITIVE_DEFINITE. AUTO takes it for sparse x alone */
};

/* Criteria, to be minimised over lambda. e are the errors left out, r = Y - fitted, H the hat matrix, M = K + lambda
 * W^-1. A mean over points is weighted with W_ii. */
typedef int32_t freeridge_criterion;
enum {
  FREERIDGE_LOO = 1,        /* sum_i W_ii e_i^2 / sum_i W_ii, e the exact leave-one-out errors [RL 3], [CT] */
  FREERIDGE_GCV = 2,        /* n sum_i W_ii r_i^2 / tr(I - H)^2 [GHW] */
  FREERIDGE_REML = 3,       /* negative restricted log-likelihood, its variance profiled out [PT]:
                          1/2 (m log(2 pi s2) + m + log|M| + log(1'M^-1 1)), s2 = Y'PY/m; no 1'M^-1 1 without
                          intercept. Rows with equal x, fixed effects and Y are copies, and count as one row of their
                          summed weight: as other measurements they would say that there is no noise. (Where Y has a
                          number at two different x it is rounded: then only if all rows at this x have one Y. All rows
                          count where the kernel is linear and d < n, and in accumulators.) */
  FREERIDGE_GROUPS = 4,     /* sum W_ii e_i^2 / sum W_ii over the rows that freeridge_set_groups leaves out; the mean of
                              these over its divisions */
  FREERIDGE_ERROR_RATE = 5, /* the weighted fraction of points that their left-out values classify wrongly, for outputs
                              -1 / +1: one output: Y_i f_(-i)(x_i) <= 0; t > 1 outputs, one +1 in each row: the largest
                              left-out value is not that output's (one number for all outputs, and one lambda) */
  FREERIDGE_LOG_LOSS = 6, /* for outputs -1 / +1: sum_i W_ii loss_i / sum_i W_ii, the log loss of the probabilities that
                              freeridge_calibrate makes of the exact left-out values, by its targets t_i and with
                              weights in units of their mean: loss_i = -t_i log q_i - (1 - t_i) log(1 - q_i). No
                              estimates (ITERATIVE), no reader */
  FREERIDGE_EVIDENCE = 7  /* for outputs -1 / +1: the negative log of the evidence of kernel logistic regression with
                              this lambda, by Laplace's method, added up over the outputs; an intercept and fixed
                              effects have the prior variance 25. freeridge_score_gradient and freeridge_select_kernel
                              take it, and no other call [RW] */
};

/* Which covariance of the coefficients of a linear kernel (freeridge_coefficient_covariance). */
typedef int32_t freeridge_covariance_type;
enum {
  FREERIDGE_COVARIANCE_BAYESIAN = 1,   /* of their posterior distribution: the prior variance of a slope is sigma2 /
                                          lambda in the kernel's scale; its intervals cover the true function */
  FREERIDGE_COVARIANCE_FREQUENTIST = 2 /* of the estimates, given lambda: smaller, as their bias is not counted */
};

/* Progress: fraction goes from 0 to 1 within a call, and never falls; return nonzero to cancel, which makes the call
 * return CANCELLED and leaves the model as before. It is called on the thread that made the call. It must not call into
 * the same model, and has to return: longjmp, or ending the thread, is undefined behaviour. A C++ exception that it
 * throws goes no further: the call returns INTERNAL (OUT_OF_MEMORY for std::bad_alloc), and the model is as before.
 * Every call on a handle that works on all of the data calls it at the beginning, at the end, and in between about
 * every hundredth of a second of work: where a matrix product runs at 100 Gflop/s, at the latest after 5e9 of its flops
 * or other work that takes as long. Work is cut into such pieces whether there is a callback or not, so it changes no
 * answer. The callback is not called while several GiB are given back to the system, nor within three steps of LAPACK:
 * the pivoted Cholesky factor of r landmarks, r^3/3 flops; QR with column pivoting and singular values by Jacobi's
 * method, which features or weights of widely different scales take. Each call that calls it can also return
 * CANCELLED. */
typedef int32_t (*freeridge_progress)(double fraction, void* user);

/* ----------------------------------------------------------------------------------------------------
 * Kernels. A kernel is a small immutable object; *out is set on success only and is destroyed by the caller.
 * Sums, products, scaled, additive and multiplicative kernels may be made of any kernels, up to 1000 kernels deep and
 * of up to 2^20 kernels in all. A kernel has a bandwidth when exactly one kernel in it has one. */

/* k(x, z) = x'z. Statuses: INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_linear(freeridge_kernel** out);

/* k(x, z) = (scale x'z + offset)^degree;  degree >= 1, scale > 0, offset >= 0 (so that k is positive semi-definite).
 * Statuses: INVALID_ARGUMENT, NOT_FINITE. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_polynomial(int32_t degree, double scale, double offset,
                                                           freeridge_kernel** out);

/* k(x, z) = exp(-||x - z||^2 / sigma^2);  sigma > 0, in the units of x.
 * Beware of other conventions: gamma = 1/sigma^2; a "standard deviation" s has sigma = sqrt(2) s. Statuses:
 * INVALID_ARGUMENT, NOT_FINITE. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_gaussian(double sigma, freeridge_kernel** out);

/* k(x, z) = exp(-||x - z|| / sigma);  sigma > 0, in the units of x; ||.|| is the Euclidean norm. Statuses:
 * INVALID_ARGUMENT, NOT_FINITE. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_laplacian(double sigma, freeridge_kernel** out);

/* Matern kernels of u = sqrt(2 nu) ||x - z|| / length;  length > 0, in the units of x:
 *     nu = 0.5: exp(-u);   nu = 1.5: (1 + u) exp(-u);   nu = 2.5: (1 + u + u^2 / 3) exp(-u)
 * The length is the kernel's bandwidth to the calls below. Statuses: INVALID_ARGUMENT, NOT_FINITE. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_matern(double nu, double length, freeridge_kernel** out);

/* k(x, z) = sum_i weights[i] terms[i](x, z);  count >= 1 terms, copied; weights: count numbers >= 0, one of them
 * positive, or NULL: all one. The sum of linear kernels is a linear kernel. Of precomputed kernels alone
 * (freeridge_kernel_precomputed) x has their matrices side by side. Statuses: INVALID_ARGUMENT, NOT_FINITE. Cost:
 * O(count). */
FREERIDGE_API freeridge_status freeridge_kernel_sum(const freeridge_kernel* const* terms, const double* weights,
                                                    int32_t count, freeridge_kernel** out);

/* k(x, z) = prod_i factors[i](x, z);  count >= 1 factors, copied. Statuses: INVALID_ARGUMENT. Cost: O(count). */
FREERIDGE_API freeridge_status freeridge_kernel_product(const freeridge_kernel* const* factors, int32_t count,
                                                        freeridge_kernel** out);

/* k(x, z) = inner(x / scale, z / scale), column by column.  inner is copied; scale: d positive numbers, copied.
 * A model with this kernel needs data with exactly d columns. Statuses: INVALID_ARGUMENT, NOT_FINITE,
 * DIMENSION_MISMATCH (inner has scaled kernels of another d). Cost: O(d). */
FREERIDGE_API freeridge_status freeridge_kernel_scaled(const freeridge_kernel* inner, int64_t d, const double* scale,
                                                       freeridge_kernel** out);

/* The additive kernel k(x, z) = 1 / m sum_t inner(x_t, z_t), the mean over m terms of the columns: a function with it
 * is a sum of functions of one term each, without interactions. inner is copied; label: d labels: columns with equal
 * labels are one term (those of a factor), columns with negative ones are in none; a model with it needs data with
 * exactly d columns. label = NULL: each column is a term, for data with any d (the argument d is not looked at). inner
 * sees the columns of one term, so it has no scaled kernels; freeridge_kernel_scaled around the additive kernel gives
 * each column its length, and around a sum of inner and of the additive kernel the same lengths to both. Values and
 * derivatives cost m times those of inner. Statuses: INVALID_ARGUMENT (also: no label >= 0), DIMENSION_MISMATCH (inner
 * has additive kernels with labels of another d). Cost: O(d log d and the kernels in it). Source: D. Duvenaud, H.
 * Nickisch, C. Rasmussen, Additive Gaussian processes, NIPS 2011. */
FREERIDGE_API freeridge_status freeridge_kernel_additive(const freeridge_kernel* inner, int64_t d, const int32_t* label,
                                                         freeridge_kernel** out);

/* k(x_i, x_j) is given: the model's x is K itself, n x n (set_data: else DIMENSION_MISMATCH), symmetric and positive
 * semi-definite where the intercept and fixed effects are taken out (freeridge_factorize checks the symmetry to 1e-8 of
 * sqrt(K_ii K_jj), and uses the lower triangle; SPECTRAL, BAND and CHOLESKY refuse eigenvalues below -1e-8 of the norm
 * of K and its rounding: INVALID_ARGUMENT; ITERATIVE those that 40 steps of Lanczos' method find, LANDMARK those that
 * show at the landmarks, or at them and another row, a constant included), and predict takes the m x n values
 * k(x*_i, x_j). In a sum of p precomputed kernels, K = sum_k w_k K_k, x is [K_1 ... K_p], n x (p n), and predict takes
 * the m x (p n) values of each; the weights are learnt as those of other sums (freeridge_select_kernel), without
 * landmarks, and the intercept cannot be penalised. It cannot be a part of any other kernel: combine the matrices instead.
 * Statuses: INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_precomputed(freeridge_kernel** out);

/* The kernel as text, which is also the form to save it in: "gaussian(sigma = 1.5)", "0.3 * linear() + 1 *
 * product(...)". Numbers are written so that they read back as the same number. text: `size` bytes, 0-terminated;
 * *length: the bytes needed without the 0. size = 0 (text may be NULL): the length alone. Two kernels are equal where
 * their descriptions are: matern(nu = 0.5, length = l) and laplacian(sigma = l) are one function, but each is described
 * as it was made. Statuses: INVALID_ARGUMENT (size too small; *length is set, and text is untouched). Cost: O(length).
 * */
FREERIDGE_API freeridge_status freeridge_kernel_describe(const freeridge_kernel* kernel, int64_t size, char* text,
                                                         int64_t* length);

/* The kernel that freeridge_kernel_describe wrote, with the same values to the last bit. Spaces do not matter; weights
 * of a sum may be left out (one), and any part may stand in brackets. Kernels that text alone makes:
 *     multiplicative([0, 1, 1, -1], inner)   prod_t inner(x_t, z_t), the product over the terms of the columns; labels
 *         as in freeridge_kernel_additive, and multiplicative(inner): each column is a term. Of laplacian(sigma = s)
 *         it is exp(-sum_k |x_k - z_k| / s), the Laplacian of the L1 norm with gamma = 1 / s.
 *     constant()   1, for ANOVA kernels: product(1 * constant() + 0.3 * additive([0, -1], gaussian(sigma = 1)), 1 *
 *         constant() + 0.7 * additive([-1, 0], gaussian(sigma = 1))) is prod_k (1 + theta_k k(x_k, z_k)), whose weights
 *         are learnt as those of sums; multiplicative(1 * constant() + 0.3 * gaussian(sigma = 1)) has one for all.
 *         Source: M. Stitson et al., Support vector regression with ANOVA decomposition kernels, 1999.
 *     periodic(period = p, inner)   inner at the distance r^2 = sum_k 4 sin^2(pi (x_k - z_k) / p), which is that of
 *         points on a circle of radius 1; inner: gaussian, laplacian or matern. Of gaussian(sigma = sqrt(2) l) it is
 *         exp(-2 sum_k sin^2(pi (x_k - z_k) / p) / l^2). Source: D. MacKay, Introduction to Gaussian processes, 1998,
 *         equation 47.
 *     sphere(inner)   inner (the same three) at the distance r = 2 sin(angle / 2) between points on a sphere of radius
 *         1; x has two columns, longitude and latitude in degrees. These are positive semi-definite, which kernels of
 *         the angle itself are not but for exp(-angle / l). No derivatives by x (freeridge_predict_gradient). Source:
 *         T. Gneiting, Strictly and non-strictly positive definite functions on spheres, Bernoulli 19(4), 2013.
 * Statuses: INVALID_ARGUMENT (says what was expected and at which character, the first is 1; at most 64 kernels deep),
 * NOT_FINITE, DIMENSION_MISMATCH (scaled kernels inside a scaled kernel of another d). Cost: O(length of the text). */
FREERIDGE_API freeridge_status freeridge_kernel_parse(const char* text, freeridge_kernel** out);

/* What a kernel is made of, level by level: a kind, named parameters, and other kernels.
 *     kind          parameters (numbers)                            parts
 *     linear        none                                            none
 *     polynomial    degree (1), scale (1), offset (1)               none
 *     gaussian      sigma (1)                                       none
 *     laplacian     sigma (1)                                       none
 *     matern        nu (1), length (1)                              none
 *     sum           weights (one for each term)                     its terms
 *     product       none                                            its factors
 *     scaled        scale (d)                                       the inner kernel
 *     additive      label (d: 0, 1, ..., -1 for none; or empty)    the inner kernel
 *     multiplicative  as additive                                   the inner kernel
 *     periodic      period (1)                                      the inner kernel
 *     sphere        none                                            the inner kernel
 *     constant      none                                            none
 *     precomputed   none                                            none
 * The kind as a word, which freeridge_kernel_<word> makes, or, of the four before the last, freeridge_kernel_parse;
 * NULL for NULL. Static text. A later version may have more kinds, and more parameters of a kind behind these. Cost: O(1). */
FREERIDGE_API const char* freeridge_kernel_name(const freeridge_kernel* kernel);

/* *parameters, *parts: how many it has (freeridge_kernel_name). NULL is fine for each. Statuses: INVALID_ARGUMENT.
 * Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_get_counts(const freeridge_kernel* kernel, int32_t* parameters,
                                                           int32_t* parts);

/* The name of parameter `index`, from 0, in the order of freeridge_kernel_name; NULL where there is none. Static text.
 * Cost: O(1). */
FREERIDGE_API const char* freeridge_kernel_parameter_name(const freeridge_kernel* kernel, int32_t index);

/* The numbers of parameter `index`, from 0, to the last bit: values: room for `size` of them; *length: how many there
 * are. size = 0 (values may be NULL): the length alone. Statuses: INVALID_ARGUMENT (also: no such parameter; size too
 * small, *length is set, and values are untouched). Cost: O(length). */
FREERIDGE_API freeridge_status freeridge_kernel_get_parameter(const freeridge_kernel* kernel, int32_t index,
                                                              int64_t size, double* values, int64_t* length);

/* Part `index`, from 0, as a kernel of its own, which the caller destroys; it lives on without the kernel that it is a
 * part of. Statuses: INVALID_ARGUMENT (also: no such part). Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_kernel_get_part(const freeridge_kernel* kernel, int32_t index,
                                                         freeridge_kernel** out);

/* The kernel's hyperparameters: all continuous numbers in its tree, in the order of its text
 * (freeridge_kernel_describe). These are the weights of a sum (each before its term), the d scales of a scaled kernel
 * (before the inner kernel), sigma of gaussian and laplacian, length of matern, period of periodic (before the inner
 * kernel), scale and offset of polynomial; not degree and nu. 0.3 * linear() + 1 * scaled([2, 5],
 * gaussian(sigma = 1.5)) has 0.3, 1, 2, 5, 1.5. *count: how many they are, which may be none; values: the numbers, to the last bit. NULL is fine for each: ask for the number first.
 * Statuses: INVALID_ARGUMENT. Cost: O(count). */
FREERIDGE_API freeridge_status freeridge_kernel_get_hyperparameters(const freeridge_kernel* kernel, int64_t* count,
                                                                    double* values);

/* The name of hyperparameter `index`, from 0: the way from the outermost kernel down to the number. It is the word of
 * each kernel on the way (freeridge_kernel_name), with the place of the part in brackets behind a sum or a product,
 * then the number's own word, all joined by points; weights and scales have their place in brackets. Those of the
 * kernel above are sum.weight[0], sum.weight[1], sum[1].scaled.scale[0], sum[1].scaled.scale[1] and
 * sum[1].scaled.gaussian.sigma; of a lone Gaussian kernel gaussian.sigma. text, size and length: as in
 * freeridge_kernel_describe. Statuses: INVALID_ARGUMENT (also: no such hyperparameter; size too small, *length is set,
 * and text is untouched). Cost: O(the kernels in it). */
FREERIDGE_API freeridge_status freeridge_kernel_hyperparameter_name(const freeridge_kernel* kernel, int64_t index,
                                                                    int64_t size, char* text, int64_t* length);

/* The same kernel with other numbers: values has one for each hyperparameter, in their order (0: NULL is fine). All
 * must be positive, but that weights and offsets may be 0 (one weight of each sum must be positive). *out is set on
 * success only. Statuses: INVALID_ARGUMENT, NOT_FINITE, OUT_OF_MEMORY. Cost: O(count and the kernels in it). */
FREERIDGE_API freeridge_status freeridge_kernel_with_hyperparameters(const freeridge_kernel* kernel,
                                                                     const double* values, freeridge_kernel** out);

/* out: the kernel values k(x_i, z_j), in `layout`, of the rows x_i of points and z_j of others, as many as they have.
 * Neither has unpenalised columns. Statuses: INVALID_ARGUMENT (also: a precomputed kernel, whose values are given),
 * NOT_FINITE (also: a value overflows), DIMENSION_MISMATCH (also: a scaled kernel of another d), IO. Cost: as many
 * kernel values of O(d) each; memory O(d) for each of the others, and tiles. */
FREERIDGE_API freeridge_status freeridge_kernel_evaluate(const freeridge_kernel* kernel, const freeridge_points* points,
                                                         const freeridge_points* others, freeridge_layout layout,
                                                         double* out, int64_t ldout);

/* *linear: 1 for a linear kernel k(x, z) = sum_k x_k z_k / scale_k^2 (freeridge_kernel_linear, its scaled columns, and
 * sums of these), else 0. scale: its d divisors; untouched where *linear is 0. NULL is fine for each; without scale d
 * does not matter. Statuses: INVALID_ARGUMENT, DIMENSION_MISMATCH (a scaled kernel of another d). Cost: O(d) for each
 * kernel in it. */
FREERIDGE_API freeridge_status freeridge_kernel_linear_scale(const freeridge_kernel* kernel, int64_t d, double* scale,
                                                             int32_t* linear);

/* Frees a kernel; NULL is fine. Models keep their own copy. Cost: O(kernels in it). */
FREERIDGE_API void freeridge_kernel_destroy(freeridge_kernel* kernel);

/* ----------------------------------------------------------------------------------------------------
 * A model and its data */

/* Makes an EMPTY model; the kernel is copied. *out is set on success only. Statuses: INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_create(const freeridge_kernel* kernel, freeridge_model** out);

/* Makes a second model in the same state: settings, data, factorization, lambdas, answers and search; a predictor's
 * is a predictor. The two are independent from then on: what is set, factorized or freed in one does not show in the
 * other. Data that the model copied, and the factorization, are held by both and never change: they take no more
 * memory. Data that are borrowed (freeridge_set_points) are borrowed by both. The callback is not copied. *out is set
 * on success only. Statuses: INVALID_ARGUMENT. Cost: O(n); nothing is factorized or solved again. */
FREERIDGE_API freeridge_status freeridge_clone(const freeridge_model* model, freeridge_model** out);

/* Frees a model and all it holds; NULL is fine. Cost: O(1), and what the system takes to free memory. */
FREERIDGE_API void freeridge_destroy(freeridge_model* model);

/* Replaces the kernel (copied), for loops over bandwidths. Goes back to DATA. Cost: O(1). Statuses: INVALID_ARGUMENT;
 * DIMENSION_MISMATCH when a scaled kernel does not fit the data's d. */
FREERIDGE_API freeridge_status freeridge_set_kernel(freeridge_model* model, const freeridge_kernel* kernel);

/* Copies the data into the model: x (n x d) and y (n x t), both in `layout`, with leading dimensions ldx and ldy.
 * Weights, groups and landmarks belong to the rows: they are dropped. Goes to DATA. Cost: O(n (d + t)). Statuses:
 * INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH (scaled kernel with another d), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_set_data(freeridge_model* model, freeridge_layout layout, int64_t n, int64_t d,
                                                  const double* x, int64_t ldx, int64_t t, const double* y,
                                                  int64_t ldy);

/* The data of all kinds: points in memory, dense or sparse, or a reader's, with their unpenalised columns, and y (n x
 * t) in `layout`, leading dimension ldy. borrow = 0: x (start, index, value) and y are copied; else they are borrowed,
 * and must stay as they are until other data are set or the model is destroyed. Weights, groups and landmarks belong to
 * the rows: they are dropped. Goes to DATA.
 *   - Unpenalised columns F, n x q, copied in any case: fixed effects, whose coefficients a no penalty touches, beside
 *     the intercept, which stays what FREERIDGE_INTERCEPT says:
 *         minimise 1/2 sum_i W_ii (Y_i - f(x_i) - b - F_i'a)^2 + lambda/2 ||f||_k^2
 *     With a kernel matrix of relations among individuals that is the mixed model of genetics, with polynomials of x
 *     and a kernel of the distance the partially linear model and splines. A column that depends on the intercept and
 *     the columns before it, to 1e-10 of its rows, has the coefficient 0 (where R's lm says NA), here and in
 *     predictions; all other answers are those without it. Everything goes along: left-out errors and groups (UNDEFINED
 *     where the rows that stay do not determine a), criteria, degrees of freedom, eigenvalues, covariances, intervals,
 *     saved models. Predictions need F of the new points, in the columns as they were set: else INVALID_STATE.
 *     Derivatives and differences are those of f, whose points may have F or not. Not with them: the refinement of a
 *     hyperplane (INVALID_STATE when lambda is set).
 *   - Sparse rows: zeros are never filled, but for tiles of rows. AUTO takes PRIMAL for linear kernels with d < n, by
 *     x'Wx in place of QR (FREERIDGE_REDUCTION: QR fills tiles), for d >= n a dual route on the products of sparse
 *     rows, and ITERATIVE where these do not fit into memory or take far longer (minutes; seconds where one lambda is
 *     expected, and GCV as criterion: FREERIDGE_EXPECTED_LAMBDAS, _criterion; where it does not converge at the
 *     lambda that is set, the direct route takes its place): then LOO and GCV are estimates (freeridge_estimate_score);
 *     other kernels and landmarks see tiles of rows. Answers are those for the ordinary matrix. Not with them: a
 *     precomputed kernel (INVALID_ARGUMENT), the refinement of a hyperplane (INVALID_STATE when lambda is set, and of
 *     freeridge_hyperplane at other lambdas).
 *   - A reader's rows need not be in memory: the model asks it for all rows, in order and in stretches of its own
 *     choice, each time that it needs them, and y, which must be NULL here, with them (t: how many outputs). What the
 *     model can then do is said below this call. `user` must live as long. unpenalised_count is 0
 *     then: the first columns of x may be unpenalised.
 *   - No rows (x, start and reader NULL) and y NULL, n and d as they are: the model keeps its rows and y, with their
 *     weights, groups and landmarks, and has these unpenalised columns in the place of others (unpenalised_count 0:
 *     none). Needs DATA, goes back to DATA.
 * Statuses: INVALID_ARGUMENT (also: as many unpenalised columns as rows), INVALID_STATE (a predictor; no rows to keep),
 * NOT_FINITE, DIMENSION_MISMATCH (scaled kernel with another d; other sizes than those of rows that are kept),
 * CANCELLED. Cost: O(n (d + q + t)), sparse O(entries + n (q + t)): to copy the numbers and to see that all are finite,
 * and O(n q^2) and q reflections of K in factorize; a reader O(1). Source: H. Patterson, R. Thompson, Recovery of
 * inter-block information when block sizes are unequal, Biometrika 58 (1971). */
FREERIDGE_API freeridge_status freeridge_set_points(freeridge_model* model, const freeridge_points* points,
                                                    int32_t borrow, freeridge_layout layout, int64_t t, const double* y,
                                                    int64_t ldy);

/* What a model with a reader can do, in O(p^2) memory whatever n is (p: d, or the landmarks;
 * freeridge_memory_required), and in how many passes over the rows (freeridge_explain):
 *     freeridge_factorize      one pass; with landmarks (freeridge_set_landmarks) one more to fetch them, and one to
 *                              count the rows with n = -1, unless the rows of the landmarks are given
 *     freeridge_score          LOO, GROUPS: one pass for all lambdas of a call; GCV, REML: none
 *     freeridge_select_lambda  LOO, GROUPS: three or four passes; GCV, REML: none
 *     freeridge_loo            one pass
 *     freeridge_group_errors   one pass, and one more where a group has more rows than p
 * and none for freeridge_lambda_grid, _lambda_flags, _set_lambda, _set_lambdas, _get_search, _predict, _predict_points,
 * _hyperplane, _coefficients (all three without lambdas; c with landmarks alone, r x t in the order of
 * freeridge_get_landmarks, which counts r), _predict_gradient, _get_lambda, _get_unpenalised,
 * _get_dimensions (n: -1 until it is known), _get_route, _get_landmarks, _save for prediction and all settings but
 * weights (refinement is refused where lambda is set, and NaN in y are NOT_FINITE also after FREERIDGE_MISSING). Nor
 * for what sums of all rows decide: _degrees_of_freedom, _predict_variance, _predict_covariance, _predict_combinations,
 * _get_unpenalised_covariance and, of linear kernels, _coefficient_covariance and _coefficient_errors. These are of a
 * model of at most 1 + d + t rows with the sums of all, which the first such call makes and keeps, in O(p^3). As
 * unpenalised columns are the first of x, d is d - count in the last two, and points have them in their x. All other
 * calls need all points in memory, and say so (INVALID_STATE). Groups (freeridge_set_groups, where n is known): any
 * rows; from its first row to its last in a pass a group of s rows takes s (p + t) numbers, and at most 2 (p + t)^2 (4
 * with a gap), beside 8 bytes a row and division: OUT_OF_MEMORY where too many are open together, as large groups of
 * rows that are scattered.
 * The answers are those of the routes PRIMAL (linear kernels; one that divides columns is refused, a reader can divide
 * them) and LANDMARK (other kernels, with landmarks; not chosen ones but RANDOM: those are among max(2048, 4 r) rows
 * that chance picks) on the same rows, but that a row of leverage near one has no error where 1 - leverage has no six
 * digits (freeridge_accumulator_errors). A pass compares the number of rows and a checksum of x, y and the weights with
 * the first one's. In each call that reads: IO, with the row, where
 * the reader fails, ends too early, gives too many or other rows; NOT_FINITE and INVALID_ARGUMENT, with the row, for
 * its numbers; the model is then as before. */

/* weights: n positive numbers W_ii, copied; NULL: all one. Needs DATA, goes back to DATA.
 * Statuses: INVALID_ARGUMENT (a weight <= 0), NOT_FINITE, INVALID_STATE. Cost: O(n). */
FREERIDGE_API freeridge_status freeridge_set_weights(freeridge_model* model, const double* weights);

/* group: n x divisions labels, column-major without gaps, copied: each column divides the rows anew, divisions >= 1. In
 * a division rows with the same label >= 0 are left out together; rows with a negative label never are. At least one
 * label of each must be >= 0. NULL: no groups, whatever `divisions` is; layers must be 0 then. Used by the criterion
 * FREERIDGE_GROUPS, which is the mean of the scores of the divisions: so k random splits of the data are k columns
 * (freeridge_make_folds, freeridge_make_holdout).
 * Gaps are rows that are left out with a group and not scored, as the neighbours of a block in a time series. gap: n x
 * layers labels for each division, one division after the other, column-major without gaps, copied: a row with the
 * label g in any layer of a division is left out with the group g of this division. Several layers let a row be in the
 * gaps of several groups. Labels of no group, and the label of the row's own group, count for nothing. layers = 0: no
 * gaps, and gap may be NULL. freeridge_make_blocks makes such labels.
 * Each call sets groups and gaps anew. Needs DATA, changes no state. Statuses: INVALID_ARGUMENT (also: layers < 0),
 * INVALID_STATE. Cost: O(n divisions (1 + layers) log(number of groups)). */
FREERIDGE_API freeridge_status freeridge_set_groups(freeridge_model* model, int64_t divisions, const int32_t* group,
                                                    int64_t layers, const int32_t* gap);

/* callback: see freeridge_progress above; NULL: none. `user` is handed to it. Heard by set_data, set_points,
 * factorize, set_lambda(s), select_*, score, score_gradient, estimate_score, objective, loo, loo_learnt, group_errors,
 * predict, predict_*, coefficients, hyperplane (at lambdas of its own), get_unpenalised (errors),
 * get_unpenalised_covariance, variance_components, cooks_distance, influence, score_test, coefficient_*, average_*,
 * landmark_curve, get_fitted, get_leverage, degrees_of_freedom, lambda_flags, landmark_trace, eigenvalues,
 * condition_number, hat_matrix and save.
 * Calls that run side by side on one model call it on their own threads, at the same time. Changes no state. Cost:
 * O(1). Statuses: INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_set_progress(freeridge_model* model, freeridge_progress callback, void* user);

/* ----------------------------------------------------------------------------------------------------
 * Parameters: single numbers that say how a model, a classifier or an accumulator works. Each has a number, bounds and
 * a usual value, which holds until another is set; freeridge_parameter_bounds tells all three. */

/* The intercept b of f(x) + b. */
typedef int32_t freeridge_intercept;
enum {
  FREERIDGE_INTERCEPT_NONE = 0,     /* b = 0 */
  FREERIDGE_INTERCEPT_FREE = 1,     /* b is not penalised */
  FREERIDGE_INTERCEPT_PENALISED = 2 /* lambda/2 (||f||_k^2 + b^2): the kernel k + 1 without an intercept, b = sum c_i */
};

/* How the core chooses landmarks (freeridge_set_landmarks); all are reproducible from the seed on any machine. */
typedef int32_t freeridge_landmark_method;
enum {
  FREERIDGE_LANDMARKS_AUTO = 0,   /* PIVOTED */
  FREERIDGE_LANDMARKS_RANDOM = 1, /* uniformly without replacement; O(n) */
  FREERIDGE_LANDMARKS_KMEANS = 2, /* k-means++ seeding in the kernel's own distance; n r kernel values, O(n) memory */
  FREERIDGE_LANDMARKS_PIVOTED = 3 /* randomly pivoted Cholesky: n r kernel values, O(n r^2), memory n r doubles */
};

/* How PRIMAL and LANDMARK reduce their n rows to a small square matrix. */
typedef int32_t freeridge_reduction;
enum {
  FREERIDGE_REDUCTION_AUTO = 0, /* QR for PRIMAL (sparse x with d < n: GRAM), GRAM for LANDMARK */
  FREERIDGE_REDUCTION_QR = 1,   /* Householder QR by blocks of rows: as accurate as the SVD of x; 2 n d^2 */
  FREERIDGE_REDUCTION_GRAM = 2  /* x'Wx: n d^2; squares the condition: what lies below about 1e-14 of the largest
                                   eigenvalue is lost (freeridge_get_tolerance says where) */
};

/* Where the kernel matrix, its factors and eigenvectors are made (FREERIDGE_DEVICE). */
typedef int32_t freeridge_device;
enum {
  FREERIDGE_DEVICE_HOST = -1, /* the CPU in the place of a device: what runs on devices, for tests */
  FREERIDGE_DEVICE_CPU = 0,   /* none: the CPU */
  FREERIDGE_DEVICE_CUDA = 1   /* the first CUDA device; each further one is 1 more */
};

/* "data": setting the parameter of a model goes back to DATA; the others change no state. */
typedef int32_t freeridge_parameter;
enum {
  FREERIDGE_MISSING = 1,          /* models: 1: a NaN in y is a value that was not observed (below); 0 */
  FREERIDGE_INTERCEPT = 2,        /* all handles, data: a freeridge_intercept; FREE. PENALISED is what a column of
                                        ones beside x does with a linear kernel; for other kernels and given matrices it
                                        is k + 1. Coefficients, hyperplane and b are those of f(x) + b with the model's
                                        own kernel k. For a linear or given kernel factorize copies x once more than
                                        set_data does. Accumulators have NONE and FREE */
  FREERIDGE_ROUTE = 3,            /* models, data: a freeridge_route; AUTO. PRIMAL needs a linear kernel, ITERATIVE one
                                        that is not (or sparse x), which factorize checks. What factorize ran:
                                        freeridge_get_route */
  FREERIDGE_EXPECTED_LAMBDAS = 4, /* models: a hint for AUTO: how many values of lambda will be looked at, beside those
                                        that each further output has of its own in a search; 100. It counts at the next
                                        factorize */
  FREERIDGE_EXPECTED_CRITERION = 5, /* models: the other hint: the freeridge_criterion that lambdas will be judged by;
                                        LOO. GCV and REML leave no rows out, which halves the work of BAND and CHOLESKY;
                                        any criterion works after it, but for what ITERATIVE does not have where AUTO
                                        takes it. It counts at the next factorize */
  FREERIDGE_MEMORY_LIMIT = 6,       /* models: bytes: the most that one call may allocate beside what the model holds
                                        (below); 0: as much as the machine has. Not saved */
  FREERIDGE_LANDMARK_METHOD = 7,    /* models, data: a freeridge_landmark_method; AUTO */
  FREERIDGE_LANDMARK_SEED = 8,      /* models, data: of the random numbers that choose landmarks, a whole number up to
                                        2^53; 0 */
  FREERIDGE_REDUCTION = 9,          /* models, data: a freeridge_reduction; AUTO */
  FREERIDGE_REFINEMENT = 10,        /* models: steps of iterative refinement (below), up to 100; 0 */
  FREERIDGE_ACCURACY = 11,          /* models, data: the relative error of solutions of the ITERATIVE route, as
                                        freeridge_get_accuracy has it, above 0 and below 1; 1e-8. A lambda at which it
                                        cannot be reached (rounding leaves about 1e-16 |K| / lambda) is refused with
                                        NOT_CONVERGED, and freeridge_last_error says what was reached. Estimates have
                                        accuracies of their own */
  FREERIDGE_UNPENALISED = 12,       /* models with a reader (data), accumulators: so many columns at the front of x are
                                        not penalised (below), fewer than d; 0 */
  FREERIDGE_TOLERANCE = 13,   /* classifiers: of the stationarity conditions of (3), relative to the weights, above
                                        0; 1e-8. LOGISTIC: of |lambda c_i y_i / w_i - 1 / (1 + exp(y_i f_i))|; HINGE: of
                                        y_i f_i beside 1 */
  FREERIDGE_ITERATIONS = 14,  /* classifiers: the most Newton steps (LOGISTIC), or pair updates in multiples of n
                                        (HINGE); 0: 100 and 10000, which get_parameter tells then */
  FREERIDGE_LOSS = 15,        /* classifiers: the freeridge_loss they were made with; it can only be asked for */
  FREERIDGE_DEVICE = 16,      /* models, data: a freeridge_device (below); CPU. Not saved: a model that is loaded is on
                                        the CPU */
  FREERIDGE_SMOOTHNESS = 17,  /* models: 1: a freeridge_select_kernel by REML chooses the smoothness of the Matern
                                        kernels with nu = 3/2, too; 0. Not saved */
  FREERIDGE_SIGMA2 = 18,      /* models, data: the variance of the error of a row of weight one, where it is known, as
                                        1 for weights 1 / variance (below); 0: it is estimated. Not with a reader */
  FREERIDGE_KEPT_SQUARES = 19 /* models: of weights that are made from the errors themselves, as Huber's: the share of
                                        the squares of normal errors that they leave, in (0, 1] (below); 1. Not with a
                                        reader. Not saved beside SIGMA2, which takes its place */
};

/* More about some of them
 *
 * SIGMA2 is for responses whose errors are known, y_i with the standard error s_i: weights 1 / s_i^2, and SIGMA2 = 1.
 * REML is then the restricted likelihood with this variance, 1/2 (m log(2 pi s2) + Y'PY / s2 + log|M| + ...) with s2 =
 * SIGMA2 / lambda, the variance of f in units of k, in the place of s2 = Y'PY / m; freeridge_select_kernel has no prior
 * of the noise then. It stands in the place of the estimate in standard errors, variances and covariances of
 * predictions and coefficients, and in Cook's distances; freeridge_degrees_of_freedom tells it as sigma2, and
 * freeridge_variance_components is INVALID_STATE. LOO, GCV and GROUPS do not use it. Source: W. Viechtbauer, Bias and
 * efficiency of meta-analytic variance estimators, J. Educ. Behav. Stat. 30(3), 2005 (a variance beside known ones).
 *
 * KEPT_SQUARES: robust weights min(1, k s / |e_i|) leave 2 Phi(k) - 1 of the squares of normal errors on average, .821 at
 * k = 1.345. Estimates of the variance of the errors are divided by it: sigma2, and with it all variances, covariances and
 * standard errors of predictions, coefficients and effects, Cook's distances, freeridge_influence, and the scale of the
 * prior in freeridge_predict_variance and freeridge_variance_components. A variance that is known (SIGMA2) and the choice of
 * lambda and the kernel are not touched. Source: P. Huber, Robust regression, Annals of Statistics 1 (1973), section 6.
 *
 * MISSING counts in the next call that sets data. Each output then has the answers of a fit to the rows in which it is
 * observed, exactly, from the one factorization of all rows: with S the rows in which an output is missing, P of the
 * others is P_TT - P_TS (P_SS)^-1 P_ST. An output needs two values (else INVALID_ARGUMENT from set_data). Solutions,
 * predictions, variances and intervals, errors left out (NaN where there is nothing to leave out), criteria but
 * ERROR_RATE, searches for lambda and the bandwidth, leverages and Cook's distances (0 in the rows S), degrees of
 * freedom, objectives and fitted values (there the prediction) are these; score_gradient and select_kernel are sums
 * over the outputs with the same S, each with the cost of a model of its own; coefficient_covariance (NaN between
 * outputs with different S), coefficient_errors and errors of averages take such a model, too, and are INVALID_STATE
 * with landmarks. So are refinement and ITERATIVE (from factorize on) and hat_matrix in any case. y is copied where
 * something is missing. Where the observed rows do not determine the others (at lambda = 0, or where they leave fixed
 * effects undetermined), the calls answer UNDEFINED and write nothing. Cost: outputs with the same S share work; for
 * each S of s rows and each lambda 2 n r s + n s^2, or where the S have more than n rows together 2 n^2 r once for all
 * and n s^2.
 *
 * MEMORY_LIMIT. AUTO chooses among the routes that stay below it. A call that would exceed it is refused with
 * OUT_OF_MEMORY before it begins, and freeridge_last_error names the bytes needed, the limit and a way out (landmarks,
 * another route, fewer points). Counted as freeridge_memory_required counts: an upper bound, never below 8 MiB. A model
 * that is factorized again keeps its old factorization until the new one is made. It limits all calls that work on all
 * of the data, but saving.
 *
 * REFINEMENT: residuals in twice the working precision (error-free transforms: T. Ogita, S. Rump, S. Oishi, Accurate
 * sum and dot product, SIAM J. Sci. Comput. 26 (2005); A. Bjorck, Iterative refinement of linear least squares
 * solutions, BIT 7 (1967)). Takes effect at the next set_lambda(s) or select_*: refines w and b of the PRIMAL route
 * with residuals from x, and, for kernels that are not linear, c and b of the SPECTRAL, BAND and CHOLESKY routes with
 * residuals from the kernel values. Fitted values and left-out errors are not refined. It stops when nothing changes
 * any more, usually after 2 to 4 steps. A linear kernel on a dual route, landmarks, and a reader's rows have no
 * refinement: setting lambda returns INVALID_STATE then. Cost of a step, at a tenth of the usual speed: O(n d t)
 * (PRIMAL), n^2 kernel values and O(n^2 t) (dual routes).
 *
 * UNPENALISED, for a linear kernel. The columns stay columns of x: predictions take them, and the hyperplane (of
 * accumulators w of freeridge_accumulator_solve) has their coefficients in its first rows, 0 for one that depends on
 * the intercept and those before it (to 1e-10 of its norm). Rows in memory have freeridge_set_points for it, whose
 * answers these are. Where the penalty of an accumulator counts columns, d stands for d - count. Not over landmarks.
 *
 * DEVICE. SPECTRAL makes the kernel matrix and its eigenvectors on the device, and CHOLESKY the kernel matrix, the factor
 * of each lambda, solutions and errors left out; AUTO chooses between these two, and what comes to another route is
 * INVALID_ARGUMENT from factorize: nothing runs on the CPU in silence. Predictions, the sums over a spectrum and
 * learning a kernel run on the CPU. Answers are as accurate as those of the CPU, by the same tests, and not the same
 * bits. CUDA: a driver for CUDA 12.0 or later, and NVRTC, cuBLAS and cuSOLVER of CUDA 12 or 13, which are looked for when
 * the parameter is set, in the folders of the environment variable FREERIDGE_CUDA_PATH, where the system looks, and in
 * /usr/local/cuda/lib64; DEVICE_UNAVAILABLE, and freeridge_last_error names what is missing. Any call that uses the
 * device may answer DEVICE_UNAVAILABLE where that fails, or OUT_OF_MEMORY where its memory does not suffice: n^2 numbers
 * and as much as its eigenvectors need (SPECTRAL), 2 n^2 (CHOLESKY, and n^2 for a lambda beside one in force);
 * freeridge_explain tells how much, and MEMORY_LIMIT does not count it. Clones share the device. docs/gpu.md. */

/* *low, *high: the least and the greatest value of the parameter; *usual: its value unless set; *whole: 1 where it is a
 * whole number, else 0. NULL is fine for each. Statuses: INVALID_ARGUMENT (no such parameter). Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_parameter_bounds(freeridge_parameter parameter, double* low, double* high,
                                                          double* usual, int32_t* whole);

/* Statuses: INVALID_ARGUMENT (no parameter of models, a value beyond its bounds, or no whole number), NOT_FINITE,
 * INVALID_STATE (a predictor; UNPENALISED without a reader), DEVICE_UNAVAILABLE (DEVICE). Cost: O(1); DEVICE: up to a
 * second. */
FREERIDGE_API freeridge_status freeridge_set_parameter(freeridge_model* model, freeridge_parameter parameter,
                                                       double value);

/* *value: what was set, or the usual value; also of a model that was loaded or cloned. Statuses: INVALID_ARGUMENT,
 * INVALID_STATE (a predictor; that of an accumulator has INTERCEPT, NONE or FREE, and UNPENALISED). Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_get_parameter(const freeridge_model* model, freeridge_parameter parameter,
                                                       double* value);

/* ----------------------------------------------------------------------------------------------------
 * What a model was told; also of a model that was loaded or cloned. A setting that was never made has its default. */

/* A new kernel, equal to the model's (also a predictor's), to be destroyed by the caller. *out is set on success only.
 * Statuses: INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_get_kernel(const freeridge_model* model, freeridge_kernel** out);

/* weights: n numbers W_ii, ones unless set. Needs DATA. Statuses: INVALID_STATE, INVALID_ARGUMENT. Cost: O(n). */
FREERIDGE_API freeridge_status freeridge_get_weights(const freeridge_model* model, double* weights);

/* *divisions: how many divisions of the rows were given; group: n x *divisions labels, column-major without gaps, -1
 * for rows that a division never leaves out; *layers: how many layers of gaps were given for each division, 0 for
 * none; gap: n x (*layers *divisions) labels that freeridge_set_groups makes the same gaps of, -1 where there is
 * none. NULL is fine for each: ask for *divisions and *layers first. Needs groups. Statuses: INVALID_STATE (no data,
 * or no groups), INVALID_ARGUMENT. Cost: O(n divisions (1 + layers)). */
FREERIDGE_API freeridge_status freeridge_get_groups(const freeridge_model* model, int64_t* divisions, int32_t* group,
                                                    int64_t* layers, int32_t* gap);

/* ----------------------------------------------------------------------------------------------------
 * Landmarks (subset of regressors) and tall data.
 * With landmarks R (r of the rows) the solution is restricted to f(x) = sum_(i in R) c_i k(x_i, x), and the problem is
 *     min over c, b   1/2 sum_i W_ii (Y_i - f(x_i) - b)^2 + lambda/2 c'K_RR c                                  (2)
 * solved exactly, with exact leave-one-out and group-out errors of (2) itself (the landmarks stay when a point is left
 * out). K_TR (n x r) is never stored. Sources: T. Poggio, F. Girosi, Networks for approximation and learning, Proc.
 * IEEE 78 (1990); R. Rifkin, Regularized Least Squares (slides); randomly pivoted Cholesky: Y. Chen, E. Epperly,
 * J. Tropp, R. Webber, Randomly pivoted Cholesky, Communications on Pure and Applied Mathematics (2024; arXiv
 * 2207.06503); k-means++: D. Arthur, S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007. */

/* Restricts the solution to `count` landmarks. rows: count different rows (0-based), copied; a landmark that
 * depends on others, such as an equal row, adds nothing and is left out (freeridge_get_rank). So is one of which the
 * others leave less than 1e-18 of k(x, x), as c has no digits then (1e-16 r where r or n is large); it may have had a
 * part in rows far from all landmarks, and freeridge_lambda_flags says so. rows NULL: the core chooses at factorize,
 * see FREERIDGE_LANDMARK_METHOD. count = 0: no landmarks. AUTO takes the route LANDMARK when landmarks are set.
 * Needs DATA, goes back to DATA; set_data drops the landmarks. Statuses: INVALID_STATE, INVALID_ARGUMENT (count < 0 or
 * > n, a row out of range or given twice). Cost: O(n). */
FREERIDGE_API freeridge_status freeridge_set_landmarks(freeridge_model* model, int64_t count, const int64_t* rows);

/* *count: how many landmarks freeridge_set_landmarks asked for, 0: none; *given: how many of them it was given,
 * count or 0; rows: those, room for count. NULL is fine for each. Needs DATA. Statuses: INVALID_STATE,
 * INVALID_ARGUMENT (model). Cost: O(count). */
FREERIDGE_API freeridge_status freeridge_get_requested_landmarks(const freeridge_model* model, int64_t* count,
                                                                 int64_t* given, int64_t* rows);

/* *count: the landmarks of the factorization (0 for other routes; PIVOTED may find that fewer than asked for are
 * enough); rows: those, in the order given or chosen. NULL is fine for each: ask for the count first. Needs FACTORIZED.
 * Statuses: INVALID_STATE, INVALID_ARGUMENT. Cost: O(r). */
FREERIDGE_API freeridge_status freeridge_get_landmarks(const freeridge_model* model, int64_t* count, int64_t* rows);

/* *left: tr(K - K_TR K_RR^-1 K_RT), the error of the landmarks' approximation in nuclear norm, and *trace: tr(K), both
 * unweighted (with a penalised intercept K is the matrix of k + 1); NULL is fine for each. Needs FACTORIZED by the
 * LANDMARK route. Cost: O(n r^2) and n r kernel values for
 * *left, n kernel values for *trace. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE (a trace overflows),
 * CANCELLED. */
FREERIDGE_API freeridge_status freeridge_landmark_trace(const freeridge_model* model, double* left, double* trace);

/* The criterion as the number of landmarks grows, to choose that number by: for each of count >= 1 ascending sizes, the
 * first sizes[i] landmarks of the order given or chosen (one choice of the largest size), with lambda chosen for each
 * output by the criterion. lambdas, scores: count x t, column-major, ld >= count. The model stays as it is.
 * Needs landmarks to be set (at least sizes[count - 1] of them, if they were given). Cost: `count` factorizations and
 * lambda searches. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, NOT_CONVERGED, UNDEFINED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_landmark_curve(const freeridge_model* model, freeridge_criterion criterion,
                                                        int64_t count, const int64_t* sizes, double* lambdas,
                                                        double* scores, int64_t ld);

/* *rank: the eigenvalues that are not zero to working precision. Needs FACTORIZED (SPECTRAL, PRIMAL, LANDMARK; CHOLESKY
 * and BAND do not know it). Cost: O(1). Statuses: INVALID_STATE, INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_get_rank(const freeridge_model* model, int64_t* rank);

/* *tolerance: eigenvalues below it are rounding errors. At a lambda far below it, answers use the directions with
 * larger eigenvalues alone. Needs FACTORIZED. Statuses: INVALID_STATE, INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_get_tolerance(const freeridge_model* model, double* tolerance);

/* ----------------------------------------------------------------------------------------------------
 * Factorize and lambda */

/* *bytes: what factorize, and one lambda with LOO after it, will allocate at most beside the data, by the route that
 * factorize would take now (FREERIDGE_ROUTE asks for another). What adds to it: another lambda while one is in
 * force by CHOLESKY, 8 n^2; groups of at most s rows, about 16 s r + 16 min(s, r)^2, r = n for dual routes; scores
 * at l lambdas, 64 l t, by groups 16 l r more, and, where the sweep over rows has many lambdas in hand, up to 300
 * MiB; predict_jackknife and predict_variance of m points, up to 640 MiB, and 16 m t; coefficient_*, predict_gradient
 * and average_* as they say there. Needs DATA. Cost: O(1). Statuses: INVALID_STATE (also: the route LANDMARK without
 * landmarks), INVALID_ARGUMENT (PRIMAL with a kernel that is not linear; landmarks with a route that takes none; DEVICE
 * with a route other than SPECTRAL and CHOLESKY). */
FREERIDGE_API freeridge_status freeridge_memory_required(const freeridge_model* model, int64_t* bytes);

/* The route that factorize would take now and why, and what each route would need, in some lines of text for people:
 * bytes as freeridge_memory_required counts them, and seconds for the expected lambdas at the speed of a matrix
 * product on this machine or the device, which is measured (some milliseconds). The estimates of time are to a factor
 * of two (a device: of three). text, size, length: as in freeridge_kernel_describe; the length differs a little from
 * call to call, as the speed does: allow 2048 bytes. Needs DATA. Cost: the measurement. Statuses: INVALID_STATE,
 * INVALID_ARGUMENT (as freeridge_memory_required; size too small: *length is set, and text is untouched). */
FREERIDGE_API freeridge_status freeridge_explain(const freeridge_model* model, int64_t size, char* text,
                                                 int64_t* length);

/* The one expensive step: builds K or the features, and factorizes them by the chosen route. Cost: at freeridge_route.
 * Needs DATA, goes to FACTORIZED. Statuses: INVALID_STATE, INVALID_ARGUMENT (as freeridge_memory_required; a
 * precomputed kernel that is not symmetric, or not positive semi-definite); NOT_FINITE (a kernel value overflows);
 * NOT_CONVERGED; CANCELLED; IO (a reader; FREERIDGE_UNPENALISED has what else its rows may be). */
FREERIDGE_API freeridge_status freeridge_factorize(freeridge_model* model);

/* Sets one lambda >= 0 for all outputs and solves (1). Needs FACTORIZED, goes to FITTED.
 * lambda = 0: the minimum-norm least-squares solution (SPECTRAL, PRIMAL; directions whose eigenvalue is below rounding
 * are left out); CHOLESKY and BAND have an answer while K is numerically positive definite, else
 * NOT_POSITIVE_DEFINITE; ITERATIVE has none below freeridge_get_tolerance (NOT_POSITIVE_DEFINITE), nor where rounding
 * does not let it be as accurate as FREERIDGE_ACCURACY asks (NOT_CONVERGED). Cost: SPECTRAL, PRIMAL O(n r t); BAND
 * O(n^2 t); CHOLESKY n^3/3 + O(n^2 t); ITERATIVE 5 to 50 passes of n^2 / 2 kernel values.
 * Statuses: INVALID_STATE (also: refinement where there is none), INVALID_ARGUMENT (lambda < 0), NOT_FINITE (also: the
 * solution overflows), NOT_POSITIVE_DEFINITE, NOT_CONVERGED, UNDEFINED (as FREERIDGE_MISSING
 * says), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_set_lambda(freeridge_model* model, double lambda);

/* As freeridge_set_lambda with lambda[j] for output j; lambda: t numbers >= 0, copied. Cost: that of
 * freeridge_set_lambda for each run of equal values. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE,
 * NOT_POSITIVE_DEFINITE, NOT_CONVERGED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_set_lambdas(freeridge_model* model, const double* lambda);

/* ----------------------------------------------------------------------------------------------------
 * Answers at the lambdas set; of predict_points, coefficients and hyperplane also at other lambdas */

/* Exact leave-one-out errors, as if point i had been left out and (1) solved again, for each i: n x t, column-major,
 *     errors[i + j ld] = Y_ij - f_j^(-i)(x_i) = (P Y)_ij / P_ii,   P = M^-1 - M^-1 1 1'M^-1 / (1'M^-1 1)   [RL 3], [CT]
 * The left-out prediction is Y - errors. Needs FITTED. Cost: SPECTRAL, PRIMAL O(n r t); BAND 2 n^2 (b + 2 + t);
 * CHOLESKY n^3/3.
 * Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE (an error overflows), UNDEFINED (a point whose leverage is one,
 * e.g. n = 1 with an intercept: its error is NaN), CANCELLED, IO (a reader). */
FREERIDGE_API freeridge_status freeridge_loo(const freeridge_model* model, double* errors, int64_t ld);

/* Exact leave-group-out errors: all rows of a group are left out together, for every group: n x t, column-major,
 *     e_S = (P_SS)^-1 (P Y)_S
 * group: n labels; negative: never left out, its error is NaN. Any partition: k-fold, hold-out, uneven groups. gap: n
 * x layers labels, column-major, as for freeridge_set_groups: S is a group and its gap, and the errors of the group's
 * rows alone are given; layers = 0: no gaps, and gap may be NULL.
 * Needs FITTED. Cost: O(n r t) and, for a group of s rows, its gap among them, O(s^2 r + s^3).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT (no label >= 0; layers < 0), NOT_FINITE (an error overflows), UNDEFINED (a
 * group whose leaving out leaves no answer: its errors are NaN), CANCELLED, IO (a reader). */
FREERIDGE_API freeridge_status freeridge_group_errors(const freeridge_model* model, const int32_t* group,
                                                      int64_t layers, const int32_t* gap, double* errors, int64_t ld);

/* accuracy: t numbers; bounds of the relative error of the c that is in force on the ITERATIVE route, for each output:
 *     |c - c*|_G <= accuracy |c*|_G,   |v|_G^2 = v'(K + lambda W^-1) v,   c* the solution of (1)
 * Linear kernels (sparse x): of w, in |v|^2 = sum_i W_ii (v'(x_i - xbar))^2 + lambda |v|^2, columns scaled as the
 * kernel does, x_i without what the unpenalised columns explain of it. They are computed from the residual in double
 * precision, and (kernels that are not linear) 1 to 2.3 times the error, but for rounding. Relative to the Euclidean
 * norm c may have a larger error than in this one. Without intercept and fixed effects |f(x) - f*(x)| <= k(x, x)^(1/2)
 * accuracy |c*|_G at every x. Refinement makes errors smaller still. Needs FITTED by the ITERATIVE route. Statuses:
 * INVALID_STATE (also: another route), INVALID_ARGUMENT. Cost: O(t). Source: [DEFTW]. */
FREERIDGE_API freeridge_status freeridge_get_accuracy(const freeridge_model* model, double* accuracy);

/* Predictions f(x) + b at m new points: x is m x d, out is m x t, both in `layout`.
 * Needs FITTED. Cost: O(m n (d + t)), linear kernels O(m d t); memory O(tile).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_predict(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                                 const double* x, int64_t ldx, double* out, int64_t ldout);

/* Predictions f(x) + b + F a at new points of any kind, of which the unpenalised columns F must be there where the
 * model has some. count = 0, lambdas NULL: at the lambdas in force, out n x t; predictors answer it, too. Else at
 * `count` >= 1 lambdas >= 0, each for all outputs, whatever lambda is in force: out n x (count t), output j of lambda l
 * in column l t + j, which are what freeridge_set_lambda and the call without lambdas answer, to rounding. out is in
 * `layout`. Needs FITTED (with lambdas FACTORIZED). Cost: as of freeridge_predict, sparse rows and linear kernels
 * O((entries + n) t); with lambdas that of freeridge_set_lambda for each, and of predictions with count t outputs:
 * kernel values are made once for a block of lambdas, all of them as a rule (and a reader's rows are read once for each
 * block). Memory: tiles; with lambdas 64 MiB, or the solution of one lambda, beside them. Statuses: INVALID_STATE
 * (also: with lambdas a predictor, which has one lambda; refinement where there is none), INVALID_ARGUMENT (also:
 * sparse rows of a precomputed kernel), NOT_FINITE, DIMENSION_MISMATCH, CANCELLED, IO; with lambdas also
 * NOT_POSITIVE_DEFINITE, NOT_CONVERGED, UNDEFINED (as FREERIDGE_MISSING says). */
FREERIDGE_API freeridge_status freeridge_predict_points(const freeridge_model* model, const freeridge_points* points,
                                                        int64_t count, const double* lambdas, freeridge_layout layout,
                                                        double* out, int64_t ldout);

/* c: coefficients, f(x) = sum_i c_i k(x_i, x); b: intercepts (0 without intercept). NULL is fine for each: not
 * wanted, and never computed; so with c NULL (ld does not matter then) the call tells b of every model, and costs
 * O(t). At lambda > 0, c_i = W_ii (Y_i - fitted_i) / lambda (LANDMARK: c_i of the landmarks solve problem (2), the
 * others are 0); where K is singular and lambda is below freeridge_get_tolerance, c lacks the part that K maps to
 * zero, whose function is zero. count = 0, lambdas NULL: at the lambdas in force, c n x t, column-major, ld >= n, b
 * t numbers. Else at `count` >= 1 lambdas >= 0, each for all outputs, whatever lambda is in force: c n x (count t),
 * output j of lambda l in column l t + j, b t x count; they are what freeridge_set_lambda and the call without
 * lambdas answer, and set nothing. Needs FITTED (with lambdas FACTORIZED). Cost: O(n r t); refined, on the SPECTRAL
 * route with a kernel of a rank below n: one more step of refinement; with lambdas that and freeridge_set_lambda for
 * each, and no memory beside what they take. Statuses: INVALID_STATE (also: with lambdas a predictor, which has one
 * lambda; refinement where there is none), INVALID_ARGUMENT, NOT_FINITE (a coefficient overflows), CANCELLED; with
 * lambdas also NOT_POSITIVE_DEFINITE, NOT_CONVERGED, UNDEFINED (as FREERIDGE_MISSING says). */
FREERIDGE_API freeridge_status freeridge_coefficients(const freeridge_model* model, int64_t count,
                                                      const double* lambdas, double* c, int64_t ld, double* b);

/* w: hyperplanes, f(x) = w'x, in the original units of x also with a scaled kernel; linear kernels only, but where w
 * is NULL. count, lambdas, b and NULL as for freeridge_coefficients; w d x t (with lambdas d x (count t)), column-
 * major, ld >= d. Needs FITTED (with lambdas FACTORIZED). Cost: O(d t); with lambdas that of freeridge_set_lambda
 * for each. Statuses: INVALID_STATE (also: the kernel is not linear; with lambdas a predictor; refinement where
 * there is none), INVALID_ARGUMENT; with lambdas also NOT_FINITE, NOT_POSITIVE_DEFINITE, NOT_CONVERGED, UNDEFINED
 * (as FREERIDGE_MISSING says), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_hyperplane(const freeridge_model* model, int64_t count, const double* lambdas,
                                                    double* w, int64_t ld, double* b);

/* The unpenalised columns and their effects at the lambdas in force. *count: how many there are, q (0: none): those
 * beside the rows (freeridge_set_points), or the first of a reader's x. kept: q numbers, 1 for a column with an effect
 * of its own, 0 for one that depends on the intercept and those before it; effects: a, q x t; errors: their standard
 * errors in the mixed model, f a Gaussian process of covariance tau^2 k and errors of variance lambda tau^2 / W_ii,
 * tau^2 = Y'PY / m by REML (m = n - q, and 1 less with an intercept):
 *     Cov(a, b) = tau^2 (F'M^-1 F)^-1,   F with the intercept's ones,   M = K + lambda W^-1
 * 0 for columns that are not kept. effects and errors are column-major, ld >= q; NULL is fine for each of the four: ask
 * for the number first, with ld 0. *count needs DATA (predictors have it, too), kept of a reader's columns FACTORIZED,
 * all else FITTED; a predictor has effects alone, a reader's model no errors. Cost: O(q t); errors as
 * freeridge_predict_variance at q points. Statuses: INVALID_STATE (also: more than *count of a model without such
 * columns), INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (errors: lambda is 0, or m is: NaN), CANCELLED. Source: C.
 * Henderson, Best linear unbiased estimation and prediction under a selection model, Biometrics 31 (1975). */
FREERIDGE_API freeridge_status freeridge_get_unpenalised(const freeridge_model* model, int64_t* count, int32_t* kept,
                                                         double* effects, double* errors, int64_t ld);

/* covariance: Cov(a) of freeridge_get_unpenalised, whole, whose diagonal is the square of the errors there: q x (q t),
 * column-major, ld >= q, that of output j in the columns q j to q j + q - 1; 0 in the rows and columns of effects that
 * are not kept. It is that of generalised least squares with tau^2 by REML, as mixed models have it, whatever the
 * kernel is; freeridge_coefficient_covariance has sigma2, that of the residuals. Needs FITTED. Cost:
 * freeridge_predict_variance at q points, and n q^2. Memory: q^2 t and n q. Statuses: INVALID_STATE (also: no
 * unpenalised columns), INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (lambda is 0, or m is: NaN), CANCELLED. Source: C.
 * Henderson, as above. */
FREERIDGE_API freeridge_status freeridge_get_unpenalised_covariance(const freeridge_model* model, double* covariance,
                                                                    int64_t ld);

/* The variance components of the mixed model Y = F a + f + e at the lambdas in force, of covariance tau^2 K of f, and
 * where the kernel is a sum, or one within scaled kernels, K = sum_k w_k K_k, of the effects of each term; *count is the number of terms, 1 without a
 * sum (then K_1 = K, w_1 = 1). NULL is fine for each of the outputs: ask for the count first. t numbers, and count x t
 * (column-major), with tau^2 = Y'PY / m:
 *     residual = lambda tau^2     of the errors;      random = w_k tau^2      of term k
 *     share = w_k / (sum_l w_l + lambda)              of random in the sum of all variances
 * share is the heritability h^2 where K_k is a relationship matrix with a diagonal of about 1. error has its standard
 * errors, (count + 1) x t, the last row that of the share of the errors, lambda / (sum_l w_l + lambda), where lambda and
 * the weights are chosen by REML (freeridge_select_kernel), by the delta method: J H^-1 J' has its squares on the diagonal,
 * H the second derivatives of FREERIDGE_REML by log w, as difference quotients of first derivatives, J = d share / d log w;
 * for one term share (1 - share) / l''^(1/2), l'' by log lambda. A variance is 0 where
 * the weight is, or where REML chose the largest lambda of its range. Needs FITTED. Cost: 4 lambdas, the trace of P at
 * each; of two weights or more 4 gradients (freeridge_score_gradient) for each term and output. Statuses: INVALID_STATE,
 * INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (lambda is 0, or m is; error: H is not positive definite, the variance is 0, or
 * there are landmarks and several weights: NaN), CANCELLED. Source: H. Patterson, R. Thompson, Biometrika 58 (1971); J.
 * Endelman, Ridge regression and other kernels for genomic selection with R package rrBLUP, Plant Genome 4 (2011). */
FREERIDGE_API freeridge_status freeridge_variance_components(const freeridge_model* model, int64_t* count,
                                                             double* residual, double* random, double* share,
                                                             double* error);

/* fitted: n x t, column-major, ld >= n: f(x_i) + b, from the residuals (no kernel is evaluated again). Needs FITTED.
 * Cost: O(n r t). Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE (a fitted value overflows), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_get_fitted(const freeridge_model* model, double* fitted, int64_t ld);

/* leverage: n x t, column-major, ld >= n: H_ii at each output's lambda, H the hat matrix (fitted = H Y), the
 * intercept's share included. Its column sums are the effective degrees of freedom. Needs FITTED. Cost as
 * freeridge_loo. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE (the kernel overflows, which can only happen
 * with a forged file), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_get_leverage(const freeridge_model* model, double* leverage, int64_t ld);

/* lambda: t numbers, those in force. Needs FITTED. Statuses: INVALID_STATE, INVALID_ARGUMENT. Cost: O(t). */
FREERIDGE_API freeridge_status freeridge_get_lambda(const freeridge_model* model, double* lambda);

/* *route: what factorize ran (never AUTO). Needs FACTORIZED. Statuses: INVALID_STATE, INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_get_route(const freeridge_model* model, freeridge_route* route);

/* *n, *d, *t: the data's sizes. Needs DATA. Statuses: INVALID_STATE, INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_get_dimensions(const freeridge_model* model, int64_t* n, int64_t* d,
                                                        int64_t* t);

/* *sigma: the bandwidth of the model's kernel: sigma of the Gaussian and Laplacian, length of the Matern kernels,
 * also inside other kernels when it is the only one. The others are what the last freeridge_select_bandwidth saw:
 * *count: how many sigmas it tried; sigmas, scores: those and their criterion, count numbers each, in the order
 * tried; and how sure it can be: *edge: -1 / +1 when the choice sits at the low / high end of the range (the optimum
 * may lie beyond it), else 0; *decades: over how many powers of ten of sigma around the choice, within the range,
 * the criterion stays within 1 % of the lowest (REML: within 0.5), linear between the sigmas tried: a large number
 * means a flat criterion; *dips: how many local minima were seen, ends included, that stand out by more than 1e-8 of
 * the criterion. NULL is fine for each. The search is kept until the factorization is unset or made anew, and not
 * saved. Statuses: INVALID_STATE (sigma: the kernel has no bandwidth, or several; the others: no bandwidth was
 * chosen), INVALID_ARGUMENT. Cost: O(count). */
FREERIDGE_API freeridge_status freeridge_get_bandwidth(const freeridge_model* model, double* sigma, int64_t* count,
                                                       double* sigmas, double* scores, int32_t* edge, double* decades,
                                                       int32_t* dips);

/* ----------------------------------------------------------------------------------------------------
 * Diagnostics and intervals, all from the factorization in hand, at the lambdas set. Notation: H the hat matrix, h_i =
 * H_ii, r = Y - fitted, e the leave-one-out errors, M = K + lambda W^-1, P as in freeridge_loo. All need FITTED. */

/* df: t numbers, tr(H): the effective degrees of freedom, the intercept's included. sigma2: t numbers, the estimate
 * sum_i W_ii r_i^2 / (n - df) of the error variance at weight one (NaN with UNDEFINED where n - df is not positive);
 * NULL is fine for each. ITERATIVE estimates both from the probes that freeridge_estimate_score takes by default.
 * Cost: O(r t) (SPECTRAL, PRIMAL, LANDMARK), O(n b^2) (BAND), n^3/3 (CHOLESKY), as the estimate at a lambda
 * (ITERATIVE). Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE (sigma2 overflows), UNDEFINED, CANCELLED. Source:
 * T. Hastie, R. Tibshirani, Generalized Additive Models, 1990, section 3.5. */
FREERIDGE_API freeridge_status freeridge_degrees_of_freedom(const freeridge_model* model, double* df, double* sigma2);

/* distance: Cook's distances, n x t, column-major, ld >= n: D_i = W_ii e_i^2 h_i / (df sigma2), with df and sigma2 as
 * above; the same number as W_ii r_i^2 h_i / (df sigma2 (1 - h_i)^2). Statuses: INVALID_STATE, INVALID_ARGUMENT,
 * NOT_FINITE (a distance overflows), UNDEFINED (leverage one, or df or sigma2 without a value or 0: NaN), CANCELLED.
 * Cost as freeridge_loo. Source: R. Cook, Detection of influential observation in linear regression, Technometrics 19
 * (1977). */
FREERIDGE_API freeridge_status freeridge_cooks_distance(const freeridge_model* model, double* distance, int64_t ld);

/* What each row does to the fit, lambda and the kernel held, exactly and without refits. With H, h_i, e_i, r_i and df
 * as above, and f_(-i) the fit without row i:
 *     df_(-i)      = df - h_i + ((H^2)_ii - h_i^2) / (1 - h_i)      the trace of the hat matrix without row i
 *     sigma_(-i)^2 = sum_{j != i} W_jj (Y_j - f_(-i)(x_j))^2 / (n - 1 - df_(-i))
 * df and sigma: n x t each, column-major, ld >= n. The studentised residual of row i is e_i / (sigma_(-i) s_i), s_i^2 =
 * 1 / (W_ii (1 - h_i)) the variance of e_i over sigma^2. With SIGMA2 set, sigma is its root in all rows. dfbeta:
 * n x (p t), column-major, ldb >= n: by how much the p coefficients of a linear kernel are above those without row i,
 * for each output the intercept, if the model has one, the d slopes w and the unpenalised columns; that of coefficient
 * k of output j in column k + p j. NULL is fine for each. A row in which an output is not observed does nothing. Cost:
 * that of freeridge_predict_left_out at the n rows and n^2 t; dfbeta: that at p points. Memory: 4 n t, tiles, and n p
 * (t + 2). Statuses: INVALID_STATE (also: dfbeta of a kernel that is not linear), INVALID_ARGUMENT, NOT_FINITE,
 * UNDEFINED (leverage one, or no degrees of freedom are left: NaN), CANCELLED. Source: D. Belsley, E. Kuh, R. Welsch,
 * Regression Diagnostics, 1980, section 2.1. */
FREERIDGE_API freeridge_status freeridge_influence(const freeridge_model* model, double* df, double* sigma, int64_t ld,
                                                   double* dfbeta, int64_t ldb);

/* The score test of a variance component, at the lambdas in force. With P of freeridge_hat_matrix, sigma2 unknown, and
 * the columns U that are not penalised
 *     Y ~ N(U beta, sigma2 (K / lambda + W^-1 + delta D)),     H_0: delta = 0
 *     q = Y'P D P Y / Y'P Y,     p = Pr(sum_k (mu_k - q) z_k^2 > 0)
 * z_k independent standard normal numbers, mu_k the eigenvalues of P^(1/2) D P^(1/2), p by numerical integration, to
 * 1e-9 of itself. The test is exact where lambda and K are known. difference: D, n x n, symmetric, column-major, ld >= n;
 * its upper triangle is not read. A variable is tested with the model of a kernel that does not see the variable, at the lambda that REML chooses for it, and D = K of the whole kernel less that kernel's.
 * statistic and p: t numbers each, q and p. Cost: freeridge_hat_matrix and 11 n^3 for each lambda. Memory: 6 n^2.
 * Statuses: INVALID_STATE (also: outputs with missing values, ITERATIVE), INVALID_ARGUMENT, NOT_FINITE, UNDEFINED
 * (lambda is 0, no degree of freedom is left, or D = 0 on what P sees: NaN), CANCELLED. Sources: X. Lin, Variance
 * component testing in generalised linear models with random effects, Biometrika 84 (1997); D. Liu, X. Lin, D. Ghosh,
 * Semiparametric regression of multidimensional genetic pathway data, Biometrics 63 (2007);
 * S. Rice, Distribution of quadratic forms in normal random variables: evaluation by numerical integration, SIAM
 * Journal on Scientific and Statistical Computing 1 (1980). */
FREERIDGE_API freeridge_status freeridge_score_test(const freeridge_model* model, const double* difference, int64_t ld,
                                                    double* statistic, double* p);

/* Jackknife+ prediction intervals at new points of any kind, without a refit: lower and upper (n x t, in `layout`,
 * leading dimension ldout) hold a new Y with probability at least 2 level - 1, and about `level`, for exchangeable
 * points:
 *     f_(-i)(x) = f(x) + b - a_i(x) e_i,      a(x)'Y = f(x) + b
 *     lower = the floor((1 - level)(n + 1))-th smallest of f_(-i)(x) - |e_i|,  upper = the ceil(level (n + 1))-th
 *     smallest of f_(-i)(x) + |e_i|     (-Inf and +Inf when there is no such i; n, i: the rows of the data)
 * folds -1: lambda and the kernel are held, and the intervals too narrow where points are few and they were learnt. -2:
 * the same with the rows of each group S (freeridge_set_groups, gaps as there) left out together, for points of new
 * groups: f_(-S) of freeridge_predict_left_out and the errors of S in the place of f_(-i) and e_i, over all S and i in S
 * (CV+; rows without a label do not count). Else f_(-i), a and e are those of the model that is chosen again without
 * fold S of the points, i in S, with folds and seed as in freeridge_loo_learnt: then nothing in f_(-i) has seen point i,
 * as the theory asks.
 * 0 < level < 1. Cost, of m new points: O(m n r) as matrix products and O(m n t); CHOLESKY, BAND O(m n^2); memory
 * O(tile) and 2 m t. The first call after a lambda is set makes the left-out errors (freeridge_loo), n t numbers kept
 * with the fit. For each stretch of a reader's points: freeridge_group_errors with -2; freeridge_loo_learnt, and m n t
 * numbers, with folds. Statuses: INVALID_STATE (-2 also: no groups), INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH,
 * UNDEFINED (a left-out error of an output has no value: all its intervals are NaN), CANCELLED, IO; with folds also those
 * of freeridge_loo_learnt. Source: R. Barber, E. Candes, A. Ramdas, R. Tibshirani, Predictive inference with the
 * jackknife+, Annals of Statistics 49 (2021). */
FREERIDGE_API freeridge_status freeridge_predict_jackknife(const freeridge_model* model, const freeridge_points* points,
                                                           double level, int64_t folds, int64_t seed,
                                                           freeridge_layout layout, double* lower, double* upper,
                                                           int64_t ldout);

/* Predictions at m new points of any kind without rows of the data, nothing refitted: with a(x) as above, and e the
 * errors of the rows S left out together (freeridge_loo, freeridge_group_errors; lambda and the kernel are held),
 *     f_(-S)(x) = f(x) + b - sum_{i in S} a_i(x) e_i
 * group: n labels; NULL: row i has the label i. label: m labels; S are for each point the rows with its label, which is
 * none for a label that no row has, or one below 0. out: m x t in `layout`, leading dimension ldout. label NULL, which
 * goes with group NULL: each row by itself, for every point; out: m x (n t), that without row i of output j in column i
 * + n j. Needs FITTED. Cost: freeridge_predict_jackknife's, and with groups freeridge_group_errors. Memory: tiles, and
 * 3 m t or m (n + 2) t numbers. Statuses: INVALID_STATE, INVALID_ARGUMENT (also: group without label, or without one
 * >= 0), NOT_FINITE, DIMENSION_MISMATCH, UNDEFINED (an error has no value: the predictions without its row are NaN),
 * CANCELLED, IO. */
FREERIDGE_API freeridge_status freeridge_predict_left_out(const freeridge_model* model, const freeridge_points* points,
                                                          const int32_t* group, const int32_t* label,
                                                          freeridge_layout layout, double* out, int64_t ldout);

/* Gaussian-process predictive variance at new points of any kind, n x t in `layout`: of f(x) + b, given Y, when f is a
 * Gaussian process of covariance tau^2 k, b flat (with intercept), and the errors have variance sigma^2 / W_ii, sigma^2
 * = lambda tau^2, tau^2 = Y'PY / m (REML, m = n - 1 with an intercept, else n, without copies of rows: FREERIDGE_REML):
 *     variance = tau^2 (k(x, x) - k'M^-1 k + (1 - 1'M^-1 k)^2 / (1'M^-1 1)),   k = k(X, x)
 *     with unpenalised columns F (and the intercept's ones):
 *     variance = tau^2 (k(x, x) - k'M^-1 k + r'(F'M^-1 F)^-1 r),   r = F(x) - F'M^-1 k
 * noise: t numbers, sigma^2, to be added (divided by the weight) for a new observation (there copies are counted in m:
 * it is the noise of one row); NULL is fine. With landmarks k is the restricted k_xR K_RR^-1 K_RX (the prior variance
 * k(x, x) too). lambda must be positive, and so must be the m of tau^2: else UNDEFINED. Cost as
 * freeridge_predict_jackknife (SPECTRAL, BAND, CHOLESKY); O(d r) a point (PRIMAL, LANDMARK). Statuses: INVALID_STATE,
 * INVALID_ARGUMENT (a precomputed kernel: k(x, x) is not known), NOT_FINITE, DIMENSION_MISMATCH, UNDEFINED, CANCELLED,
 * IO. Source: C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, equations 2.26 and 2.42. */
FREERIDGE_API freeridge_status freeridge_predict_variance(const freeridge_model* model, const freeridge_points* points,
                                                          freeridge_layout layout, double* variance, int64_t ldout,
                                                          double* noise);

/* Standard errors of f(x) + b at m new points of any kind, and the covariances of all pairs of points, at the lambdas in
 * force: errors is m x t in `layout`, leading dimension ldout; covariance is m x (m t), column-major, ld >= m, that of
 * output j in the columns m j to m j + m - 1, whose diagonal is the square of the errors; NULL is fine for each of the
 * two. With sigma2 of freeridge_degrees_of_freedom, a(x) of freeridge_predict_jackknife, and v(x, z) the covariance of
 * f(x) + b and f(z) + b over tau^2 under the model of freeridge_predict_variance (which has tau^2 by REML):
 *     BAYESIAN      sigma2 / lambda v(x, z)     the posterior, with the prior f ~ N(0, sigma2 / lambda k)
 *     v(x, z) = k(x, z) - k_x'M^-1 k_z + (1 - 1'M^-1 k_x) (1 - 1'M^-1 k_z) / (1'M^-1 1),   k_x = k(X, x)
 *     FREQUENTIST   sigma2 a(x)'W^-1 a(z)       how the prediction varies with Y, f given
 * For a linear kernel they are those of freeridge_coefficient_covariance at (1, x). lambda = 0: BAYESIAN is UNDEFINED
 * but for linear kernels without unpenalised columns. kind: FREERIDGE_COVARIANCE_... . Needs FITTED. Cost: as
 * freeridge_predict_variance; of pairs m^2 (n + d) more, and all m points at once. Memory: tiles; of pairs 4 m max(n, d)
 * and m^2 (t + 1), ITERATIVE 18 m max(n, d). Statuses: INVALID_STATE, INVALID_ARGUMENT (BAYESIAN: a precomputed kernel,
 * whose k(x, z) is not known), NOT_FINITE, DIMENSION_MISMATCH, UNDEFINED (also: no degrees of freedom are left: NaN),
 * CANCELLED, IO. Sources: C. Rasmussen, C. Williams, as above, equation 2.24; G. Wahba, Bayesian confidence intervals
 * for the cross-validated smoothing spline, Journal of the Royal Statistical Society B 45 (1983). */
FREERIDGE_API freeridge_status freeridge_predict_covariance(const freeridge_model* model,
                                                            const freeridge_points* points,
                                                            freeridge_covariance_type kind, freeridge_layout layout,
                                                            double* errors, int64_t ldout, double* covariance,
                                                            int64_t ld);

/* Linear combinations of predictions at m points of any kind, as averages over points and their differences are: the
 * point i has the factor a_i in combination group[i],
 *     value_gj = sum_{i: group[i] = g} a_i (f_j(x_i) + b_j)
 * group: m numbers from 0 to groups - 1, each of which some point has; NULL: all are 0. factors: a, m finite numbers; NULL:
 * 1 over the number of points in the group, so that the values are averages. Factors of 1/m and -1/m in one group give the
 * difference of two averages, without digits lost to b: average effects of a binary column or of a level. value:
 * groups x t, column-major, ld >= groups; errors: likewise, or NULL; covariance: groups x (groups t), ldc >= groups, as
 * freeridge_predict_covariance has it, or NULL. Both are those of freeridge_predict_covariance, of the combinations:
 *     cov(value_g, value_h) = sum_{i in g, l in h} a_i a_l cov(f(x_i) + b, f(x_l) + b)
 * without the m^2 covariances. Unpenalised columns count with their values. Cost: that of freeridge_predict, and for
 * errors m kernel values with each row or landmark, that of freeridge_predict_covariance at `groups` points, and
 * BAYESIAN without landmarks the kernel values of the pairs of points in a group (for covariances: of all pairs); linear:
 * O(m d). Memory: m d, groups (n + d + groups) and tiles. Statuses: as freeridge_predict_covariance; INVALID_ARGUMENT
 * (also: a group that is out of range, or that no point has), NOT_FINITE (also: a factor). Sources: as
 * freeridge_predict_covariance; A. O'Hagan, Bayes-Hermite quadrature, Journal of Statistical Planning and Inference 29
 * (1991). */
FREERIDGE_API freeridge_status freeridge_predict_combinations(const freeridge_model* model,
                                                              const freeridge_points* points, int64_t groups,
                                                              const int64_t* group, const double* factors,
                                                              freeridge_covariance_type kind, double* value,
                                                              double* errors, int64_t ld, double* covariance,
                                                              int64_t ldc);

/* ----------------------------------------------------------------------------------------------------
 * Eigenvalues, conditioning, and whole matrices. K_c is the kernel matrix as the fit uses it: W^(1/2) K W^(1/2), and
 * with an intercept C W^(1/2) K W^(1/2) C, where C takes out the part along W^(1/2) 1 (without weights: K centred).
 * With landmarks R, K_XR K_RR^-1 K_RX stands for K. A penalised intercept is no intercept here: K + 1 stands for K, for
 * a linear kernel (X, 1) for X, and nothing is centred. All need FACTORIZED. */

/* eigenvalues: the `count` largest of the m eigenvalues Lambda_1 >= Lambda_2 >= ... >= 0 of K_c, m = n - 1 with an
 * intercept (K_c has one zero more, which belongs to it), else n; 1 <= count <= m. Those that are rounding are exactly
 * 0 (those above: freeridge_get_rank, where the route has it). For a linear kernel their square roots are the singular
 * values of W^(1/2) X, X centred with an intercept and divided by the kernel's scales. vectors: n x count,
 * column-major, ld >= n: the eigenvectors, orthonormal, of either sign; of eigenvalues that are not 0 alone (else
 * INVALID_ARGUMENT). NULL is fine for each (ld does not matter without vectors). Cost: SPECTRAL, PRIMAL, LANDMARK:
 * known, the vectors 2 n r count (and the features once more where they are not kept); BAND 6 n^2 b, PRIMAL with
 * sparse x 6 d^2 b, without vectors; CHOLESKY has neither. Statuses: INVALID_STATE (the route does not have them; the
 * message names one that does), INVALID_ARGUMENT, NOT_FINITE, NOT_CONVERGED, CANCELLED. Source: [RL] 4. */
FREERIDGE_API freeridge_status freeridge_eigenvalues(const freeridge_model* model, int64_t count, double* eigenvalues,
                                                     double* vectors, int64_t ld);

/* At count >= 1 given lambdas (each >= 0), whatever lambda is in force; with Lambda as in freeridge_eigenvalues:
 *     condition = (Lambda_1 + lambda) / (Lambda_m + lambda)       of K_c + lambda I, on what the intercept leaves
 *     rank      = sum_k Lambda_k / (Lambda_k + lambda)            the effective rank, or effective dimension
 * The effective rank is the degrees of freedom (freeridge_degrees_of_freedom) without the intercept's one. Both are
 * count numbers; NULL is fine for each. lambda = 0 means K_c and its pseudo-inverse: condition = Lambda_1 over the
 * smallest eigenvalue that is not rounding, rank = how many are not. Cost: freeridge_eigenvalues and O(m) a
 * lambda. Statuses: INVALID_STATE (CHOLESKY, which has no eigenvalues), INVALID_ARGUMENT, NOT_FINITE (a condition
 * overflows), NOT_CONVERGED, UNDEFINED (no eigenvalue: n = 1 with an intercept; or all are 0, and so is lambda:
 * condition is NaN), CANCELLED. Source: G. Golub, C. Van Loan, Matrix Computations, 2013, section 2.6.2; T. Zhang,
 * Learning bounds for kernel regression using effective data dimensionality, Neural Computation 17 (2005). */
FREERIDGE_API freeridge_status freeridge_condition_number(const freeridge_model* model, int64_t count,
                                                          const double* lambdas, double* condition, double* rank);

/* Two n x n matrices at one given lambda >= 0, whatever lambda is in force; column-major, ld >= n, NULL is fine for
 * each of them:
 *     hat      H,  fitted = H Y                   the smoother, or hat matrix; its diagonal: freeridge_get_leverage
 *     inverse  P,  c = P Y (freeridge_coefficients),  M = K + lambda W^-1:
 *              without intercept  M^-1            without weights (K + lambda I)^-1
 *              with an intercept  M^-1 - M^-1 1 1'M^-1 / (1'M^-1 1)
 * H = I - lambda W^-1 P, so P is called the residual maker. H is symmetric without weights; H 1 = 1 and P 1 = 0 with
 * an intercept. lambda = 0: H projects, as least squares do (where K is regular H = I), and P = W^(1/2) K_c^+ W^(1/2)
 * with the pseudo-inverse of K_c. LANDMARK: P as above with the K of this section's head; freeridge_coefficients has
 * the c of the landmarks instead. Errors: SPECTRAL, PRIMAL, LANDMARK: rounding of the largest number in H, and in P;
 * BAND, CHOLESKY: that times the condition of K_c + lambda I. Memory: some times 256 columns, beside the caller's n^2
 * or 2 n^2 numbers. Cost: 2 n^2 r (SPECTRAL, PRIMAL, LANDMARK; twice that for both; where the features are not kept
 * they are made n / 256 times), 4 n^3 (BAND), 7/3 n^3 (CHOLESKY), 4 n d^2 and n times the entries (PRIMAL with sparse
 * x). Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, NOT_POSITIVE_DEFINITE (as freeridge_set_lambda),
 * CANCELLED. Source: D. Hoaglin, R. Welsch, The hat matrix in regression and ANOVA, American Statistician 32 (1978);
 * [CT]. */
FREERIDGE_API freeridge_status freeridge_hat_matrix(const freeridge_model* model, double lambda, double* hat,
                                                    double* inverse, int64_t ld);

/* ----------------------------------------------------------------------------------------------------
 * Coefficients and effects with their errors, at the lambdas in force. sigma2, df, H, P and W as above. All need
 * FITTED. */

/* covariance: of the coefficients of a linear kernel, in the original units of x; p t x p t, column-major, ld >= p t.
 * For each output, one output after another, p of them: the intercept b, if the model has one, and the d slopes w. With
 * X~ = W^(1/2) (X - 1 m') S^-1 = U D V', m the weighted means (0 without an intercept), S the kernel's scales, w =
 * S^-1 v:
 *     BAYESIAN      Cov(v) = sigma2 (X~'X~ + lambda I)^-1
 *     FREQUENTIST   Cov(v) = sigma2 (X~'X~ + lambda I)^-1 X~'X~ (X~'X~ + lambda I)^-1
 *     Var(b) = sigma2 / sum(w) + m'Cov(w) m,   Cov(w, b) = -Cov(w) m
 * A penalised b is the slope of one column more in X, of ones, with S = 1 and m = 0. With landmarks within the slopes
 * that they can have. Between outputs j, k, in the place of sigma2: sigma2_jk = sum_i W_ii r_ij r_ik / ((n - df_j)(n -
 * df_k))^(1/2), and the (X~'X~ + lambda I)^-1 of both lambdas by halves (BAYESIAN: their square roots). kind:
 * FREERIDGE_COVARIANCE_... . Cost: n min(n, d)^2 to 2 n d min(n, d), and d^2 min(n, d) t^2; sparse rows are read as
 * tiles, filled. Memory: (p t)^2, and 8 min(n, d)^2 + 3 d min(n, d). Statuses: INVALID_STATE (also: the kernel is not
 * linear), INVALID_ARGUMENT, NOT_FINITE (a number overflows), UNDEFINED (lambda is 0 and x does not determine the
 * coefficients, or no degrees of freedom are left: NaN), CANCELLED. Sources: A. Hoerl, R. Kennard, Ridge regression:
 * biased estimation for nonorthogonal problems, Technometrics 12 (1970); G. Wahba, Bayesian confidence intervals for
 * the cross-validated smoothing spline, Journal of the Royal Statistical Society B 45 (1983). */
FREERIDGE_API freeridge_status freeridge_coefficient_covariance(const freeridge_model* model,
                                                                freeridge_covariance_type kind, double* covariance,
                                                                int64_t ld);

/* The square roots of its diagonal, without the matrix: w: d x t, column-major, ld >= d, the standard errors of the
 * slopes; b: t of the intercepts (0 without an intercept); NULL is fine. Memory: 8 min(n, d)^2 + 3 d min(n, d). Cost:
 * n min(n, d)^2 to 2 n d min(n, d), and d min(n, d) t. Statuses: as freeridge_coefficient_covariance. */
FREERIDGE_API freeridge_status freeridge_coefficient_errors(const freeridge_model* model,
                                                            freeridge_covariance_type kind, double* w, int64_t ld,
                                                            double* b);

/* gradient: the derivatives d f(x_i) / d x_ik at new points of any kind, n x (d t) in `layout`, leading dimension
 * ldout; that of output j by column k stands in column k + d j. f(x) = sum_l c_l k(x_l, x) with
 *     d k(x, z) / d x_k = S(x, z) (x_k - z_k) / s_k^2    kernels of the distance, S = 2 phi'(r^2), s the scales
 *     d k(x, z) / d x_k = T(x, z) z_k / s_k^2            kernels of the inner product, T = psi'(x'z)
 * sums and products of kernels by their rules; linear kernels: w. Predictors answer it, too. Cost: that of
 * freeridge_predict (once more for each factor of a product), and 2 n d t flops a point for each kernel that the kernel
 * is made of; linear: O(d t) a point. Memory: tiles. Statuses: INVALID_STATE, INVALID_ARGUMENT (also: a precomputed
 * kernel; laplacian and matern with nu = 0.5, which have no derivative at the points of the data), NOT_FINITE (also: a
 * derivative overflows), DIMENSION_MISMATCH, CANCELLED, IO. */
FREERIDGE_API freeridge_status freeridge_predict_gradient(const freeridge_model* model, const freeridge_points* points,
                                                          freeridge_layout layout, double* gradient, int64_t ldout);

/* The average derivatives over m points of any kind, with their standard errors: with a_i = weights[i] / sum(weights)
 *     average_kj = sum_i a_i d f_j(x_i) / d x_k = delta_k'c_j      delta_lk = sum_i a_i d k(x_i, x_l) / d x_ik
 *     errors_kj  BAYESIAN     (sigma2_j / lambda_j (v_k - delta_k'W^(1/2) P W^(1/2) delta_k))^(1/2)
 *                FREQUENTIST  (sigma2_j |P W^(1/2) delta_k|^2)^(1/2),   as c_j = W^(1/2) P W^(1/2) Y_j
 * v_k = sum_il a_i a_l d^2 k(x_i, x_l) / (d x_ik d x_lk), with landmarks of the kernel that they span. The first are
 * those of the posterior with the prior f ~ N(0, sigma2 / lambda k), the second tell how the average varies with Y, and
 * are smaller, as its bias is not counted: intervals of 95 % from them may cover 3 in 4. weights: m numbers >= 0, not
 * all zero; NULL: all one. kind: FREERIDGE_COVARIANCE_... . average, errors: d x t, column-major, ld >= d; errors may
 * be NULL. Linear kernels: w and its errors. Cost: as freeridge_predict_gradient with one output, 2 n r d (SPECTRAL,
 * LANDMARK) or 2 n^2 d (BAND, CHOLESKY) flops, and BAYESIAN without landmarks m^2 d / 2 derivatives of the kernel.
 * Memory: 2 r d numbers (r: n or the landmarks) and tiles. Statuses: INVALID_STATE, INVALID_ARGUMENT (as
 * freeridge_predict_gradient; a weight < 0), NOT_FINITE, UNDEFINED (no degrees of freedom are left; BAYESIAN: lambda is
 * 0; linear kernels: as freeridge_coefficient_covariance: those errors are NaN), CANCELLED, IO.
 * Sources: J. Hainmueller, C. Hazlett, Kernel regularized least squares, Political Analysis 22 (2014); A. O'Hagan,
 * Bayes-Hermite quadrature, Journal of Statistical Planning and Inference 29 (1991). */
FREERIDGE_API freeridge_status freeridge_average_gradient(const freeridge_model* model, const freeridge_points* points,
                                                          const double* weights, freeridge_covariance_type kind,
                                                          double* average, double* errors, int64_t ld);

/* ----------------------------------------------------------------------------------------------------
 * Choosing lambda and the bandwidth */

/* lambdas: count >= 1 numbers, ascending, evenly spaced in log: the range that freeridge_select_lambda searches by
 * default, from a thousandth of the smallest eigenvalue that is not zero (at least machine epsilon times the largest,
 * and the floor of freeridge_lambda_flags) to a thousand times the largest. Needs FACTORIZED. Cost: O(count).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT, UNDEFINED (all eigenvalues are zero, as with a constant x: no lambda
 * matters). */
FREERIDGE_API freeridge_status freeridge_lambda_grid(const freeridge_model* model, int64_t count, double* lambdas);

/* The criterion at count >= 1 given lambdas (each >= 0), whatever lambda is in force: scores is count x t,
 * column-major, ld >= count. errors, of the same shape, are their standard errors, of LOO, ERROR_RATE, LOG_LOSS and
 * GROUPS alone; NULL is fine: of the n terms q_i of the first three (q_i = e_i^2; 0 or 1; loss_i), or of the G group means of GROUPS,
 *     se^2 = sum_i v_i (q_i - mean)^2 / (sum_i v_i (G - 1)),   v_i the weights (of a group: their sum)
 * Several divisions into groups: q are the means of all G groups, v their parts of what their division leaves out, and
 * se^2 is that times 1 + G rho, rho the mean over groups of (weights of the group / weights of all other rows): a row
 * is in several groups, which are no independent samples (C. Nadeau, Y. Bengio, Machine Learning 52, 2003).
 * Needs FACTORIZED. Cost: LOO: SPECTRAL, PRIMAL O(n r (t + 1)) a lambda as matrix
 * products; ERROR_RATE and LOG_LOSS the same; GCV, REML: O(r t) a lambda; GROUPS as freeridge_group_errors a lambda; BAND 2 n^2 (b +
 * 2 + t) (GCV, REML O(n b^2)); CHOLESKY: n^3/3 more a lambda. ERROR_RATE: the one number of all outputs stands in each
 * column. Statuses: INVALID_STATE (GROUPS without groups), INVALID_ARGUMENT (also: ERROR_RATE and LOG_LOSS with a row
 * of Y that names no class; the message says which; errors of GCV or REML), NOT_FINITE, UNDEFINED (some scores have no value, or
 * are of one term and have no error, or that overflows: they are NaN, the others are valid), CANCELLED, IO (a reader).
 * */
FREERIDGE_API freeridge_status freeridge_score(const freeridge_model* model, freeridge_criterion criterion,
                                               int64_t count, const double* lambdas, double* scores, double* errors,
                                               int64_t ld);

/* freeridge_score of LOO or GCV where the route estimates them (ITERATIVE): errors are the standard errors of the
 * estimates, count x t as scores, and not those of the mean over points, which freeridge_score has. On all other routes
 * the errors are 0. Where lambda is far below the best one, leverages are near 1 and LOO may be off by any factor, with
 * a standard error that says so; GCV is not. From random signs, the probes, the same for every lambda and call. probes:
 * how many, 3 to 10000, or 0: 7, and 32768 / n up to 256 where n is below 4096. Errors of estimates fall as
 * probes^(-1/2). Needs FACTORIZED. Cost: solutions with t + probes right-hand sides at each lambda, to accuracies of
 * 1e-4 and 3e-4 (sparse rows: 1e-4 and 1e-2), in shared passes; what solutions lack is in the errors. Kernels that are
 * not linear: n^2 kernel values, once; and where the error of LOO would be more than 0.4 %, 8 more right-hand sides,
 * the most uncertain rows. Statuses: INVALID_STATE (also: another criterion where the route estimates),
 * INVALID_ARGUMENT (also: another number of probes), NOT_FINITE, UNDEFINED (some scores have no value: NaN; as where
 * rounding keeps solutions from the accuracy that was asked for (FREERIDGE_ACCURACY), or those of estimates from
 * their own, which FREERIDGE_ACCURACY does not move: a larger lambda or another route helps), CANCELLED. Source: M.
 * Hutchinson, Communications in Statistics 19 (1990); docs/numerics.md. */
FREERIDGE_API freeridge_status freeridge_estimate_score(const freeridge_model* model, freeridge_criterion criterion,
                                                        int64_t probes, int64_t count, const double* lambdas,
                                                        double* scores, double* errors, int64_t ld);

/* One number for the criterion (LOO, GCV, REML or GROUPS) at one lambda >= 0, and all its derivatives:
 *     score                     of one output freeridge_score's; of several the sum of score / weighted variance of Y
 *                               (REML: of the scores), as freeridge_select_bandwidth has it (a constant output
 *                               counts with the mean of its squares there)
 *     by_log_lambda             d score / d log lambda
 *     by_log_hyperparameters    d score / d log theta_i for the numbers theta of the kernel in the order of
 *                               freeridge_kernel_get_hyperparameters, as many as it counts (0: NULL is fine); 0 for
 *                               a weight or an offset that is 0
 * Linear kernels without fixed effects, where the route is PRIMAL, or AUTO with fewer columns than rows or a lambda so
 * small that K + lambda I would lose digits, are differentiated by columns;
 * landmarks stay the rows that they are (those that the model has, or would choose now); all else by the factor that
 * the route CHOLESKY makes of the same data, intercept and weights. A factorization by PRIMAL or LANDMARK that the
 * model has is used. Needs DATA, and changes nothing. Cost (docs/numerics.md): n^2 kernel values and as many
 * derivatives of each kernel in the tree, n^3 for P, LOO, GCV and LOG_LOSS n^3 more, EVIDENCE
 * (Newton steps, about 5, + 3) n^3/3 for each output and 3 n^2 numbers, GROUPS 4 n^2 a group and output; memory 1.1
 * n^2 numbers, tiles and the square of the largest group. With r landmarks n r derivatives, LOO and GROUPS 6 n r^2, GCV
 * 4, REML 2, two passes, memory O(r^2) and tiles (GROUPS: the rows of the largest group); by d columns LOO 2 n d^2,
 * memory O(d^2) and tiles; and the factorization where there is none. Statuses: INVALID_STATE (also: GROUPS without
 * groups), INVALID_ARGUMENT (also: ERROR_RATE, which has no derivative; landmarks and a route that has none, or
 * with LOG_LOSS and EVIDENCE, whose derivatives take all pairs of points, and Y of -1 and +1 alone; a precomputed K that is not symmetric), NOT_FINITE, OUT_OF_MEMORY, NOT_POSITIVE_DEFINITE (K + lambda W^-1 is
 * numerically singular, as the CHOLESKY route says it), UNDEFINED (the score has no value), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_score_gradient(const freeridge_model* model, freeridge_criterion criterion,
                                                        double lambda, double* score, double* by_log_lambda,
                                                        double* by_log_hyperparameters);

/* What a fit minimises, and its parts, at count >= 1 given lambdas (each >= 0), whatever lambda is in force:
 *     objective = sum_i W_ii r_i^2 + lambda ||f||_K^2,   r = Y - fitted
 *     training  = sum_i W_ii r_i^2 / sum_i W_ii          the training error, to be compared with LOO of freeridge_score
 *     norm2     = ||f||_K^2 = c'K c                       ||w||^2 for linear kernels
 * each count x t, column-major, ld >= count; NULL where one is not wanted. LANDMARK: f is the fit by the landmarks.
 * lambda = 0: the solution of least norm. By CHOLESKY and BAND norm2 has the rounding of K, some eps |K| |r|^2 /
 * lambda^2, which matters at a small lambda where K has a rank below n. Needs FACTORIZED. Cost: SPECTRAL, PRIMAL,
 * LANDMARK O(r t) a lambda; BAND O(n (b^2 + b t)); CHOLESKY n^3/3 + O(n^2 t). Statuses: INVALID_STATE,
 * INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (some numbers are NaN: no solution at this lambda, or it overflows; the
 * others are valid), CANCELLED. Source: B. Schoelkopf, A. Smola, Learning with Kernels, 2002, section 4.2. */
FREERIDGE_API freeridge_status freeridge_objective(const freeridge_model* model, int64_t count, const double* lambdas,
                                                   double* training, double* norm2, double* objective, int64_t ld);

/* Minimises the criterion over lambda in [low, high] for each output (low = high = 0: the range of
 * freeridge_lambda_grid; where that is UNDEFINED, as no lambda matters: 1) by 100 log-spaced values (CHOLESKY and BAND:
 * 50) and, in the five deepest dips, the minima of polynomials in log lambda through the scores around them, to a
 * relative 1e-7 of lambda (ERROR_RATE, a step function: 100 values alone), and SETS the lambdas found, as
 * freeridge_set_lambdas does. lambda, score: t numbers each, the choice and its score; a tie, within rounding of the
 * criterion, goes to the larger lambda. Needs FACTORIZED, goes to FITTED. Every score seen is kept:
 * freeridge_get_search. The lowest of many scores is too low: by little for a lambda chosen on hundreds of points, by
 * much where many sets of features or many kernels are compared by their scores; then rows that took no part
 * (freeridge_make_holdout) have the last word. Cost: freeridge_score at these values and, for each output, about ten
 * more; and freeridge_set_lambdas. Statuses: INVALID_STATE (GROUPS without groups), INVALID_ARGUMENT (0 < low <= high
 * does not hold; ERROR_RATE as freeridge_score), NOT_FINITE, UNDEFINED (the criterion has no value anywhere in the
 * range), CANCELLED, IO (a reader). */
FREERIDGE_API freeridge_status freeridge_select_lambda(freeridge_model* model, freeridge_criterion criterion,
                                                       double low, double high, double* lambda, double* score);

/* What a search for lambda saw. The caller sets `size`, the pointers to what is wanted, all others NULL, and ld beside
 * `scores`; the library sets `count` and fills what the pointers point at: t numbers each, but for lambdas and scores.
 *     freeridge_search search = {.size = sizeof search, .lambda = lambda, .decades = decades};
 * A field that a call cannot answer must be NULL: `below` for freeridge_get_search and freeridge_moments_select_lambda,
 * `next` for all but the latter, and for freeridge_accumulator_select_lambda standard_error, one_se_lambda,
 * one_se_score, lambdas and scores.
 *     decades  over how many powers of ten of lambda around the choice, within the range searched, the score stays
 *              within 1 % of the best (REML: within 0.5), linear between the lambdas tried: a large number means a flat
 *              criterion
 *     dips     how many local minima the lambdas tried show (those of the grid, its ends included, that stand out by
 *              more than 1e-8 of the score): more than one: the criterion is not unimodal; 0: a constant criterion
 *     one_se   the one-standard-error rule, for LOO, GROUPS and ERROR_RATE: the largest lambda tried, at or above the
 *              choice, up to which every score stays within one standard error of the best one. It sets nothing: hand
 *              the lambdas to freeridge_set_lambdas. Source: L. Breiman, J. Friedman, R. Olshen, C. Stone,
 *              Classification and Regression Trees, 1984, section 3.4.3
 * Statuses of every call that takes a search: INVALID_ARGUMENT (also: size; a field that must be NULL is not; ld is
 * less than count), UNDEFINED (standard_error or one_se was asked for, and the best score is one of one term, which has
 * no standard error: these are NaN, and all else is valid). */
typedef struct freeridge_search {
  int64_t size;           /* sizeof(freeridge_search) */
  int64_t count;          /* set by the library: how many lambdas there are in `lambdas` */
  double* lambda;         /* the choice; of scores that are equal, within rounding, the larger lambda */
  double* score;          /* its score */
  double* standard_error; /* of that score */
  int32_t* edge;          /* -1 / +1 where the choice is the low / high end of the range (the optimum may lie beyond) */
  double* decades;        /* how flat the criterion is around the choice */
  int32_t* dips;          /* how many minima stand out */
  int32_t* below;         /* 1 where errors left out at the choice may have fewer than six digits, else 0 */
  double* one_se_lambda;  /* the choice by the one-standard-error rule */
  double* one_se_score;   /* its score */
  double* next;           /* a lambda to try in one more pass over the rows */
  double* lambdas;        /* count numbers: the lambdas tried, ascending */
  double* scores;         /* count x t, column-major: NaN where a lambda was not tried for that output */
  int64_t ld;             /* of scores; 0: count */
} freeridge_search;

/* What the last freeridge_select_lambda, _bandwidth or _kernel saw. With all pointers NULL it tells the count alone.
 * The search is kept until the factorization is unset or made anew; setting another lambda keeps it. Statuses:
 * INVALID_STATE (no search; standard_error or one_se after a search by GCV or REML, which have none), INVALID_ARGUMENT,
 * UNDEFINED. Cost: O(count t). */
FREERIDGE_API freeridge_status freeridge_get_search(const freeridge_model* model, freeridge_search* search);

/* Chooses the bandwidth sigma of the model's kernel (see freeridge_get_bandwidth) in [low, high], each tried sigma
 * with its own factorization and its own whole lambda search, and leaves the model FITTED at the choice. low = high
 * = 0: from a sixteenth of the median distance of the points (pairs of at most 256 evenly spaced rows; columns
 * divided by the kernel's scales) to 64 times it; budget = 0: the library's choice, 15. With several outputs the
 * criterion is the sum over outputs of score / weighted variance of Y (LOO, GCV, GROUPS; of an output that is constant
 * the mean of its squares stands in the place of the variance), or of the scores (REML, LOG_LOSS); ERROR_RATE: the one number. At
 * most `budget` (>= 3) factorizations are spent (five log-spaced sigmas, then each where the criterion is expected to
 * fall most, until that is below 1e-5 of it or 25 in a row did not lower it by that), and one more when the choice was
 * not the last one tried: the search keeps one factorization at a time, beside the model's own. *sigma: the choice:
 * of all tried whose criterion is within 0.3 % (REML: 0.15) of the lowest, the one nearest in log to the median
 * distance (where all points coincide: to the middle of the range). What was tried, and how sure the choice is, can
 * be asked for: freeridge_get_bandwidth. Needs DATA, goes to FITTED. Cost: that of factorize and select_lambda for
 * each. Statuses: INVALID_STATE (no data, kernel without bandwidth, GROUPS without groups), INVALID_ARGUMENT,
 * NOT_FINITE, NOT_CONVERGED, UNDEFINED (all points coincide; no score has a value), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_select_bandwidth(freeridge_model* model, freeridge_criterion criterion,
                                                          double low, double high, int64_t budget, double* sigma);

/* Learns the kernel: all its free hyperparameters (freeridge_kernel_get_hyperparameters) and lambda together, by the
 * gradient of the criterion, and leaves the model FITTED with the kernel learnt (freeridge_get_kernel), factorized on
 * all rows, and with the lambdas that freeridge_select_lambda chooses on all rows, in a range that holds the lambda
 * found (by REML with the prior below). For a length of its own for every feature the kernel is scaled(s, gaussian(1)),
 * s the features' standard deviations: the lengths given say what a unit of each feature is worth, and a common factor
 * of them is found first.
 *
 * criterion: LOO, GROUPS or REML; GCV where one hyperparameter is free (over several it runs away to kernels that fit
 * nothing but noise); not ERROR_RATE. For Y of -1 and +1 LOG_LOSS: all numbers by EVIDENCE, from one factor on all
 * lengths, in the place of REML; then lambda and one factor on all lengths by n LOG_LOSS, with the prior of the noise and
 * half the square of the factor's logarithm, which is at most 2.5 (where more than a quarter of the rows are copies of
 * others: by REML, which counts them once). Over all lengths LOG_LOSS is optimistic. Or EVIDENCE
 * alone: its lambda is that of kernel logistic regression (freeridge_classifier_fit), one for all outputs, and the least
 * squares fit at it is in force; it has the penalty 1/2 (log(V / 8) / 1.5)^2 of V = spread / lambda, the variance of the
 * log odds, *score is that of the rows learnt on, and freeridge_get_search has no scores; where nothing of the kernel is
 * free, it chooses lambda alone. Both learn without landmarks, on
 * at most 2000 rows where there are any. LOO and GROUPS over many hyperparameters are optimistic: rows that took no part
 * (freeridge_make_holdout) have the last word.
 * label: one for each hyperparameter: negative: held as it is; equal labels: moved together by one factor (the columns
 * of a factor variable; the features of a band). NULL: each by itself, but that what the scales of a scaled kernel make
 * superfluous is held: the first bandwidth (or polynomial's scale) in it, and the scales of a scaled kernel right
 * within it. Weights and offsets that are 0 and scales of constant features are held in any case; a scale of a constant
 * feature that would be free otherwise becomes 2^500: the feature has no part then, and new values of it change no
 * prediction. shrinkage: s > 0; the logarithms of the factors on the scales of a scaled kernel cost 1/2 sum (u -
 * mean)^2 / s^2 beside REML or n t / 2 log(criterion), so that lengths differ by a factor of about e^s unless the data
 * say otherwise. 0: the library's choice, 0.5; infinity: none. REML has a prior of the noise beside it, unless
 * shrinkage is infinity: for each output 1/2 log(1 + spread / lambda), spread the mean of k(x, x) less that of k(x, z)
 * over 64 of the rows, times the mean weight. Where rows are few, REML alone is often flat towards lambda = 0, and
 * would choose a fit without noise; where they are many, the prior decides nothing. rows: the kernel is learnt on so
 * many rows, drawn at random by `seed` (n or more: all; at least 2). 0: the library's choice, 2000. Learning takes
 * O(rows^3) time and 2.25 rows^2 numbers of memory, whatever route is set. Where landmarks are set and rows is more
 * than 2000, REML moves the kernel on 2000 of the rows without landmarks, and then the criterion, REML too, on all of
 * them with r landmarks, as freeridge_score_gradient has it: O(rows r^2) time an evaluation, and the memory of both.
 * These landmarks are those that are given where rows is all; else they are chosen once, by the kernel that REML finds
 * on the sample. evaluations: the most evaluations of a criterion with its gradient on those rows; 0: the library's
 * choice, 100, where shrinkage is more than 1 200, on at most 256 rows 1000; 1: of the given kernel's alone. In
 * addition the same number of REML on a sample of 512 rows, on a part of it and on blocks, and at most 8 for the best
 * lambda of the given kernel where it may be as good as what was found.
 *
 * One factor on all lengths and bandwidths is found on 256 rows of the sample by LOO, as freeridge_select_bandwidth
 * does; from there all move by REML, on the sample and then on the rows; from there by the criterion, if it is another.
 * Between the sample and 1500 rows or more (not sparse, all outputs observed, no fixed effects) they move by the sum of
 * REML over blocks of at most 512 rows that are near one another, as these show short lengths as all rows do; on the
 * rows REML then ends with the first step that lowers it by less than 2.5e-4 of the number of rows times outputs.
 * REML has a second start (without additive kernels a third): lengths of about a standard deviation, and nearly all
 * weight on additive kernels, first on a part of the rows. Of ends within 6 of the lowest left-out errors choose.
 * L-BFGS moves the logarithms within bounds: a scale times what is beyond it between sd / 100 and 100 sqrt(d) times the
 * range of its feature (in a kernel without bandwidths a factor 1000 either way); a bandwidth between a sixteenth of
 * the median distance of the points (within periodic and sphere: of their distance) and 64 times it; a period by a
 * factor 2 either way, as other periods are other local optima; a weight by a factor 10^6, the scale and offset of a
 * polynomial by 1000 either way; lambda as in freeridge_select_lambda. The given kernel stays where nothing with a lower criterion
 * (and its penalty) is found on the rows learnt on. Where weights of the outermost sum are all that is free, by REML
 * with shrinkage infinity, they end at the maximum of the restricted likelihood to all digits, or at exactly 0, by
 * Newton's method. *score: the criterion on all rows at the end, one number for all
 * outputs as in freeridge_select_bandwidth. What was seen: freeridge_get_kernel_search.
 * With FREERIDGE_SMOOTHNESS, and REML: then Matern kernels with nu = 5/2 take the place of those with nu = 3/2, with the
 * lengths found but for one factor on all of them, which REML chooses with lambda, in at most 8 evaluations; where that
 * is lower, and its sum with n t / 2 log(LOO) is, too, they stay, and Gaussian kernels are tried in the same way. With
 * more than 512 rows the factors are those of the sample, and REML on the rows has the last word.
 * Needs DATA, goes to FITTED; the state before is kept on failure. Cost: some 10 to 60 times 4/3 rows^3 flops
 * (REML, GROUPS; LOO twice that) and O(rows^2 d); then factorize and select_lambda.
 * Statuses: INVALID_STATE (no data, a kernel without hyperparameters, GROUPS without groups), INVALID_ARGUMENT,
 * NOT_FINITE, NOT_CONVERGED, UNDEFINED (nothing is free: all points coincide, or all is held; the criterion has no
 * value), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_select_kernel(freeridge_model* model, freeridge_criterion criterion,
                                                       const int32_t* label, double shrinkage, int64_t rows,
                                                       int64_t seed, int64_t evaluations, double* score);

/* Why a stage of freeridge_select_kernel ended. */
typedef int32_t freeridge_search_end;
enum {
  FREERIDGE_SEARCH_NONE = 0,     /* there was no such stage */
  FREERIDGE_SEARCH_GRADIENT = 1, /* the gradient is nearly zero, but where a bound holds: the usual end */
  FREERIDGE_SEARCH_CHANGE = 2,   /* the last steps changed next to nothing */
  FREERIDGE_SEARCH_BUDGET = 3,   /* all evaluations are spent: more may find a lower criterion */
  FREERIDGE_SEARCH_NO_LOWER = 4  /* no lower value along the gradient: as low as rounding lets it be; or no value */
};

/* What freeridge_select_kernel saw. The caller sets `size` and the pointers to what is wanted, all others NULL; the
 * library sets the numbers and fills what the pointers point at. A call with all pointers NULL tells how much room the
 * arrays need.
 *     stage     1: one factor on all lengths, LOO on 256 rows of the sample, at its best lambda; 2: all, REML on the
 *               sample or a part of it, and on blocks of the rows (their sum); 3: the given kernel, the criterion (its `ended` is NONE unless lambda was
 *               moved); 4: all, REML (without landmarks); 5: all, the criterion, with landmarks where they take part in
 *               learning
 *     gradient  the largest derivative by the logarithm of a variable of what is minimised (REML or n t / 2
 *               log(criterion), with the penalty), as far as the bounds leave room; NaN where lambda alone was searched
 *     row       the outputs of the other rows took no part in the choice of the hyperparameters: their left-out errors
 *               (freeridge_loo) are optimistic by the choice of lambda alone
 *     at        a scale at its high bound: the feature does not matter */
typedef struct freeridge_kernel_search {
  int64_t size;                /* sizeof(freeridge_kernel_search) */
  int64_t evaluations;         /* how many kernels and lambdas it tried */
  int64_t hyperparameters;     /* how many the kernel has */
  int64_t learnt;              /* how many numbers beside lambda were free (those that move together count once) */
  int64_t rows;                /* on how many rows */
  int64_t sample;              /* how many of them were the sample */
  int32_t kept;                /* 1 where nothing better than the given kernel was found, else 0 */
  int32_t lambda_at;           /* -1 / +1 where lambda ended at its low / high bound, else 0 */
  freeridge_search_end* ended; /* 5: why the stages 1, ..., 5 ended */
  int32_t* stage;              /* evaluations, each in their order: of which stage */
  double* score;               /* without the penalty; NaN: no value there */
  double* lambda;              /* that of the score */
  double* gradient;            /* the largest slope */
  int64_t* row;                /* rows: those that it learnt on, from 0, ascending */
  int64_t* variable;           /* hyperparameters, each: which of the `learnt` variables moved it; -1: it was held */
  double* low;                 /* its low bound (where it was held, its value) */
  double* high;                /* its high bound (where it was held, its value) */
  int32_t* at;                 /* -1 / +1 where it ended at its low / high bound, else 0 */
} freeridge_kernel_search;

/* What the last freeridge_select_kernel saw, in `search`. It is kept until the factorization is unset or made anew, and
 * not saved. Statuses: INVALID_STATE (no kernel was learnt), INVALID_ARGUMENT (also: size). Cost: O(evaluations +
 * rows). */
FREERIDGE_API freeridge_status freeridge_get_kernel_search(const freeridge_model* model,
                                                           freeridge_kernel_search* search);

/* Left-out errors with all that was chosen chosen again: n x t, column-major. freeridge_loo holds the kernel and the
 * lambdas that were chosen with all points, and its errors are too small where points are few: with a kernel of many
 * lengths by 7 % on average over 40 sets of 15 to 150 points, by up to 31 %. Here the last freeridge_select_kernel,
 * freeridge_select_bandwidth or freeridge_select_lambda is made again without fold S of the points, for each fold:
 *     errors_i = e_i at the kernel and the lambdas that are chosen without S, i in S
 * e_i is the left-out error of the fit to all points but i.
 * folds: 2 to the number of rows that had a part in the choice, or 0: one for each row up to 50 rows, 20 up to 100
 * rows, else 10; seed: of the folds, as in freeridge_make_folds. With as many folds as rows each row is left out as one
 * would by hand. With fewer folds a search for a kernel begins at the minima of the criterion that the first one found.
 * Points that had no part in the choice of the kernel have the errors of freeridge_loo. Lambdas set after the choice, or
 * chosen after a kernel, change nothing.
 * change: n, or NULL: how much choosing without the row changes the model, as the root mean square change of the
 * left-out errors of all points over their root mean square; 0 for rows without a part in the choice.
 * freedom: 1 number, or NULL: the degrees of freedom of the choice, to be added to those of freeridge_degrees_of_freedom,
 * sum_i d fitted_i / d y_i with the kernel and lambda held: with theta their logarithms, f REML with its penalties,
 *     freedom = sum_i sum_k (d fitted_i / d theta_k) (d theta_k / d y_i) = -tr(H^-1 A),   H = d^2 f / d theta^2,
 *     A_jk = sum_i (d^2 f / d theta_j d y_i) (d fitted_i / d theta_k)
 * to first order: where the fit without a row has another minimum, the choice costs more. Small, and negative where the
 * choice makes the fit smoother as y moves away. Of a smoother kernel (SMOOTHNESS) it is that of learning all its numbers.
 * Known for a kernel chosen by REML on all points of one output without landmarks and missing values, else NaN (and OK).
 * Cost: for each fold that of the choice, of a kernel with fewer folds than rows up to 8 gradients of the criterion (4/3
 * n^3 each) from each minimum, and a factorization; freedom: 4 gradients and 2 factorizations for each number chosen.
 * Memory: as the choice, and 2 n t.
 * Sources: M. Stone, J. R. Stat. Soc. B 36 (1974); J. Ye, J. Am. Stat. Assoc. 93 (1998).
 * Statuses: INVALID_STATE (nothing was chosen since the model was made or loaded, or a kernel with landmarks on more
 * than 2000 rows), UNDEFINED (NaN where a leverage is one, or nothing can be chosen without a row), INVALID_ARGUMENT,
 * OUT_OF_MEMORY, NOT_POSITIVE_DEFINITE, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_loo_learnt(const freeridge_model* model, int64_t folds, int64_t seed,
                                                    double* errors, int64_t ld, double* change, double* freedom);

/* How far the lambdas in force can be trusted; NULL is fine for each. *floor: from this lambda on, rounding changes
 * left-out errors by less than about 1e-6 of the largest of them (0: at every lambda; the largest double: at none that
 * is known). The default searches begin there. below: t flags, 1 where an output's lambda is below the floor and its
 * answers may have fewer than six digits, far below freeridge_get_tolerance none; else 0. (CHOLESKY judges by the
 * estimated condition of K + lambda I at this lambda. Landmarks: also 1 above the floor where some were left out, as
 * freeridge_set_landmarks has it, and rows that the others do not describe leave it open whether (2) with all of them
 * has other answers.) edge: t flags, -1 / +1 where the lambda is what the last search chose and sits at the low / high
 * end of the range it searched (the optimum may lie beyond it), else 0. Needs FITTED. Cost: O(r + t); CHOLESKY and
 * BAND, below the floor, as freeridge_set_lambda unless all outputs have one lambda. Statuses: INVALID_STATE,
 * INVALID_ARGUMENT, NOT_POSITIVE_DEFINITE (only after loading a forged file), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_lambda_flags(const freeridge_model* model, double* floor, int32_t* below,
                                                      int32_t* edge);

/* group: n labels, a column for freeridge_set_groups: rows dealt at random into `folds` folds of sizes that differ by
 * one at most (2 <= folds <= n), reproducible from the seed on any machine. Statuses: INVALID_ARGUMENT. Cost: O(n). */
FREERIDGE_API freeridge_status freeridge_make_folds(int64_t n, int32_t folds, int64_t seed, int32_t* group);

/* group: n labels for one hold-out: round(fraction n) rows at random get 0, at least 1 and at most n - 1, the others
 * -1; n >= 2, 0 < fraction < 1. Statuses: INVALID_ARGUMENT, NOT_FINITE. Cost: O(n). */
FREERIDGE_API freeridge_status freeridge_make_holdout(int64_t n, double fraction, int64_t seed, int32_t* group);

/* Contiguous blocks with gaps, for rows in order of time. group: n labels 0, ..., folds - 1 (2 <= folds <= n): `folds`
 * runs of rows whose sizes differ by one at most, the larger ones first. *layers: how many layers of gaps there are;
 * gap: n x *layers labels for freeridge_set_groups, -1 for none: the `before` rows before a block and the `after` rows
 * after it, as far as there are, 0 or more each. With after >= n every row after a block is left out with it, so that
 * the block is predicted from its past alone; the first block then has no other rows, and gets the label -1 from the
 * caller. Each of layers, group and gap may be NULL: not wanted; ask for *layers first. Statuses: INVALID_ARGUMENT.
 * Cost: O(n), the gaps O(n layers). */
FREERIDGE_API freeridge_status freeridge_make_blocks(int64_t n, int32_t folds, int64_t before, int64_t after,
                                                     int64_t* layers, int32_t* group, int32_t* gap);

/* lambda in the conventions of other systems. V is a loss term of this library, 1/2 (Y_i - f_i)^2, log(1 + exp(-y_i
 * f_i)) (LOGISTIC) or max(0, 1 - y_i f_i) (HINGE), and lambda_total that of sum V + lambda_total / 2 ||f||^2, which
 * models and classifiers take. docs/other-systems.md has the table with the standardisation that each means. */
typedef int32_t freeridge_convention;
enum {
  FREERIDGE_CONVENTION_TOTAL = 1,    /* this library: sum V + L / 2 ||f||^2 */
  FREERIDGE_CONVENTION_MEAN = 2,     /* 1/n sum V + L / 2 ||f||^2: lambda_total / n */
  FREERIDGE_CONVENTION_GLMNET = 3,   /* glmnet, alpha = 0: lambda_total sd_y / n, sd_y the standard deviation of y with
                                      1/n; x as glmnet standardises it (1/n too) */
  FREERIDGE_CONVENTION_SKLEARN = 4,  /* scikit-learn's alpha (Ridge, RidgeCV, KernelRidge): lambda_total */
  FREERIDGE_CONVENTION_LM_RIDGE = 5, /* MASS::lm.ridge: lambda_total, on columns divided by their standard deviation
                                        with 1/n */
  FREERIDGE_CONVENTION_KRLS = 6,     /* KRLS: lambda_total, on standardised x and y; its kernel is exp(-||x - z||^2 /
                                    sigma) */
  FREERIDGE_CONVENTION_GURLS = 7,    /* GURLS: lambda_total / n */
  FREERIDGE_CONVENTION_TIKHONOV_SQUARED = 8,   /* 1/n sum (Y_i - f_i)^2 + L ||f||^2: lambda_total / n */
  FREERIDGE_CONVENTION_TIKHONOV_HALF = 9,      /* 1/n sum 1/2 (Y_i - f_i)^2 + L ||f||^2: lambda_total / (2 n) */
  FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC = 10, /* 1/n sum V + L ||f||^2, the logistic loss: lambda_total / (2 n) */
  FREERIDGE_CONVENTION_TIKHONOV_HINGE = 11,    /* 1/n sum V + L ||f||^2, the hinge loss: lambda_total / (2 n) */
  FREERIDGE_CONVENTION_COST = 12,          /* L sum V + 1/2 ||f||^2: 1 / lambda_total: C of LIBSVM and LIBLINEAR, and
                                                  of scikit-learn's SVC and LogisticRegression */
  FREERIDGE_CONVENTION_COST_MEAN = 13,     /* L / n sum V + 1/2 ||f||^2: n / lambda_total */
  FREERIDGE_CONVENTION_COST_MEAN_NORM = 14 /* L / n sum V + ||f||^2: 2 n / lambda_total */
};

/* *out: lambda (>= 0; > 0 where one of the two is a COST, which is infinite at lambda_total = 0) of convention `from`
 * in convention `to`, for n points; sd_y > 0 is used by GLMNET alone, and any finite number else. Statuses:
 * INVALID_ARGUMENT, NOT_FINITE (also: the result overflows). Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_convert_lambda(freeridge_convention from, freeridge_convention to, int64_t n,
                                                        double sd_y, double lambda, double* out);

/* ----------------------------------------------------------------------------------------------------
 * Save and load. One form for files and memory: little-endian, versioned and checksummed, the same on every machine,
 * and read by every later version (docs/file-format.md describes it to the byte). Two kinds:
 *   - the whole model: settings, data, factorization, lambdas, solution and the search. What is loaded is in the state
 *     that was saved, with data of its own, and goes on as the saved model would, to the last bit on the same machine
 *     with the same number of threads; nothing is factorized again. (CHOLESKY and BAND factorize for every lambda: the
 *     first answer after loading that needs more than the solution does that once more, and is NOT_POSITIVE_DEFINITE if
 *     K + lambda I is singular to rounding here, though it was not where it was saved.) A callback is not saved.
 *   - a predictor: only what prediction needs: the kernel, b, lambda, and either w, or c with its points (n (d + t)
 *     numbers; with landmarks r (d + t)). What is loaded answers freeridge_predict, freeridge_predict_points,
 *     _predict_gradient, _get_unpenalised (count, effects), _get_dimensions, _get_lambda, _hyperplane (w of linear
 *     kernels), _coefficients (c of other kernels; where K is singular, it may lack a part that K maps to zero, which
 *     changes no prediction), both with b and without lambdas, and freeridge_set_progress, and can be saved as a
 *     predictor again; every other call on it is INVALID_STATE.
 * The kernel is saved as its text, which is read back at most 64 kernels deep (freeridge_kernel_parse): a deeper one is
 * INVALID_ARGUMENT. Writing and reading stream: beside the model no memory is needed. Costs: B is the bytes of the
 * file, about those of the model's numbers (of K one triangle). */

/* What is saved of a model. */
typedef int32_t freeridge_save_kind;
enum {
  FREERIDGE_SAVE_MODEL = 0,    /* the whole model, in any state */
  FREERIDGE_SAVE_PREDICTOR = 1 /* a predictor; needs FITTED, or a model that was saved as a predictor */
};

/* Saves what `what` says of the model, a freeridge_save_kind, to a file. path: handed to the system as it is (UTF-8
 * where the system's paths are). The file is written aside, in the same directory, brought to the disk (fsync) and
 * renamed: whatever happens, there is the old file or the new one, whole; a process that is killed may leave a file
 * ".freeridge-<process>-<k>.tmp" behind. The new file gets the permissions of the one that it replaces; a file that may
 * not be written to is not replaced. A symbolic link stays, and the file that it points to is replaced. A device is
 * written to directly. The callback is called until the last byte is written, not while the disk is waited for. A
 * cancelled call leaves the old file as it was, and no other. Changes no state. Statuses: INVALID_ARGUMENT (also: an
 * empty path; another number), INVALID_STATE (MODEL: of a predictor; PREDICTOR: before FITTED), IO (with the system's
 * words), CANCELLED. Cost: O(B). */
FREERIDGE_API freeridge_status freeridge_save(const freeridge_model* model, freeridge_save_kind what, const char* path);

/* Makes a model of what freeridge_save wrote. *out is set on success only. The checksum of
 * the whole file is checked before any number in it is believed, and sizes are checked against the file before memory
 * is asked for. Statuses: INVALID_ARGUMENT, IO, CORRUPT (cut short, changed, or not saved by this library),
 * NEWER_FORMAT (written by a later version). Cost: O(B), in two passes over the file. */
FREERIDGE_API freeridge_status freeridge_load(const char* path, freeridge_model** out);

/* The same to memory: bytes: `size` of them; *length: how many are needed. size = 0 (bytes may be NULL): the length
 * alone. No callback is called. Statuses: as freeridge_save but for IO and CANCELLED; INVALID_ARGUMENT (size too small;
 * *length is set, and bytes are untouched). Cost: O(B); the length alone O(n + d + t). */
FREERIDGE_API freeridge_status freeridge_save_to_memory(const freeridge_model* model, freeridge_save_kind what,
                                                        int64_t size, void* bytes, int64_t* length);

/* What was saved: exactly its `size` >= 1 bytes, which are not kept. They may be those of a file. *out is set on
 * success only. Statuses: as freeridge_load but for IO. Cost: O(B). */
FREERIDGE_API freeridge_status freeridge_load_from_memory(const void* bytes, int64_t size, freeridge_model** out);

/* Where the x of all n rows stands among the bytes of a predictor or a classifier that was saved: the bytes from *first
 * (counted from 0) on, *length of them, are x, n x d, column by column, as 8-byte little-endian doubles. Who keeps x
 * anyway may keep the bytes without these, and put them back, the same to the last bit, before loading. *length = 0,
 * *first = 0: they do not hold it (a linear kernel, landmarks or a precomputed kernel of a predictor; an EMPTY
 * classifier). Statuses: INVALID_ARGUMENT (size < 1), CORRUPT (also: bytes of a model or an accumulator),
 * NEWER_FORMAT. Cost: one pass over the bytes. */
FREERIDGE_API freeridge_status freeridge_locate_saved_x(const void* bytes, int64_t size, int64_t* first,
                                                        int64_t* length);

/* ----------------------------------------------------------------------------------------------------
 * Streaming: ridge regression on rows that come in chunks, from disk or from many machines. An accumulator keeps the
 * triangular factor of the weighted [1 X Y], centred as it goes (Householder QR by blocks of rows; Golub & Van Loan,
 * Matrix Computations, section 5.1), and the rows since the last block: with p = 1 + d + t at most p (p + max(512, 4
 * p)) doubles whatever n is, about as many again while rows are added or an answer is made. As accurate as all rows at
 * once; the state depends on the rows and their order, not on the chunks they came in. The problem is (1) with the
 * linear kernel, and the answers are those of a model with the route PRIMAL, lambda = 0 and a deficient rank included.
 * One accumulator is used by one thread at a time; const calls may run side by side. */
typedef struct freeridge_accumulator freeridge_accumulator; /* rows, reduced to what answers need; opaque */

/* Makes an empty accumulator for d features and t outputs (1 + d + t <= 2147483647); *out is set on success only. The
 * intercept is not penalised; a penalised one is a column of ones beside x, and intercept = 0.
 * Statuses: INVALID_ARGUMENT. Cost: O(d + t). */
FREERIDGE_API freeridge_status freeridge_accumulator_create(int64_t d, int64_t t, int32_t intercept,
                                                            freeridge_accumulator** out);

/* Makes an empty accumulator over the features of landmarks, for any kernel but a linear and a precomputed one: z are
 * the coordinates of r landmarks, r x d in `layout`, which need not be rows of the data, and rows x of d numbers are
 * taken as
 *     phi(x) = L^-1 k(z, x),   k(z, z) = L L'      (landmarks that depend on others are left out)
 * so that it answers as a model does whose route is LANDMARK, with these landmarks: criteria, left-out errors in a
 * second pass, and the predictor, which are all calls below but freeridge_accumulator_solve. reduction: as of
 * FREERIDGE_REDUCTION; AUTO is GRAM. Only accumulators of the same kernel, z, t, intercept and reduction merge;
 * where processors differ, make one, and hand its bytes to all. The kernel is not needed afterwards. Memory: about 30
 * r^2 numbers, of which z and L are saved, too. *out is set on success only. Adding n rows takes n r kernel values and
 * n r^2 flops (QR: 4 n r^2), a second pass as many values and 2 n r^2. Statuses: INVALID_ARGUMENT (also: a linear or a
 * precomputed kernel), DIMENSION_MISMATCH (a kernel of scaled columns of another number), NOT_FINITE. Cost: r^2 kernel
 * values, r^3. */
FREERIDGE_API freeridge_status freeridge_accumulator_create_landmarks(const freeridge_kernel* kernel,
                                                                      freeridge_layout layout, int64_t r, int64_t d,
                                                                      const double* z, int64_t ldz, int64_t t,
                                                                      int32_t intercept, freeridge_reduction reduction,
                                                                      freeridge_accumulator** out);

/* Frees an accumulator; NULL is fine. Cost: O(1). */
FREERIDGE_API void freeridge_accumulator_destroy(freeridge_accumulator* accumulator);

/* The parameters of an accumulator ("Parameters"): UNPENALISED, and INTERCEPT, which can only be asked for. Rows may
 * have been added before; only accumulators of the same UNPENALISED merge. Setting it undoes
 * freeridge_accumulator_prepare. Statuses: INVALID_ARGUMENT, NOT_FINITE. Cost: O(1); O(count) a row more in a second
 * pass. */
FREERIDGE_API freeridge_status freeridge_accumulator_set_parameter(freeridge_accumulator* accumulator,
                                                                   freeridge_parameter parameter, double value);
FREERIDGE_API freeridge_status freeridge_accumulator_get_parameter(const freeridge_accumulator* accumulator,
                                                                   freeridge_parameter parameter, double* value);

/* *count: how many columns are not penalised; kept: that many flags, 0 where a column depends on the intercept and
 * those before it, which needs rows, else 1. NULL is fine for each: ask for the number first. Statuses:
 * INVALID_ARGUMENT, INVALID_STATE, NOT_FINITE, NOT_CONVERGED, CANCELLED. Cost: O(1); kept: as of the first answer. */
FREERIDGE_API freeridge_status freeridge_accumulator_get_unpenalised(const freeridge_accumulator* accumulator,
                                                                     int64_t* count, int32_t* kept);

/* Adds the rows of points, with y (n x t) in `layout`; weights: n positive numbers, or NULL: all one. A reader hands
 * out y and the weights itself (both NULL here), and may have n = -1; all of its rows are added, or none. n = 0 is
 * fine, and then no array is read: a process may have no rows. The arrays are not needed afterwards. Rows may come one
 * at a time: they are collected, and reduced in blocks; sparse rows give the accumulator that the ordinary matrix
 * gives, bit for bit. Unpenalised columns are the first ones of x (FREERIDGE_UNPENALISED), and none
 * beside it. Cost: 2 n (d + t)^2, a quarter more when d + t is large. Statuses: INVALID_ARGUMENT, NOT_FINITE (also: a
 * number, weighted and centred, beyond 1e300), DIMENSION_MISMATCH, CANCELLED, IO. */
FREERIDGE_API freeridge_status freeridge_accumulator_add(freeridge_accumulator* accumulator,
                                                         const freeridge_points* points, freeridge_layout layout,
                                                         const double* y, int64_t ldy, const double* weights);

/* Adds all rows of another accumulator of the same d, t and intercept, and with landmarks of the same kernel, landmarks
 * and reduction; `other` stays as it is. Cost: O((d + t)^3). Statuses: INVALID_ARGUMENT (the same accumulator),
 * DIMENSION_MISMATCH, NOT_FINITE (as for add), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_merge(freeridge_accumulator* accumulator,
                                                           const freeridge_accumulator* other);

/* callback: see freeridge_progress; NULL: none. `user` is handed to it. Called by add, merge, compact, prepare, solve,
 * score, objective, select_lambda, lambda_grid, errors, moments, get_unpenalised,
 * squared_errors, predictor and save. Changes nothing else. Cost: O(1). Statuses:
 * INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_accumulator_set_progress(freeridge_accumulator* accumulator,
                                                                  freeridge_progress callback, void* user);

/* *bytes: what the accumulator will allocate at most, however many rows are added, with its answers (groups of rows
 * apart: freeridge_accumulator_moments) and beside the arrays that are handed over. Cost: O(1). Statuses:
 * INVALID_ARGUMENT, OUT_OF_MEMORY (that exceeds the address space). */
FREERIDGE_API freeridge_status freeridge_accumulator_memory_required(const freeridge_accumulator* accumulator,
                                                                     int64_t* bytes);

/* *n, *d, *t: the rows so far and the sizes; *sum_w: the sum of their weights. NULL is fine for each. Cost: O(1).
 * Statuses: INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_accumulator_get_dimensions(const freeridge_accumulator* accumulator,
                                                                    int64_t* n, int64_t* d, int64_t* t, double* sum_w);

/* The solutions of (1) at `lambdas`, count >= 1 numbers >= 0 (0: minimum norm): w is d x (count t), column-major with
 * ld >= d, output j of lambda l in column l t + j; b: t x count (0 without intercept). Needs rows (INVALID_STATE).
 * Cost: O((d + t)^3) for the first answer after rows were added, which the others share; O(d^2 t) for each lambda.
 * Statuses: INVALID_STATE (also: landmarks), INVALID_ARGUMENT, NOT_FINITE, NOT_CONVERGED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_solve(const freeridge_accumulator* accumulator, int64_t count,
                                                           const double* lambdas, double* w, int64_t ld, double* b);

/* Criteria that need no second pass, GCV and REML, at `lambdas`, count >= 1 numbers >= 0: scores is count x t,
 * column-major, ld >= count. Cost: O(d t) for each lambda, beside the first answer's (freeridge_accumulator_solve).
 * Statuses: INVALID_STATE, INVALID_ARGUMENT (another criterion), NOT_FINITE, NOT_CONVERGED, UNDEFINED (NaN entries; by
 * the reduction GRAM also where the residuals are so small beside y, below about 5e-5 of it, that their squares have no
 * six digits in the sums), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_score(const freeridge_accumulator* accumulator,
                                                           freeridge_criterion criterion, int64_t count,
                                                           const double* lambdas, double* scores, int64_t ld);

/* freeridge_objective for the rows that were added, with its outputs, at `lambdas`, count >= 1 numbers >= 0. Cost: O(d
 * t) for each lambda, beside the first answer's (freeridge_accumulator_solve). Statuses: INVALID_STATE,
 * INVALID_ARGUMENT, NOT_FINITE, NOT_CONVERGED, UNDEFINED (NaN, as of freeridge_accumulator_score), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_objective(const freeridge_accumulator* accumulator, int64_t count,
                                                               const double* lambdas, double* training, double* norm2,
                                                               double* objective, int64_t ld);

/* lambdas: count >= 1 numbers, ascending, evenly spaced in log, as freeridge_lambda_grid. Needs rows. Cost: O(count),
 * beside the first answer's. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, NOT_CONVERGED, UNDEFINED,
 * CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_lambda_grid(const freeridge_accumulator* accumulator,
                                                                 int64_t count, double* lambdas);

/* Minimises GCV or REML over lambda in [low, high] for each output, by the search of freeridge_select_lambda (low =
 * high = 0: the range of freeridge_accumulator_lambda_grid), and tells of it in `search`, which is described before
 * freeridge_get_search. `below` counts landmarks that were left out, too; low = high asks for it at that lambda. Sets
 * nothing: hand the lambdas to freeridge_accumulator_solve. Needs rows. Cost: O(d t) for each of 100 lambdas and about
 * ten more for each output, beside the first answer's (freeridge_accumulator_solve). Statuses: INVALID_STATE,
 * INVALID_ARGUMENT (another criterion; 0 < low <= high does not hold; a field that must be NULL is not), NOT_FINITE,
 * NOT_CONVERGED, UNDEFINED (the criterion has no value anywhere in the range; the outputs are untouched), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_select_lambda(const freeridge_accumulator* accumulator,
                                                                   freeridge_criterion criterion, double low,
                                                                   double high, freeridge_search* search);

/* The second pass: exact errors left out of n of the rows that were added (in any chunks, any order), at count >= 1
 * lambdas: points, y (n x t in `layout`) and weights as of freeridge_accumulator_add, those that the rows were added
 * with; a reader's n must be known. errors is n x (count t), column-major with ld >= n, output j of lambda l in column
 * l t + j. group: NULL: each row is left out by itself (leave-one-out). The sum of W_ii e_i^2 over all chunks, divided
 * by sum_w, is the criterion LOO. Else n labels: the rows of one label >= 0 are left out together, whole groups in each
 * call, with errors as of freeridge_group_errors: NaN in rows with a negative label. Rows that were never added get
 * meaningless numbers. Sparse rows have the errors of the ordinary matrix, bit for bit. Cost: O(n d (d + count t)),
 * once O((d + t)^3); groups: as of freeridge_accumulator_moments, whose memory they take, and that of the errors once
 * more. Statuses: INVALID_STATE, INVALID_ARGUMENT (also: no label >= 0), NOT_FINITE, DIMENSION_MISMATCH, NOT_CONVERGED,
 * UNDEFINED (NaN: leverage one, or so near one that 1 - leverage, less than about 1e-8, has no six digits; with n <= d
 * also rows so large beside others that the sums of all have lost the others' digits; groups: the other rows do not
 * determine the group's predictions, or the sums of all rows do not tell them to six digits), OUT_OF_MEMORY, CANCELLED,
 * IO. */
FREERIDGE_API freeridge_status freeridge_accumulator_errors(const freeridge_accumulator* accumulator,
                                                            const freeridge_points* points, freeridge_layout layout,
                                                            const double* y, int64_t ldy, const double* weights,
                                                            const int32_t* group, int64_t count, const double* lambdas,
                                                            double* errors, int64_t ld);

/* The errors of the solutions at count >= 1 lambdas on rows that were NOT added, a development set: points, y (n x t)
 * in `layout`, weights as of freeridge_accumulator_add. *sum_w: the sum of their weights; squares: count x t,
 * column-major with ld >= count:
 *     squares = sum_i W_ii (y_i - w'x_i - b)^2       w, b of freeridge_accumulator_solve at this lambda
 * Both are sums over rows: those of several chunks, or of several machines, add up, and squares / *sum_w is the mean
 * squared error, to be minimised over lambda. Sparse rows have the sums of the ordinary matrix, bit for bit. NULL is
 * fine for sum_w. Needs rows that were added. Cost: O(n d count t), once O((d + t)^3). Statuses: INVALID_STATE,
 * INVALID_ARGUMENT, NOT_FINITE (also: a sum overflows), DIMENSION_MISMATCH, NOT_CONVERGED, CANCELLED, IO. Source: R.
 * Rifkin, Regularized Least Squares (slides, "Types of validation"). */
FREERIDGE_API freeridge_status freeridge_accumulator_squared_errors(const freeridge_accumulator* accumulator,
                                                                    const freeridge_points* points,
                                                                    freeridge_layout layout, const double* y,
                                                                    int64_t ldy, const double* weights, int64_t count,
                                                                    const double* lambdas, double* sum_w,
                                                                    double* squares, int64_t ld);

/* Saves the accumulator to a file, as freeridge_save does a model. The form is little-endian, versioned and
 * checksummed, the same on every machine; what is loaded goes on as what was saved, bit for bit. The callback is
 * heard, and not saved. Statuses: INVALID_ARGUMENT (also: an empty path), IO, CANCELLED. Cost: O(B), B the bytes. */
FREERIDGE_API freeridge_status freeridge_accumulator_save(const freeridge_accumulator* accumulator, const char* path);

/* The same to memory: bytes, size, length as freeridge_save_to_memory. No callback is heard. Statuses: INVALID_ARGUMENT
 * (size too small; *length is set, and bytes are untouched). Cost: O(B); the length alone O(1). */
FREERIDGE_API freeridge_status freeridge_accumulator_save_to_memory(const freeridge_accumulator* accumulator,
                                                                    int64_t size, void* bytes, int64_t* length);

/* Makes an accumulator of what was saved, from the file `path` or from `size` bytes, as freeridge_load and
 * freeridge_load_from_memory do a model. *out is set on success only. Statuses: INVALID_ARGUMENT, IO (a file), CORRUPT
 * (cut short, changed or of something else), NEWER_FORMAT (written by a later version). Cost: O(B). */
FREERIDGE_API freeridge_status freeridge_accumulator_load(const char* path, freeridge_accumulator** out);
FREERIDGE_API freeridge_status freeridge_accumulator_load_from_memory(const void* bytes, int64_t size,
                                                                      freeridge_accumulator** out);

/* ----------------------------------------------------------------------------------------------------
 * Rows in shards: many processes or machines, each with some of the rows (docs/many-rows.md). Each adds its rows to an
 * accumulator; their bytes are merged, in any order; one process prepares the sum, all load its bytes, and each hands
 * out the moments of the left-out errors of its own rows; these are joined, and lambda is chosen from them. Whatever
 * moves bytes will do: MPI, Spark, workers of R, files. */

/* Reduces the rows to their triangle alone: p (p + 1) / 2 numbers, p = 1 + d + t (d + t without an intercept). From
 * then on, and until rows are added, freeridge_accumulator_save_to_memory gives as many bytes as for any other compact
 * accumulator of the same d, t and intercept, also for one without rows. The answers are those that it gave before, bit
 * for bit. Undoes freeridge_accumulator_prepare. Cost: O((d + t)^3). Statuses: INVALID_ARGUMENT, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_compact(freeridge_accumulator* accumulator);

/* Makes now what the first answer would make, the singular value decomposition, and keeps it with the rows, which
 * become compact: what is saved has it, and whoever loads it answers at once, with the same bits. Rows that are added
 * undo it. Needs rows. Cost: O((d + t)^3). Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, NOT_CONVERGED,
 * CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_prepare(freeridge_accumulator* accumulator);

/* inout = the rows of inout and other: the bytes of two compact accumulators of the same d, t and intercept, `size`
 * each, which the result has, too: so it is the operation of a reduction by MPI, of a fold of Spark, or of any pool of
 * workers. In any order and grouping the same but for rounding. Without a handle; any alignment; inout is as it was
 * where the call fails. Statuses: INVALID_ARGUMENT (size < 1; bytes that are not compact, or are prepared),
 * DIMENSION_MISMATCH, CORRUPT, NEWER_FORMAT, NOT_FINITE (as of freeridge_accumulator_merge). Cost: O((d + t)^3). */
FREERIDGE_API freeridge_status freeridge_accumulator_merge_bytes(const void* other, int64_t size, void* inout);

/* The second pass over n >= 0 of the rows that were added, as of freeridge_accumulator_errors, of whose errors e_i no
 * more than the moments. moments: 5 x (count t), column-major, column l t + j for lambda l and output j; of the rows
 * with an error
 *     rows    how many they are
 *     weight  sum_i W_ii
 *     mean    sum_i W_ii e_i^2 / weight
 *     spread  (sum_i W_ii (e_i^2 - mean)^2)^(1/2)
 * and how many have none (leverage one, or too near: NaN in freeridge_accumulator_errors). Moments of chunks and of
 * machines are joined by freeridge_moments_join; without rows they are zeros. group: NULL, or n labels, whole groups in
 * each call, the rows of one label >= 0 a group, wherever they are among the n. The moments are then, of the G groups
 * with errors, q_g = sum_S W_ii e_i^2 / v_g, v_g = sum_S W_ii, the terms of the criterion FREERIDGE_GROUPS:
 *     G,   sum_g v_g,   mean = sum_g v_g q_g / sum_g v_g,   spread = (sum_g v_g (q_g - mean)^2)^(1/2)
 * and how many groups have none. They join by freeridge_moments_join, score and standard error are those of
 * freeridge_moments_score, and freeridge_moments_select_lambda chooses by them. A reader may have n = -1 without
 * groups. Needs rows that were added. Memory of groups, beside the arrays: for each group that has begun and not ended
 * among the rows, s (p + t) numbers for s <= p rows, 2 (p + t)^2 for more, p: as many as x has columns (or landmarks),
 * and 1. Cost: O(n d (d + count t)), once O((d + t)^3); groups: O(n d^2) and for each group and lambda s^2 p + s^3, or
 * p^3 for more rows than p. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH, NOT_CONVERGED,
 * OUT_OF_MEMORY, CANCELLED, IO. */
FREERIDGE_API freeridge_status freeridge_accumulator_moments(const freeridge_accumulator* accumulator,
                                                             const freeridge_points* points, freeridge_layout layout,
                                                             const double* y, int64_t ldy, const double* weights,
                                                             const int32_t* group, int64_t count, const double* lambdas,
                                                             double* moments);

/* The fit at `lambda`, t numbers >= 0 (0: minimum norm), as a model for prediction alone, which is what freeridge_load
 * makes of a predictor: it predicts, can be saved for prediction, and tells dimensions (n: the rows of the
 * accumulator), lambda, intercept and hyperplane. Beyond that it answers, as a model with a reader does, what sums of
 * all rows decide (below freeridge_set_points): standard errors and covariances, degrees of freedom, unpenalised
 * columns; what is saved does not. Of landmarks it is an expansion over them: n is how many are in use,
 * and freeridge_coefficients has theirs. *out is set on success only. Needs rows. Cost: O(d^2 t) for each lambda,
 * beside the first answer's (freeridge_accumulator_solve). Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE,
 * NOT_CONVERGED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_accumulator_predictor(const freeridge_accumulator* accumulator,
                                                               const double* lambda, freeridge_model** out);

/* inout = the moments of the rows of inout and other, 5 x count each, as freeridge_accumulator_moments has them;
 * count >= 1: how many pairs of a lambda and an output. In any order the same but for rounding (T. Chan, G. Golub, R.
 * LeVeque, Algorithms for computing the sample variance, 1983). Statuses: INVALID_ARGUMENT (also: numbers that are no
 * moments), NOT_FINITE (also: a sum overflows). Cost: O(count). */
FREERIDGE_API freeridge_status freeridge_moments_join(int64_t count, const double* other, double* inout);

/* The criterion LOO and its standard error from the moments of all rows, as freeridge_score has them: scores and errors
 * (NULL is fine) are count x t, column-major, ld >= count; lambdas: those of the moments, 5 x (count t). NaN, and
 * UNDEFINED, where a row has no error or there are no rows; no standard error of one row. Statuses: INVALID_ARGUMENT
 * (also: numbers that are no moments), NOT_FINITE, UNDEFINED. Cost: O(count t). */
FREERIDGE_API freeridge_status freeridge_moments_score(int64_t count, const double* lambdas, int64_t t,
                                                       const double* moments, double* scores, double* errors,
                                                       int64_t ld);

/* The lowest LOO of each output among the lambdas > 0, in any order, at which the moments of all rows are known (5 x
 * (count t)). `search`, which is described before freeridge_get_search, tells of the choice; its `lambdas` and `scores`
 * need room for `count` lambdas (one that is given twice counts once). next: where the polynomial through the scores
 * next to the choice is lowest. Hand `next` to one more pass, add its moments to those that there are, and ask again:
 * the choice then has the digits of freeridge_select_lambda, which tries a dip's lambdas in the same way. `next` is the
 * choice itself once that is so, and where the choice is at an end. Statuses: INVALID_ARGUMENT (also: numbers that are
 * no moments, lambda 0), NOT_FINITE, UNDEFINED (no value at any lambda: the outputs are untouched; or as
 * freeridge_get_search). Cost: O(count t). */
FREERIDGE_API freeridge_status freeridge_moments_select_lambda(int64_t count, const double* lambdas, int64_t t,
                                                               const double* moments, freeridge_search* search);

/* ----------------------------------------------------------------------------------------------------
 * Rows that come and go: the problem (1) at one lambda > 0, of the rows that are in a window at present, for one that
 * comes or goes at the cost of a few products with a vector. All answers are those of a fit to the rows that are there,
 * whatever came and went before. With p features (linear kernel: p = d; landmarks: p = r)
 *
 *     linear, or landmarks    the triangle of [1 X Y] with lambda's rows inside (Givens rotations for a row that comes,
 *                             mixed hyperbolic ones for a row that goes: Golub & Van Loan, Matrix Computations, 6.5),
 *                             and a second triangle, of rows that came alone, which takes its place once a window's
 *                             length. Memory: p^2 numbers for each, (d + t) for each row, twice
 *     other kernels           the Cholesky factor of K + lambda W^-1 of the n rows, n^2 numbers
 *
 * Digits that rounding takes are counted, and where they are too many all rows are factorized again at the next
 * answer (2 n p^2; n^3 / 3). So it is where many rows come at once, or lambda changes. A window without a capacity keeps
 * no rows: rows come and do not go, for linear kernels and landmarks. A call on many rows does what a call for each
 * would. One window is used by one thread at a time; const calls may run side by side. */
typedef struct freeridge_window freeridge_window; /* rows that come and go, and their factor; opaque */

/* Makes a window without rows, for d columns and t outputs; *out is set on success only.
 *   landmarks    their coordinates, as dense or sparse points of d columns: f is then in the features phi(x) of
 *                freeridge_accumulator_create_landmarks, whatever rows come. NULL: f is in the space of the kernel
 *   intercept    not penalised; 0: none
 *   lambda       > 0
 *   capacity     as soon as there are more rows the oldest goes. 0: rows are not kept, so that they cannot go, nor have
 *                left-out errors but that of freeridge_window_add; not for other kernels without landmarks
 *   forgetting   f: a row has the weight w f^age after `age` more rows; below 1 with capacity 0 alone, else 1
 * The kernel, which must not be precomputed, is not needed afterwards. Cost: O(p^2); landmarks: r^2 kernel values, r^3.
 * Statuses: INVALID_ARGUMENT (also: a linear kernel with landmarks), DIMENSION_MISMATCH, NOT_FINITE. */
FREERIDGE_API freeridge_status freeridge_window_create(const freeridge_kernel* kernel,
                                                       const freeridge_points* landmarks, int64_t d, int64_t t,
                                                       int32_t intercept, double lambda, int64_t capacity,
                                                       double forgetting, freeridge_window** out);

/* Frees a window; NULL is fine. Cost: O(1). */
FREERIDGE_API void freeridge_window_destroy(freeridge_window* window);

/* callback: see freeridge_progress; NULL: none. `user` is handed to it. Called by add, remove, select_lambda, loo,
 * coefficients and predict. Changes nothing else. Cost: O(1). Statuses: INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_window_set_progress(freeridge_window* window, freeridge_progress callback,
                                                             void* user);

/* The rows of points, in memory, come, the first of them first, with y (n x t in `layout`); weights: n positive
 * numbers, or NULL: all one. errors: n x t, column-major, ld >= n, or NULL: y less the prediction before the row came
 * (and, with a capacity, before the oldest row went): its exact left-out error. It is NaN where there was no row, and an
 * intercept. Cost for each row: 3 p^2, 6 p^2 after a row went, and with left-out errors that were asked for lately 4
 * p^2 + 2 n p; kernels: n kernel values, n^2 to 2 n^2. Many rows at once are kept alone, unless errors are wanted, for
 * the next answer to factorize. Statuses: INVALID_ARGUMENT, NOT_FINITE (also: a number, weighted, beyond 1e290),
 * DIMENSION_MISMATCH, NOT_POSITIVE_DEFINITE (errors are wanted, and the rows need a factorization), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_window_add(freeridge_window* window, const freeridge_points* points,
                                                    freeridge_layout layout, const double* y, int64_t ldy,
                                                    const double* weights, double* errors, int64_t ld);

/* `count` rows go, from 1 to as many as there are. rows: their positions, 0 for the oldest, each once; those behind a
 * row that went move up. NULL: the oldest. Cost for each row: 3 p^2, and with left-out errors as a row that comes;
 * kernels: 3 (n - j)^2 for the position j, 2 n^2 more with left-out errors. Statuses: INVALID_STATE (rows are not kept),
 * INVALID_ARGUMENT, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_window_remove(freeridge_window* window, int64_t count, const int64_t* rows);

/* Sets lambda > 0. Cost: O(1); the next answer factorizes. Statuses: INVALID_ARGUMENT, NOT_FINITE. */
FREERIDGE_API freeridge_status freeridge_window_set_lambda(freeridge_window* window, double lambda);

/* Finds the lambda in [low, high] (low = high = 0: the range of freeridge_lambda_grid) with the least criterion of the
 * rows that are there, LOO, GCV or REML, the mean over the outputs, by the search of freeridge_select_lambda; sets it,
 * and writes it to *lambda and that criterion to *score. Cost: of a factorization of a model of these rows, and its
 * search. Statuses: INVALID_STATE (no rows, or they are not kept), INVALID_ARGUMENT, NOT_FINITE, NOT_POSITIVE_DEFINITE,
 * NOT_CONVERGED, UNDEFINED (the criterion has no value anywhere), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_window_select_lambda(freeridge_window* window, freeridge_criterion criterion,
                                                              double low, double high, double* lambda, double* score);

/* errors: n x t, column-major, ld >= n: for each row, the oldest first, y less the prediction of a fit without it. The
 * first time 2 n p^2 (kernels: n^3 / 3); from then on they are kept up with the rows that come and go, and cost 2 n p
 * (n^2 t). Rows of leverage above 1 - 1e-4 are left out one by one: 2 n p^2, and 3 p^2 log2(m) for each of m such rows.
 * Cost: O(n p). Statuses: INVALID_STATE (no rows, or they are not kept), INVALID_ARGUMENT, NOT_FINITE,
 * NOT_POSITIVE_DEFINITE, UNDEFINED (NaN: one row, and an intercept), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_window_loo(const freeridge_window* window, double* errors, int64_t ld);

/* The solution. c is column-major with a column for each output, ld >= its rows, whose number freeridge_window_get_state
 * tells: w of f(x) = w'x for a linear kernel (d rows), or the coefficients of the landmarks (r rows, 0 for those that
 * depend on others) or of the rows that are there (n rows, the oldest first) in f(x) = sum_i c_i k(x_i, x). b: t
 * numbers, 0 without an intercept. Cost: p^2 t (kernels: n^2 t) after a row came or went; with forgetting 2 p^3.
 * Statuses: INVALID_STATE (no rows), INVALID_ARGUMENT, NOT_FINITE, NOT_POSITIVE_DEFINITE, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_window_coefficients(const freeridge_window* window, double* c, int64_t ld,
                                                             double* b);

/* out: m x t in `layout`: predictions at m points in memory. Cost: that of freeridge_window_coefficients, and O(m d t),
 * or m r (m n) kernel values. Statuses: INVALID_STATE (no rows), INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH,
 * NOT_POSITIVE_DEFINITE, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_window_predict(const freeridge_window* window, const freeridge_points* points,
                                                        freeridge_layout layout, double* out, int64_t ldout);

/* The rows that are there, the oldest first, as they came: x is n x d and y n x t in `layout`, weights n numbers; NULL
 * is fine for each (its ld is not read then). With them a model has all other answers (freeridge_set_data), and another
 * window goes on. Cost: O(n (d + t)). Statuses: INVALID_STATE (no rows, or they are not kept), INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_window_get_rows(const freeridge_window* window, freeridge_layout layout,
                                                         double* x, int64_t ldx, double* y, int64_t ldy,
                                                         double* weights);

/* What is known of a window; NULL is fine for each. *n: the rows that are there (without a capacity: that came); *d,
 * *t; *rows: those of the coefficients; *lambda; *lost: about what part of the answers rounding has taken: by rows that
 * went since the last factorization, 1e-10 at most, and, where the coefficients are of rows, eps times the condition of
 * K + lambda W^-1, at most tr(K + lambda W^-1) max(W) / lambda: above 1e-6 take a larger lambda, or landmarks;
 * *factorizations: how many there were. Cost: O(1). Statuses: INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_window_get_state(const freeridge_window* window, int64_t* n, int64_t* d,
                                                          int64_t* t, int64_t* rows, double* lambda, double* lost,
                                                          int64_t* factorizations);

/* ----------------------------------------------------------------------------------------------------
 * Many small models: one for each patient, gene or station, of its own few rows. */

/* What freeridge_batch finds. A pointer that is NULL asks for nothing. */
typedef struct freeridge_batch_answers {
  int64_t size;    /* sizeof(freeridge_batch_answers) */
  double* w;       /* d x (models t), column-major without gaps, model g's output j in column g t + j: the hyperplanes
                      of linear kernels (freeridge_hyperplane) */
  double* effects; /* q x (models t), likewise: of the unpenalised columns (freeridge_get_unpenalised) */
  double* b;       /* t x models: the intercepts */
  double* lambda;  /* t x models: the choices */
  double* score;   /* t x models: the criterion at them */
  double* df;      /* t x models: freeridge_degrees_of_freedom, and the same for */
  double* sigma2;  /* t x models */
  double* c;       /* n x t: freeridge_coefficients, those of each model in its rows */
  double* errors;  /* n x t: freeridge_loo, likewise */
  int32_t* status; /* models: a freeridge_status for each */
} freeridge_batch_answers;

/* A model for each of many stretches of rows: model g has the rows start[g] ... start[g + 1] - 1 of points and y (n x
 * t, in `layout`), and the settings of `model`, in any state: its kernel, parameters and callback; its data, groups
 * and landmarks have no part. start: models + 1 numbers that ascend from 0 to n. weights: n numbers > 0, or NULL: all
 * one. points: dense rows in memory, with their unpenalised columns. lambda of each output of each model minimises the
 * criterion in [low, high], as freeridge_select_lambda does it, but for the grid of the search, which has 32 lambdas;
 * low = high > 0: this lambda, also where the criterion has no value. The answers are those of a model of these rows
 * alone. A model that has no such answer (no rows, or fewer than unpenalised columns; eigenvalues that are all
 * rounding; an overflow) has its status and NaN, the others are valid, and the call returns UNDEFINED with the reason
 * of the first of them. The models are shared out to the threads (freeridge_set_threads). Cost: for 20 rows and d = 5
 * on a thread about two thirds of that of the calls one by one. Memory: for each thread that of one model. Statuses:
 * INVALID_STATE (w, and the kernel is not linear; the route LANDMARK), INVALID_ARGUMENT (also: start; sparse rows or a
 * reader; GROUPS; a precomputed kernel), NOT_FINITE (a number that goes in), DIMENSION_MISMATCH (lengths of the
 * kernel), UNDEFINED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_batch(const freeridge_model* model, const freeridge_points* points,
                                               freeridge_layout layout, int64_t t, const double* y, int64_t ldy,
                                               const double* weights, int64_t models, const int64_t* start,
                                               freeridge_criterion criterion, double low, double high,
                                               freeridge_batch_answers* answers);

/* ----------------------------------------------------------------------------------------------------
 * Other losses for two classes, y_i = -1 or +1, on the same kernels:
 *     min over f, b   sum_i W_ii L(y_i (f(x_i) + b))  +  lambda/2 ||f||_k^2,      lambda > 0                   (3)
 * with f(x) = sum_i c_i k(x_i, x) and b unpenalised, unless FREERIDGE_INTERCEPT is PENALISED: then the
 * penalty is lambda/2 (||f||_k^2 + b^2), and b = sum_i c_i. HINGE has a limit at lambda = 0, the hard margin:
 *     min over f, b   1/2 ||f||_k^2   subject to   y_i (f(x_i) + b) >= 1                                       (4)
 * A classifier is EMPTY, has DATA, or is FITTED;
 * setters go back to DATA, but for set_progress, which changes no state. With w_i = W_ii, f_i = f(x_i) + b, the
 * stationarity conditions are lambda c_i in -w_i y_i dL(y_i f_i) and, with an intercept, sum_i c_i = 0; where the
 * kernel matrix is singular they single out one c. Sources: LOGISTIC: iteratively reweighted regularized least squares
 * (T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical Learning, section 4.4.1); its leave-one-out: one
 * Newton step from the full solution (D. Pregibon, Logistic regression diagnostics, Annals of Statistics 9 (1981)).
 * HINGE: the dual with box constraints 0 <= alpha_i <= W_ii / lambda, c_i = alpha_i y_i, sequential minimal
 * optimisation (R. Fan, P. Chen, C. Lin, Working set selection using second order information, JMLR 6 (2005)). */
typedef struct freeridge_classifier freeridge_classifier; /* data and a fit by another loss; opaque */

/* A loss. A classifier has one of the first two, of z = y_i (f(x_i) + b); the calls of "Gradients and descent" take
 * all. */
typedef int32_t freeridge_loss;
enum {
  FREERIDGE_LOSS_LOGISTIC = 1, /* L(z) = log(1 + exp(-z)) */
  FREERIDGE_LOSS_HINGE = 2,    /* L(z) = max(0, 1 - z): the support vector machine, C = 1 / lambda */
  FREERIDGE_LOSS_SQUARED = 3,  /* 1/2 (y_i - f(x_i) - b)^2: ridge regression; lambda = 0: least squares */
  FREERIDGE_LOSS_ABSOLUTE = 4  /* |y_i - f(x_i) - b|: lambda = 0: least absolute errors */
};

/* Makes an EMPTY classifier; the kernel is copied. *out is set on success only. Statuses: INVALID_ARGUMENT. Cost: O(1).
 * */
FREERIDGE_API freeridge_status freeridge_classifier_create(const freeridge_kernel* kernel, freeridge_loss loss,
                                                           freeridge_classifier** out);

/* Frees a classifier; NULL is fine. Cost: O(1). */
FREERIDGE_API void freeridge_classifier_destroy(freeridge_classifier* classifier);

/* Copies the data: points, dense or sparse (the copy has their zeros), without unpenalised columns; y: n labels, -1 or
 * +1, both present. Drops the weights. Statuses: INVALID_ARGUMENT (also: a reader), NOT_FINITE, DIMENSION_MISMATCH,
 * CANCELLED. Cost: O(n d). */
FREERIDGE_API freeridge_status freeridge_classifier_set_data(freeridge_classifier* classifier,
                                                             const freeridge_points* points, const double* y);

/* As freeridge_set_weights and freeridge_set_progress; the callback is called by fit, predict,
 * loo and save. Cost: O(n); O(1). Statuses: INVALID_ARGUMENT; weights: also INVALID_STATE, NOT_FINITE. */
FREERIDGE_API freeridge_status freeridge_classifier_set_weights(freeridge_classifier* classifier,
                                                                const double* weights);
FREERIDGE_API freeridge_status freeridge_classifier_set_progress(freeridge_classifier* classifier,
                                                                 freeridge_progress callback, void* user);

/* The parameters of a classifier ("Parameters"): INTERCEPT, TOLERANCE, ITERATIONS, and LOSS, which can only be asked
 * for. *value: what was set, or the usual value. Setting one goes back to DATA. Statuses: INVALID_ARGUMENT, NOT_FINITE.
 * Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_classifier_set_parameter(freeridge_classifier* classifier,
                                                                  freeridge_parameter parameter, double value);
FREERIDGE_API freeridge_status freeridge_classifier_get_parameter(const freeridge_classifier* classifier,
                                                                  freeridge_parameter parameter, double* value);

/* *bytes: what freeridge_classifier_fit will allocate at most beside the data, the kernel matrix included that it
 * keeps. Needs DATA. Cost: O(1). Statuses: INVALID_STATE, INVALID_ARGUMENT, OUT_OF_MEMORY (that exceeds the address
 * space). */
FREERIDGE_API freeridge_status freeridge_classifier_memory_required(const freeridge_classifier* classifier,
                                                                    int64_t* bytes);

/* Solves (3), or at lambda = 0 (HINGE alone) (4), by solutions of (3) at lambdas that fall until no dual number is at
 * its bound; from there on the solution does not change. The kernel matrix is kept for the next lambda, which starts
 * from this solution. Needs DATA, goes to FITTED. Cost: n^2 kernel values once; LOGISTIC n^3/3 a Newton step, usually 5
 * to 10 of them; HINGE O(n) a pair update. Memory: LOGISTIC 2 n^2, HINGE n^2 doubles (and up to 8 MB). Statuses:
 * INVALID_STATE, INVALID_ARGUMENT (lambda < 0, or 0 with LOGISTIC), UNDEFINED (lambda = 0, and no hyperplane separates
 * the classes, or their distance is less than 5e-7 of the largest ||phi(x_i)||; the classifier stays as it was),
 * NOT_FINITE (also: W_ii K_jj / lambda overflows), NOT_CONVERGED (not within the iterations; or lambda is so small that
 * rounding in f = K c, about 1e-16 W_ii K_jj / lambda where the classes overlap, exceeds the tolerance), CANCELLED. At
 * lambda = 0 and with a kernel that all but separates classes that overlap, as a Gaussian one with labels at random,
 * the way to UNDEFINED may take minutes for 1000 points; the iterations bound it. */
FREERIDGE_API freeridge_status freeridge_classifier_fit(freeridge_classifier* classifier, double lambda);

/* decision: n numbers f(x) + b, positive for class +1, for the n points; probability (LOGISTIC, else must be NULL): n
 * numbers 1 / (1 + exp(-decision)); NULL is fine for each. Sparse points and a reader's have the answers of the
 * ordinary matrix. Needs FITTED. Cost: O(n N d) for N rows of the data, linear kernels O(n d). Statuses: INVALID_STATE,
 * INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH, CANCELLED, IO. */
FREERIDGE_API freeridge_status freeridge_classifier_predict(const freeridge_classifier* classifier,
                                                            const freeridge_points* points, double* decision,
                                                            double* probability);

/* decision: n left-out decision values f_(-i)(x_i) + b_(-i). HINGE: of the solution without the row, found from the full
 * one; a row that is no support vector has no part in it, and its value stays. LOGISTIC, approximately: after one Newton
 * step from the full solution,
 *     f_i + g_i S_ii / (1 - v_i S_ii),   S = H V^-1,
 * g_i, v_i: the first and second derivative of the i-th loss term W_ii L(y_i f_i) by f_i, V = diag(v), H the hat matrix
 * of the weighted least squares problem with weights v_i and outputs f_i - g_i / v_i, in which the last Newton step
 * consists: the values are exact leave-one-out values of that problem. Needs FITTED. Cost: 2/3 n^3; HINGE: for each
 * support vector some of the O(n) pair updates of a fit. Memory: n^2 doubles, HINGE O(n). Statuses: INVALID_STATE (also:
 * lambda is 0), INVALID_ARGUMENT, UNDEFINED (leverage one, or the only row of its class that weighs anything: NaN),
 * NOT_CONVERGED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_classifier_loo(const freeridge_classifier* classifier, double* decision);

/* c: n numbers; b: one; NULL is fine for each. Needs FITTED. Cost: O(n). Statuses: INVALID_STATE, INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_classifier_get_coefficients(const freeridge_classifier* classifier, double* c,
                                                                     double* b);

/* How the last fit ended, and how near the solution is to the optimum: the minimum lies between *dual and *dual + *gap,
 * but for rounding.
 *     *objective      the value of (3), at lambda = 0 of (4)
 *     *iterations     Newton steps or pair updates
 *     *stationarity   the stationarity reached, in the units of the tolerance
 *     *dual           HINGE: lambda (sum_i alpha_i - 1/2 c'Kc); at lambda = 0: sum_i alpha_i - 1/2 c'Kc
 *                     LOGISTIC: -sum_i W_ii (p_i log p_i + (1 - p_i) log(1 - p_i)) - lambda/2 c'Kc,
 *                     p_i = lambda alpha_i / W_ii
 *     *gap            the primal value less *dual, as a sum of terms >= 0, without their cancellation. The primal value
 *                     is *objective; at lambda = 0: 1/2 ||f||^2 / m^2, m = min_i y_i (f_i + b), as f / m fulfils all
 *                     constraints
 * alpha_i = c_i y_i; with a penalised intercept K is the matrix of k + 1. NULL is fine for each. Needs FITTED. Cost:
 * O(1); dual and gap O(n). Statuses: INVALID_STATE, INVALID_ARGUMENT, UNDEFINED (*gap at lambda = 0, where m <= 0
 * within the tolerance that was set: NaN). Source: S. Boyd, L. Vandenberghe, Convex Optimization, 2004, section 5.5.1.
 * */
FREERIDGE_API freeridge_status freeridge_classifier_get_convergence(const freeridge_classifier* classifier,
                                                                    double* objective, int64_t* iterations,
                                                                    double* stationarity, double* dual, double* gap);

/* HINGE only: *count: the support vectors (c_i != 0); rows: their rows, ascending, room for n, NULL is fine; *margin: 1
 * / ||f||_k, half the width of the street, Inf when f = 0 (NULL is fine). Needs FITTED. Cost: O(n). Statuses:
 * INVALID_STATE (also: the loss is LOGISTIC), INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_classifier_get_support(const freeridge_classifier* classifier, int64_t* count,
                                                                int64_t* rows, double* margin);

/* distance: n numbers (f(x) + b) / ||f||_k for the n points, positive on the side of class +1: for a linear kernel the
 * Euclidean distance from the hyperplane w'x + b = 0 (of columns that are divided: in their units), for others the
 * distance in the kernel's feature space. Needs FITTED. Cost: as freeridge_classifier_predict. Memory: n doubles.
 * Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (||f||_k = 0: all are NaN), DIMENSION_MISMATCH,
 * CANCELLED, IO. Source: V. Vapnik, Statistical Learning Theory, 1998, section 10.1. */
FREERIDGE_API freeridge_status freeridge_classifier_distances(const freeridge_classifier* classifier,
                                                              const freeridge_points* points, double* distance);

/* What a point is to the solution of HINGE. */
typedef int32_t freeridge_support;
enum {
  FREERIDGE_SUPPORT_NONE = 0,   /* alpha_i = 0: no support vector */
  FREERIDGE_SUPPORT_FREE = 1,   /* 0 < alpha_i < W_ii / lambda: at the margin's edge */
  FREERIDGE_SUPPORT_BOUNDED = 2 /* alpha_i = W_ii / lambda: within the margin, or on its wrong side */
};

/* Of the n points of the data: margin: y_i (f(x_i) + b), positive where the class is right; slack: max(0, 1 - margin),
 * positive on the wrong side of the margin's edge; alpha: the dual numbers alpha_i = c_i y_i, from 0 to W_ii / lambda
 * (at lambda = 0 >= 0); support: a freeridge_support for each point. n numbers each; NULL is fine for each, and must be
 * slack and support of LOGISTIC. Needs FITTED. Cost: O(n). Statuses: INVALID_STATE (also: slack or support of
 * LOGISTIC), INVALID_ARGUMENT. */
FREERIDGE_API freeridge_status freeridge_classifier_get_margins(const freeridge_classifier* classifier, double* margin,
                                                                double* slack, double* alpha,
                                                                freeridge_support* support);

/* What a classifier was told, also of one that was loaded. get_kernel makes a new kernel, to be destroyed by the
 * caller; weights (n numbers, ones unless set) and *n, *d need DATA; *lambda, that of the last fit, needs FITTED.
 * Statuses: INVALID_ARGUMENT; weights, dimensions and lambda: also INVALID_STATE. Cost: O(1); weights O(n). */
FREERIDGE_API freeridge_status freeridge_classifier_get_kernel(const freeridge_classifier* classifier,
                                                               freeridge_kernel** out);
FREERIDGE_API freeridge_status freeridge_classifier_get_weights(const freeridge_classifier* classifier,
                                                                double* weights);
FREERIDGE_API freeridge_status freeridge_classifier_get_dimensions(const freeridge_classifier* classifier, int64_t* n,
                                                                   int64_t* d);
FREERIDGE_API freeridge_status freeridge_classifier_get_lambda(const freeridge_classifier* classifier, double* lambda);

/* Saves the classifier, in any state, to a file, as freeridge_save does a model: settings, data and the fit, but not
 * the kernel matrix. What is loaded predicts, and goes on, as the saved one, to the last bit on the same machine with
 * the same number of threads; n^2 kernel values are made again by the first fit or loo. The callback is heard, and not
 * saved. Statuses: INVALID_ARGUMENT (also: an empty path; a kernel more than 64 kernels deep), IO, CANCELLED. Cost: O(n
 * d). */
FREERIDGE_API freeridge_status freeridge_classifier_save(const freeridge_classifier* classifier, const char* path);

/* The same to memory: bytes, size, length as freeridge_save_to_memory. No callback is heard. Statuses:
 * INVALID_ARGUMENT. Cost: O(n d). */
FREERIDGE_API freeridge_status freeridge_classifier_save_to_memory(const freeridge_classifier* classifier, int64_t size,
                                                                   void* bytes, int64_t* length);

/* Makes a classifier of what was saved, from the file `path` or from `size` bytes, as freeridge_load and
 * freeridge_load_from_memory do a model. *out is set on success only. Statuses: INVALID_ARGUMENT, IO (a file), CORRUPT,
 * NEWER_FORMAT. Cost: O(n d). */
FREERIDGE_API freeridge_status freeridge_classifier_load(const char* path, freeridge_classifier** out);
FREERIDGE_API freeridge_status freeridge_classifier_load_from_memory(const void* bytes, int64_t size,
                                                                     freeridge_classifier** out);

/* ----------------------------------------------------------------------------------------------------
 * About the library */

/* The status as a word, "INVALID_ARGUMENT"; "UNKNOWN" for any other number. Static text. Cost: O(1). */
FREERIDGE_API const char* freeridge_status_name(freeridge_status status);

/* What went wrong in the last failed call on this thread, one line, "" before the first: at most 1023 bytes, UTF-8 that
 * is cut between characters, where a file's name in it is not of other bytes. Valid until the next failed call on this
 * thread; never NULL. Cost: O(1). */
FREERIDGE_API const char* freeridge_last_error(void);

/* *major, *minor, *patch: the version of the library that runs (the macros above: of the header compiled with). NULL is
 * fine for each. Cost: O(1). Statuses: none. */
FREERIDGE_API freeridge_status freeridge_version(int32_t* major, int32_t* minor, int32_t* patch);

/* The number of threads, for the library's own loops and for the BLAS together: one setting for the whole process, and
 * so for all models and for whatever else calls this BLAS. count: from 1 to 1024; 0 goes back to what the BLAS was set
 * to before the first call (OPENBLAS_NUM_THREADS and the like), and where the BLAS has no threads of its own, to
 * OMP_NUM_THREADS or the number of cores. While a loop runs, the BLAS has one thread inside it; no threads are kept
 * between calls. A BLAS may have a limit of its own, below count. A BLAS that is built with OpenMP has a number for
 * each calling thread, which is set at the next call of the library on that thread. With one thread equal calls give
 * equal bits; for other numbers answers differ by rounding. OpenBLAS, BLIS, MKL and FlexiBLAS are told the number, as
 * shared libraries or linked statically, and so is any BLAS that uses OpenMP; freeridge_build_info says which BLAS it
 * is. Any other keeps the number that its own environment variable has. Statuses: INVALID_ARGUMENT, UNDEFINED (the BLAS
 * still has more threads; the library's own loops use count). Cost: O(1). Not to be called while other threads are in
 * calls on models: what they are doing may end with the old number. */
FREERIDGE_API freeridge_status freeridge_set_threads(int32_t count);

/* *count: the number of threads in force, at least 1. Statuses: INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_get_threads(int32_t* count);

/* One line for bug reports: version, compiler, BLAS with its kernels, threads, and, when the BLAS runs kernels of an
 * older kind than the processor has (an OpenBLAS on AVX2 where there is AVX-512), how to mend that. Valid until the
 * next call on this thread. Cost: O(1). */
FREERIDGE_API const char* freeridge_build_info(void);

#ifdef __cplusplus
}
#endif

#endif
