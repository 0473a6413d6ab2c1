#include "libcore/data/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index columns_at_once = 16;  // of a row-major matrix: two cache lines

// sum[k] += sum_i v_i (a(i, first + k) - shift[k]), rows in order. Column-major: several sums a column, so that no
// addition waits for another; row-major: all columns of a row at once.
void add_weighted(const LayoutView& a, Index first, std::span<const double> v, std::span<const double> shift,
                  std::span<double> sum) {
  if (a.layout == Layout::row_major) {
    for (Index i = 0; i < a.rows; ++i) {
      const double* const row = a.data + i * a.ld + first;
      const double weight = v[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * (row[k] - shift[k]);
    }
    return;
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const std::span<const double> column(a.data + (first + static_cast<Index>(k)) * a.ld, v.size());
    std::array<double, 8> parts{};
    std::size_t i = 0;
    for (; i + parts.size() <= v.size(); i += parts.size())
      for (std::size_t m = 0; m < parts.size(); ++m) parts[m] += v[i + m] * (column[i + m] - shift[k]);
    for (; i < v.size(); ++i) parts[0] += v[i] * (column[i] - shift[k]);
    for (const double part : parts) sum[k] += part;
  }
}

struct Means {
  std::vector<double> mean, rest;
};

// The weighted mean of each column of a, mean + rest; of a constant column exactly its value, so that centring leaves
// exact zeros.
Means weighted_means(const LayoutView& a, std::span<const double> sqrt_w, double sum_w, const char* name) {
  std::vector<double> mean(static_cast<std::size_t>(a.cols), 0.0), rest = mean, v(sqrt_w.begin(), sqrt_w.end());
  for (double& value : v) value = value * value / sum_w;
  const Index step = a.layout == Layout::row_major ? columns_at_once : 1;  // a column may stay in the cache
  const auto part = [&](Index item) {
    const Index first = item * step, count = std::min(step, a.cols - first);
    const std::span<double> means(mean.data() + first, static_cast<std::size_t>(count));
    std::array<double, columns_at_once> shift{}, sum{};
    const std::span<double> sums(sum.data(), means.size());
    add_weighted(a, first, v, shift, sums);
    for (std::size_t k = 0; k < means.size(); ++k) {
      if (!std::isfinite(sum[k]))
        fail(Status::not_finite, "the mean of column ", first + static_cast<Index>(k), " of ", name, " overflows");
      means[k] = shift[k] = sum[k];
    }
    // A second pass removes the rounding error of the first, which matters when the mean is large beside the spread.
    sum.fill(0);
    add_weighted(a, first, v, shift, sums);
    for (std::size_t k = 0; k < means.size(); ++k) {
      const Index j = first + static_cast<Index>(k);
      double& left = rest[static_cast<std::size_t>(j)];
      if (std::isfinite(sum[k])) {
        means[k] += sum[k];
        left = (shift[k] - means[k]) + sum[k];
      }
      bool constant = true;
      for (Index i = 1; i < a.rows && constant; ++i) constant = a(i, j) == a(0, j);
      if (constant) means[k] = a(0, j), left = 0;
    }
  };
  parallel_for((a.cols + step - 1) / step, Progress(), part, 4.0 * static_cast<double>(a.rows * a.cols));  // two passes
  return {std::move(mean), std::move(rest)};
}

}  // namespace

double weight_span(std::span<const double> weights) {
  if (weights.empty()) return 1;
  const auto [low, high] = std::ranges::minmax_element(weights);
  return *high / *low;
}

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
    y_mean = weighted_means(y, sqrt_w, sum_w, "y").mean;
    q1.resize(sqrt_w.size());
    for (std::size_t i = 0; i < q1.size(); ++i) q1[i] = sqrt_w[i] / std::sqrt(sum_w);
    if (linear()) {
      Means of_x = weighted_means(x, sqrt_w, sum_w, "x");
      shift = std::move(of_x.mean);
      shift_rest = std::move(of_x.rest);
    }
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
