#include "libcore/factor/problem.hpp"

#include <cmath>
#include <utility>

namespace freeridge {
namespace {

// The weighted mean of each column of a; of a constant column exactly its value, so that centring leaves exact zeros.
std::vector<double> weighted_means(const LayoutView& a, std::span<const double> sqrt_w, double sum_w,
                                   const char* name) {
  std::vector<double> mean(static_cast<std::size_t>(a.cols));
  for (Index j = 0; j < a.cols; ++j) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) {
      const double s = sqrt_w[static_cast<std::size_t>(i)];
      sum += s * s / sum_w * a(i, j);
    }
    if (!std::isfinite(sum)) fail(Status::not_finite, "the mean of column ", j, " of ", name, " overflows");
    mean[static_cast<std::size_t>(j)] = sum;
  }
  // A second pass removes the rounding error of the first, which matters when the mean is large beside the spread.
  for (Index j = 0; j < a.cols; ++j) {
    double rest = 0;
    for (Index i = 0; i < a.rows; ++i) {
      const double s = sqrt_w[static_cast<std::size_t>(i)];
      rest += s * s / sum_w * (a(i, j) - mean[static_cast<std::size_t>(j)]);
    }
    if (std::isfinite(rest)) mean[static_cast<std::size_t>(j)] += rest;
    bool constant = true;
    for (Index i = 1; i < a.rows && constant; ++i) constant = a(i, j) == a(0, j);
    if (constant) mean[static_cast<std::size_t>(j)] = a(0, j);
  }
  return mean;
}

}  // namespace

Problem::Problem(KernelPtr kernel_, const LayoutView& x_, const LayoutView& y_, std::span<const double> weights_,
                 bool intercept_)
    : kernel(std::move(kernel_)),
      x(x_),
      y(y_),
      weights(weights_),
      intercept(intercept_),
      sqrt_w(static_cast<std::size_t>(x_.rows), 1.0),
      sum_w(static_cast<double>(x_.rows)),
      y_tilde(y.rows, y.cols),
      y_mean(static_cast<std::size_t>(y.cols), 0.0),
      linear_scale(kernel->linear_scale(x_.cols)) {
  if (!weights.empty()) {
    sum_w = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sqrt_w[i] = std::sqrt(weights[i]);
      sum_w += weights[i];
      sum_log_w += std::log(weights[i]);
    }
    if (!std::isfinite(sum_w)) fail(Status::not_finite, "the sum of the weights overflows");
  }
  if (intercept) {
    y_mean = weighted_means(y, sqrt_w, sum_w, "y");
    q1.resize(sqrt_w.size());
    for (std::size_t i = 0; i < q1.size(); ++i) q1[i] = sqrt_w[i] / std::sqrt(sum_w);
    if (linear()) shift = weighted_means(x, sqrt_w, sum_w, "x");
  }
  copy_rows(y, 0, y_tilde.view());
  for (Index j = 0; j < t(); ++j)
    for (Index i = 0; i < n(); ++i) {
      double& value = y_tilde(i, j);
      value = sqrt_w[static_cast<std::size_t>(i)] * (value - y_mean[static_cast<std::size_t>(j)]);
      if (!std::isfinite(value)) fail(Status::not_finite, "y[", i, ", ", j, "], weighted and centred, overflows");
    }
}

}  // namespace freeridge
