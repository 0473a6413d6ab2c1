// The preconditioner of the ITERATIVE route, one for every lambda. Randomly pivoted Cholesky gives F with F F' <= K_w
// (data/pivoted_cholesky.hpp). With (I - q1 q1') F in the place of F, and
//     F'F = V Lambda V',   U = F V Lambda^(-1/2),
//     Phat v = (v - U (Lambda / (Lambda + lambda)) U'v) / lambda          on the complement of q1, and 0 along q1
// Phat is P for the kernel matrix F F'. As F F' <= K_w, P <= Phat. So diag Phat is a bound of diag P, and for any c,
// with the part r of Y~ - (K_w + lambda) c in the complement of q1,
//     |c - P Y~|_G^2 = r'P r <= r'Phat r,      |v|_G^2 = v'(K_w + lambda) v
// (M. Diaz, E. Epperly, Z. Frangella, J. Tropp, R. Webber, Robust, randomized preconditioning for kernel ridge
// regression, 2023). In the directions that matter at lambda U is orthonormal to eps Lambda_1 / lambda, the accuracy of
// K_w itself.
// Memory: n r. Cost: n r kernel values, 5 n r^2, 9 r^3; applied: 4 n r a column.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/data/problem.hpp"

namespace freeridge {

// r for n points: such that the set-up costs about as much as thirty passes over the kernel values; at least 512, or n.
Index preconditioner_rank(Index n);

class IterativePreconditioner {
 public:
  IterativePreconditioner(const Problem& problem, Index rank, std::int64_t seed);

  Index rank() const { return std::ssize(eigenvalues_); }
  // Lambda, ascending; all positive.
  Span<const double> eigenvalues() const { return eigenvalues_; }
  double largest() const { return eigenvalues_.empty() ? 0 : eigenvalues_.back(); }
  // U, n x rank()
  ConstMatrixView u() const { return u_.view().columns(0, rank()); }
  // The trace of K_w - F F'.
  double trace_left() const { return trace_left_; }

  // z = Phat r, column j at lambdas[j]. z may be r.
  void apply(ConstMatrixView r, Span<const double> lambdas, MatrixView z) const;
  // lambda diag(Phat), n numbers.
  void diagonal(double lambda, Span<double> out) const;
  // v = (I - q1 q1') v
  void take_out(MatrixView v) const;

 private:
  void set_basis(Matrix factor, Index columns);

  const Problem& problem_;
  Matrix u_;  // in its first rank() columns
  Array<double> eigenvalues_;
  double trace_left_ = 0;
};

}  // namespace freeridge
