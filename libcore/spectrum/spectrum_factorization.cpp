#include "libcore/spectrum/spectrum_factorization.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/spectrum/left_out_groups.hpp"
#include "libcore/spectrum/spectrum_residual_maker.hpp"

namespace freeridge {
namespace {

constexpr double orthonormal_enough = 1e-10;

}  // namespace

void add_weighted_squares(ConstMatrixView b, Span<const double> weight, Span<double> out) {
  for (Index k = 0; k < b.cols; ++k) {
    const double* const column = b.col(k);
    const double factor = weight[k];
    for (Index i = 0; i < b.rows; ++i) out[i] += column[i] * column[i] * factor;
    worked(touched * static_cast<double>(b.rows));
  }
}

void SpectrumFactorization::set_spectrum(Spectrum spectrum, Array<double> blur) {
  spectrum_ = std::move(spectrum);
  spectrum_.degrees = problem().degrees();
  blur_ = std::move(blur);
  tolerance_ = spectrum_.tolerance();
  if (!complement() || std::ranges::all_of(blur_, [](double value) { return value <= orthonormal_enough; })) return;
  for (const double value : blur_) outside_.push_back(value <= orthonormal_enough ? 0 : 1);
  gamma_inside_ = Matrix(r(), spectrum_.gamma.cols());
  for (Index j = 0; j < gamma_inside_.cols(); ++j)
    for (Index k = 0; k < r(); ++k) gamma_inside_(k, j) = in_projector(k) ? spectrum_.gamma(k, j) : 0;
}

double SpectrumFactorization::subtraction_noise() const {
  return 10 * eps * (1 + std::sqrt(static_cast<double>(r())));
}

double SpectrumFactorization::row_noise() const {
  double noise = subtraction_noise();
  for (std::size_t k = 0; k < blur_.size(); ++k)
    if (in_projector(static_cast<Index>(k))) noise = std::max(noise, blur_[k]);
  return noise;
}

void SpectrumFactorization::set_rest(ConstMatrixView b, ConstMatrixView y_rows, ConstMatrixView q1_rows,
                                     MatrixView rest, Span<double> rest_diagonal, Array<Index>& small) const {
  copy(y_rows, rest);
  gemm(Op::none, Op::none, -1, b, gamma_inside(), 1, rest);
  std::ranges::fill(rest_diagonal, 1.0);
  for (Index k = 0; k < q1_rows.cols; ++k)
    for (Index i = 0; i < q1_rows.rows; ++i) rest_diagonal[i] -= q1_rows(i, k) * q1_rows(i, k);
  for (Index k = 0; k < b.cols; ++k) {
    if (!in_projector(k)) continue;
    for (Index i = 0; i < b.rows; ++i) rest_diagonal[i] -= b(i, k) * b(i, k);
  }
  small.clear();
  for (Index i = 0; i < b.rows; ++i)
    if (!(rest_diagonal[i] >= small_residual)) small.push_back(i);
}

void SpectrumFactorization::drop_outside(MatrixView b) const {
  for (Index k = 0; k < b.cols; ++k)
    if (!in_projector(k)) std::fill_n(b.col(k), b.rows, 0.0);
}

std::shared_ptr<const SmallResiduals> SpectrumFactorization::small_residuals(Array<Index> rows) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (small_ && small_->rows == rows) return small_;
  }
  Room room;
  Matrix b = copy_of(gather(rows, room).b);
  drop_outside(b.view());
  const Matrix q1 = problem().q1_of(rows);
  auto made = std::make_shared<const SmallResiduals>(
      freeridge::small_residuals(std::move(rows), b.view(), q1.view(), problem().t(), row_noise(), projected_tiles()));
  const std::lock_guard<std::mutex> lock(mutex_);
  small_ = made;
  return made;
}

Matrix SpectrumFactorization::shared_gamma(const SpectrumAt& at, Index first, Index count) const {
  Matrix out(r(), count);
  for (Index j = 0; j < count; ++j)
    for (Index k = 0; k < r(); ++k) out(k, j) = share(at, k) * spectrum_.gamma(k, first + j);
  return out;
}

void SpectrumFactorization::clear_rounding(bool projects, Span<double> diagonal) const {
  if (!projects) return;
  const double noise = eps * static_cast<double>(problem().n());
  for (double& value : diagonal)
    if (value <= noise) value = 0;
}

std::unique_ptr<ResidualMaker> SpectrumFactorization::at(double lambda) const {
  return std::make_unique<SpectrumResidualMaker>(*this, lambda);
}

Matrix SpectrumFactorization::coefficients_of_each(Span<const double> lambdas, bool functions) const {
  Matrix g(r(), static_cast<Index>(lambdas.size()));
  for (Index j = 0; j < g.cols(); ++j) {
    const SpectrumAt at(spectrum_, lambdas[j]);
    std::copy_n(at.coefficients(j % problem().t(), 1, functions).data(), r(), g.col(j));
    worked(4 * touched * static_cast<double>(r()));
  }
  return g;
}

bool SpectrumFactorization::solve_each(Span<const double> lambdas, Solution& solution) const {
  solve(0, coefficients_of_each(lambdas, true).view(), solution);
  return true;
}

bool SpectrumFactorization::coefficients_each(Span<const double> lambdas, MatrixView out) const {
  if (complement()) return false;  // E / lambda has another lambda in each column
  coefficients(0, coefficients_of_each(lambdas, false).view(), 0, false, out);
  return true;
}

std::unique_ptr<RowBlock> SpectrumFactorization::rows(Span<const Index> which) const {
  return leave_out_group(*this, which);
}

void SpectrumFactorization::multiply(ConstMatrixView z, MatrixView out) const {
  const Index n = problem().n(), step = std::min(tile_rows(), n);
  Room room;
  for (Index row = 0; row < n; row += step) {
    const Tile part = tile(row, std::min(step, n - row), room);
    gemm(Op::none, Op::none, 1, part.b, z, 0, out.row_range(row, part.b.rows));
  }
}

void SpectrumFactorization::eigenvectors(MatrixView out) const {
  const Array<Index> order = descending_order(spectrum_.eigenvalues);
  Matrix chosen(r(), out.cols, 0.0);
  for (Index j = 0; j < out.cols; ++j) chosen(order[j], j) = 1;
  multiply(chosen.view(), out);
}

void SpectrumFactorization::coefficients(Index first, ConstMatrixView g, double lambda, bool with_rest,
                                         MatrixView out) const {
  // A column of B that E does not know has g - Gamma / lambda in the place of g.
  Matrix shares(r(), g.cols);
  for (Index j = 0; j < g.cols; ++j)
    for (Index k = 0; k < r(); ++k)
      shares(k, j) = g(k, j) - (with_rest && !in_projector(k) ? spectrum_.gamma(k, first + j) / lambda : 0);
  products(shares.view(), {}, with_rest && complement() ? lambda : 0, first, out, {});
}

void SpectrumFactorization::products(ConstMatrixView shares, Span<const double> squares, double rest_divisor,
                                     Index first, MatrixView out, Span<double> diagonal) const {
  const Index n = problem().n(), step = std::min(tile_rows(), n);
  Array<Index> small;
  std::ranges::fill(diagonal, 0.0);
  Room room;
  for (Index row = 0; row < n; row += step) {
    const Tile part = tile(row, std::min(step, n - row), room);
    const MatrixView to = out.cols > 0 ? out.row_range(row, part.b.rows) : MatrixView{};
    if (out.cols > 0) gemm(Op::none, Op::none, 1, part.b, shares, 0, to);
    for (Index j = 0; j < to.cols && rest_divisor != 0; ++j)
      for (Index i = 0; i < to.rows; ++i) to(i, j) += part.rest(i, first + j) / rest_divisor;
    if (!diagonal.empty()) {
      const Span<double> here = diagonal.subspan(row, part.b.rows);
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
    if (!diagonal.empty()) diagonal[i] += mended->diagonal[s];
  }
}

}  // namespace freeridge
