// P~ of the ITERATIVE route near its diagonal: what the preconditioner leaves of the kernel matrix, E = K_w - F F', is taken
// into account among the nearest neighbours of each row alone. With A = lambda Phat, E_NN = L L' of row i and its neighbours
// N (i the first), B = L / lambda^(1/2), and q1 taken out of K_w and F on both sides,
//     P~ ~ A - A_:N B (I + B'A_NN B)^-1 B'A_N:
// which is P~ if E is zero outside of N. Of it, the diagonal element i and products of row i with columns z:
//     g = B (I + B'A_NN B)^-1 B'A_Ni        b_i = A_ii - A_iN g        (row i) z = (A z)_i - g'(A z)_N
// Neighbours: those of largest k(x_i, x_j)^2 / k(x_j, x_j). With m rows in N, itself included, b_i is within some percent of P~_ii
// near the best lambda, where Phat_ii may be many times as large.
// Memory: 4 n m bytes; while they are found 16 n doubles a thread. Cost: n^2 kernel values once; for the lambdas of a
// call together n m^2 r for each, and n m r places of U are read.
#pragma once

#include <cstdint>

#include "libcore/routes/iterative_preconditioner.hpp"

namespace freeridge {

class IterativeNeighbourhoods {
 public:
  // problem, preconditioner and k_q1 = K_w q1 (n x q) are borrowed.
  IterativeNeighbourhoods(const Problem& problem, const IterativePreconditioner& preconditioner, ConstMatrixView k_q1);

  // base(i, l) = b_i at lambdas[l], and near, in its columns [l s, (l + 1) s): (row i) z for A z of `products`, each n x (lambdas s).
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
