/* Eigenvalues, ascending, and eigenvectors by ELPA: the leading n x n block of a, dealt out in blocks, both triangles.
 * The solver (one stage or two), its kernels and threads are ELPA's defaults, which its environment variables set. ELPA
 * stays initialised, as the program may use it, too. */
#include <elpa/elpa.h>
#include <mpi.h>
#include <stddef.h>

const char* freeridge_elpa_eigenvectors(MPI_Comm comm, int n, int nb, int local_rows, int local_cols, int row, int col,
                                        double* a, double* w, double* z);

const char* freeridge_elpa_eigenvectors(MPI_Comm comm, int n, int nb, int local_rows, int local_cols, int row, int col,
                                        double* a, double* w, double* z) {
  const char* names[] = {"na",          "nev",        "nblk", "local_nrows", "local_ncols", "mpi_comm_parent",
                         "process_row", "process_col"};
  const int values[] = {n, n, nb, local_rows, local_cols, (int)MPI_Comm_c2f(comm), row, col};
  const char* failed = NULL;
  int error = elpa_init(20200417);
  elpa_t handle;
  if (error != ELPA_OK) return "elpa_init";
  handle = elpa_allocate(&error);
  if (error != ELPA_OK) return "elpa_allocate";
  for (size_t k = 0; k < sizeof names / sizeof *names && failed == NULL; ++k) {
    elpa_set_integer(handle, names[k], values[k], &error);
    if (error != ELPA_OK) failed = names[k];
  }
  if (failed == NULL && elpa_setup(handle) != ELPA_OK) failed = "elpa_setup";
  if (failed == NULL) {
    elpa_eigenvectors_double(handle, a, w, z, &error);
    if (error != ELPA_OK) failed = "elpa_eigenvectors";
  }
  elpa_deallocate(handle, &error);
  return failed;
}
