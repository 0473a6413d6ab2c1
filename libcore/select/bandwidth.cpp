#include "libcore/select/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/linalg/blas.hpp"
#include "libcore/select/brent.hpp"

namespace freeridge {
namespace {
constexpr Index sample_rows = 256;
constexpr double log_tolerance = 1e-3;  // sigma to a thousandth: scores are far flatter than that
}  // namespace

BandwidthRange bandwidth_range(const Kernel& kernel, const LayoutView& x) {
  const std::vector<double> scale = kernel.feature_scale(x.cols);
  const Index rows = std::min(sample_rows, x.rows);
  const auto value = [&](Index i, Index k) { return x(i * x.rows / rows, k) / scale[static_cast<std::size_t>(k)]; };
  std::vector<double> distances;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < i; ++j) {
      double distance = 0;
      for (Index k = 0; k < x.cols; ++k) distance = std::hypot(distance, value(i, k) - value(j, k));
      if (distance > 0) distances.push_back(distance);
    }
  if (distances.empty())
    fail(Status::undefined,
         "there is no bandwidth to choose: all points of x coincide; set sigma, or give low and high");
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  if (!std::isfinite(*middle * 64) || *middle / 16 <= 0)
    fail(Status::not_finite, "the median distance of the points is ", *middle, "; rescale x");
  return {*middle / 16, *middle * 64};
}

BandwidthSearch search_bandwidth(BandwidthRange range, Index budget, const std::function<double(double)>& score) {
  BandwidthSearch search;
  const auto attempt = [&](double sigma) {
    const double value = score(sigma);
    search.sigma.push_back(sigma);
    search.score.push_back(value);
    return value;
  };
  const std::vector<double> scan = log_grid({range.low, range.high}, range.low == range.high ? 1 : budget * 2 / 3);
  std::size_t best = 0;
  for (std::size_t i = 0; i < scan.size(); ++i)
    if (attempt(scan[i]) <= search.score[best]) best = i;
  if (scan.size() > 1 && std::isfinite(search.score[best])) {
    const double low = std::log(scan[best > 0 ? best - 1 : best]),
                 high = std::log(scan[std::min(best + 1, scan.size() - 1)]);
    brent_minimum(low, high, log_tolerance, static_cast<int>(budget - static_cast<Index>(scan.size())),
                  [&](double log_sigma) { return attempt(std::clamp(std::exp(log_sigma), range.low, range.high)); });
  }
  best = 0;
  for (std::size_t i = 1; i < search.sigma.size(); ++i)
    if (search.score[i] < search.score[best] ||
        (search.score[i] == search.score[best] && search.sigma[i] > search.sigma[best]))
      best = i;
  if (!std::isfinite(search.score[best]))
    fail(Status::undefined, "the criterion has no value at any bandwidth between ", range.low, " and ", range.high);
  search.best = search.sigma[best];
  return search;
}

double combined_score(const Problem& problem, Criterion criterion, std::span<const double> scores) {
  if (scores.size() == 1 || criterion == Criterion::error_rate) return scores[0];
  double sum = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double* const y = problem.y_tilde.col(static_cast<Index>(j));
    const double mean = dot(problem.n(), problem.sqrt_w.data(), y) / problem.sum_w;  // not 0 without an intercept
    double variance = 0;
    for (std::size_t i = 0; i < problem.sqrt_w.size(); ++i) {
      const double centred = y[i] - problem.sqrt_w[i] * mean;
      variance += centred * centred / problem.sum_w;
    }
    sum += criterion == Criterion::reml || variance == 0 ? scores[j] : scores[j] / variance;
  }
  return sum;
}

}  // namespace freeridge
