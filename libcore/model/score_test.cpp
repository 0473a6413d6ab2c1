// The score test of a variance component. Under the model, at the lambda in force,
//     Y ~ N(U beta, s^2 (K / lambda + W^-1 + delta D)),     H_0: delta = 0
// and with P of freeridge_hat_matrix
//     q = Y'P D P Y / Y'P Y,     p = Pr(sum_k (mu_k - q) z_k^2 > 0)
// with standard normal z_k and the eigenvalues mu_k of P^(1/2) D P^(1/2): exact where lambda and K are known.
// Sources: X. Lin, Variance component testing in generalised linear models with random effects, Biometrika 84 (1997);
// D. Liu, X. Lin, D. Ghosh, Biometrics 63 (2007); S. Rice, Distribution of quadratic forms in normal random variables:
// evaluation by numerical integration, SIAM Journal on Scientific and Statistical Computing 1 (1980).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

// The eigenvalues of P^(1/2) D P^(1/2), from P = V diag(s) V', which is zero on the q columns that are not penalised.
// `p` is destroyed.
Array<double> spectrum_of_test(Matrix p, Index q, ConstMatrixView difference) {
  const Index n = p.rows();
  Array<double> s(n);
  symmetric_eigen(p.view(), s);
  const MatrixView root = p.view().columns(q, n - q);  // V diag(s)^(1/2)
  for (Index k = 0; k < root.cols; ++k) multiply_by(root.columns(k, 1), std::sqrt(std::max(s[q + k], 0.0)));
  Matrix product(n, root.cols), form(root.cols, root.cols);
  gemm(Op::none, Op::none, 1, difference, root, 0, product.view());
  gemm(Op::transpose, Op::none, 1, root, product.view(), 0, form.view());
  Array<double> mu(root.cols);
  symmetric_eigen(form.view(), mu);
  return mu;
}

// Pr(sum_k a_k z_k^2 > 0) for numbers a_k of either sign, the largest of them 1 in magnitude, with a saddlepoint t > 0 of
// the cumulant function K(t) = -1/2 sum_k log(1 - 2 t a_k), or t = 0: the integral of exp(K(t + iu)) / (t + iu) / pi over
// u > 0, of which no digit cancels there, by the trapezoidal rule in v, u = s sinh(v), s = K''(t)^(-1/2). The nearest
// pole, 0 or 1 / (2 a_k), is s / 4 away or more, so that a step of 1/16 leaves an error of about 1e-11.
double tail_at_saddlepoint(Span<const double> a, double t) {
  constexpr double step = 1.0 / 16;
  double squares = 0, second = 0;
  for (const double value : a) squares += value * value;
  t = std::max(t, 0.25 / std::sqrt(2 * squares));
  for (const double value : a) second += 2 * std::pow(value / (1 - 2 * t * value), 2);
  const double s = 1 / std::sqrt(second);
  double out = 0;
  for (double v = 0;; v += step) {
    const double u = s * std::sinh(v);
    double size = -std::log(std::hypot(t, u)), angle = -std::atan2(u, t);
    for (const double value : a) {
      const double real = 1 - 2 * t * value, imaginary = 2 * u * value;
      size -= std::log(real * real + imaginary * imaginary) / 4;
      angle += std::atan2(imaginary, real) / 2;
    }
    const double term = std::exp(size) * s * std::cosh(v);
    out += (v == 0 ? 0.5 : 1) * term * std::cos(angle);
    worked(40 * static_cast<double>(a.size()));
    if (!(term > 1e-13 * std::abs(out)) && v > 1) return step * out / std::numbers::pi;
  }
}

// Pr(sum_k (mu_k - q) z_k^2 > 0). NaN where all mu_k are q but for rounding.
double upper_tail(Array<double> a, double q) {
  const double size = largest_magnitude(a);
  for (double& value : a) value -= q;
  const double unit = largest_magnitude(a);
  if (!(unit > 1e-12 * size)) return nan;
  for (double& value : a) value /= unit;
  const auto [low, high] = std::ranges::minmax(a);
  if (low >= 0) return 1;
  if (high <= 0) return 0;
  // K' rises from -Inf to Inf between the poles.
  double left = 1 / (2 * low), right = 1 / (2 * high), t = 0;
  for (int halving = 0; halving < 100; ++halving) {
    t = left + (right - left) / 2;
    double slope = 0;
    for (const double value : a) slope += value / (1 - 2 * t * value);
    (slope > 0 ? right : left) = t;
  }
  if (t >= 0) return tail_at_saddlepoint(a, t);
  for (double& value : a) value = -value;
  return 1 - tail_at_saddlepoint(a, -t);
}

}  // namespace

std::string Model::score_test(ConstMatrixView difference, Span<double> q, Span<double> p) const {
  require_fitted();
  require_all_observed("a score test");
  const Problem& problem = factorization_->problem();
  const Index n = this->n();
  require_room(8 * checked_doubles(6 * n, n) + columns_bytes(), "a score test", "use fewer points");
  const Hearing hearing(listener_);
  Matrix d(n, n);
  for (Index k = 0; k < n; ++k)
    for (Index i = k; i < n; ++i) d(i, k) = d(k, i) = difference(i, k);
  require_finite("difference", layout_view(d));
  Array<double> statistic(t(), nan), probability(t(), nan);
  std::string reason;
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const double lambda = fit_->lambdas[first];
    if (lambda == 0) return keep_first(reason, "the score test is undefined at lambda = 0");
    Matrix c(n, count), product(n, count), inverse(n, n);
    maker.residual(first, c.view());
    problem.weight_rows(c.view());
    multiply_by(c.view(), maker.shrinkage() / lambda);
    gemm(Op::none, Op::none, 1, d.view(), c.view(), 0, product.view());
    matrix_columns(maker, {}, inverse.view());
    const Array<double> mu = spectrum_of_test(std::move(inverse), problem.q(), d.view());
    for (Index j = 0; j < count; ++j) {
      const double form = dot(n, c.col(j), product.col(j)) / maker.quadratic_form(first + j);
      if (std::isinf(form) || first_not_finite(mu) < std::ssize(mu))
        fail(Status::not_finite, "the score test of output ", first + j, " overflows; rescale x or y");
      statistic[first + j] = form;
      probability[first + j] = upper_tail(mu, form);
      if (std::isnan(probability[first + j]))
        keep_first(reason, text("the score test of output ", first + j,
                                " is undefined: the output is explained without errors, or the difference is zero"));
    }
  });
  report(1);
  std::ranges::copy(statistic, q.begin());
  std::ranges::copy(probability, p.begin());
  return reason;
}

}  // namespace freeridge
