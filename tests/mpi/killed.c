/* One rank dies between two calls: MPI ends the others, which wait for it. "killed rows" for accumulators, else a dense
 * problem. Also: freeridge_mpi.h is C99. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "freeridge_mpi.h"

enum { n = 40 };

static void require(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  printf("%s\n%s\n", freeridge_mpi_last_error(), freeridge_last_error());
  exit(EXIT_FAILURE);
}

static void rows(int rank, const double* x, const double* y) {
  const freeridge_points points = {.size = sizeof points, .n = n, .d = 1, .layout = FREERIDGE_COL_MAJOR, .x = x};
  freeridge_accumulator *own = NULL, *all = NULL;
  double lambda = 0, score = 0;
  require(freeridge_accumulator_create(1, 1, 1, &own));
  require(freeridge_accumulator_add(own, &points, FREERIDGE_COL_MAJOR, y, n, NULL));
  require(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &all));
  if (rank == 1) raise(SIGKILL);
  freeridge_search search = {.size = sizeof search, .lambda = &lambda, .score = &score};
  freeridge_mpi_accumulator_select_lambda(all, MPI_COMM_WORLD, FREERIDGE_LOO, 0, 0, &points, FREERIDGE_COL_MAJOR, y, n,
                                          NULL, NULL, &search);
}

static void dense(int rank, const double* x, const double* y) {
  const double lambda[] = {0.1, 1};
  double score[2];
  freeridge_kernel* kernel = NULL;
  freeridge_mpi_dense* problem = NULL;
  require(freeridge_kernel_gaussian(1, &kernel));
  require(
      freeridge_mpi_dense_create(kernel, MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, n, 1, x, n, 1, y, n, NULL, 1, &problem));
  require(freeridge_mpi_dense_factorize(problem, FREERIDGE_MPI_ENGINE_AUTO, 1));
  if (rank == 1) raise(SIGKILL);
  freeridge_mpi_dense_score(problem, FREERIDGE_LOO, 2, lambda, score, 2);
}

int main(int argc, char** argv) {
  double x[n], y[n];
  int rank = 0, i = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < n; ++i) x[i] = 0.1 * i, y[i] = i % 3;
  if (argc > 1)
    rows(rank, x, y);
  else
    dense(rank, x, y);
  printf("went on without rank 1\n");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
