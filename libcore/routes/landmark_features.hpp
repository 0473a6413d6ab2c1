// The features of landmarks R, K_RR = L L' (pivoted, so that dependent landmarks are left out by rank):
//     f(x) = sum_(i in R) c_i k(x_i, x),   phi(x) = L^-1 k(X_R, x),   ||f||_k^2 = c'K_RR c = |w|^2,   c = L^-T w
// The sum of phi phi' over rows can be made without all of phi. With L = [L11 0; L21 L22], where L11 belongs to the
// first q pivots, each row needs only
//     psi = (phi_1, k_2 - L21 phi_1),   phi_1 = L11^-1 k_1,   phi_2 = L22^-1 psi_2      n (q^2 + 2 q (r - q)) + n r^2
// and Phi'Phi = diag(I, L22^-1) Psi'Psi diag(I, L22^-T) costs r^3 at the end. Psi'Psi has relative rounding errors u
// (gram_rounding); with the norms g_j of the columns of Psi_2 they come to about
//     u |L22^-1 diag(g)|_F^2
// in Phi'Phi. q is chosen on a sample of rows, as small as keeps this below the noise of the eigenvalues
// (small_svd.hpp), and the bound is checked on all rows at the end. Where K_RR has few large eigenvalues (smooth
// kernels), q is small; q = 0 when K_RR is well conditioned.
#pragma once

#include <optional>

#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/routes/feature_reduction.hpp"

namespace freeridge {

class LandmarkFeatures final : public FeatureMap {
 public:
  // The landmarks are these rows of the problem's points.
  LandmarkFeatures(const Problem& problem, Array<Index> rows);
  // From saved bytes.
  LandmarkFeatures(const Problem& problem, ByteReader& in);
  void save(ByteWriter& out) const override;

  Index features() const override { return l_.rows(); }

  // Chooses q on rows of the problem, with `safety` times the rounding error that these rows show.
  void prepare_partial(const Problem& problem, double safety);
  // q, or -1 where phi itself is to be formed; and the same set to a saved value.
  Index head() const { return has_partial() ? head_ : -1; }
  void set_head(Index q);

  bool has_partial() const override { return !gain_.empty(); }
  void apply_partial(MatrixView rows) const override;
  Completed complete(MatrixView gram, Index first, Span<double> shift, Index n) const override;

  void raw(const Rows& points, Index row, MatrixView out) const override;
  void raw_functional(ConstMatrixView delta, MatrixView out) const override;
  void apply(MatrixView rows) const override;
  bool fold(MatrixView t, MatrixView parts) const override;
  void solve(const Problem& problem, Index first, ConstMatrixView w, ConstMatrixView parts,
             Solution& solution) const override;
  bool own_coefficients(const Problem& problem, ConstMatrixView w, MatrixView out) const override;

  Span<const Index> landmarks() const override { return landmarks_; }
  Span<const Index> kept() const override { return kept_; }
  ConstMatrixView whitening() const override { return l_.view(); }
  // c = L^-T w
  Matrix expansion(ConstMatrixView w) const;

 private:
  Matrix inverse() const;  // L^-1
  // w_s = sum_k c_k x_k / scale
  Matrix hyperplane_of(const Problem& problem, const Matrix& c) const;

  Array<Index> landmarks_, kept_;   // as asked for; those that do not depend on others, in the order of the pivots
  std::optional<Support> support_;  // of the kept ones
  Matrix l_;
  Index head_ = 0;      // q
  Array<double> gain_;  // the squared column norms of L22^-1; empty: no psi
};

}  // namespace freeridge
