#include "libcore/data/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/rows/weighted_means.hpp"

namespace freeridge {
double weight_span(Span<const double> weights) {
  if (weights.empty()) return 1;
  const auto [low, high] = std::ranges::minmax_element(weights);
  return *high / *low;
}

Problem::Problem(KernelPtr kernel_, const Rows& x_, const LayoutView& y_, Span<const double> weights_, bool intercept_)
    : kernel(std::move(kernel_)),
      x(x_),
      y(y_),
      weights(weights_),
      intercept(intercept_),
      sqrt_w(x_.rows, 1.0),
      sum_w(static_cast<double>(x_.rows)),
      y_tilde(y.rows, y.cols),
      y_mean(y.cols, 0.0),
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
      value = sqrt_w[i] * (value - y_mean[j]);
      if (!std::isfinite(value)) fail(Status::not_finite, "y[", i, ", ", j, "], weighted and centred, overflows");
    }
}

void Problem::scaled_rows(const Rows& points, Index row, MatrixView out) const {
  pack_rows(points, row, shift, out);
  for (Index k = 0; k < out.cols; ++k) {
    const double scale = (*linear_scale)[k];
    if (scale == 1) continue;
    for (Index i = 0; i < out.rows; ++i) out(i, k) /= scale;
  }
}

void Problem::weighted_rows(Index row, MatrixView out) const {
  scaled_rows(x, row, out);
  for (Index k = 0; k < out.cols; ++k)
    for (Index i = 0; i < out.rows; ++i) {
      out(i, k) *= sqrt_w[row + i];
      if (!std::isfinite(out(i, k)))
        fail(Status::not_finite, "x[", row + i, ", ", k, "], weighted and scaled, overflows");
    }
}

void Problem::weight_rows(MatrixView a) const {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) *= sqrt_w[i];
}

void Problem::scaled_entries(Index row, Index count, SparseTile& out) const {
  take_rows(x.sparse(), row, count, out);
  for (std::size_t p = 0; p < out.value.size(); ++p) out.value[p] /= (*linear_scale)[out.column[p]];
}

}  // namespace freeridge
