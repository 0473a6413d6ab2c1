// LAPACK on views. Workspaces come from operator new, so that memory is counted and its failure is std::bad_alloc.
// potrf, potri, geqrf, ormqr and gesdd work in blocks of their own, between which progress is heard (progress.hpp); the
// others are one call to LAPACK, which cannot be cancelled.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

// A = L L' in the lower triangle, or U'U in the upper one; the other is not touched. False when A is not positive
// definite. n^3/3.
[[nodiscard]] bool potrf(MatrixView a, Triangle triangle = Triangle::lower);
// A^-1 = L^-T L^-1 from L = potrf(A), both in the lower triangle; the other is not touched. 2/3 n^3.
void potri(MatrixView l);
// The two steps of potri: L^-1 in place of L, and L'L in place of L. n^3/3 each.
void trtri(MatrixView l);
void lauum(MatrixView l);
// An estimate of 1 / cond_1(A) from its Cholesky factor and the 1-norm of A. O(n^2).
double reciprocal_condition(ConstMatrixView l, double norm1, Triangle triangle = Triangle::lower);
// The same where the factor is elsewhere: solve(b) is b = A^-1 b, n numbers.
double reciprocal_condition(Index n, double norm1, const std::function<void(Span<double> b)>& solve);
// The 1-norm of a symmetric matrix.
double symmetric_norm1(ConstMatrixView a, Triangle triangle = Triangle::lower);

// A = L L' for a banded A, lower: element (i, j) in ab(i - j, j), (b + 1) x n, L in its place; false when A is not
// positive definite. n b^2.
[[nodiscard]] bool pbtrf(MatrixView ab);
// C = op(L)^-1 C, L as pbtrf leaves it.
void tbtrs(Op op, ConstMatrixView l, MatrixView c);

// A = V diag(w) V', w ascending, V in place of A. About 9 n^3; workspace 2 n^2.
void syevd(MatrixView a, Span<double> w);

// The eigenvalues w of a banded symmetric matrix, ascending; ab: its lower triangle as pbtrf has it, destroyed. About
// 6 n^2 b. Numbers of about one, or smaller: LAPACK's own scaling of others is wrong. Throws NOT_CONVERGED.
void sbev(MatrixView ab, Span<double> w);

// T = V diag(w) V' for a tridiagonal T: d on its diagonal, where w is left, ascending; e beside it, destroyed.
// Workspace n^2.
void stedc(Span<double> d, Span<double> e, MatrixView v);
// A reflector (I - tau v v') x = (beta, 0, ..., 0)': x becomes (beta, v_1, v_2, ...), v_0 = 1. Answers with tau.
double larfg(Span<double> x);
// The root number i of the secular equation 1 / rho + sum_k z_k^2 / (d_k - x) = 0, rho > 0, d strictly ascending and
// |z| = 1: x in (d_i, d_(i + 1)), and delta_k = d_k - x, with relative accuracy; for two d or fewer delta is the
// eigenvector of diag(d) + rho z z' instead (R.-C. Li, Solving secular equations stably and efficiently, LAPACK working
// note 89, 1993).
double laed4(Index i, Span<const double> d, Span<const double> z, double rho, double* delta);
// The root s of the secular equation with squares, 1 / rho + sum_k z_k^2 / (d_k^2 - s^2) = 0, d_0 >= 0, for two d or
// more: s, difference_k = d_k - s and sum_k = d_k + s.
double lasd4(Index i, Span<const double> d, Span<const double> z, double rho, double* difference, double* sum);
// B = U diag(s) V' for a bidiagonal B, 'U'pper or 'L'ower: d on its diagonal, where s is left, descending; e beside it,
// destroyed. Workspace 3 n^2.
void bdsdc(char uplo, Span<double> d, Span<double> e, MatrixView u, MatrixView vt);

// P'AP = L L' with complete pivoting, A positive semi-definite, L (n x rank) in the lower triangle of its first `rank`
// columns; pivots: row i of P'AP is row pivots[i] of A. Stops where the largest pivot left is at most `tolerance` >= 0.
// Answers with the rank. n^3/3, in one call to LAPACK.
[[nodiscard]] Index pstrf(MatrixView a, double tolerance, Span<Index> pivots);

// A = Q R by Householder reflections, Q below the diagonal and in tau (min(rows, cols)). 2 rows cols^2.
void geqrf(MatrixView a, Span<double> tau);
// [R; B] = Q R', R upper triangular, n x n, R' in its place; B is destroyed. t, work: as many rows as columns are
// factorized at once, n columns. 2 rows n^2.
void tpqrt(MatrixView r, MatrixView b, MatrixView t, MatrixView work);
// A P = Q R with column pivoting, the first `fixed` columns in their places and before all others; order[j]: the column
// that came to place j. As geqrf, at about twice its time.
void geqp3(MatrixView a, Index fixed, Span<Index> order, Span<double> tau);
// C = Q C or Q'C
void ormqr(ConstMatrixView qr, Span<const double> tau, MatrixView c, Op op = Op::none);
// A = U diag(s) V', A n x n and zero below its diagonal (or above it: shape 'L'), by one-sided Jacobi rotations of its
// columns: U in the place of A, s descending. Small s_k have the relative accuracy that columns of equal norm would have.
// Columns of U for s_k = 0 have no meaning. false: the rotations have not ended.
[[nodiscard]] bool gesvj(MatrixView a, Span<double> s, MatrixView v, char shape = 'U');
// A = U diag(s) V', economy: U rows x k, s descending, vt k x cols, k = min(rows, cols). A is destroyed.
void gesdd(MatrixView a, Span<double> s, MatrixView u, MatrixView vt);

}  // namespace freeridge
