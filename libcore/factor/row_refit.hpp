// Rows S left out of a ridge problem by fitting it again to the rows O that stay, with QR alone, so that nothing is
// subtracted from one:
//     [A_O; Pi, 0] = Q R,   beta = R^-1 Q'[Y_O; 0],   e = Y_S - A_S beta,   (P~_SS)^-1 = I + A_S (R'R)^-1 A_S'
// A = [features, q1], Pi'Pi the penalty. Where few rows stay, or rows of S have almost all the leverage, I - A_S A_S'
// has lost as many digits as lambda is small; R loses half as many.
// 2 (rows of O and Pi) k^2 for k unknowns; memory (k + t)^2.
#pragma once

#include "libcore/linalg/row_qr.hpp"

namespace freeridge {

// Where P~_SS = I - A_S A_S' leaves more than this relative error, the rows that stay are fitted again.
constexpr double refit_from = 1e-10;

class RowRefit {
 public:
  RowRefit(Index unknowns, Index outputs) : k_(unknowns), t_(outputs), qr_(unknowns + outputs) {}
  // Of the same rows as `other` has taken in.
  RowRefit(const RowRefit& other) : k_(other.k_), t_(other.t_), qr_(copy_of(other.qr_.r())) {}
  RowRefit& operator=(const RowRefit&) = delete;

  // Takes in rows [A, Y]; they are destroyed.
  void absorb(MatrixView rows) { qr_.absorb(rows); }
  // The same for rows of Pi, without outputs and without the last unknowns, which are not penalised.
  void penalise(ConstMatrixView pi);
  // Whether the rows and the penalty determine beta.
  bool determined() const;
  // beta, k x t; v = (P~_SS)^-1 v, with (R'R)^-1 A_S'v as the answer, which is A_S' times the new v where
  // A'A + Pi'Pi = I over all rows. Only where it is determined.
  Matrix beta() const;
  Matrix leave_out(ConstMatrixView a, MatrixView v) const;

 private:
  ConstMatrixView r() const { return qr_.r().block(0, 0, k_, k_); }

  Index k_, t_;
  RowQr qr_;
};

}  // namespace freeridge
