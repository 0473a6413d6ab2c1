#include "libcore/spectrum/spectrum_residual_maker.hpp"

#include <algorithm>
#include <cmath>

namespace freeridge {
template <class F>
void SpectrumMaker::each_tile(const F& f) const {
  const Index n = f_.problem().n(), step = std::min(f_.tile_rows(), n);
  SpectrumFactorization::Room room;
  for (Index row = 0; row < n; row += step) f(row, f_.tile(row, std::min(step, n - row), room));
}

Matrix SpectrumMaker::shared_gamma(Index first, Index count) const {
  Matrix out(f_.r(), count);
  for (Index j = 0; j < count; ++j)
    for (Index k = 0; k < f_.r(); ++k) out(k, j) = share(k) * f_.spectrum().gamma(k, first + j);
  return out;
}

void SpectrumMaker::residual(Index first, MatrixView out) const {
  residual_and_diagonal(first, out, {});
}

void SpectrumMaker::diagonal(std::span<double> out) const {
  residual_and_diagonal(0, {}, out);
}

// Either may be empty: not wanted.
void SpectrumMaker::residual_and_diagonal(Index first, MatrixView out, std::span<double> diagonal_out) const {
  const Matrix shares = shared_gamma(first, out.cols);
  std::vector<double> share_of(diagonal_out.empty() ? 0 : static_cast<std::size_t>(f_.r()));
  for (std::size_t k = 0; k < share_of.size(); ++k) share_of[k] = share(static_cast<Index>(k));
  f_.products(shares.view(), share_of, f_.complement() ? 1 : 0, first, out, diagonal_out);
  f_.clear_rounding(w_, diagonal_out);
}

double SpectrumMaker::trace() const {
  double sum = static_cast<double>(f_.problem().degrees() - f_.r());
  for (const double value : w_.p) sum += value;
  return sum;
}

// H_ii = q1_i^2 + sum_k B_ik^2 Lambda_k / (Lambda_k + lambda): a small leverage keeps its digits, as 1 - rho P~_ii
// would not.
void SpectrumMaker::leverage(std::span<double> out) const {
  const std::vector<double>& q1 = f_.problem().q1;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = q1.empty() ? 0 : q1[i] * q1[i];
  std::vector<double> weight;
  for (Index k = 0; k < f_.r(); ++k) weight.push_back(kept(k));
  each_tile([&](Index row, const SpectrumFactorization::Tile& part) {
    add_weighted_squares(part.b, weight, out.subspan(static_cast<std::size_t>(row)));
  });
}

double SpectrumMaker::degrees_of_freedom() const {
  double sum = f_.problem().intercept ? 1 : 0;
  for (Index k = 0; k < f_.r(); ++k) sum += kept(k);
  return sum;
}

double SpectrumMaker::log_determinant() const {
  double sum = 0;
  for (const double value : w_.eigenvalues) sum += std::log(value + lambda_);
  if (f_.complement()) sum += static_cast<double>(f_.problem().degrees() - f_.r()) * std::log(lambda_);
  return sum;
}

double SpectrumMaker::quadratic_form(Index output) const {
  double sum = f_.complement() ? f_.spectrum().rest_norm2[static_cast<std::size_t>(output)] / lambda_ : 0;
  for (Index k = 0; k < f_.r(); ++k) {
    const double gamma = f_.spectrum().gamma(k, output);
    sum += gamma * gamma / (eigenvalue(k) + lambda_);
  }
  return sum;
}

double SpectrumMaker::squared_norm(Index output) const {
  double sum = f_.complement() ? f_.spectrum().rest_norm2[static_cast<std::size_t>(output)] : 0;
  for (Index k = 0; k < f_.r(); ++k) {
    const double value = p(k) * f_.spectrum().gamma(k, output);
    sum += value * value;
  }
  return sum;
}

void SpectrumMaker::coefficients(Index first, MatrixView out) const {
  const Matrix g = spectral_coefficients(first, out.cols, false);
  f_.coefficients(first, g.view(), lambda_, lambda_ >= f_.tolerance() && lambda_ > 0, out);
}

void SpectrumMaker::solve(Index first, Index count, Solution& solution) const {
  const Matrix g = spectral_coefficients(first, count, functions_);
  f_.solve(first, g.view(), solution);
}

// Directions whose eigenvalue counts as zero are left out below their noise; those where it is zero by the kernel's rank
// also above it when `functions` are asked for: they add to c~, but their function is zero.
bool SpectrumMaker::counts(Index k, bool functions) const {
  const auto at = static_cast<std::size_t>(k);
  const bool keeps_zero = lambda_ >= f_.spectrum().noise[at] && lambda_ > 0;
  const bool no_function = functions && f_.spectrum().eigenvalues[at] == 0;
  return eigenvalue(k) > 0 || (keeps_zero && !no_function);
}

Matrix SpectrumMaker::spectral_coefficients(Index first, Index count, bool functions) const {
  Matrix g(f_.r(), count);
  for (Index k = 0; k < f_.r(); ++k) {
    const bool kept_direction = counts(k, functions);
    for (Index j = 0; j < count; ++j)
      g(k, j) = kept_direction ? f_.spectrum().gamma(k, first + j) / (eigenvalue(k) + lambda_) : 0;
  }
  return g;
}

std::vector<double> SpectrumMaker::inverse(bool functions) const {
  std::vector<double> out;
  for (Index k = 0; k < f_.r(); ++k) out.push_back(counts(k, functions) ? 1 / (eigenvalue(k) + lambda_) : 0);
  return out;
}

void SpectrumMaker::refine(Index first, Index count, Index steps, Solution& solution, const Progress& progress) const {
  f_.refine(first, count, steps, lambda_, inverse(functions_), solution, progress);
}

// One step with all directions: what is left of Y at the refined c is what has no function, so the step gives that part
// as many digits as the rest has.
void SpectrumMaker::complete(Index first, Index count, Solution& solution, const Progress& progress) const {
  Matrix g(f_.r(), count, 0.0);
  bool whole = true;
  for (Index k = 0; k < f_.r(); ++k) {
    if (counts(k, functions_) || !counts(k, false)) continue;
    whole = false;
    for (Index j = 0; j < count; ++j) g(k, j) = f_.spectrum().gamma(k, first + j) / lambda_;
  }
  if (whole) return;
  Matrix left_out(f_.problem().n(), count);
  f_.coefficients(first, g.view(), lambda_, false, left_out.view());
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i < left_out.rows(); ++i)
      solution.c(i, first + j) += f_.problem().sqrt_w[static_cast<std::size_t>(i)] * left_out(i, j);
  f_.refine(first, count, 1, lambda_, inverse(false), solution, progress);
}

void SpectrumMaker::smoother(const Rows& points, Index first, MatrixView a, std::span<double> variance) const {
  const Problem& problem = f_.problem();
  const Index count = std::max(a.cols, static_cast<Index>(variance.size()));
  Matrix z(f_.r(), count);
  f_.project(points, first, lambda_, z.view(), variance);
  if (a.cols == 0) return;
  for (Index q = 0; q < count; ++q)
    for (Index k = 0; k < f_.r(); ++k) z(k, q) = eigenvalue(k) > 0 ? z(k, q) / (eigenvalue(k) + lambda_) : 0;
  f_.multiply(z.view(), a);
  for (Index q = 0; q < count; ++q)
    for (Index i = 0; i < a.rows; ++i) a(i, q) = problem.smoother(i, a(i, q));
}

}  // namespace freeridge
