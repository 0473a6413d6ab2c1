/* One rank dies between two calls: MPI ends the others, which wait for it. Also: freeridge_mpi.h is C99. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "freeridge_mpi.h"

int main(int argc, char** argv) {
  enum { n = 40 };
  double x[n], y[n], lambda[] = {0.1, 1}, score[2];
  freeridge_kernel* kernel = NULL;
  freeridge_mpi_dense* dense = NULL;
  int rank = 0, i = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < n; ++i) x[i] = 0.1 * i, y[i] = i % 3;
  if (freeridge_kernel_gaussian(1, &kernel) != FREERIDGE_OK ||
      freeridge_mpi_dense_create(kernel, MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, n, 1, x, n, 1, y, n, NULL, 1, &dense) !=
          FREERIDGE_OK ||
      freeridge_mpi_dense_factorize(dense, FREERIDGE_MPI_ENGINE_AUTO, 1) != FREERIDGE_OK) {
    printf("%s\n", freeridge_mpi_last_error());
    return EXIT_FAILURE;
  }
  if (rank == 1) raise(SIGKILL);
  freeridge_mpi_dense_score(dense, FREERIDGE_LOO, 2, lambda, score, 2);
  printf("went on without rank 1\n");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
