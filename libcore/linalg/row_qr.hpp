// Householder QR of a tall matrix that comes in blocks of rows (TSQR: J. Demmel, L. Grigori, M. Hoemmen, J. Langou,
// Communication-optimal parallel and sequential QR and LU factorizations, SIAM J. Sci. Comput. 34 (2012)):
//     [R; block] = Q R',  R' takes the place of R
// Only R (p x p) is kept. Backward stable: R'R = (A + E)'(A + E) with each column of E within rounding of that of A.
#pragma once

#include "libcore/linalg/matrix.hpp"

namespace freeridge {

class RowQr {
 public:
  explicit RowQr(Index p) : r_(p, p, 0.0) {}

  Index p() const { return r_.cols(); }
  // Takes in rows (any number x p), in pieces of a size that keeps the cost near 2 rows p^2.
  void add(ConstMatrixView rows);
  // R: p x p, upper triangle; zeros below. Signs of the rows are arbitrary.
  ConstMatrixView r() const { return r_.view(); }

 private:
  Matrix r_;
  Matrix stack_;  // [R; block], kept between calls
};

}  // namespace freeridge
