// Householder QR of a tall matrix that comes in blocks of rows (TSQR: J. Demmel, L. Grigori, M. Hoemmen, J. Langou,
// Communication-optimal parallel and sequential QR and LU factorizations, SIAM J. Sci. Comput. 34 (2012)):
//     [R; block] = Q R',  R' takes the place of R
// by LAPACK's dtpqrt, which makes use of the zeros of R: 2 rows p^2 flops. Only R (p x p) is kept.
// Backward stable: R'R = (A + E)'(A + E) with each column of E within rounding of that of A.
#pragma once

#include <utility>

#include "libcore/base/matrix.hpp"

namespace freeridge {

class RowQr {
 public:
  explicit RowQr(Index p);
  // From R.
  explicit RowQr(Matrix r);

  Index p() const { return r_.cols(); }
  // Takes in rows (any number x p) at a cost of 2 rows p^2.
  void add(ConstMatrixView rows);
  // The same, with the rows as workspace: they are destroyed.
  void absorb(MatrixView rows);
  // R: p x p, upper triangle; zeros below. Signs of the rows are arbitrary.
  ConstMatrixView r() const { return r_.view(); }
  Matrix take_r() { return std::move(r_); }

 private:
  Index rows_at_once() const;

  Matrix r_;
  Matrix t_, work_;  // dtpqrt's, without meaning between calls
  Matrix block_;     // add's copy of the rows
};

}  // namespace freeridge
