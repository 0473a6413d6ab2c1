// BLAS on views. Long calls are cut into pieces, between which progress is heard and CANCELLED may be thrown; the
// output is then partly written. Symmetric and triangular matrices are in the lower triangle.
#pragma once

#include "libcore/base/matrix.hpp"

namespace freeridge {

enum class Op { none, transpose };
enum class Triangle { lower, upper };

// The letters that BLAS and LAPACK have for these values.
inline char letter(Op op) {
  return op == Op::none ? 'N' : 'T';
}
inline char letter(Triangle triangle) {
  return triangle == Triangle::lower ? 'L' : 'U';
}

// C = alpha op(A) op(B) + beta C
void gemm(Op op_a, Op op_b, double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c);
// C = alpha A A' + beta C (A n x k) or alpha A'A + beta C (op = transpose), one triangle of C
void syrk(Op op, double alpha, ConstMatrixView a, double beta, MatrixView c, Triangle triangle = Triangle::lower);
// C = alpha (A B' + B A') + beta C (A, B n x k), lower triangle of C
void syr2k(double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c);
// y = alpha op(A) x + beta y
void gemv(Op op, double alpha, ConstMatrixView a, const double* x, double beta, double* y);
// A = A + alpha x y'
void ger(double alpha, const double* x, const double* y, MatrixView a);
// y = A x, A symmetric
void symv(ConstMatrixView a, const double* x, double* y);
// C = A B, A symmetric, B n x k
void symm(ConstMatrixView a, ConstMatrixView b, MatrixView c);
// A = A + alpha (x y' + y x'), lower triangle
void syr2(double alpha, const double* x, const double* y, MatrixView a);
// B = op(L)^-1 B, L triangular
void trsm(Op op, ConstMatrixView l, MatrixView b, Triangle triangle = Triangle::lower);
// B = B op(L)^-1, L lower triangular
void trsm_right(Op op, ConstMatrixView l, MatrixView b);
double dot(Index n, const double* x, const double* y);
// |x|, without overflow
double norm2(Index n, const double* x);
// The flops a second of gemm, measured now (some milliseconds).
double matrix_product_rate();

}  // namespace freeridge
