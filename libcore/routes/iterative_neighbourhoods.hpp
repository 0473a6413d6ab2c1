// An approximation of P~ near its diagonal, for the ITERATIVE route. The rest that the preconditioner leaves of the
// kernel matrix, E = K_w - F F', is taken into account between row i and its nearest neighbours only. Let N be the row
// i, in first place, and its neighbours, A = lambda Phat, E_NN = L L', B = L / lambda^(1/2), and let K_w and F be
// projected on the complement of q1 (I - q1 q1' on both sides of K_w). Then
//     P~ ~ A - A_:N B (I + B'A_NN B)^-1 B'A_N:
// with equality if E is zero outside of N. Its diagonal element i and the products of its row i with columns z are
//     g = B (I + B'A_NN B)^-1 B'A_Ni        b_i = A_ii - A_iN g        (row i) z = (A z)_i - g'(A z)_N
// The neighbours of row i have the largest k(x_i, x_j)^2 / k(x_j, x_j). N has m rows. Near the best lambda b_i is
// within some percent of P~_ii, where Phat_ii may be many times as large.
// Memory: 4 n m bytes; while the neighbours are found 16 n doubles a thread. Cost: n^2 kernel values once; n m^2 r for
// each lambda, and for all lambdas of a call together n m r numbers of U are read.
#pragma once

#include <cstdint>

#include "libcore/routes/iterative_preconditioner.hpp"

namespace freeridge {

class IterativeNeighbourhoods {
 public:
  // problem, preconditioner and k_q1 = K_w q1 (n x q) are borrowed.
  IterativeNeighbourhoods(const Problem& problem, const IterativePreconditioner& preconditioner, ConstMatrixView k_q1);

  // base(i, l) = b_i at lambdas[l]. Columns [l s, (l + 1) s) of `products` hold A z for s columns z at lambdas[l]; the
  // same columns of `near` become (row i) z. Both are n x (lambdas s).
  void correct(Span<const double> lambdas, ConstMatrixView products, MatrixView base, MatrixView near) const;
  // ((I - q1 q1') K_w (I - q1 q1'))_ii
  double centred_diagonal(Index i) const;

  // What correct allocates beside its arguments, in doubles, on so many threads.
  static Index doubles(Index n, Index rank, Index threads);

 private:
  class Neighbourhood;
  void find();
  double centre(Index i, Index j) const;

  const Problem& problem_;
  const IterativePreconditioner& preconditioner_;
  ConstMatrixView k_q1_;
  Matrix inner_;                   // q1'K_w q1
  Array<double> own_;              // k(x_i, x_i)
  Index size_;                     // m
  Array<std::int32_t> neighbour_;  // m for each row, the row itself first
};

}  // namespace freeridge
