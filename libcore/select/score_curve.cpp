#include "libcore/select/score_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "libcore/base/constants.hpp"
#include "libcore/select/brent.hpp"

namespace freeridge {
namespace {

constexpr double noise = 1e-12;    // relative: scores closer than this are equal
constexpr double elsewhere = 0.1;  // in log lambda: a point so far from a minimum is not in its neighbourhood
constexpr double shallow = 1e-8;   // relative: minima that stand out by less are not counted
constexpr std::size_t polynomial_points = 12;  // points of the polynomial
constexpr double least_gap = 1e-4;             // between them: differences of nearer ones would be rounding noise
constexpr double x_tolerance = 1e-9;           // of the polynomial's minimum
constexpr int most_evaluations = 100;          // of the polynomial

double at(const ScoreCurve& curve, std::ptrdiff_t l) {
  if (l < 0 || l >= std::ssize(curve)) return infinity;
  const double score = curve[l].score;
  return std::isnan(score) ? infinity : score;
}

// The points of the polynomial: from the lowest point outwards, each time the nearer one of the next on both sides.
ScoreCurve neighbours(const ScoreCurve& curve, std::size_t best) {
  ScoreCurve chosen = {curve[best]};
  std::size_t left = best, right = best + 1;  // the next ones are left - 1 and right
  double leftmost = curve[best].x, rightmost = leftmost;
  while (chosen.size() < polynomial_points) {
    const bool has_left = left > 0 && !std::isnan(curve[left - 1].score);
    const bool has_right = right < curve.size() && !std::isnan(curve[right].score);
    if (!has_left && !has_right) break;
    const bool go_left =
        has_left && (!has_right || curve[best].x - curve[left - 1].x <= curve[right].x - curve[best].x);
    const Tried& next = go_left ? curve[--left] : curve[right++];
    double& end = go_left ? leftmost : rightmost;
    if (std::abs(next.x - end) < least_gap) continue;
    end = next.x;
    chosen.push_back(next);
  }
  return chosen;
}

}  // namespace

std::size_t lowest(const ScoreCurve& curve, double low, double high) {
  std::size_t best = curve.size();
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (curve[i].x >= low && curve[i].x <= high && !std::isnan(curve[i].score) &&
        (best == curve.size() || curve[i].score <= curve[best].score))
      best = i;
  return best;
}

std::size_t choice(const ScoreCurve& curve) {
  const std::size_t best = lowest(curve, -infinity, infinity);
  if (best == curve.size()) return best;
  const double level = curve[best].score + noise * std::abs(curve[best].score);
  for (std::size_t i = curve.size() - 1; i > best && curve[i].x - curve[best].x > elsewhere; --i)
    if (curve[i].score <= level) return i;
  return best;
}

Array<std::size_t> dips(const ScoreCurve& curve, std::size_t most) {
  Array<std::size_t> found;
  for (std::ptrdiff_t l = 0; l < std::ssize(curve); ++l) {
    const double here = at(curve, l), more = here + noise * std::abs(here);
    const bool inner_rise =
        (l > 0 && at(curve, l - 1) > more) || (l + 1 < std::ssize(curve) && at(curve, l + 1) > more);
    if (here < infinity && here <= at(curve, l - 1) && here <= at(curve, l + 1) && inner_rise)
      found.push_back(static_cast<std::size_t>(l));
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return curve[a].score < curve[b].score; });
  if (found.size() > most) found.resize(most);
  return found;
}

std::int32_t count_minima(const ScoreCurve& curve) {
  ScoreCurve valued;
  std::copy_if(curve.begin(), curve.end(), std::back_inserter(valued),
               [](const Tried& point) { return !std::isnan(point.score); });
  // At a minimum the curve falls, or begins, on the left and rises, or ends, on the right. Small steps count when they
  // have added up to a large one.
  std::int32_t minima = 0;
  bool down = true, flat = true;
  double level = valued.empty() ? 0 : valued[0].score;  // where the last step that counts went
  for (const Tried& point : valued) {
    if (std::abs(point.score - level) <= shallow * std::abs(level)) continue;
    const bool up = point.score > level;
    if (up && down) ++minima;
    down = !up;
    flat = false;
    level = point.score;
  }
  return flat ? 0 : minima + (down ? 1 : 0);
}

double decades_below(const ScoreCurve& curve, std::size_t best, double limit) {
  const auto reach = [&](std::ptrdiff_t step) {
    double x = curve[best].x, score = curve[best].score;
    for (auto i = static_cast<std::ptrdiff_t>(best) + step; i >= 0 && i < std::ssize(curve); i += step) {
      const Tried& next = curve[i];
      if (std::isnan(next.score)) break;
      if (next.score > limit) return x + (next.x - x) * ((limit - score) / (next.score - score));
      x = next.x;
      score = next.score;
    }
    return x;
  };
  return (reach(1) - reach(-1)) / std::log(10.0);
}

Minimum interpolated_minimum(const ScoreCurve& curve, double low, double high) {
  const std::size_t best = lowest(curve, low, high);
  const ScoreCurve points = neighbours(curve, best);
  Array<double> weights(points.size(), 1.0);
  double first = points[0].x, last = first;
  for (std::size_t k = 0; k < points.size(); ++k) {
    first = std::min(first, points[k].x);
    last = std::max(last, points[k].x);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i != k) weights[k] /= points[k].x - points[i].x;
  }

  Minimum minimum{curve[best].x, curve[best].score};
  brent_minimum(std::max(low, first), std::min(high, last), x_tolerance, most_evaluations, [&](double x) {
    // Differences to the lowest score: near the minimum they are small, and so are their rounding errors.
    double above = 0, below = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double distance = x - points[k].x;
      if (distance == 0) return points[k].score;
      const double weight = weights[k] / distance;
      above += weight * (points[k].score - points[0].score);
      below += weight;
    }
    const double score = points[0].score + above / below;
    if (score < minimum.score) minimum = {x, score};
    return score;
  });
  return minimum;
}

}  // namespace freeridge
