//     Z'K_wZ,   K_w q1,   q1'K_w q1
// The weighted kernel matrix without what is not penalised (contrast.hpp), with which all dual routes begin; the noise
// of its eigenvalues and the messages about them, which these routes share. Each route overwrites Z'K_wZ in its own
// way.
// Memory: n^2. Cost: n^2 kernel values.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/data/problem.hpp"
#include "libcore/factor/contrast.hpp"

namespace freeridge {

struct ReducedKernel {
  Contrast contrast;
  Matrix storage;        // n x n; Z'K_wZ in its last m rows and columns, lower triangle
  Matrix k_q1;           // K_w q1, n x q
  double constant_part;  // tr q1'K_w q1, which the contrast removes; 0 for q = 0
  // d, n numbers: row i and column j of Z'K_wZ, and of Z, are made of numbers within d_i d_j. Only with
  // Pivot::heaviest.
  Array<double> sizes;

  ReducedKernel(const Problem& problem, Pivot pivot = Pivot::heaviest);
  // All but the matrices, which are on a device.
  struct WithoutMatrix {};
  ReducedKernel(const Problem& problem, WithoutMatrix);
  // Saved: K_w q1. `more` numbers have to follow, from which the route will fill the storage.
  ReducedKernel(const Problem& problem, ByteReader& in, Index more, Pivot pivot = Pivot::heaviest);
  void save(ByteWriter& out) const { out.matrix(k_q1.view()); }

  MatrixView inner() { return contrast.inner(storage.view()); }
  ConstMatrixView inner() const { return contrast.inner(storage.view()); }

  // tr Z'K_wZ, from its diagonal; 0 where it is nothing but what rounding left of a constant kernel. Throws NOT_FINITE
  // where it overflows.
  double trace(Span<const double> diagonal) const;
  Array<double> diagonal() const;  // of inner()

  // Whether rows differ so much in size, mostly by their weights, that the rounding error of large rows exceeds small
  // rows. Errors are then measured row by row.
  bool graded() const;
  // The sizes of the rows and columns of inner().
  Array<double> inner_sizes() const;
  // The rounding errors in the eigenvalue of the direction b_k = Z u_k, each row's in its own size:
  // 4 sqrt(n) eps |D b_k|^2.
  Array<double> direction_noise(ConstMatrixView b) const;

  // The rounding error of the eigenvalues of Z'K_wZ, from the largest one. K_w and its reduction are each rounded as by
  // a random matrix of norm 2 sqrt(n) eps |K_w|, where |K_w| includes the constant part.
  double noise(double largest) const;
  // How far below zero rounding in a precomputed K may move an eigenvalue: by 1e-8 of the largest eigenvalue, or by the
  // noise where that is more.
  double indefinite(double largest) const;
  // For routes that know no eigenvalues: throws as they do, by fail_indefinite, where Z'K_wZ plus indefinite() has no
  // Cholesky factor. It stands in the upper triangle and the diagonal, which is restored. n^3/3.
  void require_semidefinite();
};

// The noise of a matrix of norm one: 4 sqrt(n) eps.
double relative_noise(Index n);

// How far below zero an eigenvalue of a precomputed n x n K may be: ReducedKernel::indefinite.
double indefinite(Index n, double largest);

// For a precomputed K with negative eigenvalues beyond rounding. found: "its smallest eigenvalue is ...". free: the
// columns that are not penalised.
[[noreturn]] void fail_indefinite(Index free, const std::string& found);
[[noreturn]] void fail_indefinite(const Contrast& contrast, const std::string& found);
[[noreturn]] void fail_eigenvalues_overflow();

}  // namespace freeridge
