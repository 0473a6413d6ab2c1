#include "libcore/select/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernel/other_distance.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/select/expected_improvement.hpp"
#include "libcore/select/score_curve.hpp"

namespace freeridge {
namespace {

constexpr Index sample_rows = 256;
constexpr Index first_sigmas = 5;
constexpr double closest = 1e-3;     // of log sigma: scores are far flatter than that
constexpr double negligible = 1e-5;  // of f: an expected gain that is not worth a factorization
constexpr Index idle_tries = 25;     // sigmas in a row without that gain: f is not smooth, and its dips are noise
constexpr double reml_unit = 50;     // REML changes by 0.5 where the other scores change by 1 %
constexpr double nearly = 3e-3;      // of f: a tie
constexpr double constant_to = 64 * std::numeric_limits<double>::epsilon();
constexpr double flat = 0.01;  // of f: decades are counted as far as f rises by no more

// The score that belongs to a value of f that is `above` higher.
double raised(Criterion criterion, double score, double above) {
  return score + above * (is_likelihood(criterion) ? reml_unit : std::abs(score));
}

double objective(Criterion criterion, double score) {
  if (is_likelihood(criterion)) return score / reml_unit;
  if (criterion == Criterion::error_rate) return score;
  return std::log(std::max(score, std::numeric_limits<double>::min()));
}

// The points tried, with f in place of the score. A point without a value gets the highest f of the others.
Array<Point> objectives(const ScoreCurve& tried, Criterion criterion) {
  Array<Point> points;
  double highest = -std::numeric_limits<double>::infinity();
  for (const Tried& each : tried) {
    points.push_back({each.x, objective(criterion, each.score)});
    if (!std::isnan(each.score)) highest = std::max(highest, points.back().f);
  }
  for (Point& point : points)
    if (!std::isfinite(point.f)) point.f = std::isfinite(highest) ? highest : 0;
  return points;
}

// Among the scores up to `limit` the one nearest `middle`; of two equally near ones the larger sigma. Some score has a
// value.
std::size_t choice(const ScoreCurve& tried, double limit, double middle) {
  std::size_t chosen = tried.size();
  for (std::size_t i = 0; i < tried.size(); ++i)
    if (tried[i].score <= limit &&
        (chosen == tried.size() || std::abs(tried[i].x - middle) <= std::abs(tried[chosen].x - middle)))
      chosen = i;
  return chosen;
}

// At most 256 evenly spaced rows.
Matrix spaced_rows(const Rows& x) {
  const Index rows = std::min(sample_rows, x.rows);
  Matrix sample(rows, x.cols);  // of sparse rows each number would be a search
  for (Index i = 0; i < rows; ++i) copy_rows(x, i * x.rows / rows, sample.view().row_range(i, 1));
  return sample;
}

// The median of the positive distances of the pairs of rows; 0: there are none.
template <class Distance>
double median_of_pairs(Index rows, const Distance& distance_of) {
  Array<double> distances;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < i; ++j) {
      const double distance = distance_of(i, j);
      if (distance > 0) distances.push_back(distance);
    }
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

double median_distance(Span<const double> scale, const Rows& x) {
  const Matrix sample = spaced_rows(x);
  const auto value = [&](Index i, Index k) { return sample(i, k) / scale[k]; };
  return median_of_pairs(sample.rows(), [&](Index i, Index j) {
    double distance = 0;
    for (Index k = 0; k < x.cols; ++k) distance = std::hypot(distance, value(i, k) - value(j, k));
    return distance;
  });
}

double median_other_distance(const Kernel& kernel, Span<const double> scale, Span<const Index> columns, const Rows& x) {
  const Matrix sample = spaced_rows(x);
  Matrix points(sample.rows(), std::ssize(columns)), squares(sample.rows(), sample.rows());
  for (Index c = 0; c < points.cols(); ++c)
    for (Index i = 0; i < points.rows(); ++i) points(i, c) = sample(i, columns[c]) / scale[columns[c]];
  other_squares(kernel, points.view(), points.view(), squares.view());
  return median_of_pairs(sample.rows(), [&](Index i, Index j) { return std::sqrt(squares(i, j)); });
}

BandwidthRange bandwidth_range(double median) {
  if (median == 0)
    fail(Status::undefined,
         "there is no bandwidth to choose: all points of x coincide; set sigma, or give low and high");
  if (!std::isfinite(median * 64) || median / 16 <= 0)
    fail(Status::not_finite, "the median distance of the points is ", median, "; rescale x");
  return {median / 16, median * 64};
}

BandwidthSearch search_bandwidth(BandwidthRange range, double typical, Index budget, Criterion criterion,
                                 const std::function<double(double)>& score) {
  BandwidthSearch search;
  ScoreCurve tried;  // ascending; NaN: no value
  const auto attempt = [&](double sigma) {
    const double value = score(sigma);
    search.sigma.push_back(sigma);
    search.score.push_back(value);
    const Tried point{sigma, std::log(sigma), std::isfinite(value) ? value : std::nan(""), std::nan("")};
    tried.insert(std::upper_bound(tried.begin(), tried.end(), point,
                                  [](const Tried& a, const Tried& b) { return a.lambda < b.lambda; }),
                 point);
  };
  const Index start = range.low == range.high ? 1 : std::min(first_sigmas, budget);
  for (const double sigma : log_grid({range.low, range.high}, start)) attempt(sigma);
  double lowest_f = std::numeric_limits<double>::infinity();
  for (Index idle = 0; start > 1 && std::ssize(tried) < budget;) {
    const double length = std::min(1.0, 2 * (tried.back().x - tried.front().x) / static_cast<double>(tried.size()));
    const Array<Point> points = objectives(tried, criterion);
    const Improvement next = most_promising(points, length, closest);
    const double here = std::ranges::min(points, {}, &Point::f).f;
    idle = here < lowest_f - negligible ? 0 : idle + 1;
    lowest_f = std::min(lowest_f, here);
    if (next.expected < negligible || idle > idle_tries) break;
    attempt(std::clamp(std::exp(next.x), range.low, range.high));
  }

  const std::size_t best = lowest(tried, tried.front().x, tried.back().x);
  if (best == tried.size())
    fail(Status::undefined, "the criterion has no value at any bandwidth between ", range.low, " and ", range.high);
  const double middle =
      typical > 0 && std::isfinite(typical) ? std::log(typical) : (tried.front().x + tried.back().x) / 2;
  const std::size_t chosen = choice(tried, raised(criterion, tried[best].score, nearly), middle);
  search.best = tried[chosen].lambda;
  search.shape.edge = start == 1 ? 0 : chosen == 0 ? -1 : chosen + 1 == tried.size() ? 1 : 0;
  search.shape.decades = decades_below(tried, chosen, raised(criterion, tried[best].score, flat));
  search.shape.dips = count_minima(tried);
  return search;
}

namespace {

// The weighted variance of output j in the rows in which it is observed. An output that is constant but for rounding has
// none: then the mean of its squares, which a model without an intercept has to explain, and 0 with an intercept.
double spread_of(const Problem& problem, Index j) {
  const double origin = problem.intercept ? problem.y_free(0, j) : 0;
  Array<double> y(problem.n()), root = problem.sqrt_w;
  double largest = 0, deviation = 0;
  for (Index i = 0; i < problem.n(); ++i) y[i] = problem.y(i, j) - origin;
  for (const Index i : problem.missing_rows(j)) y[i] = root[i] = 0;
  double mean = 0;  // not 0 without an intercept
  const double sum_w = problem.sum_w_of(j);
  for (int pass = 0; pass < 2; ++pass) {
    double more = 0;
    for (std::size_t i = 0; i < root.size(); ++i) more += root[i] * (y[i] - mean) / sum_w * root[i];
    mean += more;
  }
  double variance = 0, squares = 0;
  for (std::size_t i = 0; i < root.size(); ++i) {
    if (root[i] == 0) continue;
    const double centred = root[i] * (y[i] - mean), all = root[i] * y[i];
    variance += centred * centred / sum_w;
    squares += all * all / sum_w;
    largest = std::max(largest, std::abs(problem.y(static_cast<Index>(i), j)));
    deviation = std::max(deviation, std::abs(y[i] - mean));
  }
  if (deviation > constant_to * largest) return variance;
  return problem.intercept ? 0 : squares;
}

}  // namespace

Array<double> score_divisors(const Problem& problem, Criterion criterion) {
  Array<double> out(problem.t(), 1.0);
  if (problem.t() == 1 || criterion == Criterion::error_rate || is_likelihood(criterion) || is_of_labels(criterion))
    return out;
  for (Index j = 0; j < problem.t(); ++j) {
    const double spread = spread_of(problem, j);
    if (spread != 0) out[j] = spread;
  }
  return out;
}

double combined_score(const Problem& problem, Criterion criterion, Span<const double> scores) {
  if (scores.size() == 1 || criterion == Criterion::error_rate) return scores[0];
  const Array<double> divisors = score_divisors(problem, criterion);
  double sum = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) sum += scores[j] / divisors[j];
  return sum;
}

}  // namespace freeridge
