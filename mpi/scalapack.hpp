// The functions of ScaLAPACK, BLACS and ELPA that this library calls.
#pragma once

#include <mpi.h>

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
void Cblacs_gridexit(int context);
// A = L L' of the leading n x n block
void pdpotrf_(const char* triangle, const int* n, double* a, const int* ia, const int* ja, const int* descriptor,
              int* info);
// A = A^-1, A triangular
void pdtrtri_(const char* triangle, const char* diagonal, const int* n, double* a, const int* ia, const int* ja,
              const int* descriptor, int* info);
// A = Z diag(w) Z'; lwork = -1: the sizes of the workspaces alone
void pdsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* ia, const int* ja,
              const int* descriptor, double* w, double* z, const int* iz, const int* jz, const int* descriptor_z,
              double* work, const int* lwork, int* iwork, const int* liwork, int* info);

// elpa_engine.c: the same by ELPA; the name of what failed, or NULL.
const char* freeridge_elpa_eigenvectors(MPI_Comm comm, int n, int nb, int local_rows, int local_cols, int row, int col,
                                        double* a, double* w, double* z);
}
