// Removes exactly what is not penalised. q1 (n x q) is an orthonormal basis of W^(1/2) times the intercept's ones and
// the fixed effects (data/unpenalised.hpp), and Z (n x m, m = n - q) an orthonormal basis of its complement:
//     P = G^-1 - G^-1 q1 (q1'G^-1 q1)^-1 q1'G^-1  =  Z (Z'GZ)^-1 Z',        |Z'GZ| = |G| |q1'G^-1 q1|
// So q columns cost every route q reflections, nothing cancels, and K need only be positive semi-definite on the
// complement (error contrasts: H. Patterson, R. Thompson, 1971). Z is the last m columns of the block reflector
//     H = I - V T V',   V = q1 O + [I; 0],   T = (I + S)^-1,   H q1 O = -[I; 0],   H = H' = H^-1
// where the orthogonal O makes the first q rows of q1 O a symmetric positive semi-definite S (the polar factor), so
// that V has no cancellation and T is between 1/2 and 1 (R. Schreiber, B. Parlett, Block reflectors: theory and
// computation, SIAM J. Numer. Anal. 25, 1988). For q = 1 that is the Householder reflector v = q1 + e_1, tau = 1 / (1 +
// q1_1). For q = 0, Z = I.
// The first q rows must weigh as much as any others, up to a factor. Where they do not, heavier rows change places with
// them: each place gets the heaviest row of what the places before it leave of q1. Then row i of V is of the size of
// W_i^(1/2), and so are the rounding errors in row i (A. Cox, N. Higham, Stability of Householder QR factorization for
// weighted least squares problems, 1998). With light rows in the first places the small numbers of those rows in Z'KZ
// would be differences of large ones.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

enum class Pivot { heaviest, first };

class Contrast {
 public:
  // q1: n x q orthonormal columns, or none.
  Contrast(Index n, ConstMatrixView q1, Pivot pivot = Pivot::heaviest);
  // One column, or empty.
  Contrast(Index n, Span<const double> q1, Pivot pivot = Pivot::heaviest)
      : Contrast(n, ConstMatrixView{q1.data(), n, q1.empty() ? 0 : Index{1}, n}, pivot) {}

  Index n() const { return n_; }
  Index q() const { return v_.cols(); }
  Index m() const { return n_ - q(); }
  bool active() const { return q() > 0; }

  // The n x m part of n x n storage that holds an m x m matrix where `inner` says, and later Z times it.
  MatrixView outer(MatrixView storage) const { return storage.columns(q(), m()); }
  template <class T>
  BasicView<T> inner(BasicView<T> storage) const {
    return storage.block(q(), q(), m(), m());
  }
  // The last m rows of a matrix with n rows: where Z'B lies, and C for Z C.
  template <class T>
  BasicView<T> rows(BasicView<T> b) const {
    return b.row_range(q(), m());
  }

  // Z'KZ in place of inner(K); K n x n symmetric, lower triangle. O(n^2 q); half of it where k_q1 = K q1 is given.
  void reduce_symmetric(MatrixView k, ConstMatrixView k_q1 = {}) const;
  // The way back: Z A Z' in place of K, A = inner(K); lower triangles. O(n^2 q).
  void expand_symmetric(MatrixView k) const;
  // The two in the hands of a caller whose K, by places, is elsewhere: H K H = K - V P' - P V', P from the first q columns
  // of K and from K q1. H B = B - V T (V'B), after which the rows of B are by places.
  Matrix update(ConstMatrixView first, ConstMatrixView k_q1) const;
  ConstMatrixView v() const { return v_.view(); }  // by places
  void to_rows(MatrixView by_places) const { exchange(by_places, true); }
  // Z'B for B n x k in place of rows(B), which is returned. O(n k q).
  MatrixView reduce(MatrixView b) const;
  // B Z for B k x n in place of the last m columns of B. O(n k q).
  void reduce_right(MatrixView b) const;
  // Z C for C = rows(B), in place of B. O(n k q).
  void expand(MatrixView b) const;

  // The place of a row, and the row in a place: up to q rows have changed places with others.
  Index place(Index row) const { return places_.empty() ? row : places_[row]; }
  Index row(Index place) const { return rows_.empty() ? place : rows_[place]; }
  // The row of Z in place i is e_(i - q)' - factors_i tail()' (no first term for i < q).
  ConstMatrixView factors() const { return vt_.view(); }                  // V T, n x q, by places
  ConstMatrixView tail() const { return v_.view().row_range(q(), m()); }  // V[q:], m x q

 private:
  void choose_places(ConstMatrixView q1);
  Matrix product(ConstMatrixView k, ConstMatrixView k_q1) const;
  void reflect(MatrixView b) const;                                  // b = H b
  void reflect_symmetric(MatrixView k, ConstMatrixView k_q1) const;  // k = H k H, lower triangle, by places
  void exchange(MatrixView b, bool back) const;                      // the rows of b into their places, or back

  Index n_;
  Array<Index> swaps_;          // places k and swaps_[k], one after the other; empty: none
  Array<Index> places_, rows_;  // n each; empty likewise
  Matrix v_, vt_;               // by places
  Matrix o_, t_;                // O and T, q x q
};

}  // namespace freeridge
