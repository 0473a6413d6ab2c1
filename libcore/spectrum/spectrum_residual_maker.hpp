// P~ at one lambda, for factorizations that know the spectrum; notation of spectrum.hpp.
#pragma once

#include "libcore/spectrum/spectrum.hpp"

namespace freeridge {

// a / b with 0/0 = 1; b = 0 only with a = 0.
inline double ratio_or_one(double a, double b) {
  return b == 0 ? 1 : a / b;
}

class SpectrumMaker final : public ResidualMaker {
 public:
  SpectrumMaker(const SpectrumFactorization& factor, double lambda)
      : f_(factor), lambda_(lambda), functions_(f_.functions_only(lambda)), w_(f_.weights(lambda)) {}

  void residual(Index first, MatrixView out) const override;
  void diagonal(std::span<double> out) const override;
  void residual_and_diagonal(Index first, MatrixView out, std::span<double> diagonal_out) const override;
  double trace() const override;
  bool below_floor() const override { return f_.below_floor(lambda_); }
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
  void smoother(const Rows& points, Index first, MatrixView a, std::span<double> variance) const override;

  double lambda() const { return lambda_; }
  double eigenvalue(Index k) const { return w_.eigenvalues[static_cast<std::size_t>(k)]; }
  // share Gamma
  Matrix shared_gamma(Index first, Index count) const;
  double p(Index k) const { return w_.p[static_cast<std::size_t>(k)]; }
  // Of B_k in P~: p_k, or p_k - 1.
  double share(Index k) const { return f_.share(w_, k); }
  const SpectrumFactorization::Weights& weights() const { return w_; }
  // g for the outputs [first, first + count); functions: without the directions whose function is zero.
  Matrix spectral_coefficients(Index first, Index count, bool functions) const;

 private:
  // Lambda / (Lambda + lambda)
  double kept(Index k) const { return eigenvalue(k) == 0 ? 0 : eigenvalue(k) / (eigenvalue(k) + lambda_); }
  bool counts(Index k, bool functions) const;
  // 1 / (Lambda + lambda) of those that count
  std::vector<double> inverse(bool functions) const;
  // f(first row, tile) for all rows
  template <class F>
  void each_tile(const F& f) const;

  const SpectrumFactorization& f_;
  double lambda_;
  bool functions_;
  SpectrumFactorization::Weights w_;
};

}  // namespace freeridge
