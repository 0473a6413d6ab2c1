#include "libcore/factor/spectrum_maker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/factor/row_block.hpp"

namespace freeridge {
namespace {

// out_i += sum_k B_ik^2 weight(k)
template <class Weight>
void add_weighted_squares(ConstMatrixView b, const Weight& weight, double* out) {
  for (Index k = 0; k < b.cols; ++k) {
    const double* const column = b.col(k);
    const double factor = weight(k);
    for (Index i = 0; i < b.rows; ++i) out[i] += column[i] * column[i] * factor;
    worked(touched * static_cast<double>(b.rows));
  }
}

}  // namespace

template <class F>
void SpectrumMaker::each_tile(const F& f) const {
  const Index n = f_.problem().n(), step = std::min(f_.tile_rows(), n);
  SpectrumFactorization::Room room;
  for (Index row = 0; row < n; row += step) f(row, f_.tile(row, std::min(step, n - row), room));
}

Matrix SpectrumMaker::weighted_gamma(Index first, Index count) const {
  Matrix out(f_.r(), count);
  for (Index j = 0; j < count; ++j)
    for (Index k = 0; k < f_.r(); ++k) out(k, j) = p(k) * f_.spectrum().gamma(k, first + j);
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
  const Matrix scaled = weighted_gamma(first, out.cols);
  std::fill(diagonal_out.begin(), diagonal_out.end(), 0.0);
  each_tile([&](Index row, const SpectrumFactorization::Tile& part) {
    if (out.cols > 0) {
      const MatrixView to = out.row_range(row, part.b.rows);
      gemm(Op::none, Op::none, 1, part.b, scaled.view(), 0, to);
      if (f_.complement())
        for (Index j = 0; j < to.cols; ++j)
          for (Index i = 0; i < to.rows; ++i) to(i, j) += part.rest(i, first + j);
    }
    if (!diagonal_out.empty()) {
      double* const to = diagonal_out.data() + row;
      add_weighted_squares(
          part.b, [&](Index k) { return p(k); }, to);
      if (f_.complement())
        for (Index i = 0; i < part.b.rows; ++i) to[i] += part.rest_diagonal[static_cast<std::size_t>(i)];
    }
  });
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
  each_tile([&](Index row, const SpectrumFactorization::Tile& part) {
    add_weighted_squares(
        part.b, [&](Index k) { return kept(k); }, out.data() + row);
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
  const Matrix g = spectral_coefficients(first, count, true);
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
  f_.refine(first, count, steps, lambda_, inverse(true), solution, progress);
}

// One step with all directions: what is left of Y at the refined c is what has no function, so the step gives that part
// as many digits as the rest has.
void SpectrumMaker::complete(Index first, Index count, Solution& solution, const Progress& progress) const {
  Matrix g(f_.r(), count, 0.0);
  bool whole = true;
  for (Index k = 0; k < f_.r(); ++k) {
    if (counts(k, true) || !counts(k, false)) continue;
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

void SpectrumMaker::smoother(const LayoutView& points, Index first, MatrixView a, std::span<double> variance) const {
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

// ---- rows ----

SpectrumRows::SpectrumRows(const SpectrumFactorization& factor, std::span<const Index> which)
    : f_(factor), tile_(f_.gather(which, room_)) {
  const std::vector<double>& q1 = f_.problem().q1;
  if (!q1.empty())
    for (const Index i : which) q1_.push_back(q1[static_cast<std::size_t>(i)]);
  if (!f_.complement()) return;

  const Index s = tile_.b.rows;
  const double noise = f_.subtraction_noise();
  if (woodbury()) {
    const auto size = static_cast<std::size_t>(tile_.b.cols + 1);
    fixed_ = Matrix(tile_.b.cols + 1, tile_.b.cols + 1, 0.0);
    if (2 * s > f_.problem().n()) {
      add_others(which);
      noise_.assign(size, noise * noise);  // of a sum of squares whose terms are off by so much
    } else {
      subtract_own();
      noise_.assign(size, noise);
    }
    if (q1_.empty()) {  // no such direction
      fixed_(tile_.b.cols, tile_.b.cols) = 1;
      noise_.back() = 0;
    }
    return;
  }
  fixed_ = Matrix(s, s);
  syrk(Op::none, -1, tile_.b, 0, fixed_.view());
  for (Index j = 0; j < s; ++j) {
    const auto rest = [&](Index i) { return tile_.rest_diagonal[static_cast<std::size_t>(i)]; };
    fixed_(j, j) = rest(j);
    noise_.push_back(rest(j) == 0 ? 0 : noise);
    for (Index i = j + 1; i < s; ++i) {
      if (!q1_.empty()) fixed_(i, j) -= q1_[static_cast<std::size_t>(i)] * q1_[static_cast<std::size_t>(j)];
      if (rest(i) == 0 || rest(j) == 0) fixed_(i, j) = 0;
    }
    worked(touched * static_cast<double>(s - j));
  }
}

void SpectrumRows::add_others(std::span<const Index> which) {
  const Index n = f_.problem().n(), r = tile_.b.cols;
  const std::vector<double>& q1 = f_.problem().q1;
  std::vector<char> own(static_cast<std::size_t>(n), 0);
  for (const Index i : which) own[static_cast<std::size_t>(i)] = 1;
  SpectrumFactorization::Room room;
  std::vector<Index> others;
  std::vector<double> q1_others;
  for (Index i = 0; i < n; ++i) {
    if (own[static_cast<std::size_t>(i)] == 0) others.push_back(i);
    if (others.empty() || (i + 1 < n && static_cast<Index>(others.size()) < f_.tile_rows())) continue;
    const ConstMatrixView b = f_.gather(others, room).b;
    syrk(Op::transpose, 1, b, 1, fixed_.view().block(0, 0, r, r));
    if (!q1.empty()) {
      q1_others.clear();
      for (const Index row : others) q1_others.push_back(q1[static_cast<std::size_t>(row)]);
      for (Index k = 0; k < r; ++k) fixed_(r, k) += dot(b.rows, q1_others.data(), b.col(k));
      fixed_(r, r) += dot(b.rows, q1_others.data(), q1_others.data());
    }
    others.clear();
  }
}

void SpectrumRows::subtract_own() {
  const Index s = tile_.b.rows, r = tile_.b.cols;
  syrk(Op::transpose, -1, tile_.b, 0, fixed_.view().block(0, 0, r, r));
  if (!q1_.empty()) {
    for (Index k = 0; k < r; ++k) fixed_(r, k) = -dot(s, q1_.data(), tile_.b.col(k));
    fixed_(r, r) = -dot(s, q1_.data(), q1_.data());
  }
  for (Index k = 0; k <= r; ++k) fixed_(k, k) += 1;
}

bool SpectrumRows::left_out(const ResidualMaker& of_factor, Index first, MatrixView out) const {
  const auto& maker = static_cast<const SpectrumMaker&>(of_factor);
  Matrix scaled(tile_.b.cols, out.cols);
  for (Index j = 0; j < out.cols; ++j)
    for (Index k = 0; k < tile_.b.cols; ++k) scaled(k, j) = maker.p(k) * f_.spectrum().gamma(k, first + j);
  gemm(Op::none, Op::none, 1, tile_.b, scaled.view(), 0, out);
  if (f_.complement())
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) += tile_.rest(i, first + j);
  return woodbury() ? left_out_woodbury(maker, out) : left_out_dense(maker, out);
}

bool SpectrumRows::left_out_dense(const SpectrumMaker& maker, MatrixView v) const {
  const Index s = tile_.b.rows;
  Matrix scaled(s, tile_.b.cols), p(s, s, 0.0);
  for (Index k = 0; k < scaled.cols(); ++k) {
    for (Index i = 0; i < s; ++i) scaled(i, k) = tile_.b(i, k) * std::sqrt(maker.p(k));
    worked(touched * static_cast<double>(s));
  }
  if (f_.complement()) std::copy(fixed_.values().begin(), fixed_.values().end(), p.values().begin());
  syrk(Op::none, 1, scaled.view(), f_.complement() ? 1 : 0, p.view());
  std::vector<double> diagonal(static_cast<std::size_t>(s));
  for (Index i = 0; i < s; ++i) diagonal[static_cast<std::size_t>(i)] = p(i, i);
  f_.clear_rounding(maker.weights(), diagonal);
  for (Index i = 0; i < s; ++i) p(i, i) = diagonal[static_cast<std::size_t>(i)];
  return solve_left_out(p.view(), v, noise_);
}

bool SpectrumRows::left_out_woodbury(const SpectrumMaker& maker, MatrixView v) const {
  const Index s = tile_.b.rows, r = tile_.b.cols, size = r + 1;
  std::vector<double> root(static_cast<std::size_t>(size), 1.0);  // the diagonal of D
  for (Index k = 0; k < r; ++k) root[static_cast<std::size_t>(k)] = std::sqrt(1 - maker.p(k));
  Matrix core(size, size), inner(size, v.cols, 0.0);
  for (Index j = 0; j < size; ++j) {
    for (Index i = j; i < size; ++i)
      core(i, j) = root[static_cast<std::size_t>(i)] * fixed_(i, j) * root[static_cast<std::size_t>(j)];
    worked(touched * static_cast<double>(size - j));
  }
  for (Index k = 0; k < r; ++k) core(k, k) += maker.p(k);
  gemm(Op::transpose, Op::none, 1, tile_.b, v, 0, inner.view().row_range(0, r));
  for (Index j = 0; j < v.cols; ++j) {
    for (Index k = 0; k < r; ++k) inner(k, j) *= root[static_cast<std::size_t>(k)];
    if (!q1_.empty()) inner(r, j) = dot(s, q1_.data(), v.col(j));
  }
  if (!solve_left_out(core.view(), inner.view(), noise_)) return false;
  for (Index j = 0; j < v.cols; ++j) {
    for (Index k = 0; k < r; ++k) inner(k, j) *= root[static_cast<std::size_t>(k)];
    for (Index i = 0; i < s && !q1_.empty(); ++i) v(i, j) += q1_[static_cast<std::size_t>(i)] * inner(r, j);
  }
  gemm(Op::none, Op::none, 1, tile_.b, inner.view().row_range(0, r), 1, v);
  return true;
}

}  // namespace freeridge
