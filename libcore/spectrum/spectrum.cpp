#include "libcore/spectrum/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/spectrum/left_out_groups.hpp"
#include "libcore/spectrum/spectrum_residual_maker.hpp"

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double orthonormal_enough = 1e-10;

}  // namespace

void add_weighted_squares(ConstMatrixView b, std::span<const double> weight, std::span<double> out) {
  for (Index k = 0; k < b.cols; ++k) {
    const double* const column = b.col(k);
    const double factor = weight[static_cast<std::size_t>(k)];
    for (Index i = 0; i < b.rows; ++i) out[static_cast<std::size_t>(i)] += column[i] * column[i] * factor;
    worked(touched * static_cast<double>(b.rows));
  }
}

void SpectrumFactorization::set_spectrum(Spectrum spectrum) {
  spectrum_ = std::move(spectrum);
  tolerance_ = 0;
  for (const double value : spectrum_.noise) tolerance_ = std::max(tolerance_, value);
  if (!complement() || std::ranges::all_of(spectrum_.blur, [](double blur) { return blur <= orthonormal_enough; }))
    return;
  for (const double blur : spectrum_.blur) outside_.push_back(blur <= orthonormal_enough ? 0 : 1);
  gamma_inside_ = Matrix(r(), spectrum_.gamma.cols());
  for (Index j = 0; j < gamma_inside_.cols(); ++j)
    for (Index k = 0; k < r(); ++k) gamma_inside_(k, j) = in_projector(k) ? spectrum_.gamma(k, j) : 0;
}

double SpectrumFactorization::subtraction_noise() const {
  return 10 * eps * (1 + std::sqrt(static_cast<double>(r())));
}

double SpectrumFactorization::row_noise() const {
  double noise = subtraction_noise();
  for (std::size_t k = 0; k < spectrum_.blur.size(); ++k)
    if (in_projector(static_cast<Index>(k))) noise = std::max(noise, spectrum_.blur[k]);
  return noise;
}

void SpectrumFactorization::set_rest(ConstMatrixView b, ConstMatrixView y_rows, std::span<const double> q1_rows,
                                     MatrixView rest, std::span<double> rest_diagonal,
                                     std::vector<Index>& small) const {
  copy(y_rows, rest);
  gemm(Op::none, Op::none, -1, b, gamma_inside(), 1, rest);
  for (std::size_t i = 0; i < rest_diagonal.size(); ++i)
    rest_diagonal[i] = q1_rows.empty() ? 1 : 1 - q1_rows[i] * q1_rows[i];
  for (Index k = 0; k < b.cols; ++k) {
    if (!in_projector(k)) continue;
    for (Index i = 0; i < b.rows; ++i) rest_diagonal[static_cast<std::size_t>(i)] -= b(i, k) * b(i, k);
  }
  small.clear();
  for (Index i = 0; i < b.rows; ++i)
    if (!(rest_diagonal[static_cast<std::size_t>(i)] >= small_residual)) small.push_back(i);
}

void SpectrumFactorization::drop_outside(MatrixView b) const {
  for (Index k = 0; k < b.cols; ++k)
    if (!in_projector(k)) std::fill_n(b.col(k), b.rows, 0.0);
}

std::shared_ptr<const SmallResiduals> SpectrumFactorization::small_residuals(std::vector<Index> rows) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (small_ && small_->rows == rows) return small_;
  }
  Room room;
  Matrix b = copy_of(gather(rows, room).b);
  drop_outside(b.view());
  std::vector<double> q1;
  for (const Index i : rows)
    if (problem().intercept) q1.push_back(problem().q1[static_cast<std::size_t>(i)]);
  auto made = std::make_shared<const SmallResiduals>(
      freeridge::small_residuals(std::move(rows), b.view(), q1, problem().t(), row_noise(), projected_tiles()));
  const std::lock_guard<std::mutex> lock(mutex_);
  small_ = made;
  return made;
}

SpectrumFactorization::Weights SpectrumFactorization::weights(double lambda) const {
  Weights w{spectrum_.eigenvalues, {}, 0, false};
  double smallest = complement() || w.eigenvalues.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < w.eigenvalues.size(); ++k) {
    double& value = w.eigenvalues[k];
    const double floor = lambda < spectrum_.noise[k] ? spectrum_.noise[k] : 0;
    if (value < floor || value < 0) {
      value = 0;
      w.projects = w.projects || floor > 0;
    }
    smallest = std::min(smallest, value);
  }
  w.s = smallest + lambda;
  w.p.resize(w.eigenvalues.size());
  for (std::size_t k = 0; k < w.p.size(); ++k) {
    w.p[k] = ratio_or_one(w.s, w.eigenvalues[k] + lambda);
  }
  return w;
}

void SpectrumFactorization::clear_rounding(const Weights& w, std::span<double> diagonal) const {
  if (!w.projects) return;
  const double noise = eps * static_cast<double>(problem().n());
  for (double& value : diagonal)
    if (value <= noise) value = 0;
}

Factorization::Range SpectrumFactorization::eigenvalue_range() const {
  Range range{0, 0};
  for (std::size_t k = 0; k < spectrum_.eigenvalues.size(); ++k) {
    const double value = spectrum_.eigenvalues[k];
    if (value < spectrum_.noise[k] || value <= 0) continue;
    range.smallest = range.largest == 0 ? value : std::min(range.smallest, value);
    range.largest = std::max(range.largest, value);
  }
  return range;
}

std::optional<Index> SpectrumFactorization::rank() const {
  Index count = 0;
  for (std::size_t k = 0; k < spectrum_.eigenvalues.size(); ++k)
    if (spectrum_.eigenvalues[k] > 0 && spectrum_.eigenvalues[k] >= spectrum_.noise[k]) ++count;
  return count;
}

// Zeros by rank are exact.
double SpectrumFactorization::floor() const {
  double out = left_out().floor();
  for (Index k = 0; k < r(); ++k)
    if (spectrum_.eigenvalues[static_cast<std::size_t>(k)] != 0) out = std::max(out, direction(k).floor());
  return out;
}

bool SpectrumFactorization::below_floor(double lambda) const {
  bool known = left_out().known(lambda);
  for (Index k = 0; k < r() && known; ++k)
    known = spectrum_.eigenvalues[static_cast<std::size_t>(k)] == 0 || direction(k).known(lambda);
  return !known;
}

std::unique_ptr<ResidualMaker> SpectrumFactorization::at(double lambda) const {
  return std::make_unique<SpectrumMaker>(*this, lambda);
}

Matrix SpectrumFactorization::coefficients_of_each(std::span<const double> lambdas, bool functions) const {
  Matrix g(r(), static_cast<Index>(lambdas.size()));
  for (Index j = 0; j < g.cols(); ++j) {
    const SpectrumMaker maker(*this, lambdas[static_cast<std::size_t>(j)]);
    std::copy_n(maker.spectral_coefficients(j, 1, functions).data(), r(), g.col(j));
    worked(4 * touched * static_cast<double>(r()));
  }
  return g;
}

bool SpectrumFactorization::solve_each(std::span<const double> lambdas, Solution& solution) const {
  solve(0, coefficients_of_each(lambdas, true).view(), solution);
  return true;
}

bool SpectrumFactorization::coefficients_each(std::span<const double> lambdas, MatrixView out) const {
  if (complement()) return false;  // E / lambda has another lambda in each column
  coefficients(0, coefficients_of_each(lambdas, false).view(), 0, false, out);
  return true;
}

std::unique_ptr<RowBlock> SpectrumFactorization::rows(std::span<const Index> which) const {
  return std::make_unique<SpectrumRows>(*this, which);
}

void SpectrumFactorization::multiply(ConstMatrixView z, MatrixView out) const {
  const Index n = problem().n(), step = std::min(tile_rows(), n);
  Room room;
  for (Index row = 0; row < n; row += step) {
    const Tile part = tile(row, std::min(step, n - row), room);
    gemm(Op::none, Op::none, 1, part.b, z, 0, out.row_range(row, part.b.rows));
  }
}

void SpectrumFactorization::coefficients(Index first, ConstMatrixView g, double lambda, bool with_rest,
                                         MatrixView out) const {
  // B g + E / lambda: a column that N lacks has g - Gamma / lambda.
  Matrix shares(r(), g.cols);
  for (Index j = 0; j < g.cols; ++j)
    for (Index k = 0; k < r(); ++k)
      shares(k, j) = g(k, j) - (with_rest && !in_projector(k) ? spectrum_.gamma(k, first + j) / lambda : 0);
  products(shares.view(), {}, with_rest && complement() ? lambda : 0, first, out, {});
}

void SpectrumFactorization::products(ConstMatrixView shares, std::span<const double> squares, double rest_divisor,
                                     Index first, MatrixView out, std::span<double> diagonal) const {
  const Index n = problem().n(), step = std::min(tile_rows(), n);
  std::vector<Index> small;
  std::ranges::fill(diagonal, 0.0);
  Room room;
  for (Index row = 0; row < n; row += step) {
    const Tile part = tile(row, std::min(step, n - row), room);
    const MatrixView to = out.cols > 0 ? out.row_range(row, part.b.rows) : MatrixView{};
    if (out.cols > 0) gemm(Op::none, Op::none, 1, part.b, shares, 0, to);
    for (Index j = 0; j < to.cols && rest_divisor != 0; ++j)
      for (Index i = 0; i < to.rows; ++i) to(i, j) += part.rest(i, first + j) / rest_divisor;
    if (!diagonal.empty()) {
      const std::span<double> here =
          diagonal.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(part.b.rows));
      std::ranges::copy(part.rest_diagonal, here.begin());
      add_weighted_squares(part.b, squares, here);
    }
    for (const Index i : part.small) small.push_back(row + i);
  }
  if (small.empty()) return;
  const std::shared_ptr<const SmallResiduals> mended = small_residuals(std::move(small));
  for (std::size_t s = 0; s < mended->rows.size(); ++s) {
    const Index i = mended->rows[s];
    for (Index j = 0; j < out.cols && rest_divisor != 0; ++j)
      out(i, j) += mended->rest(static_cast<Index>(s), first + j) / rest_divisor;
    if (!diagonal.empty()) diagonal[static_cast<std::size_t>(i)] += mended->diagonal[s];
  }
}

}  // namespace freeridge
