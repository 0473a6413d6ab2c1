// BLAS and LAPACK by their Fortran names, which every one of them has (reference, OpenBLAS, BLIS, MKL, R's own), and
// nothing else of theirs. Matrices are column-major, sizes blas_int; workspaces are the caller's, so that no routine
// here asks for memory. First the symbols: all arguments by address, and after them the length of each letter, which
// Fortran compilers pass unseen (a routine written in C overlooks it). Then the same with arguments by value; where
// LAPACK has an `info`, it is the answer.
#pragma once

#include <cstddef>

#include "libcore/linalg/blas_int.hpp"

namespace freeridge::fortran {

using Length = std::size_t;

extern "C" {
void dgemm_(const char* trans_a, const char* trans_b, const BlasInt* m, const BlasInt* n, const BlasInt* k,
            const double* alpha, const double* a, const BlasInt* lda, const double* b, const BlasInt* ldb,
            const double* beta, double* c, const BlasInt* ldc, Length, Length);
void dsyrk_(const char* uplo, const char* trans, const BlasInt* n, const BlasInt* k, const double* alpha,
            const double* a, const BlasInt* lda, const double* beta, double* c, const BlasInt* ldc, Length, Length);
void dsyr2k_(const char* uplo, const char* trans, const BlasInt* n, const BlasInt* k, const double* alpha,
             const double* a, const BlasInt* lda, const double* b, const BlasInt* ldb, const double* beta, double* c,
             const BlasInt* ldc, Length, Length);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const BlasInt* m, const BlasInt* n,
            const double* alpha, const double* a, const BlasInt* lda, double* b, const BlasInt* ldb, Length, Length,
            Length, Length);
void dgemv_(const char* trans, const BlasInt* m, const BlasInt* n, const double* alpha, const double* a,
            const BlasInt* lda, const double* x, const BlasInt* incx, const double* beta, double* y,
            const BlasInt* incy, Length);
void dsymv_(const char* uplo, const BlasInt* n, const double* alpha, const double* a, const BlasInt* lda,
            const double* x, const BlasInt* incx, const double* beta, double* y, const BlasInt* incy, Length);
void dger_(const BlasInt* m, const BlasInt* n, const double* alpha, const double* x, const BlasInt* incx,
           const double* y, const BlasInt* incy, double* a, const BlasInt* lda);
void dsyr2_(const char* uplo, const BlasInt* n, const double* alpha, const double* x, const BlasInt* incx,
            const double* y, const BlasInt* incy, double* a, const BlasInt* lda, Length);
double ddot_(const BlasInt* n, const double* x, const BlasInt* incx, const double* y, const BlasInt* incy);
double dnrm2_(const BlasInt* n, const double* x, const BlasInt* incx);
void dpotrf_(const char* uplo, const BlasInt* n, double* a, const BlasInt* lda, BlasInt* info, Length);
void dpbtrf_(const char* uplo, const BlasInt* n, const BlasInt* kd, double* ab, const BlasInt* ldab, BlasInt* info,
             Length);
void dtbtrs_(const char* uplo, const char* trans, const char* diag, const BlasInt* n, const BlasInt* kd,
             const BlasInt* nrhs, const double* ab, const BlasInt* ldab, double* b, const BlasInt* ldb, BlasInt* info,
             Length, Length, Length);
void dlacn2_(const BlasInt* n, double* v, double* x, BlasInt* isgn, double* est, BlasInt* kase, BlasInt* isave);
void dgeqrf_(const BlasInt* m, const BlasInt* n, double* a, const BlasInt* lda, double* tau, double* work,
             const BlasInt* lwork, BlasInt* info);
void dgeqp3_(const BlasInt* m, const BlasInt* n, double* a, const BlasInt* lda, BlasInt* jpvt, double* tau,
             double* work, const BlasInt* lwork, BlasInt* info);
void dormqr_(const char* side, const char* trans, const BlasInt* m, const BlasInt* n, const BlasInt* k, const double* a,
             const BlasInt* lda, const double* tau, double* c, const BlasInt* ldc, double* work, const BlasInt* lwork,
             BlasInt* info, Length, Length);
void dlarfg_(const BlasInt* n, double* alpha, double* x, const BlasInt* incx, double* tau);
void dsyevd_(const char* jobz, const char* uplo, const BlasInt* n, double* a, const BlasInt* lda, double* w,
             double* work, const BlasInt* lwork, BlasInt* iwork, const BlasInt* liwork, BlasInt* info, Length, Length);
void dstedc_(const char* compz, const BlasInt* n, double* d, double* e, double* z, const BlasInt* ldz, double* work,
             const BlasInt* lwork, BlasInt* iwork, const BlasInt* liwork, BlasInt* info, Length);
void dlaed4_(const BlasInt* n, const BlasInt* i, const double* d, const double* z, double* delta, const double* rho,
             double* dlam, BlasInt* info);
void dlasd4_(const BlasInt* n, const BlasInt* i, const double* d, const double* z, double* delta, const double* rho,
             double* sigma, double* work, BlasInt* info);
void dgesdd_(const char* jobz, const BlasInt* m, const BlasInt* n, double* a, const BlasInt* lda, double* s, double* u,
             const BlasInt* ldu, double* vt, const BlasInt* ldvt, double* work, const BlasInt* lwork, BlasInt* iwork,
             BlasInt* info, Length);
void dgebrd_(const BlasInt* m, const BlasInt* n, double* a, const BlasInt* lda, double* d, double* e, double* tauq,
             double* taup, double* work, const BlasInt* lwork, BlasInt* info);
void dbdsdc_(const char* uplo, const char* compq, const BlasInt* n, double* d, double* e, double* u, const BlasInt* ldu,
             double* vt, const BlasInt* ldvt, double* q, BlasInt* iq, double* work, BlasInt* iwork, BlasInt* info,
             Length, Length);
}

inline void gemm(char trans_a, char trans_b, BlasInt m, BlasInt n, BlasInt k, double alpha, const double* a,
                 BlasInt lda, const double* b, BlasInt ldb, double beta, double* c, BlasInt ldc) {
  dgemm_(&trans_a, &trans_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}
inline void syrk(char uplo, char trans, BlasInt n, BlasInt k, double alpha, const double* a, BlasInt lda, double beta,
                 double* c, BlasInt ldc) {
  dsyrk_(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc, 1, 1);
}
inline void syr2k(char uplo, char trans, BlasInt n, BlasInt k, double alpha, const double* a, BlasInt lda,
                  const double* b, BlasInt ldb, double beta, double* c, BlasInt ldc) {
  dsyr2k_(&uplo, &trans, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}
inline void trsm(char side, char uplo, char trans, char diag, BlasInt m, BlasInt n, double alpha, const double* a,
                 BlasInt lda, double* b, BlasInt ldb) {
  dtrsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb, 1, 1, 1, 1);
}
inline void gemv(char trans, BlasInt m, BlasInt n, double alpha, const double* a, BlasInt lda, const double* x,
                 BlasInt incx, double beta, double* y, BlasInt incy) {
  dgemv_(&trans, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy, 1);
}
inline void symv(char uplo, BlasInt n, double alpha, const double* a, BlasInt lda, const double* x, BlasInt incx,
                 double beta, double* y, BlasInt incy) {
  dsymv_(&uplo, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy, 1);
}
inline void ger(BlasInt m, BlasInt n, double alpha, const double* x, BlasInt incx, const double* y, BlasInt incy,
                double* a, BlasInt lda) {
  dger_(&m, &n, &alpha, x, &incx, y, &incy, a, &lda);
}
inline void syr2(char uplo, BlasInt n, double alpha, const double* x, BlasInt incx, const double* y, BlasInt incy,
                 double* a, BlasInt lda) {
  dsyr2_(&uplo, &n, &alpha, x, &incx, y, &incy, a, &lda, 1);
}
inline double dot(BlasInt n, const double* x, BlasInt incx, const double* y, BlasInt incy) {
  return ddot_(&n, x, &incx, y, &incy);
}
inline double nrm2(BlasInt n, const double* x, BlasInt incx) {
  return dnrm2_(&n, x, &incx);
}
inline BlasInt potrf(char uplo, BlasInt n, double* a, BlasInt lda) {
  BlasInt info = 0;
  dpotrf_(&uplo, &n, a, &lda, &info, 1);
  return info;
}
inline BlasInt pbtrf(char uplo, BlasInt n, BlasInt kd, double* ab, BlasInt ldab) {
  BlasInt info = 0;
  dpbtrf_(&uplo, &n, &kd, ab, &ldab, &info, 1);
  return info;
}
inline BlasInt tbtrs(char uplo, char trans, char diag, BlasInt n, BlasInt kd, BlasInt nrhs, const double* ab,
                     BlasInt ldab, double* b, BlasInt ldb) {
  BlasInt info = 0;
  dtbtrs_(&uplo, &trans, &diag, &n, &kd, &nrhs, ab, &ldab, b, &ldb, &info, 1, 1, 1);
  return info;
}
inline void lacn2(BlasInt n, double* v, double* x, BlasInt* isgn, double* est, BlasInt* kase, BlasInt* isave) {
  dlacn2_(&n, v, x, isgn, est, kase, isave);
}
inline BlasInt geqrf(BlasInt m, BlasInt n, double* a, BlasInt lda, double* tau, double* work, BlasInt lwork) {
  BlasInt info = 0;
  dgeqrf_(&m, &n, a, &lda, tau, work, &lwork, &info);
  return info;
}
inline BlasInt geqp3(BlasInt m, BlasInt n, double* a, BlasInt lda, BlasInt* jpvt, double* tau, double* work,
                     BlasInt lwork) {
  BlasInt info = 0;
  dgeqp3_(&m, &n, a, &lda, jpvt, tau, work, &lwork, &info);
  return info;
}
inline BlasInt ormqr(char side, char trans, BlasInt m, BlasInt n, BlasInt k, const double* a, BlasInt lda,
                     const double* tau, double* c, BlasInt ldc, double* work, BlasInt lwork) {
  BlasInt info = 0;
  dormqr_(&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &lwork, &info, 1, 1);
  return info;
}
inline void larfg(BlasInt n, double* alpha, double* x, BlasInt incx, double* tau) {
  dlarfg_(&n, alpha, x, &incx, tau);
}
inline BlasInt syevd(char jobz, char uplo, BlasInt n, double* a, BlasInt lda, double* w, double* work, BlasInt lwork,
                     BlasInt* iwork, BlasInt liwork) {
  BlasInt info = 0;
  dsyevd_(&jobz, &uplo, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info, 1, 1);
  return info;
}
inline BlasInt stedc(char compz, BlasInt n, double* d, double* e, double* z, BlasInt ldz, double* work, BlasInt lwork,
                     BlasInt* iwork, BlasInt liwork) {
  BlasInt info = 0;
  dstedc_(&compz, &n, d, e, z, &ldz, work, &lwork, iwork, &liwork, &info, 1);
  return info;
}
inline BlasInt laed4(BlasInt n, BlasInt i, const double* d, const double* z, double* delta, double rho, double* dlam) {
  BlasInt info = 0;
  dlaed4_(&n, &i, d, z, delta, &rho, dlam, &info);
  return info;
}
inline BlasInt lasd4(BlasInt n, BlasInt i, const double* d, const double* z, double* delta, double rho, double* sigma,
                     double* work) {
  BlasInt info = 0;
  dlasd4_(&n, &i, d, z, delta, &rho, sigma, work, &info);
  return info;
}
inline BlasInt gesdd(char jobz, BlasInt m, BlasInt n, double* a, BlasInt lda, double* s, double* u, BlasInt ldu,
                     double* vt, BlasInt ldvt, double* work, BlasInt lwork, BlasInt* iwork) {
  BlasInt info = 0;
  dgesdd_(&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, iwork, &info, 1);
  return info;
}
inline BlasInt gebrd(BlasInt m, BlasInt n, double* a, BlasInt lda, double* d, double* e, double* tauq, double* taup,
                     double* work, BlasInt lwork) {
  BlasInt info = 0;
  dgebrd_(&m, &n, a, &lda, d, e, tauq, taup, work, &lwork, &info);
  return info;
}
inline BlasInt bdsdc(char uplo, char compq, BlasInt n, double* d, double* e, double* u, BlasInt ldu, double* vt,
                     BlasInt ldvt, double* q, BlasInt* iq, double* work, BlasInt* iwork) {
  BlasInt info = 0;
  dbdsdc_(&uplo, &compq, &n, d, e, u, &ldu, vt, &ldvt, q, iq, work, iwork, &info, 1, 1);
  return info;
}

}  // namespace freeridge::fortran
