// The intercept, removed exactly. Z (n x m, m = n - 1) is an orthonormal basis of the complement of q1 = W^(1/2) 1 /
// |.|:
//     P = G^-1 - G^-1 1~ 1~' G^-1 / (1~' G^-1 1~)  =  Z (Z'GZ)^-1 Z',        |Z'GZ| = |G| (q1' G^-1 q1)
// so that an intercept costs every route one reflection, nothing cancels, and K need only be positive semi-definite on
// the complement. (Patterson & Thompson 1971: error contrasts.) Z is the last m columns of the Householder reflector
//     H = I - tau v v',  v = q1 + e_1,  tau = 1 / (1 + q1_1),  H q1 = -e_1
// whose v has no cancellation because q1 > 0. Without an intercept Z = I.
// The first row must weigh as much as any other, up to a factor: where it does not, the heaviest row changes places
// with it. Then v_i
// is of the size of W_i^(1/2), and so are the rounding errors in row i (A. Cox, N. Higham, Stability of Householder QR
// factorization for weighted least squares problems, 1998). With a light row in the first place Z'KZ would have
// the small numbers of that row as differences of large ones.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

enum class Pivot { heaviest, first };

class Contrast {
 public:
  // q1: n positive numbers of norm one, or empty (no intercept).
  Contrast(Index n, Span<const double> q1, Pivot pivot = Pivot::heaviest);

  Index n() const { return n_; }
  Index m() const { return v_.empty() ? n_ : n_ - 1; }
  bool active() const { return !v_.empty(); }

  // The n x m part of n x n storage that holds an m x m matrix where `inner` says, and later Z times it.
  MatrixView outer(MatrixView storage) const { return storage.columns(n_ - m(), m()); }
  template <class T>
  BasicView<T> inner(BasicView<T> storage) const {
    return storage.block(n_ - m(), n_ - m(), m(), m());
  }
  // Z A Z' in place of K = storage, A = inner(K), which it undoes: lower triangles. O(n^2).
  void expand_symmetric(MatrixView k) const;
  // The last m rows of a matrix with n rows: where Z'B lies, and C for Z C.
  template <class T>
  BasicView<T> rows(BasicView<T> b) const {
    return b.row_range(n_ - m(), m());
  }

  // Z'KZ in place of inner(K); K n x n symmetric, lower triangle. O(n^2).
  void reduce_symmetric(MatrixView k) const;
  // Z'B for B n x k in place of rows(B), which is returned. O(n k).
  MatrixView reduce(MatrixView b) const;
  // B Z for B k x n in place of the last m columns of B. O(n k).
  void reduce_right(MatrixView b) const;
  // Z C for C = rows(B), in place of B. O(n k).
  void expand(MatrixView b) const;

  // Where row i stands: two rows may have changed places, 0 and pivot().
  Index place(Index i) const { return i == 0 ? pivot_ : i == pivot_ ? 0 : i; }
  Index pivot() const { return pivot_; }
  // The row of Z in place i is e_(i - 1)' - tau v_i v[1:]' (no first term for i = 0).
  double row_factor(Index place) const { return tau_ * v_[place]; }
  Span<const double> tail() const { return Span(v_).subspan(1); }  // v[1:], m numbers; active only

 private:
  void reflect(MatrixView b) const;             // b = H b
  void reflect_symmetric(MatrixView k) const;   // k = H k H, lower triangle
  void exchange_symmetric(MatrixView k) const;  // the rows and columns 0 and pivot() of a lower triangle
  void exchange(MatrixView b) const;            // the rows 0 and pivot()

  Index n_;
  Index pivot_ = 0;
  Array<double> v_;  // by places
  double tau_ = 0;
};

}  // namespace freeridge
