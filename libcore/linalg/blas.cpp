#include "libcore/linalg/blas.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "libcore/linalg/blas_int.hpp"

namespace freeridge {
namespace {
CBLAS_TRANSPOSE flag(Op op) {
  return op == Op::none ? CblasNoTrans : CblasTrans;
}
}  // namespace

void gemm(Op op_a, Op op_b, double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c) {
  if (c.rows == 0 || c.cols == 0) return;
  const Index inner = op_a == Op::none ? a.cols : a.rows;
  if (c.cols == 1 && op_b == Op::none) return gemv(op_a, alpha, a, b.data, beta, c.data);  // half the memory traffic
  cblas_dgemm(CblasColMajor, flag(op_a), flag(op_b), blas_int(c.rows), blas_int(c.cols), blas_int(inner), alpha, a.data,
              blas_int(a.ld), b.data, blas_int(b.ld), beta, c.data, blas_int(c.ld));
}

void syrk(Op op, double alpha, ConstMatrixView a, double beta, MatrixView c) {
  const Index inner = op == Op::none ? a.cols : a.rows;
  if (c.rows == 0) return;
  cblas_dsyrk(CblasColMajor, CblasLower, flag(op), blas_int(c.rows), blas_int(inner), alpha, a.data, blas_int(a.ld),
              beta, c.data, blas_int(c.ld));
}

void syr2k(double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c) {
  if (c.rows == 0) return;
  cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, blas_int(c.rows), blas_int(a.cols), alpha, a.data,
               blas_int(a.ld), b.data, blas_int(b.ld), beta, c.data, blas_int(c.ld));
}

void gemv(Op op, double alpha, ConstMatrixView a, const double* x, double beta, double* y) {
  if (a.rows == 0 || a.cols == 0) {  // BLAS leaves y as it is then
    const Index length = op == Op::none ? a.rows : a.cols;
    for (Index i = 0; i < length; ++i) y[i] = beta == 0 ? 0 : beta * y[i];
    return;
  }
  cblas_dgemv(CblasColMajor, flag(op), blas_int(a.rows), blas_int(a.cols), alpha, a.data, blas_int(a.ld), x, 1, beta, y,
              1);
}

void ger(double alpha, const double* x, const double* y, MatrixView a) {
  if (a.rows == 0 || a.cols == 0) return;
  cblas_dger(CblasColMajor, blas_int(a.rows), blas_int(a.cols), alpha, x, 1, y, 1, a.data, blas_int(a.ld));
}

void symv(ConstMatrixView a, const double* x, double* y) {
  cblas_dsymv(CblasColMajor, CblasLower, blas_int(a.rows), 1, a.data, blas_int(a.ld), x, 1, 0, y, 1);
}

void syr2(double alpha, const double* x, const double* y, MatrixView a) {
  cblas_dsyr2(CblasColMajor, CblasLower, blas_int(a.rows), alpha, x, 1, y, 1, a.data, blas_int(a.ld));
}

void trsm(Op op, ConstMatrixView l, MatrixView b, Triangle triangle) {
  if (b.rows == 0 || b.cols == 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, triangle == Triangle::lower ? CblasLower : CblasUpper, flag(op), CblasNonUnit,
              blas_int(b.rows), blas_int(b.cols), 1, l.data, blas_int(l.ld), b.data, blas_int(b.ld));
}

void trsm_right(Op op, ConstMatrixView l, MatrixView b) {
  if (b.rows == 0 || b.cols == 0) return;
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, flag(op), CblasNonUnit, blas_int(b.rows), blas_int(b.cols), 1,
              l.data, blas_int(l.ld), b.data, blas_int(b.ld));
}

double dot(Index n, const double* x, const double* y) {
  return cblas_ddot(blas_int(n), x, 1, y, 1);
}

double norm2(Index n, const double* x) {
  return cblas_dnrm2(blas_int(n), x, 1);
}

double matrix_product_rate() {
  constexpr Index n = 384;
  const Matrix a(n, n, 0.5), b(n, n, 0.25);
  Matrix c(n, n);
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    gemm(Op::none, Op::none, 1, a.view(), b.view(), 0, c.view());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2.0 * n * n * n / std::max(best, 1e-9);
}

}  // namespace freeridge
