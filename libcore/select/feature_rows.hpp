// Rows of a ridge problem in p features (factor/feature_system.hpp), formed anew in each pass over the points:
//     Psi_I = Phi~_I C^-T,    r_I = Y~_I - Psi_I Gamma,  Gamma = C^-1 Phi~'Y~,    d_i = 1 - |q1_i|^2 - |Psi_i|^2
// With a complement P~ Y~ = r and diag P~ = d. d_i is a difference with an error of a few eps. Rows whose d_i is below
// sure_diagonal take d_i and r_i from the route (mended_rows), which computes them as sums.
// LANDMARK: phi(x) = L^-1 k(X_R, x), and Psi_I = (K_IR - U_I (L M)') (L C)^-T, one triangular solve. PRIMAL:
// phi(x) = x / scale.
// Cost of a row: p^2, and the kernel values. Memory of a tile: rows (p + d + t).
#pragma once

#include <functional>
#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/triangle_divisor.hpp"

namespace freeridge {

struct RowTile {
  Array<Index> rows;
  Matrix psi, r;    // Psi_I, r_I
  Array<double> d;  // d_I
  Matrix points;    // LANDMARK: x_I
  Index count() const { return std::ssize(rows); }
};

class FeatureRows {
 public:
  // Both must outlive it.
  FeatureRows(const Problem& problem, const FeatureSystem& system);

  const Problem& problem() const { return problem_; }
  const FeatureSystem& system() const { return system_; }
  Index p() const { return system_.c.rows(); }
  bool landmarks() const { return support_.has_value(); }
  ConstMatrixView gamma() const { return gamma_.view(); }
  Index tile_rows() const;
  // How many threads have a tile and p x p numbers each.
  int team() const;

  void make(Span<const Index> rows, RowTile& tile) const;
  // take(tile, worker) for tiles of neighbours that cover all rows; the tiles may be changed.
  void each(int team, const std::function<void(RowTile&, int)>& take) const;
  // The gradient by Psi becomes the gradient by the numbers of which Psi is made: LANDMARK G (L C)^-1, PRIMAL G C^-1.
  void solve_back(MatrixView g) const;

 private:
  void features(Span<const Index> rows, RowTile& tile) const;

  const Problem& problem_;
  const FeatureSystem& system_;
  std::optional<Support> support_;
  TriangleDivisor factor_;  // by L C, or C
  Matrix centre_;           // LANDMARK: L M, p x q
  Array<double> shift_;     // PRIMAL: the part of the means of x / scale that the shift leaves
  Matrix gamma_;
};

// r and d of some rows, ascending.
struct MendedRows {
  Array<Index> rows;
  Matrix r;
  Array<double> d;
  void put_into(RowTile& tile) const;
};

// Below it d_i is taken from the route.
constexpr double sure_diagonal = 1e-4;
// One pass of the route, unless there are no such rows. Throws UNDEFINED where a d_i is zero.
MendedRows mended_rows(const Factorization& factorization, double lambda, Array<Index> rows);

}  // namespace freeridge
