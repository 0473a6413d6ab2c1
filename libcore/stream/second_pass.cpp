// The leave-one-out errors of rows that are given a second time (formulas in reduced_problem.hpp). The outer loop is
// over tiles of rows, the inner one over lambdas: so B is made once, and both sums over k are matrix products,
//     [W^(1/2) r] = Y~_I - B_I [Gamma f],      [h] = W_I / sum(w) + (B_I o B_I) [f].
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double cancels = 0.125;     // a 1 - h_i of this size or more has lost at most three bits by the subtraction
constexpr Index tile_rows = 512;      // B and its squares stay in the L2 cache for moderate d
constexpr Index sweep_columns = 512;  // lambdas x outputs in one product: bounds the memory

}  // namespace

// 1 - h_i is a difference, with an absolute error of about `rounding`. So it has six digits from 10^6 times that on;
// and it must exceed the error that the condition of the scaled R_xx brings into B_ik.
double ReducedProblem::least_residual() const {
  constexpr double six_digits = 1e6;
  const double rounding = 10 * eps * (1 + std::sqrt(static_cast<double>(rank_)));
  return rounding * std::max(six_digits, condition_);
}

void ReducedProblem::quotients(ConstMatrixView b, Index row, const Weights& at, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  double bottom = 0;
  for (Index k = 0; k < r(); ++k) {
    if (lambda_[static_cast<std::size_t>(k)] == 0) continue;
    const double b_p = b(row, k) * at.p[static_cast<std::size_t>(k)];
    bottom += b(row, k) * b_p;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += b_p * gamma_(k, static_cast<Index>(j));
  }
  for (double& value : out) value /= bottom;
}

std::string ReducedProblem::loo(const LayoutView& x, const LayoutView& y, const double* weights,
                                std::span<const double> lambdas, MatrixView errors) const {
  require_finite("x", x);
  require_finite("y", y);
  require_weights(weights, x.rows);
  require_lambdas("lambdas", lambdas);
  const Index n = x.rows, d = rows_.d(), t = rows_.t(), ones = rows_.ones();
  const Index total = static_cast<Index>(lambdas.size()), height = std::min(tile_rows, n);
  const Index chunk = std::clamp<Index>(sweep_columns / t, 1, total);
  Matrix packed(height, rows_.p()), b(height, r()), squares(height, r()), f(r(), chunk), h(height, chunk),
      residual(height, chunk * t);
  for (Index row = 0; row < n; row += height)  // a number that overflows is found before anything is written
    pack_weighted(x, y, weights, row, rows_.shift(), packed.view().row_range(0, std::min(height, n - row)));

  std::string reason;
  const double least = least_residual();
  std::vector<double> quotient(static_cast<std::size_t>(t));
  const Progress progress = here();
  for (Index row = 0; row < n; row += height) {
    const Index rows = std::min(height, n - row);
    const MatrixView tile = packed.view().row_range(0, rows), tile_b = b.view().row_range(0, rows);
    const MatrixView tile_squares = squares.view().row_range(0, rows);
    pack_weighted(x, y, weights, row, rows_.shift(), tile);
    move_shift(rest_, tile);
    gemm(Op::none, Op::none, 1, tile.columns(ones, d), f_.view(), 0, tile_b);
    for (Index k = 0; k < r(); ++k)
      for (Index i = 0; i < rows; ++i) tile_squares(i, k) = tile_b(i, k) * tile_b(i, k);
    std::vector<double> w(static_cast<std::size_t>(rows), 1.0), rest(static_cast<std::size_t>(rows), 1.0);
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (weights != nullptr) w[i] = weights[static_cast<std::size_t>(row) + i];
      if (ones == 1) rest[i] -= w[i] / rows_.sum_w();
    }

    for (Index first = 0; first < total; first += chunk) {
      const Index count = std::min(chunk, total - first);
      const auto some = lambdas.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      std::vector<Weights> at;
      for (Index l = 0; l < count; ++l) {
        const double lambda = some[static_cast<std::size_t>(l)];
        at.push_back(this->weights(lambda));
        for (Index k = 0; k < r(); ++k) f(k, l) = factor(Factor::fitted, at.back(), lambda, k);
        for (Index j = 0; j < t; ++j) std::copy_n(tile.col(ones + d + j), rows, residual.col(l * t + j));
      }
      const MatrixView res = residual.view().block(0, 0, rows, count * t), hat = h.view().block(0, 0, rows, count);
      gemm(Op::none, Op::none, -1, tile_b, coefficients(Factor::fitted, some).view(), 1, res);
      gemm(Op::none, Op::none, 1, tile_squares, f.view().columns(0, count), 0, hat);

      worked(touched * static_cast<double>(rows) * static_cast<double>(r() + count * t));
      for (Index l = 0; l < count; ++l)
        for (Index i = 0; i < rows; ++i) {
          const auto here = static_cast<std::size_t>(i);
          const double left = rest[here] - hat(i, l), root = std::sqrt(w[here]);
          const bool both_cancel = left < cancels && rank_ == m_;
          const bool lost = !both_cancel && !(left > least);
          if (both_cancel) quotients(tile_b, i, at[static_cast<std::size_t>(l)], quotient);
          for (Index j = 0; j < t; ++j) {
            const double e = (both_cancel ? quotient[static_cast<std::size_t>(j)] : res(i, l * t + j) / left) / root;
            const bool defined = std::isfinite(e) && !lost;
            errors(row + i, (first + l) * t + j) = defined ? e : nan;
            if (!defined)
              keep_first(reason, text("the leave-one-out error of row ", row + i,
                                      " is undefined: its leverage is one, or so near one that the sums of all rows do "
                                      "not tell what the others say (lambda = ",
                                      some[static_cast<std::size_t>(l)], ")"));
          }
        }
    }
    progress.report(static_cast<double>(row + rows) / static_cast<double>(n));
  }
  return reason;
}

}  // namespace freeridge
