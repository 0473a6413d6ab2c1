// Saved factorizations: what a route has computed and cannot make again cheaply from the data. Matrices are saved
// column by column, and of symmetric and triangular ones one triangle; m = n - q. What is in [] is there with q > 0
// only: n, m or p numbers for each of the q columns that are not penalised.
//     CHOLESKY   [K_w q1 (n)], Z'K_wZ (lower). The factor of a lambda is made when it is asked for, as before
//     SPECTRAL   [K_w q1], Lambda (m), B (n x m)
//     BAND       b / 16 for the bandwidth b, f, [K_w q1], the band (b + 1 numbers a column, fewer in the last), bounds
//                of the eigenvalues (2), tau (m - b); the reflectors: of the columns j < f what is below row j + b;
//                the part of Q that is formed, square, from row and column f + b on: all of Q when f is 0, nothing
//                when it has not been needed (it is then formed from the reflectors); [Q'v], Gamma (m x t)
//     PRIMAL     0: S (r = min(m, d)), noise (r), V' (r x d), R (upper, if m > d), B (n x r)
//                1: B is formed from the data: reduced features, as below
//                2: d >= m: S, noise (m), V_R (m x m); the QR of X': the number of groups of features, their ends, the
//                order of the features (d), tau (the sum of min(d_g, m)), the reflectors (d x m), and for several
//                groups tau (m) and the reflectors of their triangles (the same sum x m); B (n x m)
//                3: sparse x, d < n: the band of G (17 numbers a column, fewer in the last ones), bounds of its
//                eigenvalues (2), the tolerance, Q by panels (d x d), Gamma (d x t)
//     LANDMARK   the number of landmarks, their rows; how many of them are kept, their rows, L (lower); reduced
//                features
//     ITERATIVE  the accuracy of solutions, the rank of the preconditioner, the eigenvalues' range (2), the tolerance;
//                the preconditioner is made again when it is needed. Linear kernels, sparse x: the accuracy alone
// Reduced features (p of them): their number r and whether R is there (0/1), [their means (p)], R (upper, if there),
// S (r), noise (r), V' (r x p), Gamma (r x t), rest (t), [version 1: blur, a number that is not used any more].
// Everything else is computed again from these numbers, in the way it was computed at first: a loaded factorization
// answers with the same bits.
#pragma once

#include <limits>

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/routes/routes.hpp"

namespace freeridge {

// Reads what Factorization::save wrote for this problem and route. No saved number is trusted: sizes follow from the
// problem or are checked against it, and no memory is allocated before the bytes that fill it are known to be there.
// Throws CORRUPT where something does not fit, and what the route itself throws. Memory: that of the factorization.
FactorizationPtr load_factorization(ProblemPtr problem, Route route, ByteReader& in);

// load_factorization of each route, in the route's own file.
FactorizationPtr load_cholesky(ProblemPtr problem, ByteReader& in);
FactorizationPtr load_spectral(ProblemPtr problem, ByteReader& in);
FactorizationPtr load_band(ProblemPtr problem, ByteReader& in);
FactorizationPtr load_primal(ProblemPtr problem, ByteReader& in);
FactorizationPtr load_landmark(ProblemPtr problem, ByteReader& in);
FactorizationPtr load_iterative(ProblemPtr problem, ByteReader& in);

// Parts of saved factorizations.
constexpr double any_finite = std::numeric_limits<double>::max();
constexpr double orthonormal = 2;  // the elements of an orthonormal matrix, and of reflectors, are below

void load_matrix(ByteReader& in, const char* name, double most, MatrixView a);
// Triangles are saved and loaded with their diagonals; the other triangle is not touched.
constexpr Index triangle_numbers(Index p) {
  return p * (p + 1) / 2;
}
void save_triangle(ByteWriter& out, ConstMatrixView a, Triangle triangle);
void load_triangle(ByteReader& in, const char* name, MatrixView a, Triangle triangle);
// A new p x p matrix, with zeros in the other triangle.
Matrix load_triangle(ByteReader& in, const char* name, Index p, Triangle triangle);
// Numbers that must not be negative, or must be positive.
Array<double> load_scales(ByteReader& in, const char* name, double most, Index count, bool positive);

}  // namespace freeridge
