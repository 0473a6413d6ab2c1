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
//
// Rounding. With c_k = L^-T v_k and rho_k = |D c_k|, D = diag(K_RR)^(1/2), rounding of K_RR and its factorization, and
// of the numbers k(x, R) of which phi is made, moves S_k^2 and the penalty of direction k by about
//     eps S_k^2 rho_k^2      and      eps S_k rho_k T^(1/2),     T = sum_i w_i K_ii
// The QR of features cannot tell S_k from 0 below c eps rho_k T^(1/2) (c: small_svd.hpp), as where columns without a
// penalty span direction k.
// L of twice the digits (twofold_landmarks.hpp) leaves eps S_k^2 rho_k tr(K_RR)^(1/2) of the first, features of twice
// the digits nothing of the second.
#pragma once

#include <optional>
#include <utility>

#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/routes/twofold_landmarks.hpp"

namespace freeridge {

class LandmarkFeatures final : public FeatureMap {
 public:
  // The landmarks are these rows of the problem's points.
  LandmarkFeatures(const Problem& problem, Array<Index> rows);
  // The same with L, and where small pivots ask for it phi, of twice the digits; nothing where that takes too long.
  static std::unique_ptr<LandmarkFeatures> with_more_digits(const Problem& problem, Array<Index> rows);
  // L of twice the digits where K_RR is ill-conditioned.
  static std::unique_ptr<LandmarkFeatures> of_accurate_factor(const Problem& problem, Array<Index> rows);
  // From saved bytes.
  LandmarkFeatures(const Problem& problem, ByteReader& in);
  void save(ByteWriter& out) const override;

  // Forms phi of the problem's points once, where it has twice the digits and few numbers.
  void keep_features(const Problem& problem);

  Index features() const override { return l_.rows(); }
  // Whether doubles have many digits of L^-1.
  bool well_conditioned() const;

  // Chooses q on rows of the problem, with `safety` times the rounding error that these rows show.
  void prepare_partial(const Problem& problem, double safety);
  // q, or -1 where phi itself is to be formed; and the same set to a saved value.
  Index head() const { return has_partial() ? head_ : -1; }
  void set_head(Index q);

  bool has_partial() const override { return !gain_.empty(); }
  void apply_partial(MatrixView rows) const override;
  Completed complete(MatrixView gram, Index first, Span<double> shift, Index n) const override;

  void raw(const Rows& points, Index row, MatrixView out) const override;
  void raw_functionals(const Functionals& of, Index first, MatrixView out) const override;
  void apply(MatrixView rows) const override;
  bool fold(MatrixView t, MatrixView parts) const override;
  void solve(const Problem& problem, Index first, ConstMatrixView w, ConstMatrixView parts,
             Solution& solution) const override;
  bool own_coefficients(const Problem& problem, ConstMatrixView w, MatrixView out) const override;

  Rounding rounding(const Problem& problem, ConstMatrixView vt, Span<const double> s, ConstMatrixView parts,
                    bool more_digits) const override;
  // The same for n rows of whose weighted sum of k(x, x) columns without a penalty explain a part.
  struct Own {
    bool wants = false;   // whether a landmark that is not among the kept ones has a function of its own
    Array<double> value;  // k(z, z) of the kept ones
  };
  Own own(const Problem& problem) const;
  Rounding rounding(const Own& own, Index n, double trace, double explained, ConstMatrixView vt, Span<const double> s,
                    bool more_digits) const;
  Array<double> feature_noise(const Problem& problem, ConstMatrixView vt) const override;
  bool may_have_more_digits() const override;

  Span<const Index> landmarks() const override { return landmarks_; }
  Span<const Index> kept() const override { return kept_; }
  ConstMatrixView whitening() const override { return l_.view(); }
  // c = L^-T w
  Matrix expansion(ConstMatrixView w) const;

 private:
  LandmarkFeatures() = default;
  Matrix inverse() const;  // L^-1
  // rho_k of the directions of vt. values: K_ii of the kept landmarks.
  Array<double> magnified(Span<const double> values, ConstMatrixView vt) const;
  std::pair<double, double> diagonal_range() const;
  void take(const Problem& problem, TwofoldCholesky factor);
  // Where a pivot is so small that doubles would have left it out, phi has twice the digits. Decided by L, so that a
  // loaded factorization forms phi as the saved one did.
  void set_twofold(const Problem& problem);
  bool wants_landmarks(const Problem& problem) const;
  struct Diagonals {
    Array<double> rows, kept;  // k(x, x) of the rows of the problem, and of the kept landmarks
  };
  Diagonals diagonals(const Problem& problem) const;
  // w_s = sum_k c_k x_k / scale
  Matrix hyperplane_of(const Problem& problem, const Matrix& c) const;

  Array<Index> landmarks_, kept_;   // as asked for; those that do not depend on others, in the order of the pivots
  std::optional<Support> support_;  // of the kept ones
  Matrix l_;
  std::optional<TwofoldSupport> twofold_;  // of the kept ones, where phi has twice the digits
  Matrix phi_;                             // of the points phi_of_
  const Rows* phi_of_ = nullptr;           // of the problem that the map belongs to
  Index head_ = 0;                         // q
  Array<double> gain_;                     // the squared column norms of L22^-1; empty: no psi
};

}  // namespace freeridge
