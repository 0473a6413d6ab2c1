#include "libcore/spectrum/spectrum_residual_maker.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/factor/matrix_columns.hpp"
#include "libcore/linalg/lower_triangle.hpp"

namespace freeridge {
namespace {

constexpr Index columns_at_once = 256;

// diag(weight(0), weight(1), ...) B' for rows of B.
template <class Weight>
Matrix weighted_transpose(ConstMatrixView b, const Weight& weight) {
  Matrix out(b.cols, b.rows);
  for (Index k = 0; k < b.cols; ++k) {
    const double of_column = weight(k);
    for (Index q = 0; q < b.rows; ++q) out(k, q) = of_column * b(q, k);
  }
  return out;
}

}  // namespace

void SpectrumResidualMaker::residual_and_diagonal(Index first, MatrixView out, Span<double> diagonal_out) const {
  const Matrix shares = f_.shared_gamma(at_, first, out.cols);
  Array<double> share(diagonal_out.empty() ? 0 : f_.r());
  for (std::size_t k = 0; k < share.size(); ++k) share[k] = f_.share(at_, static_cast<Index>(k));
  f_.products(shares.view(), share, f_.complement() ? 1 : 0, first, out, diagonal_out);
  f_.clear_rounding(at_.projects(), diagonal_out);
}

// H_ii = |q1_i|^2 + sum_k B_ik^2 Lambda_k / (Lambda_k + lambda): a small leverage keeps its digits, as 1 - rho P~_ii
// would not.
void SpectrumResidualMaker::leverage(Span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f_.problem().free_leverage(static_cast<Index>(i));
  Array<double> weight;
  for (Index k = 0; k < f_.r(); ++k) weight.push_back(at_.fitted(k));
  const Index n = f_.problem().n(), step = std::min(f_.tile_rows(), n);
  SpectrumFactorization::Room room;
  for (Index row = 0; row < n; row += step)
    add_weighted_squares(f_.tile(row, std::min(step, n - row), room).b, weight, out.subspan(row));
}

void SpectrumResidualMaker::coefficients(Index first, MatrixView out) const {
  const Matrix g = at_.coefficients(first, out.cols, false);
  f_.coefficients(first, g.view(), at_.lambda(), at_.lambda() >= f_.tolerance() && at_.lambda() > 0, out);
}

void SpectrumResidualMaker::solve(Index first, Index count, Solution& solution) const {
  f_.solve(first, at_.coefficients(first, count, functions_).view(), solution);
}

void SpectrumResidualMaker::refine(Index first, Index count, Index steps, Solution& solution) const {
  f_.refine(first, count, steps, at_.lambda(), at_.inverse(functions_), solution);
}

// Adds the directions that `functions_` leaves out, and refines once with all directions: what the refined c leaves of
// Y lies in the added directions alone, so that one step gives these as many digits as the others have.
void SpectrumResidualMaker::complete(Index first, Index count, Solution& solution) const {
  Matrix g(f_.r(), count, 0.0);
  bool whole = true;
  for (Index k = 0; k < f_.r(); ++k) {
    if (at_.counts(k, functions_) || !at_.counts(k, false)) continue;
    whole = false;
    for (Index j = 0; j < count; ++j) g(k, j) = f_.spectrum().gamma(k, first + j) / at_.lambda();
  }
  if (whole) return;
  Matrix left_out(f_.problem().n(), count);
  f_.coefficients(first, g.view(), at_.lambda(), false, left_out.view());
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i < left_out.rows(); ++i) solution.c(i, first + j) += f_.problem().sqrt_w[i] * left_out(i, j);
  f_.refine(first, count, 1, at_.lambda(), at_.inverse(false), solution);
}

void SpectrumResidualMaker::smoother(const Points& points, Index first, MatrixView a,
                                     const Covariances& variance) const {
  const Problem& problem = f_.problem();
  const Index count = std::max(a.cols, variance.count());
  Matrix z(f_.r(), count);
  f_.project(points, first, at_.lambda(), z.view(), variance);
  if (a.cols == 0) return;
  for (Index q = 0; q < count; ++q)
    for (Index k = 0; k < f_.r(); ++k)
      z(k, q) = at_.eigenvalue(k) > 0 ? z(k, q) / (at_.eigenvalue(k) + at_.lambda()) : 0;
  f_.multiply(z.view(), a);
  problem.finish_smoother(points, first, a);
}

// q1 q1' + B diag(h) B'; b: the rows of B that belong to the columns.
void SpectrumResidualMaker::hat_columns(ConstMatrixView b, Index first, MatrixView out) const {
  f_.multiply(weighted_transpose(b, [&](Index k) { return at_.fitted(k); }).view(), out);
  const ConstMatrixView q1 = f_.problem().q1().view();
  if (q1.cols > 0) gemm(Op::none, Op::transpose, 1, q1, q1.row_range(first, out.cols), 1, out);
}

// With a complement P = (I - hat) / lambda, else B diag(1 / (Lambda + lambda)) B', a sum of positive terms. The same
// choice as in `coefficients`.
void SpectrumResidualMaker::columns(Index first, MatrixView hat, MatrixView inverse) const {
  SpectrumFactorization::Room room;
  const ConstMatrixView b = f_.tile(first, std::max(hat.cols, inverse.cols), room).b;
  if (hat.cols > 0) hat_columns(b, first, hat);
  if (inverse.cols == 0) return;
  const double lambda = at_.lambda();
  if (f_.complement() && lambda >= f_.tolerance() && lambda > 0) {
    if (hat.cols > 0)
      copy(hat, inverse);
    else
      hat_columns(b, first, inverse);
    return remainder_over(lambda, first, inverse);
  }
  const Array<double> weight = at_.inverse(false);
  f_.multiply(weighted_transpose(b, [&](Index k) { return weight[k]; }).view(), inverse);
}

// B diag(share) B_S' and with a complement N_:S = E_S - q1 q1_S' - B B_S', of the columns that N knows.
void SpectrumResidualMaker::columns_of(Span<const Index> which, MatrixView out) const {
  SpectrumFactorization::Room room;
  const ConstMatrixView b = f_.gather(which, room).b;
  const auto share = [&](Index k) { return f_.share(at_, k) - (f_.complement() && f_.in_projector(k) ? 1 : 0); };
  f_.multiply(weighted_transpose(b, share).view(), out);
  if (!f_.complement()) return;
  if (f_.problem().q() > 0)
    gemm(Op::none, Op::transpose, -1, f_.problem().q1().view(), f_.problem().q1_of(which).view(), 1, out);
  for (Index q = 0; q < out.cols; ++q) out(which[q], q) += 1;
}

// B diag(p) B' by its lower triangle; with a complement by columns.
void SpectrumResidualMaker::whole(MatrixView out, Span<double> diagonal_out) const {
  if (f_.complement() || f_.tile_rows() < f_.problem().n()) return ResidualMaker::whole(out, diagonal_out);
  diagonal(diagonal_out);
  SpectrumFactorization::Room room;
  const ConstMatrixView b = f_.tile(0, f_.problem().n(), room).b;
  Matrix scaled(b.rows, std::min(columns_at_once, f_.r()));
  for (Index j = 0; j < out.cols; ++j) std::fill_n(out.col(j), out.rows, 0.0);
  for (Index col = 0; col < f_.r(); col += scaled.cols()) {
    const Index cols = std::min(scaled.cols(), f_.r() - col);
    for (Index k = 0; k < cols; ++k) {
      const double root = std::sqrt(f_.share(at_, col + k));
      for (Index i = 0; i < b.rows; ++i) scaled(i, k) = root * b(i, col + k);
    }
    worked(touched * static_cast<double>(b.rows * cols));
    syrk(Op::none, 1, scaled.view().columns(0, cols), 1, out);
  }
  mirror_lower(out);
}

// Gamma is that of Y~ less B_S'e.
void SpectrumResidualMaker::solve_without(Span<const Index> which, ConstMatrixView e, ConstMatrixView, Index first,
                                          Solution& solution) const {
  SpectrumFactorization::Room room;
  Matrix less(f_.r(), e.cols), g = at_.coefficients(first, e.cols, functions_);
  gemm(Op::transpose, Op::none, 1, f_.gather(which, room).b, e, 0, less.view());
  const Array<double> inverse = at_.inverse(functions_);
  for (Index j = 0; j < e.cols; ++j)
    for (Index k = 0; k < f_.r(); ++k) g(k, j) -= inverse[k] * less(k, j);
  f_.solve(first, g.view(), solution);
  take_out(f_.problem(), which, e, first, solution);
}

}  // namespace freeridge
