#include "support/criteria.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/gauss.hpp"

namespace oracle {

using namespace support;

Real mean_square(const Problem& problem, const Matrix& errors, std::int64_t output) {
  Real sum = 0, weights = 0;
  for (std::int64_t i = 0; i < errors.rows; ++i) {
    if (std::isnan(errors(i, output))) continue;
    const Real error = errors(i, output);
    sum += problem.weight(i) * error * error;
    weights += problem.weight(i);
  }
  return sum / weights;
}

Real gcv(const Problem& problem, double lambda, std::int64_t output) {
  const Dense hat = oracle::hat_matrix(problem, lambda);
  const std::int64_t n = hat.rows;
  Real residuals = 0, trace = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    Real fitted = 0;
    for (std::int64_t j = 0; j < n; ++j) fitted += hat(i, j) * problem.y(j, output);
    residuals += problem.weight(i) * (problem.y(i, output) - fitted) * (problem.y(i, output) - fitted);
    trace += 1 - hat(i, i);
  }
  return static_cast<Real>(n) * residuals / (trace * trace);
}

Real reml(const Problem& problem, double lambda, std::int64_t output) {
  const std::int64_t n = problem.x.rows;
  Dense m = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  for (std::int64_t i = 0; i < n; ++i) m(i, i) += static_cast<Real>(lambda) / static_cast<Real>(problem.weight(i));
  const Dense y = to_real(column(problem.y, output)), ones(n, 1, 1);
  const Dense m_y = solve(m, y), m_ones = solve(m, ones);
  Real quadratic = multiply(transpose(y), m_y)(0, 0), determinants = log_determinant(m);
  std::int64_t degrees = n;
  if (problem.intercept) {
    const Real precision = multiply(transpose(ones), m_ones)(0, 0), cross = multiply(transpose(ones), m_y)(0, 0);
    quadratic -= cross * cross / precision;
    determinants += std::log(precision);
    degrees = n - 1;
  }
  const auto size = static_cast<Real>(degrees);
  const Real two_pi = 6.28318530717958647692528676655900577L;
  const Real s2 = problem.sigma2 > 0 ? problem.sigma2 / static_cast<Real>(lambda) : quadratic / size;
  return (size * std::log(two_pi * s2) + quadratic / s2 + determinants) / 2;
}

namespace {

Real logistic_loss(Real z) {
  return std::max(Real(0), -z) + std::log1p(std::exp(-std::abs(z)));
}

// Of a function that rises.
template <class F>
Real root(Real low, Real high, const F& rising) {
  for (int k = 0; k < 90; ++k) {
    const Real middle = (low + high) / 2;
    (rising(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Real log_loss(const Problem& problem, double lambda, std::int64_t output, Real* error) {
  const Matrix errors = oracle::loo(problem, lambda);
  const auto n = static_cast<std::size_t>(errors.rows);
  std::vector<Real> f(n), y(n), w(n), target(n), terms(n);
  Real sum = 0, mass[2] = {0, 0}, size = 0, mean = 0;
  for (std::size_t i = 0; i < n; ++i) sum += w[i] = problem.weight(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = problem.y(static_cast<std::int64_t>(i), output);
    f[i] = y[i] - static_cast<Real>(errors(static_cast<std::int64_t>(i), output));
    w[i] *= static_cast<Real>(n) / sum;
    mass[y[i] > 0] += w[i];
    size = std::max(size, std::abs(f[i]));
  }
  for (std::size_t i = 0; i < n; ++i)
    target[i] = y[i] > 0 ? (mass[1] + Real(0.5)) / (mass[1] + 1) : Real(0.5) / (mass[0] + 1);
  const auto slope = [&](Real a, Real b, bool by_a) {  // by a or by b
    Real out = 0;
    for (std::size_t i = 0; i < n; ++i)
      out += w[i] * (1 / (1 + std::exp(-(a * f[i] + b))) - target[i]) * (by_a ? f[i] : 1);
    return out;
  };
  const auto offset = [&](Real a) {
    const Real most = a * size + 100;
    return root(-most, most, [&](Real b) { return slope(a, b, false); });
  };
  const bool flat = slope(0, offset(0), true) >= 0;
  const Real a = flat ? 0 : root(0, 1000 / size, [&](Real at) { return slope(at, offset(at), true); });
  const Real b = offset(a);
  for (std::size_t i = 0; i < n; ++i) {
    const Real z = a * f[i] + b;
    terms[i] = target[i] * logistic_loss(z) + (1 - target[i]) * logistic_loss(-z);
    mean += w[i] / static_cast<Real>(n) * terms[i];
  }
  if (error != nullptr) *error = standard_error(w, terms);
  return mean;
}

Real score(const Problem& problem, freeridge_criterion criterion, const Labels& group, double lambda,
           std::int64_t output) {
  switch (criterion) {
    case FREERIDGE_LOO:
      return mean_square(problem, loo(problem, lambda), output);
    case FREERIDGE_GCV:
      return gcv(problem, lambda, output);
    case FREERIDGE_REML:
      return reml(problem, lambda, output);
    case FREERIDGE_GROUPS:
      return mean_square(problem, group_errors(problem, group, lambda), output);
    case FREERIDGE_ERROR_RATE:
      return error_rate(problem, lambda);
    case FREERIDGE_LOG_LOSS:
      return log_loss(problem, lambda, output);
    default:
      throw std::invalid_argument("score: criterion");
  }
}

Real error_rate(const Problem& problem, double lambda, Real* margin) {
  const Matrix errors = loo(problem, lambda);
  Real wrong = 0, weights = 0;
  if (margin != nullptr) *margin = 2;
  for (std::int64_t i = 0; i < errors.rows; ++i) {
    // by how much the class of the point is ahead
    Real own = 0, other = errors.cols == 1 ? Real{0} : Real{-1e300L};
    for (std::int64_t j = 0; j < errors.cols; ++j) {
      const Real y = problem.y(i, j), left_out = y - static_cast<Real>(errors(i, j));
      if (errors.cols == 1)
        own = y * left_out;
      else if (y > 0)
        own = left_out;
      else if (left_out > other)
        other = left_out;
    }
    if (own <= other) wrong += static_cast<Real>(problem.weight(i));
    if (margin != nullptr) *margin = std::min(*margin, std::abs(own - other));
    weights += static_cast<Real>(problem.weight(i));
  }
  return wrong / weights;
}

Real standard_error(const std::vector<Real>& weights, const std::vector<Real>& terms) {
  Real sum = 0, mean = 0, squares = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) sum += weights[i];
  for (std::size_t i = 0; i < terms.size(); ++i) mean += weights[i] * terms[i] / sum;
  for (std::size_t i = 0; i < terms.size(); ++i) squares += weights[i] * (terms[i] - mean) * (terms[i] - mean);
  return std::sqrt(squares / (sum * static_cast<Real>(terms.size() - 1)));
}

}  // namespace oracle
