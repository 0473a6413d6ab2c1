// The SVD of a small factor R (of a tall X = Q R), and which of its directions are rounding.
// Householder QR leaves an error within c eps of each column's own norm. So a direction v_k is noise when
//     S_k = |R v_k| <= c eps |D v_k|,   D = diag(norms of the columns of R),   c = max(10 + 2 n^(1/2), p)
// which does not depend on the units of the columns. (Exception: with exactly dependent columns the SVD mixes the null
// space with columns that are smaller than c eps times others.)
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

Array<double> column_norms(ConstMatrixView a);

// Norms of columns from which parts of these norms were subtracted: the rounding error of what is left is in proportion
// to both.
Array<double> with_parts(Array<double> norms, Span<const double> parts);

// Throws NOT_FINITE unless the squares of the values, norms of columns or singular values of `what`, are finite. Norms
// are checked before LAPACK sees the matrix, as no column is longer than the largest singular value.
void require_finite_squares(Span<const double> values, const char* what);

// c eps
double rounding_of_rows(Index n, Index p);

// For each row v_k of vt: (c eps |D v_k|)^2, below which S_k^2 is rounding.
Array<double> direction_noise(Span<const double> column_norms, ConstMatrixView vt, Index n);

// S_k = 0 where S_k^2 is below its noise, at every lambda: its rounding error would add eps |x| |y| / lambda to w.
void drop_noise(Span<double> s, Span<const double> noise);

// A = U diag(s) V' by divide and conquer, or by Jacobi's method where small singular values come from columns of small
// scale, whose digits divide and conquer would lose. Shapes as gesdd; A is destroyed.
void small_svd(MatrixView a, Span<double> s, MatrixView u, MatrixView vt);

}  // namespace freeridge
