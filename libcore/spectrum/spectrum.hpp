// The spectrum of a ridge problem, and what follows from it alone for a given lambda. Of the m = n - q eigenvalues of
// Z'K_wZ, r are given; the other m - r are zero ("the complement"). B (n x r) has their eigenvectors, Z U, in its
// columns, Gamma = B'Y~, and E = N Y~ is what N = I - q1 q1' - B B' leaves of Y~ (N = 0 without complement):
//
//     p_k = s / (Lambda_k + lambda),   s = Lambda_min + lambda (lambda with a complement),   0/0 = 1
//     h_k = Lambda_k / (Lambda_k + lambda) = 1 - rho p_k,   rho = lambda / s
//     g_k = Gamma_k / (Lambda_k + lambda)
//     tr P~ = sum p + (m - r),    tr H = q + sum h,    |P~Y~|^2 = sum p^2 Gamma^2 + |E|^2
//     log|Z'GZ| = sum log(Lambda_k + lambda) + (m - r) log lambda
//     Y~'PY~ = sum Gamma^2 / (Lambda_k + lambda) + |E|^2 / lambda
//     |f|_K^2 = sum Lambda_k g_k^2
//
// All p are in [0, 1]: nothing overflows and nothing is subtracted at any lambda, 0 included.
// An eigenvalue below its noise is rounding. At lambda >= noise that does not matter; at a smaller lambda the
// eigenvalue counts as zero. Directions whose eigenvalue counts as zero are left out of g: lambda -> 0 gives the
// minimum-norm solution.
#pragma once

#include <algorithm>
#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/factor/digits.hpp"

namespace freeridge {

struct Spectrum {
  Index degrees = 0;               // m
  Array<double> eigenvalues = {};  // Lambda, r
  Array<double> noise = {};        // r
  Matrix gamma = {};               // Gamma, r x t
  Array<double> rest_norm2 = {};   // |E_j|^2, t; not read without complement

  // For digits.hpp: `sure`; one noise for all directions in the place of `noise`; and the direction that was left out
  // of the spectrum as rounding, with noise 0 where there is none.
  double sure = sure_of_matrix;
  std::optional<double> common_noise = std::nullopt;
  Direction left_out = {0, 0, 0};
  Array<double> feature_noise = {};  // r: Direction::more of each direction; empty: zeros
  double wanting = 0;                // the trace of K that landmarks left out may have had a part in

  Index r() const { return static_cast<Index>(eigenvalues.size()); }
  bool complement() const { return r() < degrees; }
  // The largest noise.
  double tolerance() const;
  // Of the eigenvalues that are neither zero nor rounding: how many there are, the smallest and the largest (both 0 if
  // there are none).
  Index rank() const;
  EigenvalueRange range() const;
  // The smallest lambda from which on errors left out have six digits, and whether they have them at lambda.
  double floor() const;
  bool below_floor(double lambda) const;
  // The floor without what features add to it, and whether they add much.
  double own_floor() const;
  bool features_are_rounded() const { return std::max(floor(), sure * wanting) > 2 * own_floor(); }

 private:
  // The floor of directions beside those that are zero by the kernel's rank.
  double rank_floor() const;
  Direction direction(Index k) const;
  bool counts(Index k) const;
};

// A spectrum at one lambda. It must not outlive the spectrum.
class SpectrumAt {
 public:
  SpectrumAt(const Spectrum& spectrum, double lambda);

  double lambda() const { return lambda_; }
  // Lambda_k, 0 where it counts as zero.
  double eigenvalue(Index k) const { return eigenvalues_[k]; }
  double p(Index k) const { return p_[k]; }
  // h_k
  double fitted(Index k) const { return eigenvalue(k) == 0 ? 0 : eigenvalue(k) / (eigenvalue(k) + lambda_); }
  double scale() const { return s_; }
  // rho
  double shrinkage() const;
  // Whether an eigenvalue that is not zero counts as zero. P~ is then a projector in its direction, and zeros of P~
  // come out as rounding errors.
  bool projects() const { return projects_; }

  double trace() const;
  // tr H without the q columns that are not penalised.
  double fitted_trace() const;
  double log_determinant() const;
  double quadratic_form(Index output) const;
  double squared_norm(Index output) const;
  double function_norm2(Index output) const;

  // Whether direction k is part of g: not where an eigenvalue that is not zero counts as zero; where the eigenvalue is
  // exactly zero only for lambda above its noise, and not with `functions` (directions whose function is not zero).
  bool counts(Index k, bool functions) const;
  // 1 / (Lambda_k + lambda) in the directions that count, else 0.
  Array<double> inverse(bool functions) const;
  // g of the outputs [first, first + count), 0 in the directions that do not count.
  Matrix coefficients(Index first, Index count, bool functions) const;

 private:
  const Spectrum* spectrum_;
  double lambda_;
  Array<double> eigenvalues_, p_;
  double s_ = 0;
  bool projects_ = false;
};

// diag(factor) a, zero where the factor is.
Matrix scaled_rows(Span<const double> factor, ConstMatrixView a);

}  // namespace freeridge
