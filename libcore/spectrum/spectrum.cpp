#include "libcore/spectrum/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

// a / b with 0/0 = 1; b = 0 only with a = 0.
double ratio_or_one(double a, double b) {
  return b == 0 ? 1 : a / b;
}

}  // namespace

double Spectrum::tolerance() const {
  return largest_magnitude(noise);
}

bool Spectrum::counts(Index k) const {
  return eigenvalues[k] > 0 && eigenvalues[k] >= noise[k];
}

Index Spectrum::rank() const {
  Index count = 0;
  for (Index k = 0; k < r(); ++k) count += counts(k) ? 1 : 0;
  return count;
}

EigenvalueRange Spectrum::range() const {
  EigenvalueRange out{0, 0};
  for (Index k = 0; k < r(); ++k) {
    if (!counts(k)) continue;
    const double value = eigenvalues[k];
    out.smallest = out.largest == 0 ? value : std::min(out.smallest, value);
    out.largest = std::max(out.largest, value);
  }
  return out;
}

Direction Spectrum::direction(Index k) const {
  return {eigenvalues[k], common_noise.value_or(noise[k]), sure, feature_noise.empty() ? 0 : feature_noise[k]};
}

// digits.hpp: (Lambda_k + lambda) lambda = (60 sure noise_k)^2, but no more than 2.5 sure noise_k.
double Spectrum::rank_floor() const {
  if (sure != sure_of_matrix || std::ranges::find(eigenvalues, 0.0) == eigenvalues.end()) return 0;
  double out = 0;
  for (Index k = 0; k < r(); ++k) {
    if (!counts(k)) continue;
    const double ordinary = sure * direction(k).noise, wanted = beside_zero * ordinary;
    const double root = 2 * wanted / (eigenvalues[k] + std::hypot(eigenvalues[k], 2 * wanted)) * wanted;
    out = std::max(out, std::min(root, most_beside_zero * ordinary));
  }
  return out;
}

// An eigenvalue that is zero by the kernel's rank is exact.
double Spectrum::floor() const {
  double out = std::max(left_out.floor(), rank_floor());
  for (Index k = 0; k < r(); ++k)
    if (eigenvalues[k] != 0) out = std::max(out, direction(k).floor());
  return out;
}

double Spectrum::own_floor() const {
  double out = std::max(Direction{left_out.eigenvalue, left_out.noise, left_out.sure}.floor(), rank_floor());
  for (Index k = 0; k < r(); ++k)
    if (eigenvalues[k] != 0) out = std::max(out, Direction{eigenvalues[k], direction(k).noise, sure}.floor());
  return out;
}

bool Spectrum::below_floor(double lambda) const {
  bool known = left_out.known(lambda) && lambda >= sure * wanting && (lambda == 0 || lambda >= rank_floor());
  for (Index k = 0; k < r() && known; ++k) {
    const Direction one = direction(k);
    const bool divided = lambda == 0 && counts(k) && one.counts_as_zero();  // it is not taken for zero, and may be
    known = eigenvalues[k] == 0 || (one.known(lambda) && !divided);
  }
  return !known;
}

SpectrumAt::SpectrumAt(const Spectrum& spectrum, double lambda)
    : spectrum_(&spectrum), lambda_(lambda), eigenvalues_(spectrum.eigenvalues), p_(eigenvalues_.size()) {
  double smallest = spectrum.complement() || eigenvalues_.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < eigenvalues_.size(); ++k) {
    double& value = eigenvalues_[k];
    const double floor = lambda < spectrum.noise[k] ? spectrum.noise[k] : 0;
    if (value < floor || value < 0) {
      value = 0;
      projects_ = projects_ || floor > 0;
    }
    smallest = std::min(smallest, value);
  }
  s_ = smallest + lambda;
  for (std::size_t k = 0; k < p_.size(); ++k) p_[k] = ratio_or_one(s_, eigenvalues_[k] + lambda);
}

double SpectrumAt::shrinkage() const {
  return ratio_or_one(lambda_, s_);
}

double SpectrumAt::trace() const {
  double sum = static_cast<double>(spectrum_->degrees - spectrum_->r());
  for (const double value : p_) sum += value;
  return sum;
}

double SpectrumAt::fitted_trace() const {
  double sum = 0;
  for (Index k = 0; k < spectrum_->r(); ++k) sum += fitted(k);
  return sum;
}

double SpectrumAt::log_determinant() const {
  double sum = 0;
  for (const double value : eigenvalues_) sum += std::log(value + lambda_);
  if (spectrum_->complement()) sum += static_cast<double>(spectrum_->degrees - spectrum_->r()) * std::log(lambda_);
  return sum;
}

double SpectrumAt::quadratic_form(Index output) const {
  double sum = spectrum_->complement() ? spectrum_->rest_norm2[output] / lambda_ : 0;
  for (Index k = 0; k < spectrum_->r(); ++k) {
    const double gamma = spectrum_->gamma(k, output);
    sum += gamma * gamma / (eigenvalue(k) + lambda_);
  }
  return sum;
}

double SpectrumAt::squared_norm(Index output) const {
  double sum = spectrum_->complement() ? spectrum_->rest_norm2[output] : 0;
  for (Index k = 0; k < spectrum_->r(); ++k) {
    const double value = p(k) * spectrum_->gamma(k, output);
    sum += value * value;
  }
  return sum;
}

// Eigenvalues that are rounding are left out: Gamma is all of the residual there, and Lambda g^2 would be it over
// lambda^2.
double SpectrumAt::function_norm2(Index output) const {
  double sum = 0;
  for (Index k = 0; k < spectrum_->r(); ++k) {
    const double value = eigenvalue(k);
    if (value <= spectrum_->noise[k]) continue;
    const double root = std::sqrt(value) / (value + lambda_) * spectrum_->gamma(k, output);
    sum += root * root;
  }
  return sum;
}

bool SpectrumAt::counts(Index k, bool functions) const {
  const bool keeps_zero = lambda_ >= spectrum_->noise[k] && lambda_ > 0;
  const bool no_function = functions && spectrum_->eigenvalues[k] == 0;
  return eigenvalue(k) > 0 || (keeps_zero && !no_function);
}

Array<double> SpectrumAt::inverse(bool functions) const {
  Array<double> out;
  for (Index k = 0; k < spectrum_->r(); ++k) out.push_back(counts(k, functions) ? 1 / (eigenvalue(k) + lambda_) : 0);
  return out;
}

Matrix SpectrumAt::coefficients(Index first, Index count, bool functions) const {
  Matrix g(spectrum_->r(), count);
  for (Index k = 0; k < spectrum_->r(); ++k) {
    const bool part = counts(k, functions);
    for (Index j = 0; j < count; ++j) g(k, j) = part ? spectrum_->gamma(k, first + j) / (eigenvalue(k) + lambda_) : 0;
  }
  return g;
}

Matrix scaled_rows(Span<const double> factor, ConstMatrixView a) {
  Matrix out(a.rows, a.cols);
  for (Index j = 0; j < a.cols; ++j)
    for (Index k = 0; k < a.rows; ++k) {
      const double value = factor[k];
      out(k, j) = value == 0 ? 0 : value * a(k, j);
    }
  return out;
}

}  // namespace freeridge
