// K_w = W^(1/2) K W^(1/2) in blocks, without the intercept. With the unit vector q1 = W^(1/2) 1 / |W^(1/2) 1|, and e
// the last unit vector,
//     H = I - tau v v',   v = q1 + s e,   s = the sign of q1_n,   tau = 1 / (1 + |q1_n|),   H q1 = -s e
//     H K_w H = K_w - v w' - w v',   p = tau K_w v,   w = p - (tau / 2) (p'v) v
// The problem without the intercept is then the leading (n - 1) x (n - 1) block (J. Dongarra, D. Sorensen, S.
// Hammarling, Block reduction of matrices to condensed forms, 1989, for the update). K_w q1 takes one sum of n numbers
// over the ranks; K_w e is one column of kernel values, which each rank computes. K itself is never sent. Without an
// intercept H = I and the block is all of K_w.
#pragma once

#include <algorithm>

#include "libcore/data/problem.hpp"
#include "mpi/blocks.hpp"

namespace freeridge::mpi {

class ReflectedKernel {
 public:
  ReflectedKernel(const Team& team, const Problem& problem);

  Index m() const { return problem_.degrees(); }
  // This rank's blocks of H K_w H, from which the problem is the leading m x m block. whole: both triangles, else the
  // blocks at and below the diagonal alone. Collective. Memory beside `out`: O(n d). Throws NOT_FINITE.
  void make(const Dealing& dealing, bool whole, MatrixView out);

  // Of K_w, after make: K_w q1 (n x q), and the trace of the leading block.
  const Matrix& k_q1() const { return k_q1_; }
  double trace() const { return trace_; }
  // q1'K_w q1, whose rounding errors are in the leading block, too; and a bound of the numbers of both.
  double constant() const { return constant_; }
  double largest() const { return std::max(trace_, constant_); }

  // H a, in place, for n rows; H = I without an intercept.
  void reflect(MatrixView a) const;
  double tau() const { return tau_; }
  // n numbers; zeros without an intercept
  Span<const double> v() const { return v_; }

 private:
  void fill(const Dealing& dealing, bool whole, MatrixView out) const;
  Array<double> products(const Dealing& dealing, ConstMatrixView k) const;
  void set_update(Span<const double> k_q1);
  void update(const Dealing& dealing, bool whole, MatrixView out) const;

  const Team& team_;
  const Problem& problem_;
  double tau_ = 0, trace_ = 0, constant_ = 0;
  Array<double> v_, w_;
  Matrix k_q1_;
  bool known_ = false;  // w, k_q1 and trace
};

}  // namespace freeridge::mpi
