/* Ridge regression on rows that are on many machines: lambda by exact leave-one-out errors.
 *     mpicc rows.c $(pkg-config --cflags --libs freeridge_mpi) -lm -o rows && mpirun -n 4 ./rows */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "freeridge_mpi.h"

enum { d = 5, rows_of_rank = 10000 };

static void require(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  printf("%s\n%s\n", freeridge_mpi_last_error(), freeridge_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  /* This rank's rows; a program would read its part of a file. */
  double* x = malloc(sizeof(double) * rows_of_rank * d);
  double* y = malloc(sizeof(double) * rows_of_rank);
  if (x == NULL || y == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  for (int i = 0; i < rows_of_rank; ++i) {
    const double place = rank * rows_of_rank + i;
    for (int k = 0; k < d; ++k) x[i * d + k] = sin(place * (k + 1));
    y[i] = 3 + x[i * d] - 2 * x[i * d + 1] + 0.5 * cos(place * place);
  }

  /* Each rank reduces its own rows to a small triangle, and all triangles become one. */
  const freeridge_points points = {
      .size = sizeof points, .n = rows_of_rank, .d = d, .layout = FREERIDGE_ROW_MAJOR, .x = x};
  freeridge_accumulator *own = NULL, *all = NULL;
  require(freeridge_accumulator_create(d, 1, 1, &own));
  require(freeridge_accumulator_add(own, &points, FREERIDGE_ROW_MAJOR, y, 1, NULL));
  require(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &all));

  /* Further passes, each rank over its own rows, for the errors left out. */
  double lambda = 0, score = 0, error = 0, w[d], b = 0;
  freeridge_search search = {.size = sizeof search, .lambda = &lambda, .score = &score, .standard_error = &error};
  require(freeridge_mpi_accumulator_select_lambda(all, MPI_COMM_WORLD, FREERIDGE_LOO, 0, 0, &points,
                                                  FREERIDGE_ROW_MAJOR, y, 1, NULL, NULL, &search));
  require(freeridge_accumulator_solve(all, 1, &lambda, w, d, &b));
  if (rank == 0) {
    printf("%d ranks, %d rows: lambda = %.3g, mean squared error left out = %.4f +- %.4f\n", ranks,
           ranks * rows_of_rank, lambda, score, error);
    printf("y = %.3f", b);
    for (int k = 0; k < d; ++k) printf(" %+.3f x%d", w[k], k + 1);
    printf("\n");
  }
  freeridge_accumulator_destroy(own);
  freeridge_accumulator_destroy(all);
  free(x);
  free(y);
  MPI_Finalize();
  return 0;
}
