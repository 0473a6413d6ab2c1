// The leave-one-out errors of rows that are given a second time (formulas in reduced_problem.hpp). The outer loop is
// over tiles of rows, the inner one over chunks of lambdas, so that B is made once; the sums over k are the products of
// lambda_products.hpp.
#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/spectrum/high_leverage.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {
namespace {

constexpr double of_complement = 0.2;  // of phi, what rows of high leverage were seen to have at most
constexpr Index basis_lambdas = 16;    // for so many lambdas a basis of their shares is sought

// e is used up.
Moments moments_of(Span<double> e, const double* weights, bool with_spread) {
  if (e.empty()) return {};
  if (!with_spread) {
    const double count = static_cast<double>(e.size());
    double weight[4] = {}, sum[4] = {};  // side by side, as in spread.hpp
    for (std::size_t i = 0; i < e.size(); ++i) {
      weight[i % 4] += weights[i];
      sum[i % 4] += weights[i] * (e[i] * e[i]);
    }
    const double all = (weight[0] + weight[1]) + (weight[2] + weight[3]);
    return {count, all, ((sum[0] + sum[1]) + (sum[2] + sum[3])) / all, 0, 0};
  }
  const Spread spread = spread_of_squares(e, weights);
  return {static_cast<double>(e.size()), spread.v, spread.mean, spread.root, 0};
}

// The same for a tile whose errors are r_i / p_i inverse_i, in one sweep, which also finds the least p. With `mean` of
// the rows before, u_i = e_i^2 / mean - 1 and v = sum_i v_i,
//     s = sum_i v_i u_i,   c = sum_i v_i u_i^2,      the mean is mean (1 + s / v),   spread^2 = mean^2 (c - s^2 / v)
// No value where `mean` is no unit for these errors: where the difference would cancel, or numbers leave the range.
std::optional<Moments> moments_about(double mean, const double* r, const double* p, const double* inverse,
                                     const double* weights, Index rows, double weight, double& least_p) {
  constexpr Index lanes = 4;  // side by side, as in spread.hpp
  const double scale = 1 / mean;
  double sum[lanes] = {}, squares[lanes] = {}, least[lanes] = {infinity, infinity, infinity, infinity};
  const auto add = [&](Index i, Index lane) {
    const double e = r[i] / p[i] * inverse[i], u = e * e * scale - 1, vu = weights[i] * u;
    sum[lane] += vu;
    squares[lane] += vu * u;
    least[lane] = std::min(least[lane], p[i]);
  };
  const Index even = rows - rows % lanes;
  for (Index i = 0; i < even; i += lanes)
    for (Index lane = 0; lane < lanes; ++lane) add(i + lane, lane);
  for (Index i = even; i < rows; ++i) add(i, 0);
  least_p = std::min({least[0], least[1], least[2], least[3]});
  const double s = (sum[0] + sum[1]) + (sum[2] + sum[3]), c = (squares[0] + squares[1]) + (squares[2] + squares[3]),
               rest = c - s * (s / weight);
  if (!(rest > 1e-3 * c) || !std::isfinite(c) || !std::isfinite(s)) return {};
  return Moments{static_cast<double>(rows), weight, mean * (1 + s / weight), mean * std::sqrt(rest), 0};
}

std::string no_digits(Index row, double lambda) {
  return text(
      "the leave-one-out error of row ", row,
      " is undefined: its leverage is one, or so near one that the sums of all rows do not tell what the others "
      "say (lambda = ",
      lambda, ")");
}

}  // namespace

// Where N_ii is a difference, 1 - h_i has an absolute error of about `rounding`, and six digits from 10^6 times
// `rounding` on. It must also exceed the error of B_ik that comes from the condition of the scaled R_xx.
double ReducedProblem::least_residual() const {
  if (!passed_.complement()) return 0;
  const double rounding = 10 * eps * (1 + std::sqrt(static_cast<double>(rank_)));
  return rounding * std::max(six_digits, condition_);
}

double ReducedProblem::RowNoise::of_divisor(double divisor) const {
  if (complement && divisor >= small_residual) return 0;
  double out = wanted_divisor * (complement ? 2 : 2 * std::sqrt(std::max(divisor, 0.0)) + wanted_divisor / six_digits);
  for (std::size_t j = 0; j < size.size(); ++j)
    if (size[j] > 0) out = std::max(out, wanted_numerator[j] / size[j]);
  return out;
}

bool ReducedProblem::RowNoise::known(double numerator, double divisor, Index output) const {
  if (complement && divisor >= small_residual) return true;
  return (complement ? divisor : std::sqrt(std::max(divisor, 0.0))) > 2 * wanted_divisor &&
         wanted_numerator[output] <= std::max(std::abs(numerator), divisor * size[output]);
}

ReducedProblem::RowNoise ReducedProblem::row_noise(const SpectrumAt& at) const {
  RowNoise out;
  out.complement = passed_.complement();
  const auto share = [&](Index k) { return out.complement ? 1 - at.p(k) : at.p(k); };
  double squares = 0;
  for (Index k = 0; k < rank_; ++k) squares += basis_noise_[k] * share(k) * basis_noise_[k];
  const double wanted = six_digits * (out.complement ? of_complement : 1);
  out.wanted_divisor = wanted * std::sqrt(squares);
  for (Index j = 0; j < rows_.t(); ++j) {
    double nu = 0, size = out.complement ? std::sqrt(spectrum_.rest_norm2[j]) : 0;
    for (Index k = 0; k < rank_; ++k) {
      nu = std::hypot(nu, basis_noise_[k] * share(k) * passed_.gamma(k, j));
      size = std::hypot(size, at.p(k) * passed_.gamma(k, j));
    }
    out.wanted_numerator.push_back(wanted * nu);
    out.size.push_back(size / std::sqrt(static_cast<double>(rows_.n())));
  }
  return out;
}

std::shared_ptr<const ReducedProblem::Swept> ReducedProblem::swept(Span<const double> lambdas) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (swept_ && std::ranges::equal(swept_->lambdas, lambdas)) return swept_;
  }
  const Index t = rows_.t(), total = std::ssize(lambdas);
  auto made = std::make_shared<Swept>();
  made->lambdas.assign(lambdas.begin(), lambdas.end());
  made->chunk = std::clamp<Index>(sweep_columns / t, 1, total);
  for (Index first = 0; first < total; first += made->chunk) {
    const Index count = std::min(made->chunk, total - first);
    Matrix shares(rank_, count);
    for (Index l = 0; l < count; ++l) {
      const SpectrumAt at(passed_, lambdas[first + l]);
      for (Index k = 0; k < rank_; ++k) shares(k, l) = at.p(k);
      made->noise.push_back(row_noise(at));
    }
    const bool by_basis = passed_.complement() && count >= basis_lambdas;
    made->products.emplace_back(std::move(shares), passed_.gamma.view(), by_basis);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  swept_ = made;
  return made;
}

void ReducedProblem::basis_rows(const Rows& x, const LayoutView& y, const double* weights, Index row, Matrix& room,
                                MatrixView out) const {
  const Index rows = out.rows, ones = rows_.ones(), t = rows_.t(), given = features_->unpenalised();
  if (room.rows() < rows) room = Matrix(rows, rows_.p());
  const MatrixView tile = room.view().row_range(0, rows), b = out.columns(0, rank_), e = out.columns(basis_size(), t);
  pack(x, y, weights, row, tile);
  gemm(Op::none, Op::none, 1, tile.columns(ones + given, penalised()), f_.view(), 0, b);
  copy(tile.columns(ones + rows_.d(), t), e);
  if (const Matrix q = free_.basis(tile.columns(ones, given)); q.cols() > 0) {
    if (rank_ > 0) gemm(Op::none, Op::none, -1, q.view(), along_.view(), 1, b);
    gemm(Op::none, Op::none, -1, q.view(), free_.r_uy(), 1, e);
    copy(q.view(), out.columns(rank_, q.cols()));
  }
  if (rank_ > 0) gemm(Op::none, Op::none, -1, b, passed_.gamma.view(), 1, e);
  for (Index i = 0; i < rows && ones == 1; ++i) out(i, basis_size() - 1) = tile(i, 0) / std::sqrt(rows_.sum_w());
}

void ReducedProblem::pass(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
                          const UsePassedRows& use) const {
  const Index n = x.rows, height = std::min(pass_rows, n), ones = rows_.ones(), t = rows_.t();
  const std::shared_ptr<const Swept> at = swept(lambdas);
  const double least = least_residual();
  Matrix packed, basis(height, basis_size() + t), residual(height, at->chunk * t), diagonal(height, at->chunk);
  Array<double> sqrt_w(height, 1.0), rest_diagonal(height);
  LambdaProducts::Room room;
  for (Index row = 0; row < n; row += height) {
    const Index rows = std::min(height, n - row);
    const MatrixView all = basis.view().row_range(0, rows);
    basis_rows(x, y, weights, row, packed, all);
    const ConstMatrixView b_rows = all.columns(0, rank_), q = all.columns(rank_, free_.q()),
                          e_rows = all.columns(basis_size(), t);
    for (Index i = 0; i < rows; ++i) {
      const double w = weights == nullptr ? 1 : weights[row + i];
      sqrt_w[i] = std::sqrt(w);
      rest_diagonal[i] = ones == 1 ? 1 - w / rows_.sum_w() : 1;
    }
    for (Index k = 0; k < q.cols; ++k)
      for (Index i = 0; i < rows; ++i) rest_diagonal[i] -= q(i, k) * q(i, k);
    for (Index k = 0; k < rank_; ++k)
      for (Index i = 0; i < rows; ++i) rest_diagonal[i] -= b_rows(i, k) * b_rows(i, k);
    worked(touched * static_cast<double>(rows * (rank_ + q.cols)));
    for (std::size_t c = 0; c < at->products.size(); ++c) {
      const Index first = static_cast<Index>(c) * at->chunk, count = std::min(at->chunk, std::ssize(lambdas) - first);
      const MatrixView r = residual.view().block(0, 0, rows, count * t), p = diagonal.view().block(0, 0, rows, count);
      at->products[c].multiply(b_rows, {rest_diagonal.data(), static_cast<std::size_t>(rows)}, room, r, p);
      for (Index l = 0; l < count && passed_.complement(); ++l) {
        for (Index j = 0; j < t; ++j)
          for (Index i = 0; i < rows; ++i) r(i, l * t + j) += e_rows(i, j);
        for (Index i = 0; i < rows; ++i) p(i, l) += rest_diagonal[i];
      }
      worked(touched * static_cast<double>(rows * count * t));
      use({row, first, count, r, p, {sqrt_w.data(), static_cast<std::size_t>(rows)}, least, at->noise});
    }
    report(fraction(row + rows, n));
  }
}

std::string ReducedProblem::loo(const Rows& x, const LayoutView& y, const double* weights, Span<const double> lambdas,
                                MatrixView errors, Index first) const {
  require_passed(x, y, weights, lambdas);
  const Index n = x.rows, height = std::min(pass_rows, n), t = rows_.t();
  Matrix packed(height, rows_.p());
  for (Index row = 0; row < n && !features_->landmarks();
       row += height)  // a number that overflows is found before anything is written
    pack_weighted(x, y, weights, row, rows_.shift(), packed.view().row_range(0, std::min(height, n - row)));
  std::string reason;
  pass(x, y, weights, lambdas, [&](const PassedRows& passed) {
    for (Index l = 0; l < passed.lambdas; ++l)
      for (Index j = 0; j < t; ++j)
        for (Index i = 0; i < passed.residual.rows; ++i) {
          const double e = passed.residual(i, l * t + j) / passed.diagonal(i, l) / passed.sqrt_w[i];
          const bool defined = std::isfinite(e) && passed.known(i, l, j);
          errors(passed.row + i, (passed.lambda + l) * t + j) = defined ? e : nan;
          if (!defined) keep_first(reason, no_digits(first + passed.row + i, lambdas[passed.lambda + l]));
        }
  });
  return reason;
}

void ReducedProblem::add_loo_moments(const Rows& x, const LayoutView& y, const double* weights,
                                     Span<const double> lambdas, Span<Moments> moments) const {
  require_passed(x, y, weights, lambdas);
  add_checked_moments(x, y, weights, lambdas, true, moments);
}

void ReducedProblem::add_checked_moments(const Rows& x, const LayoutView& y, const double* weights,
                                         Span<const double> lambdas, bool with_spread, Span<Moments> moments) const {
  const Index t = rows_.t(), height = std::min(pass_rows, x.rows);
  Array<double> e(height), w(height), inverse(height), some_w(height);
  pass(x, y, weights, lambdas, [&](const PassedRows& passed) {
    const Index rows = passed.residual.rows;
    double weight = 0;
    for (Index i = 0; i < rows; ++i) {
      w[i] = passed.sqrt_w[i] * passed.sqrt_w[i];
      inverse[i] = 1 / passed.sqrt_w[i];
      weight += w[i];
    }
    for (Index l = 0; l < passed.lambdas; ++l) {
      const double* const p = passed.diagonal.col(l);
      double smallest = 0;
      for (Index j = 0; j < t; ++j) {
        const double* const r = passed.residual.col(l * t + j);
        Moments& all = moments[(passed.lambda + l) * t + j];
        const auto found = moments_about(all.mean, r, p, inverse.data(), w.data(), rows, weight, smallest);
        const bool all_known = passed_.complement() && smallest > std::max(passed.least, small_residual);
        if (found && all_known) {
          all.join(with_spread ? *found : Moments{found->rows, found->weight, found->mean, 0, 0});
          continue;
        }
        for (Index i = 0; i < rows; ++i) e[i] = r[i] / p[i] * inverse[i];
        const Moments part = moments_of({e.data(), rows}, w.data(), with_spread);
        if (all_known && std::isfinite(part.mean) && std::isfinite(part.spread)) {
          all.join(part);
          continue;
        }
        Index known = 0;  // the errors that there are, one by one
        for (Index i = 0; i < rows; ++i) {
          e[known] = r[i] / p[i] * inverse[i];
          some_w[known] = w[i];
          known += std::isfinite(e[known]) && passed.known(i, l, j) ? 1 : 0;
        }
        all.join(moments_of({e.data(), known}, some_w.data(), with_spread));
        all.undefined += static_cast<double>(rows - known);
      }
    }
    worked(3 * touched * static_cast<double>(rows * passed.lambdas * t));
  });
  for (const Moments& all : moments)
    if (!std::isfinite(all.weight) || !std::isfinite(all.mean) || !std::isfinite(all.spread))
      fail(Status::not_finite, "the squares of the left-out errors, or the sum of the weights, overflow; rescale y");
}

}  // namespace freeridge
