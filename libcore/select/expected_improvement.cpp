#include "libcore/select/expected_improvement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr std::size_t window = 8;  // points that a gap is judged by
constexpr Index places = 15;       // looked at in a gap
constexpr double nugget = 1e-8;    // keeps K positive definite where points nearly coincide
constexpr double least_variance = 1e-12;

double covariance(double distance, double length) {
  const double r = std::numbers::sqrt3 * std::abs(distance) / length;
  return (1 + r) * std::exp(-r);
}

// E max(best - Z, 0) of a normal Z.
double expected_below(double best, double mean, double deviation) {
  const double u = (best - mean) / deviation;
  const double cumulative = std::erfc(-u / std::numbers::sqrt2) / 2;
  const double density = std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi);
  return (best - mean) * cumulative + deviation * density;
}

// The best place in the gap between two neighbours, given the points around it with values in units of s.
Improvement best_of_gap(const Point* points, Index count, Point left, Point right, double best, double length) {
  Matrix k(count, count), f(count, 1), between(count, places);
  const auto place = [&](Index l) {
    return left.x + (right.x - left.x) * static_cast<double>(l + 1) / static_cast<double>(places + 1);
  };
  for (Index i = 0; i < count; ++i) {
    f(i, 0) = points[i].f;
    for (Index j = 0; j <= i; ++j) k(i, j) = covariance(points[i].x - points[j].x, length);
    k(i, i) += nugget;
    for (Index l = 0; l < places; ++l) between(i, l) = covariance(points[i].x - place(l), length);
  }
  Improvement found{place(places / 2), 0};
  if (!potrf(k.view())) return found;
  trsm(Op::none, k.view(), f.view());
  trsm(Op::none, k.view(), between.view());
  for (Index l = 0; l < places; ++l) {
    const double* const column = between.view().col(l);
    const double mean = dot(count, column, f.data());
    const double variance = std::max(1 - dot(count, column, column), least_variance);
    const double expected = expected_below(best, mean, std::sqrt(variance));
    if (expected > found.expected) found = {place(l), expected};
  }
  return found;
}

}  // namespace

Improvement most_promising(const Array<Point>& points, double length, double closest) {
  const auto count = static_cast<double>(points.size());
  double mean = 0, variance = 0;
  for (const Point& point : points) mean += point.f / count;
  for (const Point& point : points) variance += (point.f - mean) * (point.f - mean) / count;
  const double unit = variance > 0 ? std::sqrt(variance) : 1;
  Array<Point> scaled = points;
  for (Point& point : scaled) point.f = (point.f - mean) / unit;
  const auto lower = [](const Point& a, const Point& b) { return a.f < b.f; };
  const double best = std::min_element(scaled.begin(), scaled.end(), lower)->f;

  Improvement found{points.front().x, 0};
  for (std::size_t i = 0; i + 1 < scaled.size(); ++i) {
    if (scaled[i + 1].x - scaled[i].x < closest) continue;
    const std::size_t first = i + 1 > window / 2 ? i + 1 - window / 2 : 0;
    const std::size_t last = std::min(i + 1 + window / 2, scaled.size());
    const Improvement gap =
        best_of_gap(&scaled[first], static_cast<Index>(last - first), scaled[i], scaled[i + 1], best, length);
    if (gap.expected * unit > found.expected) found = {gap.x, gap.expected * unit};
  }
  return found;
}

}  // namespace freeridge
