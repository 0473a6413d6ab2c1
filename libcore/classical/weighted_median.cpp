#include "libcore/classical/weighted_median.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/checks.hpp"
#include "libcore/base/exact_sum.hpp"

namespace freeridge {
namespace {

LayoutView column_of(Span<const double> values) {
  const auto n = static_cast<Index>(values.size());
  return {values.data(), n, 1, n, Layout::col_major};
}

}  // namespace

double weighted_median(Span<const double> values, Span<const double> weights) {
  Array<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (weights[i] > 0) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  ExactSum excess;  // sum of the weights up to a value minus the sum of those above it
  for (const std::size_t i : order) excess.add(-weights[i]);
  for (std::size_t k = 0;;) {
    const double value = values[order[k]];
    for (; k < order.size() && values[order[k]] == value; ++k) excess.add(weights[order[k]], 1);
    const int sign = excess.sign();
    if (sign > 0) return value;
    if (sign == 0) return std::midpoint(value, values[order[k]]);
  }
}

double checked_weighted_median(Span<const double> values, Span<const double> weights) {
  require_finite("values", column_of(values));
  require_finite("weights", column_of(weights));
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] < 0)
      fail(Status::invalid_argument, "weights[", i, "] is ", weights[i], "; a weight must not be negative");
  if (std::ranges::all_of(weights, [](double w) { return w == 0; }))
    fail(Status::invalid_argument, "all weights are 0; one must be positive");
  return weighted_median(values, weights);
}

double absolute_slope(Span<const double> x, Span<const double> y) {
  require_finite("x", column_of(x));
  require_finite("y", column_of(y));
  Array<double> slopes(x.size(), 0.0), weights(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    weights[i] = std::abs(x[i]);
    if (x[i] != 0) slopes[i] = y[i] / x[i];
  }
  if (std::ranges::all_of(weights, [](double w) { return w == 0; }))
    fail(Status::undefined, "all x are 0: every slope fits as well as any other");
  const double slope = weighted_median(slopes, weights);
  if (!std::isfinite(slope)) fail(Status::not_finite, "the slope overflows; rescale x or y");
  return slope;
}

}  // namespace freeridge
