#include "libcore/stream/reduced_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/factor/digits.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

ReducedProblem::ReducedProblem(RowStack rows) : rows_(std::move(rows)) {
  rows_.reduce();
  const Index ones = rows_.ones(), d = rows_.d(), t = rows_.t();
  const ConstMatrixView triangle = rows_.rows();
  m_ = rows_.n() - ones;
  if (ones == 1)
    for (Index k = 1; k < triangle.cols; ++k) rest_.push_back(triangle(0, k) / triangle(0, 0));

  const Index count = std::min(triangle.rows - ones, d);  // min(m, d)
  Matrix r_xx(count, d), u(count, count);
  copy_out(triangle.block(ones, ones, count, d), Layout::col_major, r_xx.data(), count);
  s_.resize(static_cast<std::size_t>(count));
  vt_ = Matrix(count, d);
  const std::vector<double> norms = column_norms(r_xx.view());
  require_finite_squares(norms, "x");
  small_svd(r_xx.view(), s_, u.view(), vt_.view());
  gamma_ = Matrix(count, t);
  gemm(Op::transpose, Op::none, 1, u.view(), triangle.block(ones, ones + d, count, t), 0, gamma_.view());

  rest_norm2_.assign(static_cast<std::size_t>(t), 0.0);
  const Index below = std::min(ones + d, triangle.rows);  // rows of R_yy
  for (Index j = 0; j < t; ++j) {
    const double* const column = triangle.col(ones + d + j);
    rest_norm2_[static_cast<std::size_t>(j)] = dot(triangle.rows - below, column + below, column + below);
  }

  require_finite_squares(s_, "x");
  noise_ = direction_noise(norms, vt_.view(), rows_.n());
  drop_noise(s_, noise_);
  for (const double s : s_) lambda_.push_back(s * s);
  for (const double value : lambda_)
    if (value > 0) ++rank_;
  set_basis(triangle.block(ones, ones, count, d), u.view());
}

// F = D^-1 (R_xx D^-1)^+ U_R, D the norms of the columns.
void ReducedProblem::set_basis(ConstMatrixView r_xx, ConstMatrixView u) {
  Matrix scaled(r(), r_xx.cols), left(r(), r()), right(r(), r_xx.cols), turned(r(), r());
  std::vector<double> norm(static_cast<std::size_t>(r_xx.cols)), s(s_.size());
  for (Index k = 0; k < r_xx.cols; ++k) {
    double& size = norm[static_cast<std::size_t>(k)];
    size = std::sqrt(dot(r(), r_xx.col(k), r_xx.col(k)));
    if (size == 0) size = 1;
    for (Index i = 0; i < r(); ++i) scaled(i, k) = r_xx(i, k) / size;
  }
  gesdd(scaled.view(), s, left.view(), right.view());
  gemm(Op::transpose, Op::none, 1, left.view(), u, 0, turned.view());
  const double noise = rounding_of_rows(rows_.n(), rows_.d()) * (s.empty() ? 0 : s.front());
  for (Index k = 0; k < r(); ++k) {
    const double here = s[static_cast<std::size_t>(k)];
    const bool counts = here > 0 && here >= noise;
    if (counts) condition_ = s.front() / here;
    for (Index l = 0; l < r(); ++l) turned(k, l) = counts ? turned(k, l) / here : 0;
  }
  f_ = Matrix(r_xx.cols, r());
  gemm(Op::transpose, Op::none, 1, right.view(), turned.view(), 0, f_.view());
  for (Index l = 0; l < r(); ++l)
    for (Index k = 0; k < r_xx.cols; ++k) f_(k, l) /= norm[static_cast<std::size_t>(k)];
}

ReducedProblem::Weights ReducedProblem::weights(double lambda) const {
  Weights at{lambda_, {}, complement() || lambda_.empty() ? 0 : infinity};
  for (const double value : at.eigenvalues) at.smallest = std::min(at.smallest, value);
  for (const double value : at.eigenvalues)
    at.p.push_back(value + lambda == 0 ? 1 : (at.smallest + lambda) / (value + lambda));
  return at;
}

double ReducedProblem::factor(Factor of, const Weights& at, double lambda, Index k) const {
  const double value = at.eigenvalues[static_cast<std::size_t>(k)];
  if (value == 0) return 0;
  return (of == Factor::hyperplane ? s_[static_cast<std::size_t>(k)] : value) / (value + lambda);
}

Matrix ReducedProblem::coefficients(Factor of, std::span<const double> lambdas) const {
  const Index t = rows_.t();
  Matrix out(r(), static_cast<Index>(lambdas.size()) * t);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const Weights at = weights(lambdas[l]);
    for (Index k = 0; k < r(); ++k) {
      const double here = factor(of, at, lambdas[l], k);
      for (Index j = 0; j < t; ++j) out(k, static_cast<Index>(l) * t + j) = here * gamma_(k, j);
    }
  }
  return out;
}

void ReducedProblem::solve(std::span<const double> lambdas, MatrixView w, MatrixView b) const {
  require_lambdas("lambdas", lambdas);
  const Index d = rows_.d(), t = rows_.t(), count = static_cast<Index>(lambdas.size());
  Matrix planes(d, count * t), intercepts(t, count, 0.0);
  gemm(Op::transpose, Op::none, 1, vt_.view(), coefficients(Factor::hyperplane, lambdas).view(), 0, planes.view());
  for (Index c = 0; c < count * t && rows_.intercept(); ++c) {
    // The means are shift + rest, and rest is small. b is summed from the two parts separately, so that rest keeps its
    // digits.
    const Index j = c % t;
    const double* const w_c = planes.col(c);
    const double* const shift = rows_.shift().data();
    intercepts(j, c / t) =
        shift[d + j] - dot(d, shift, w_c) + (rest_[static_cast<std::size_t>(d + j)] - dot(d, rest_.data(), w_c));
  }
  if (!all_finite(planes.values()) || !all_finite(intercepts.values()))
    fail(Status::not_finite, "the solution overflows; rescale x or y");
  here().report(1);
  copy_out(planes.view(), Layout::col_major, w.data, w.ld);
  copy_out(intercepts.view(), Layout::col_major, b.data, b.ld);
}

// n |P~Y~|^2 / tr(P~)^2
double ReducedProblem::gcv(const Weights& at, Index j) const {
  double norm2 = rest_norm2_[static_cast<std::size_t>(j)], trace = static_cast<double>(m_ - r());
  for (std::size_t k = 0; k < at.p.size(); ++k) {
    const double value = at.p[k] * gamma_(static_cast<Index>(k), j);
    norm2 += value * value;
    trace += at.p[k];
  }
  return static_cast<double>(rows_.n()) * (norm2 / trace) / trace;
}

// 1/2 (m log(2 pi Y~'PY~ / m) + m + log|Z'GZ| - sum log(w) + log sum(w)), the last with an intercept
double ReducedProblem::reml(const Weights& at, double lambda, Index j) const {
  const double m = static_cast<double>(m_);
  double quadratic = complement() ? rest_norm2_[static_cast<std::size_t>(j)] / lambda : 0;
  double log_det = complement() ? (m - static_cast<double>(r())) * std::log(lambda) : 0;
  for (std::size_t k = 0; k < at.eigenvalues.size(); ++k) {
    const double value = at.eigenvalues[k] + lambda, gamma = gamma_(static_cast<Index>(k), j);
    quadratic += gamma * gamma / value;
    log_det += std::log(value);
  }
  log_det += (rows_.intercept() ? std::log(rows_.sum_w()) : 0) - rows_.sum_log_w();
  return (m * std::log(2 * std::numbers::pi * quadratic / m) + m + log_det) / 2;
}

std::string ReducedProblem::score(Criterion criterion, std::span<const double> lambdas, Index first,
                                  MatrixView out) const {
  require_lambdas("lambdas", lambdas);
  std::string reason;
  Matrix table(out.rows, out.cols);  // copied to `out` at the end, so that a failure leaves `out` as it was
  for (Index l = 0; l < out.rows; ++l) {
    const double lambda = lambdas[static_cast<std::size_t>(l)];
    const Weights at = weights(lambda);
    for (Index j = 0; j < out.cols; ++j) {
      const double score = criterion == Criterion::gcv ? gcv(at, first + j) : reml(at, lambda, first + j);
      table(l, j) = std::isfinite(score) ? score : nan;
      if (!std::isfinite(score))
        keep_first(reason, text("the criterion of output ", first + j, " has no value (lambda = ", lambda, ")"));
    }
  }
  copy_out(table.view(), Layout::col_major, out.data, out.ld);
  return reason;
}

double ReducedProblem::floor() const {
  double out = 0;
  for (std::size_t k = 0; k < lambda_.size(); ++k)
    if (lambda_[k] != 0) out = std::max(out, Direction{lambda_[k], noise_[k], sure_of_qr}.floor());
  return out;
}

LambdaRange ReducedProblem::lambda_range() const {
  Factorization::Range range{0, 0};
  for (const double value : lambda_)
    if (value != 0) range = {value, std::max(range.largest, value)};
  return freeridge::lambda_range(range, floor());
}

LambdaSearch ReducedProblem::select_lambda(Criterion criterion, double low, double high,
                                           const Progress& progress) const {
  const Searched searched{
      criterion, rows_.t(), true,
      [&](std::span<const double> lambdas, Index first, MatrixView out, MatrixView, const Progress& part) {
        std::string reason = score(criterion, lambdas, first, out);
        worked(4 * touched * static_cast<double>(r() * out.rows * out.cols));
        part.report(1);
        return reason;
      }};
  return search_lambda(searched, low == 0 && high == 0 ? lambda_range() : LambdaRange{low, high}, progress);
}

}  // namespace freeridge
