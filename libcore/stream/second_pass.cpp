// The leave-one-out errors of rows that are given a second time (formulas in reduced_problem.hpp). The outer loop is
// over tiles of rows, the inner one over lambdas: so B is made once, and both sums over k are matrix products,
//     [W^(1/2) r] = Y~_I - B_I [Gamma f],      [h] = W_I / sum(w) + (B_I o B_I) [f].
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {
namespace {

constexpr double cancels = 0.125;  // a 1 - h_i of this size or more has lost at most three bits by the subtraction

}  // namespace

// 1 - h_i is a difference, with an absolute error of about `rounding`. So it has six digits from 10^6 times that on;
// and it must exceed the error that the condition of the scaled R_xx brings into B_ik.
double ReducedProblem::least_residual() const {
  constexpr double six_digits = 1e6;
  const double rounding = 10 * eps * (1 + std::sqrt(static_cast<double>(rank_)));
  return rounding * std::max(six_digits, condition_);
}

void ReducedProblem::quotients(ConstMatrixView b, Index row, const SpectrumAt& at, Span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  double bottom = 0;
  for (Index k = 0; k < r(); ++k) {
    if (spectrum_.eigenvalues[k] == 0) continue;
    const double b_p = b(row, k) * at.p(k);
    bottom += b(row, k) * b_p;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += b_p * spectrum_.gamma(k, static_cast<Index>(j));
  }
  for (double& value : out) value /= bottom;
}

std::string ReducedProblem::loo(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
                                MatrixView errors) const {
  require_finite("x", x);
  require_finite("y", y);
  require_weights(weights, x.rows);
  require_lambdas("lambdas", lambdas);
  const Index n = x.rows, height = std::min(tile_rows, n), ones = rows_.ones();
  const Index chunk = std::clamp<Index>(sweep_columns / rows_.t(), 1, static_cast<Index>(lambdas.size()));
  Matrix packed(height, rows_.p()), b(height, r()), squares(height, r()), f(r(), chunk), hat(height, chunk),
      residual(height, chunk * rows_.t());
  for (Index row = 0; row < n; row += height)  // a number that overflows is found before anything is written
    pack_weighted(x, y, weights, row, rows_.shift(), packed.view().row_range(0, std::min(height, n - row)));

  std::string reason;
  for (Index row = 0; row < n; row += height) {
    const Index rows = std::min(height, n - row);
    const MatrixView tile = packed.view().row_range(0, rows);
    pack_weighted(x, y, weights, row, rows_.shift(), tile);
    move_shift(rest_, tile);
    PassedRows passed{tile.columns(ones + rows_.d(), rows_.t()),
                      b.view().row_range(0, rows),
                      squares.view().row_range(0, rows),
                      f.view(),
                      hat.view().row_range(0, rows),
                      residual.view().row_range(0, rows),
                      Array<double>(rows, 1.0),
                      {}};
    gemm(Op::none, Op::none, 1, tile.columns(ones, rows_.d()), f_.view(), 0, passed.b);
    for (Index k = 0; k < r(); ++k)
      for (Index i = 0; i < rows; ++i) passed.squares(i, k) = passed.b(i, k) * passed.b(i, k);
    worked(touched * static_cast<double>(rows * r()));
    for (Index i = 0; i < std::ssize(passed.weight) && weights != nullptr; ++i) passed.weight[i] = weights[row + i];
    for (const double w : passed.weight) passed.rest.push_back(ones == 1 ? 1 - w / rows_.sum_w() : 1);
    loo_of(passed, row, lambdas, errors.row_range(row, rows), reason);
    report(fraction(row + rows, n));
  }
  return reason;
}

void ReducedProblem::loo_of(const PassedRows& passed, Index row, Span<const double> lambdas, MatrixView errors,
                            std::string& reason) const {
  const Index t = rows_.t(), rows = passed.b.rows, total = static_cast<Index>(lambdas.size());
  const Index chunk = passed.f.cols;
  const double least = least_residual();
  Array<double> quotient(t);
  for (Index first = 0; first < total; first += chunk) {
    const Index count = std::min(chunk, total - first);
    const auto some = lambdas.subspan(first, count);
    Array<SpectrumAt> at;
    for (Index l = 0; l < count; ++l) {
      at.emplace_back(spectrum_, some[l]);
      for (Index k = 0; k < r(); ++k) passed.f(k, l) = at.back().fitted(k);
      copy(passed.y, passed.residual.columns(l * t, t));
    }
    gemm(Op::none, Op::none, -1, passed.b, coefficients(Factor::fitted, some).view(), 1,
         passed.residual.columns(0, count * t));
    gemm(Op::none, Op::none, 1, passed.squares, passed.f.columns(0, count), 0, passed.hat.columns(0, count));
    worked(touched * static_cast<double>(rows) * static_cast<double>(count * t));
    for (Index l = 0; l < count; ++l)
      for (Index i = 0; i < rows; ++i) {
        const double left = passed.rest[i] - passed.hat(i, l), root = std::sqrt(passed.weight[i]);
        const bool both_cancel = left < cancels && rank_ == spectrum_.degrees;
        const bool lost = !both_cancel && !(left > least);
        if (both_cancel) quotients(passed.b, i, at[l], quotient);
        for (Index j = 0; j < t; ++j) {
          const double e = (both_cancel ? quotient[j] : passed.residual(i, l * t + j) / left) / root;
          const bool defined = std::isfinite(e) && !lost;
          errors(i, (first + l) * t + j) = defined ? e : nan;
          if (!defined)
            keep_first(reason, text("the leave-one-out error of row ", row + i,
                                    " is undefined: its leverage is one, or so near one that the sums of all rows do "
                                    "not tell what the others say (lambda = ",
                                    some[l], ")"));
        }
      }
  }
}

}  // namespace freeridge
