/*
 * freeridge_mpi.h - freeridge on many machines: rows in shards, and kernel matrices in blocks
 *
 * SPDX-License-Identifier: MIT
 *
 * 1. What is here
 * ---------------
 * The same problem, and the same lambda, as in freeridge.h (its part 1), on the processes of an MPI communicator:
 *
 *     rows in shards      each rank has rows of its own. It adds them to an accumulator of its own;
 *                         freeridge_mpi_accumulator_allreduce makes all of them one. For linear kernels, and for any
 *                         kernel with landmarks (freeridge_mpi_accumulator_create_landmarks): small beside the rows
 *     a dense problem     every rank has all of x and y, which are small beside K. K is made and factorized in blocks,
 *                         a share of n^2 / ranks numbers on each rank: freeridge_mpi_dense_*
 *
 * 2. Rules
 * --------
 * Those of freeridge.h (its part 3), and:
 *
 * Together    Every call but last_error, has_engine, dense_set_progress, dense_memory_required, dense_get_dimensions,
 *             dense_get_engine and dense_lambda_floor is collective: all ranks of the communicator make it, in the same
 *             order, with the same arguments but for their rows. Each begins with a comparison: another call of this
 *             header, or another argument, on some ranks is DIMENSION_MISMATCH on all, with the argument's name.
 * MPI_Init has been called, and MPI_Finalize has not (INVALID_STATE).
 *             The communicator is an intracommunicator; messages go over copies of it, and never meet the caller's.
 * Status      All ranks return the same status. What is wrong on one of them, as a NaN in its rows, is agreed before
 *             the ranks go on, and freeridge_mpi_last_error() has the words of that rank on all of them, beginning with
 *             its number. Of several faults the one of the largest status is reported. Only what shows before a
 *             communicator is known (a NULL handle, MPI_COMM_NULL) is known to that rank alone.
 * Bits        Whatever ranks must agree on (lambda, a small factor, an answer) is computed on rank 0 and broadcast, as
 *             the last bits differ between processors: all ranks have the same bits, which depend on their number.
 * Progress    A dense problem's callback is heard on rank 0 alone. It is called within kernel values and products, too;
 *             the wish to cancel is agreed when all ranks have ended the phase. Nothing is heard inside ScaLAPACK and
 *             ELPA, which factorize in one piece.
 * Errors      A call of MPI that answers with an error (where the communicator's handler is MPI_ERRORS_RETURN; by
 *             default MPI ends the program) is IO, with MPI's words, on the ranks that see it. The communicator and the
 *             problem are of no use afterwards, and ranks that saw no error may wait: let these end, too.
 * Death       A rank that dies ends the others by MPI: mpirun sees it and aborts the job.
 * Sizes       ScaLAPACK counts in 32 bits. A rank's share of K of more than 2147483647 numbers (16 GiB), and an
 *             accumulator of more than 16 GiB, are INVALID_ARGUMENT; take more ranks. PDSYEVD, whose workspace is
 *             twice the share, takes half of that.
 *
 * Costs are of all ranks together; P is their number.
 */
#ifndef FREERIDGE_MPI_H
#define FREERIDGE_MPI_H

#include <freeridge.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------------------
 * Types and constants. Values are pinned, as those of freeridge.h. */

typedef struct freeridge_mpi_dense freeridge_mpi_dense; /* a kernel problem in blocks on all ranks; opaque */

/* What factorizes the blocks of K. */
typedef int32_t freeridge_mpi_engine;
enum {
  FREERIDGE_MPI_ENGINE_AUTO = 0,     /* CHOLESKY for up to 8 lambdas; for more ELPA where the library was built with
                                        it, else PDSYEVD */
  FREERIDGE_MPI_ENGINE_CHOLESKY = 1, /* ScaLAPACK's pdpotrf and pdtrtri for EVERY lambda: 2/3 n^3, K made anew; memory
                                        n^2 */
  FREERIDGE_MPI_ENGINE_PDSYEVD = 2,  /* eigenvectors by ScaLAPACK's pdsyevd: about 9 n^3 once, then O(n^2) a lambda;
                                        memory 4 n^2 */
  FREERIDGE_MPI_ENGINE_ELPA = 3 /* the same by ELPA, whose stages, kernels and threads its own environment variables
                                        choose (ELPA_DEFAULT_solver=ELPA_SOLVER_2STAGE); memory about 4.5 n^2 */
};

/* ----------------------------------------------------------------------------------------------------
 * About the library */

/* What was wrong in the last failed call of this header on this thread: as freeridge_last_error, which does not know of
 * these calls. Never NULL. Cost: O(1). */
FREERIDGE_API const char* freeridge_mpi_last_error(void);

/* *has: 1 when the library was built with this engine, else 0. Statuses: INVALID_ARGUMENT (no engine). Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_mpi_has_engine(freeridge_mpi_engine engine, int32_t* has);

/* ----------------------------------------------------------------------------------------------------
 * Rows in shards */

/* Makes one accumulator of those of all ranks: *out, with the rows of all of them, prepared
 * (freeridge_accumulator_prepare), and the same bits on all ranks; it is set on success only, and destroyed with
 * freeridge_accumulator_destroy. The accumulators have the same d, t and intercept, and with landmarks the same kernel,
 * landmarks and reduction; some may have no rows. Each rank's becomes compact (freeridge_accumulator_compact), and else
 * stays as it is; these bytes are merged by MPI_Reduce, a tree; rank 0 prepares the sum, and broadcasts it. The
 * callback of each rank's accumulator is heard while that becomes compact, and with the fraction 0 before each of the
 * other three phases; what one cancels is CANCELLED on all. Cost: O(log P) merges of O(p^3) one after the other,
 * p = 1 + d + t (with landmarks r in the place of d), and about 20 p^3 on rank 0; a rank sends p (p + 1) / 2 numbers
 * (with landmarks as many for k(z, z)), and receives as many and those of the decomposition. Statuses: INVALID_ARGUMENT
 * (also: more than 16 GiB), DIMENSION_MISMATCH (another d, t or intercept, or other landmarks), INVALID_STATE (no rank
 * has rows; MPI), NOT_FINITE (as freeridge_accumulator_merge), NOT_CONVERGED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_mpi_accumulator_allreduce(freeridge_accumulator* accumulator, MPI_Comm comm,
                                                                   freeridge_accumulator** out);

/* Chooses lambda for each output, of what freeridge_mpi_accumulator_allreduce has made: by GCV or REML as
 * freeridge_accumulator_select_lambda, or by exact LOO or GROUPS with further passes over the rows of all ranks.
 * points, y (in `layout`) and weights are this rank's rows as they were added, as of freeridge_accumulator_moments: an
 * ordinary or a sparse matrix, or a reader's, of which no more than a stretch is in memory, and which is read once a
 * pass; n may be 0, and for LOO -1 for a reader that has rows. GCV and REML do not read them, and points may be NULL
 * there. group: for GROUPS n labels, the rows of one label >= 0 a group, which lies whole on one rank (the same label
 * on two ranks is two groups); NULL for other criteria. Over [low, high], by the search of freeridge_select_lambda (low
 * = high = 0: the range of freeridge_accumulator_lambda_grid). search: as of freeridge_get_search, with t numbers in
 * each field, the same on all ranks, which ask for the same fields; lambdas, scores and next must be NULL, and for GCV
 * and REML standard_error, one_se_lambda and one_se_score, too. The callback of each rank's accumulator is heard, and
 * what one cancels is CANCELLED on all. Cost: LOO one pass of n (d + t), which compares the rows, and about four of 2 n
 * d (d + 100 t), where a rank sends 5 numbers for a lambda and an output (freeridge_moments_join); GROUPS as many, each
 * as of freeridge_accumulator_moments; GCV, REML O(100 d t) on rank 0. Statuses: INVALID_STATE (no rows; MPI),
 * INVALID_ARGUMENT (also: no label >= 0), DIMENSION_MISMATCH (the ranks have more or fewer rows than the accumulator,
 * or others, which is compared up to rounding; or another d, t or intercept), NOT_FINITE, NOT_CONVERGED, UNDEFINED (no
 * score in the range, and then all outputs are untouched; or as freeridge_get_search), OUT_OF_MEMORY, CANCELLED, IO. */
FREERIDGE_API freeridge_status freeridge_mpi_accumulator_select_lambda(
    const freeridge_accumulator* accumulator, MPI_Comm comm, freeridge_criterion criterion, double low, double high,
    const freeridge_points* points, freeridge_layout layout, const double* y, int64_t ldy, const double* weights,
    const int32_t* group, freeridge_search* search);

/* Chooses `count` landmarks from a sample of the rows of all ranks, and hands them to all of them. points: this rank's
 * rows, as of freeridge_accumulator_add; n may be 0; a reader's are read once, as new points are, without y and
 * weights. Rank 0 draws `sample` of all rows (all, if there are fewer) from `seed`, by their places when the ranks'
 * rows stand one after the other; so the landmarks do not depend on how the rows are divided. It chooses among them as
 * FREERIDGE_LANDMARK_METHOD has it. z: *found x d, column-major with leading dimension ldz >= count: the landmarks'
 * coordinates; *found <= count: PIVOTED may find that fewer span the kernel. Cost: that of the method on `sample` rows,
 * on rank 0. Statuses: INVALID_ARGUMENT (also: count > sample), NOT_FINITE, DIMENSION_MISMATCH (a scaled kernel of
 * another d; fewer rows than count), IO (a reader), INVALID_STATE (MPI). */
FREERIDGE_API freeridge_status freeridge_mpi_choose_landmarks(const freeridge_kernel* kernel, MPI_Comm comm,
                                                              const freeridge_points* points, int64_t sample,
                                                              freeridge_landmark_method method, int64_t seed,
                                                              int64_t count, double* z, int64_t ldz, int64_t* found);

/* Makes an empty accumulator over landmarks, which are chosen as freeridge_mpi_choose_landmarks does, and the same bits
 * on all ranks: what freeridge_accumulator_create_landmarks makes of them on rank 0. Each rank then adds its own rows
 * of d numbers, and freeridge_mpi_accumulator_allreduce and _select_lambda go on as without landmarks. t, intercept,
 * reduction: as there. *out is set on success only. Cost: that of both calls. Statuses: INVALID_ARGUMENT (as of both
 * calls), DIMENSION_MISMATCH (as there; also a kernel that differs between the ranks), NOT_FINITE, IO, INVALID_STATE
 * (MPI). */
FREERIDGE_API freeridge_status freeridge_mpi_accumulator_create_landmarks(
    const freeridge_kernel* kernel, MPI_Comm comm, const freeridge_points* points, int64_t sample,
    freeridge_landmark_method method, int64_t seed, int64_t count, int64_t t, int32_t intercept,
    freeridge_reduction reduction, freeridge_accumulator** out);

/* ----------------------------------------------------------------------------------------------------
 * Dense problems. K_w = W^(1/2) K W^(1/2) in blocks of 64 x 64 (smaller for small n), dealt out in turn to a
 * near-square grid of all ranks: each rank computes its own blocks, and K is never sent. The intercept is taken out by
 * the reflection that maps W^(1/2) 1 onto the last unit vector: the problem is the leading (n - 1) x (n - 1) block
 * then. */

/* Makes a problem of n points and t outputs: kernel, x (n x d), y (n x t) in `layout`, and weights (n positive numbers,
 * or NULL: all one) are copied, and are the same on all ranks, which is checked. intercept: not 0: a free one; n >= 2
 * then. *out is set on success only. Cost: O(n (d + t)) on each rank. Statuses: INVALID_ARGUMENT (also: a precomputed
 * kernel; a penalised intercept, which is a kernel plus a constant; a rank's share of K beyond 32 bits),
 * DIMENSION_MISMATCH (a scaled kernel of another d; data that differ between ranks), NOT_FINITE, NOT_POSITIVE_DEFINITE
 * (weights that differ by more than 2^27, as reflections mix rows), INVALID_STATE (MPI). */
FREERIDGE_API freeridge_status freeridge_mpi_dense_create(const freeridge_kernel* kernel, MPI_Comm comm,
                                                          freeridge_layout layout, int64_t n, int64_t d,
                                                          const double* x, int64_t ldx, int64_t t, const double* y,
                                                          int64_t ldy, const double* weights, int32_t intercept,
                                                          freeridge_mpi_dense** out);

/* Frees a problem; NULL is fine, on all ranks. After MPI_Finalize it frees the memory alone. Cost: O(1). */
FREERIDGE_API void freeridge_mpi_dense_destroy(freeridge_mpi_dense* dense);

/* callback: see freeridge_progress; NULL: none; heard on rank 0. `user` is handed to it. Statuses: INVALID_ARGUMENT.
 * Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_mpi_dense_set_progress(freeridge_mpi_dense* dense, freeridge_progress callback,
                                                                void* user);

/* *n, *d, *t: the sizes. NULL is fine for each. Statuses: INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_mpi_dense_get_dimensions(const freeridge_mpi_dense* dense, int64_t* n,
                                                                  int64_t* d, int64_t* t);

/* *bytes: what this rank will allocate at most, beside what the problem holds now, to factorize with the engine, and to
 * answer. Statuses: INVALID_ARGUMENT (also: an engine that the library was built without). Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_mpi_dense_memory_required(const freeridge_mpi_dense* dense,
                                                                   freeridge_mpi_engine engine, int64_t* bytes);

/* Factorizes. expected_lambdas >= 1: how many lambdas will be asked for, by which AUTO chooses (a search takes about a
 * hundred). CHOLESKY has nothing to factorize before it knows lambda. Cost: n^2 kernel values of O(d) and 9 n^3;
 * CHOLESKY O(n^2 d). Statuses: INVALID_ARGUMENT (also: an engine that the library was built without), NOT_FINITE (a
 * kernel value overflows), NOT_CONVERGED, CANCELLED. */
FREERIDGE_API freeridge_status freeridge_mpi_dense_factorize(freeridge_mpi_dense* dense, freeridge_mpi_engine engine,
                                                             int64_t expected_lambdas);

/* *engine: what freeridge_mpi_dense_factorize has taken; AUTO before it. Statuses: INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_mpi_dense_get_engine(const freeridge_mpi_dense* dense,
                                                              freeridge_mpi_engine* engine);

/* *floor: from this lambda on, rounding of K changes left-out errors by less than about 1e-6 of the largest of them,
 * whatever the eigenvalues of K are; below it scores and errors may have fewer digits. (freeridge_lambda_flags looks at
 * the smallest eigenvalue, too.) The default search of freeridge_mpi_dense_select_lambda begins there or above. Needs
 * freeridge_mpi_dense_factorize. Statuses: INVALID_STATE, INVALID_ARGUMENT. Cost: O(1). */
FREERIDGE_API freeridge_status freeridge_mpi_dense_lambda_floor(const freeridge_mpi_dense* dense, double* floor);

/* LOO, GCV or REML at `lambdas`, count >= 1 numbers > 0: scores is count x t, column-major, ld >= count, the same on
 * all ranks. Needs freeridge_mpi_dense_factorize. Cost: with eigenvectors 2 n^2 (1 + t) for LOO and O(n t) else a
 * lambda; CHOLESKY 2/3 n^3. Statuses: INVALID_STATE, INVALID_ARGUMENT (another criterion; lambda <= 0: one process's
 * SPECTRAL has the limit), NOT_FINITE, UNDEFINED (NaN entries: K + lambda I is numerically singular), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_mpi_dense_score(freeridge_mpi_dense* dense, freeridge_criterion criterion,
                                                         int64_t count, const double* lambdas, double* scores,
                                                         int64_t ld);

/* Exact leave-one-out errors at `lambdas`, count >= 1 numbers > 0: errors is n x (count t), column-major with ld >= n,
 * output j of lambda l in column l t + j, the same on all ranks. Needs freeridge_mpi_dense_factorize. Cost: as of
 * freeridge_mpi_dense_score with LOO. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (NaN entries),
 * CANCELLED. */
FREERIDGE_API freeridge_status freeridge_mpi_dense_loo(freeridge_mpi_dense* dense, int64_t count, const double* lambdas,
                                                       double* errors, int64_t ld);

/* Chooses lambda for each output by LOO, GCV or REML over [low, high], by the search of freeridge_select_lambda, which
 * tries about a hundred lambdas (CHOLESKY: fifty and some more, a factor for each). low = high = 0: from a thousandth
 * of the smallest eigenvalue (with CHOLESKY: from the rounding of K) to a thousand times the largest. lambda, score: t
 * numbers each, the choice and its score. Needs freeridge_mpi_dense_factorize. Cost: as of freeridge_mpi_dense_score.
 * Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, UNDEFINED (no score in the range), CANCELLED. */
FREERIDGE_API freeridge_status freeridge_mpi_dense_select_lambda(freeridge_mpi_dense* dense,
                                                                 freeridge_criterion criterion, double low, double high,
                                                                 double* lambda, double* score);

/* Makes a model for prediction at `lambdas`, t numbers > 0, on rank 0: what freeridge_load makes of
 * a predictor that was saved; *out is NULL on the other ranks. It is set on success only, and destroyed with
 * freeridge_destroy. Needs freeridge_mpi_dense_factorize. Cost: one solution for each lambda that differs, as
 * freeridge_mpi_dense_score. Statuses: INVALID_STATE, INVALID_ARGUMENT, NOT_FINITE, NOT_POSITIVE_DEFINITE, CANCELLED.
 * */
FREERIDGE_API freeridge_status freeridge_mpi_dense_predictor(freeridge_mpi_dense* dense, const double* lambdas,
                                                             freeridge_model** out);

#ifdef __cplusplus
}
#endif

#endif
