// Householder QR of a tall matrix that comes in blocks of rows (TSQR: J. Demmel, L. Grigori, M. Hoemmen, J. Langou,
// Communication-optimal parallel and sequential QR and LU factorizations, SIAM J. Sci. Comput. 34 (2012)):
//     [R; block] = Q R',  R' takes the place of R
// Only R (p x p) is kept. R is triangular, so reflector j touches row j of R and the rows of the block:
//     H_1 ... H_k = I - [I; V] T [I; V]',   T^-1 = striu(V'V) + diag(1 / tau),   V (rows x k) in place of the block
// and 2 rows p^2 flops are nearly all products of matrices. T^-1 is used by a triangular solve, T is never formed (C.
// Puglisi, Modification of the Householder method based on the compact WY representation, SIAM J. Sci. Stat. Comput.
// 13 (1992)).
// Backward stable: R'R = (A + E)'(A + E) with each column of E within rounding of that of A.
#pragma once

#include <utility>

#include "libcore/base/matrix.hpp"

namespace freeridge {

class RowQr {
 public:
  explicit RowQr(Index p);

  Index p() const { return r_.cols(); }
  // Takes in rows (any number x p) at a cost of 2 rows p^2.
  void add(ConstMatrixView rows);
  // The same, with the rows as workspace: they are destroyed.
  void absorb(MatrixView rows);
  // R: p x p, upper triangle; zeros below. Signs of the rows are arbitrary.
  ConstMatrixView r() const { return r_.view(); }
  Matrix take_r() { return std::move(r_); }

 private:
  void absorb_block(MatrixView block);
  // The columns [first, first + count) of [R; block], their reflectors left in the block, T^-T in the diagonal block of
  // t_ that begins at first - panel.
  void factorize(MatrixView block, Index panel, Index first, Index count);
  void factorize_narrow(MatrixView block, Index panel, Index first, Index count);
  // The reflectors of the columns [first, first + count), applied to the columns [to, to + columns).
  void apply(MatrixView block, Index panel, Index first, Index count, Index to, Index columns);

  Matrix r_;
  Matrix t_;      // T^-T of the panel at hand, lower triangle
  Matrix w_;      // T'(R + V' block)
  Matrix block_;  // add's copy of the rows
};

}  // namespace freeridge
