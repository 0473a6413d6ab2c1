// A symmetric matrix to banded form:  A = Q B Q',  Q = diag(I_b, Q~) orthogonal, B of bandwidth b.
//     panel:      A(r0:, c:c+b) = H R,  H = I - V T V'  (Householder QR),  r0 = c + b
//     two sides:  H'AH = A - V W' - W V',   W = X - V (T'(V'X)) / 2,   X = A V T
// (C. Bischof, B. Lang, X. Sun, A framework for symmetric band reduction, ACM Trans. Math. Softw. 26 (2000)). A is
// updated for many panels at once; in between A V is computed as A_old V - (V_p W_p' + W_p V_p')V with the panels p
// since the last update (as in LAPACK's dlatrd). 4/3 n^3 flops, half in symmetric_tile, half in syr2k; Q costs 4/3 n^3
// more. The reflectors, and later Q, are kept in the place of A: memory n^2, and strips of some hundred columns.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {

// B: element (i, j), j <= i <= j + b, of m x m is values(i - j, j), (b + 1) x m; zeros below the last row.
struct BandMatrix {
  Index bandwidth() const { return values.rows() - 1; }
  Index size() const { return values.cols(); }
  Matrix values;
};

class BandBasis {
 public:
  // Reduces A (m x m, lower triangle, destroyed) to B of bandwidth b, a multiple of 16. The storage of A keeps Q and
  // must outlive this object.
  BandBasis(MatrixView a, Index b, BandMatrix& out);

  // From saved numbers. tau: max(m - b, 0) numbers; 0 <= formed_from <= tau.size(). The caller then fills A's storage
  // through each_run.
  BandBasis(MatrixView a, Index b, Array<double> tau, Index formed_from);

  // C = Q C or Q'C, C m x k. 4 m^2 k flops (2 m^2 k when Q is formed).
  void multiply(MatrixView c) const { apply(c, false); }
  void multiply_transposed(MatrixView c) const { apply(c, true); }

  // Forms Q in the place of A, 4/3 m^3 flops. A call that is cancelled has formed whole blocks of 128 reflectors (256
  // from m = 4096 on): products with Q stay right, and the next call goes on from there. Half of the work on a block is
  // done without a look at whether to go on.
  void form();
  bool formed() const { return formed_from_ == 0; }
  // Q, m x m. Only where formed().
  ConstMatrixView q() const { return a_; }

  // Calls run(contiguous numbers) for all that A's storage keeps: below row j + b of the columns j < formed_from() the
  // reflectors; then the part of Q that is formed, from row and column formed_from() + b on.
  template <class F>
  void each_run(const F& run) const {
    const auto column = [&](Index j, Index from) { run(Span(a_.col(j) + from, a_.rows - from)); };
    for (Index j = 0; j < formed_from_; ++j) column(j, j + b_ + 1);
    for (Index j = formed_from_ + b_; j < a_.rows; ++j) column(j, formed_from_ + b_);
  }
  Span<const double> tau() const { return tau_; }
  Index formed_from() const { return formed_from_; }

 private:
  // Reflectors first ... first + count - 1 as one: H = I - V T V', V a lower trapezoid with ones on its diagonal.
  struct Block {
    Matrix v, t;
  };
  Block block(Index first, Index count) const;
  void form_block(Index first);
  void apply(MatrixView c, bool transposed) const;
  void set_corner();  // the first b rows and columns of Q, those of the identity
  Index reflectors() const { return static_cast<Index>(tau_.size()); }

  MatrixView a_;
  Index b_;
  Array<double> tau_;  // reflector j acts on the rows from j + b on
  Index formed_from_;  // Q's part that is formed: its columns from b + this on; 0: all
};

}  // namespace freeridge
