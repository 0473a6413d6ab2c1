// P~ at one lambda, and rows of it, for factorizations that know the spectrum; notation of spectrum.hpp.
#pragma once

#include "libcore/factor/spectrum.hpp"

namespace freeridge {

// a / b with 0/0 = 1; b = 0 only with a = 0.
inline double ratio_or_one(double a, double b) {
  return b == 0 ? 1 : a / b;
}

class SpectrumMaker final : public ResidualMaker {
 public:
  SpectrumMaker(const SpectrumFactorization& factor, double lambda)
      : f_(factor), lambda_(lambda), w_(f_.weights(lambda)) {}

  void residual(Index first, MatrixView out) const override;
  void diagonal(std::span<double> out) const override;
  void residual_and_diagonal(Index first, MatrixView out, std::span<double> diagonal_out) const override;
  double trace() const override;
  double shrinkage() const override { return ratio_or_one(lambda_, w_.s); }
  void leverage(std::span<double> out) const override;
  double degrees_of_freedom() const override;
  double log_determinant() const override;
  double quadratic_form(Index output) const override;
  double squared_norm(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void refine(Index first, Index count, Index steps, Solution& solution, const Progress& progress) const override;
  void complete(Index first, Index count, Solution& solution, const Progress& progress) const override;
  void smoother(const LayoutView& points, Index first, MatrixView a, std::span<double> variance) const override;

  double lambda() const { return lambda_; }
  double p(Index k) const { return w_.p[static_cast<std::size_t>(k)]; }
  const SpectrumFactorization::Weights& weights() const { return w_; }
  // g for the outputs [first, first + count); functions: without the directions whose function is zero.
  Matrix spectral_coefficients(Index first, Index count, bool functions) const;

 private:
  double eigenvalue(Index k) const { return w_.eigenvalues[static_cast<std::size_t>(k)]; }
  // Lambda / (Lambda + lambda)
  double kept(Index k) const { return eigenvalue(k) == 0 ? 0 : eigenvalue(k) / (eigenvalue(k) + lambda_); }
  // p Gamma
  Matrix weighted_gamma(Index first, Index count) const;
  bool counts(Index k, bool functions) const;
  // 1 / (Lambda + lambda) of those that count
  std::vector<double> inverse(bool functions) const;
  // f(first row, tile) for all rows
  template <class F>
  void each_tile(const F& f) const;

  const SpectrumFactorization& f_;
  double lambda_;
  SpectrumFactorization::Weights w_;
};

// P~_SS = N_SS + B_S diag(p) B_S'. Few rows: as it stands, s x s. More rows than r + 1, with a complement: s = lambda
// and
//     P~_SS = I - A A',   A = [B_S, q1_S] D,   D = diag(1 - p, 1)^(1/2),   (P~_SS)^-1 v = v + A (I - A'A)^-1 A'v
//     I - A'A = diag(p, 0) + D C D,   C = I - [B_S, q1_S]'[B_S, q1_S] = [B_O, q1_O]'[B_O, q1_O],   O the other rows
// (Woodbury), where C is formed once for all lambdas, as the shorter of the two sums (that of the other rows subtracts
// nothing): a hold-out of many rows costs min(s, n - s) r^2 once and s r t + r^3 a lambda (R. Rifkin, R. Lippert, Notes
// on Regularized Least Squares, 5.3).
class SpectrumRows final : public RowBlock {
 public:
  SpectrumRows(const SpectrumFactorization& factor, std::span<const Index> which);
  bool left_out(const ResidualMaker& maker, Index first, MatrixView out) const override;

 private:
  bool woodbury() const { return f_.complement() && tile_.b.rows > tile_.b.cols + 1; }
  // C, from the other rows or from those of S.
  void add_others(std::span<const Index> which);
  void subtract_own();
  bool left_out_dense(const SpectrumMaker& maker, MatrixView v) const;
  bool left_out_woodbury(const SpectrumMaker& maker, MatrixView v) const;

  const SpectrumFactorization& f_;
  SpectrumFactorization::Room room_;
  SpectrumFactorization::Tile tile_;  // of the rows S
  std::vector<double> q1_;            // of the rows S
  Matrix fixed_;                      // dense: N_SS; Woodbury: C; lower triangle; empty without complement
  std::vector<double> noise_;         // the absolute error of its diagonal
};

}  // namespace freeridge
