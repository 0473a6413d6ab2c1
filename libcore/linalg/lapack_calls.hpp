// The only way to BLAS and LAPACK: the headers that declare them. Matrices are column-major, sizes are blas_int.
//     the library that CMake builds    cblas.h and lapacke.h                     cblas_dgemm, LAPACKE_dpotrf_work
//     the copy in the R package        R's own R_ext/BLAS.h and R_ext/Lapack.h   dgemm_, dpotrf_
// The functions of LAPACKE whose names end in _work take workspaces from the caller: they ask for no memory, and do not
// search matrices for NaN. A call is written once, for both, and returns LAPACK's `info`:
//     FREERIDGE_BLAS(dgemm, name_of(op_a), name_of(op_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
//     check(FREERIDGE_LAPACK(dgeqrf, m, n, a, lda, tau, work, lwork), "dgeqrf");
// _OF_VECTORS: of routines without a matrix. FREERIDGE_LAPACK_STEP: of those that LAPACKE leaves out.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/blas_int.hpp"

namespace freeridge::fortran {

// Fortran takes all arguments by address, and behind them the length of each letter.
template <class T>
T* address(T& value) {
  return &value;
}
template <class T>
T* address(T*& pointer) {
  return pointer;
}
template <class... Arguments>
constexpr auto lengths() {
  return std::tuple_cat([] {
    if constexpr (std::is_same_v<Arguments, char>)
      return std::tuple<std::size_t>(1);
    else
      return std::tuple<>();
  }()...);
}
template <class Answer, class... Parameters, class... Arguments>
Answer call(Answer (*routine)(Parameters...), Arguments... arguments) {
  return std::apply([&](auto... length) { return routine(address(arguments)..., length...); }, lengths<Arguments...>());
}
template <class... Parameters, class... Arguments>
BlasInt info_of(void (*routine)(Parameters...), Arguments... arguments) {
  BlasInt info = 0;
  call(routine, arguments..., &info);
  return info;
}

}  // namespace freeridge::fortran

#ifdef FREERIDGE_R_LAPACK

#define STRICT_R_HEADERS
#define USE_FC_LEN_T
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
// R's LAPACK has these, its header does not.
extern "C" {
void F77_NAME(dgesvj)(const char* joba, const char* jobu, const char* jobv, const int* m, const int* n, double* a,
                      const int* lda, double* sva, const int* mv, double* v, const int* ldv, double* work,
                      const int* lwork, int* info FCLEN FCLEN FCLEN);
void F77_NAME(dtpqrt)(const int* m, const int* n, const int* l, const int* nb, double* a, const int* lda, double* b,
                      const int* ldb, double* t, const int* ldt, double* work, int* info);
void F77_NAME(dlacn2)(const int* n, double* v, double* x, int* isgn, double* est, int* kase, int* isave);
}

#define FREERIDGE_BLAS(routine, ...) fortran::call(F77_SUB(routine), __VA_ARGS__)
#define FREERIDGE_BLAS_OF_VECTORS(routine, ...) fortran::call(F77_SUB(routine), __VA_ARGS__)
#define FREERIDGE_LAPACK(routine, ...) fortran::info_of(F77_SUB(routine), __VA_ARGS__)
#define FREERIDGE_LAPACK_OF_VECTORS(routine, ...) fortran::call(F77_SUB(routine), __VA_ARGS__)
#define FREERIDGE_LAPACK_STEP(routine, ...) fortran::info_of(F77_SUB(routine), __VA_ARGS__)
#define FREERIDGE_PRODUCT F77_SUB(dgemm)
#define FREERIDGE_PRODUCT_NAME "dgemm_"

namespace freeridge {

inline char name_of(Op op) {
  return letter(op);
}
inline char name_of(Triangle triangle) {
  return letter(triangle);
}
constexpr char left_side = 'L', right_side = 'R', not_unit = 'N';

}  // namespace freeridge

#else

#define LAPACK_COMPLEX_CPP
#include <cblas.h>
#include <lapacke.h>
static_assert(sizeof(lapack_int) == sizeof(freeridge::BlasInt), "freeridge needs a LAPACK with integers of 32 bits");
extern "C" {
void dlaed4_(const lapack_int* n, const lapack_int* i, const double* d, const double* z, double* delta,
             const double* rho, double* dlam, lapack_int* info);
void dlasd4_(const lapack_int* n, const lapack_int* i, const double* d, const double* z, double* delta,
             const double* rho, double* sigma, double* work, lapack_int* info);
}

#define FREERIDGE_BLAS(routine, ...) cblas_##routine(CblasColMajor, __VA_ARGS__)
#define FREERIDGE_BLAS_OF_VECTORS(routine, ...) cblas_##routine(__VA_ARGS__)
#define FREERIDGE_LAPACK(routine, ...) LAPACKE_##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__)
#define FREERIDGE_LAPACK_OF_VECTORS(routine, ...) LAPACKE_##routine##_work(__VA_ARGS__)
#define FREERIDGE_LAPACK_STEP(routine, ...) fortran::info_of(routine##_, __VA_ARGS__)
#define FREERIDGE_PRODUCT cblas_dgemm
#define FREERIDGE_PRODUCT_NAME "cblas_dgemm"

namespace freeridge {

inline CBLAS_TRANSPOSE name_of(Op op) {
  return op == Op::none ? CblasNoTrans : CblasTrans;
}
inline CBLAS_UPLO name_of(Triangle triangle) {
  return triangle == Triangle::lower ? CblasLower : CblasUpper;
}
constexpr CBLAS_SIDE left_side = CblasLeft, right_side = CblasRight;
constexpr CBLAS_DIAG not_unit = CblasNonUnit;

}  // namespace freeridge

#endif

namespace freeridge {

inline void check(BlasInt info, const char* routine) {
  if (info < 0) fail(Status::internal, "LAPACK ", routine, " refused argument ", -info);
  if (info > 0) fail(Status::not_converged, "LAPACK ", routine, " did not converge (info ", info, ")");
}

// The workspace size that a query left in a double.
inline Index queried(double size) {
  return static_cast<Index>(std::max(1.0, std::ceil(size)));
}

// run(work, size), twice: with the size -1 LAPACK leaves in `work` how many numbers of workspace it wants.
template <class Run>
void with_workspace(const Run& run) {
  double wanted = 0;
  run(&wanted, BlasInt{-1});
  Matrix work(queried(wanted), 1);
  run(work.data(), blas_int(work.rows()));
}

}  // namespace freeridge
