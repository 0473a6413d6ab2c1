#include "libcore/select/bounded_lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "libcore/base/constants.hpp"

namespace freeridge {
namespace {

constexpr double decrease = 1e-4;   // of the slope: sufficient
constexpr double flattened = 0.9;   // of the first slope: far enough
constexpr Index trials = 25;        // of a step along one direction
constexpr double nearest = 1e-8;    // to a bound: a nearer variable is held while -g points at the bound
constexpr double parallel = 1e-10;  // cosine of s and y from which a pair tells a curvature

double inner(Span<const double> a, Span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Place {
  Array<double> x, g;
  double f = 0;
};

// The lowest point of the cubic through (a, fa) and (b, fb) with slopes there, kept within the inner 80 % of the
// bracket.
double interpolated(double a, double fa, double slope_a, double b, double fb, double slope_b) {
  const double margin = 0.1 * std::abs(b - a), low = std::min(a, b) + margin, high = std::max(a, b) - margin;
  const double r = slope_a + slope_b - 3 * (fa - fb) / (a - b);
  const double root = r * r - slope_a * slope_b;
  if (!(root >= 0)) return (a + b) / 2;
  const double q = std::copysign(std::sqrt(root), b - a);
  const double lowest = b - (b - a) * (slope_b + q - r) / (slope_b - slope_a + 2 * q);
  return std::isfinite(lowest) ? std::clamp(lowest, low, high) : (a + b) / 2;
}

class BoxSearch {
 public:
  BoxSearch(const ValueAndGradient& f, Span<const double> start, Span<const double> low, Span<const double> high,
            const LbfgsOptions& options)
      : f_(f), low_(low), high_(high), options_(options), size_(start.size()) {
    for (std::size_t i = 0; i < size_; ++i) here_.x.push_back(std::clamp(start[i], low[i], high[i]));
    pairs_.assign(options.known.begin(), options.known.end());
    evaluate(here_);
  }

  BoundedMinimum run() {
    SearchEnd end = std::isfinite(here_.f) ? SearchEnd::none : SearchEnd::no_lower;
    Index small = 0;
    while (end == SearchEnd::none) {
      const double before = here_.f;
      if (gradient() <= options_.gradient_tolerance) {
        end = SearchEnd::gradient;
      } else if (spent()) {
        end = SearchEnd::budget;
      } else if (step()) {
        const double enough = options_.change_tolerance * std::max(std::abs(before), options_.scale);
        small = before - here_.f < enough ? small + 1 : 0;
        if (small == options_.small_changes) end = SearchEnd::change;
      } else if (!pairs_.empty() && !spent()) {
        pairs_.clear();  // once more, along the gradient
      } else {
        end = spent() ? SearchEnd::budget : SearchEnd::no_lower;
      }
    }
    return answer(end);
  }

 private:
  bool spent() const { return evaluations_ >= options_.evaluations; }
  double gradient() const { return projected_gradient(here_.x, here_.g, low_, high_); }

  void evaluate(Place& at) {
    ++evaluations_;
    at.g.assign(size_, 0.0);
    at.f = f_(at.x, at.g);
    if (!all_finite(at.g)) at.f = nan;
  }

  bool held(std::size_t i) const {
    return (here_.g[i] > 0 && here_.x[i] <= low_[i] + nearest) || (here_.g[i] < 0 && here_.x[i] >= high_[i] - nearest);
  }

  // -H g on the variables that are not held; -g by the scale of H on those that are.
  Array<double> direction() const {
    Array<char> free(size_, 1);
    Array<double> d(size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      free[i] = held(i) ? 0 : 1;
      if (free[i] != 0) d[i] = -here_.g[i];
    }
    const auto over_free = [&](const Array<double>& a, const Array<double>& b) {
      double sum = 0;
      for (std::size_t i = 0; i < size_; ++i)
        if (free[i] != 0) sum += a[i] * b[i];
      return sum;
    };
    struct Used {
      const LbfgsPair* pair;
      double curvature, weight;
    };
    Array<Used> used;  // the newest first
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      const double curvature = over_free(pair->s, pair->y);
      if (curvature <= parallel * std::sqrt(over_free(pair->s, pair->s) * over_free(pair->y, pair->y))) continue;
      used.push_back({&*pair, curvature, over_free(pair->s, d) / curvature});
      for (std::size_t i = 0; i < size_; ++i)
        if (free[i] != 0) d[i] -= used.back().weight * pair->y[i];
    }
    const double scale =
        used.empty() ? 1 : used.front().curvature / over_free(used.front().pair->y, used.front().pair->y);
    for (std::size_t i = 0; i < size_; ++i) d[i] = free[i] != 0 ? d[i] * scale : -here_.g[i] * scale;
    for (auto each = used.rbegin(); each != used.rend(); ++each) {
      const double back = over_free(each->pair->y, d) / each->curvature;
      for (std::size_t i = 0; i < size_; ++i)
        if (free[i] != 0) d[i] += (each->weight - back) * each->pair->s[i];
    }
    return d;
  }

  // x(a), f there, and the slope of f along x(a).
  struct Trial {
    Place place;
    double a = 0, slope = 0;
    bool lower = false;  // whether f is sufficiently lower
  };
  Trial attempt(const Array<double>& d, double a) {
    Trial out;
    out.a = a;
    out.place.x.assign(size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) out.place.x[i] = std::clamp(here_.x[i] + a * d[i], low_[i], high_[i]);
    evaluate(out.place);
    double expected = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double x = out.place.x[i];
      expected += here_.g[i] * (x - here_.x[i]);
      if (x > low_[i] && x < high_[i]) out.slope += out.place.g[i] * d[i];
    }
    out.lower = std::isfinite(out.place.f) && out.place.f < here_.f && out.place.f <= here_.f + decrease * expected;
    return out;
  }

  // Moves to the lowest place seen along the direction; false where none is sufficiently lower. The bracket is [near,
  // far]: at `near` f is sufficiently lower and still falls steeply, at `far` it is not lower.
  bool step() {
    const Array<double> d = direction();
    double largest = 0, first_slope = 0;
    for (std::size_t i = 0; i < size_; ++i)
      if (!held(i)) largest = std::max(largest, std::abs(d[i])), first_slope += here_.g[i] * d[i];
    if (!(first_slope < 0) || !std::isfinite(largest)) return false;
    const double longest = options_.longest / largest;
    Trial near, best;
    near.place.f = best.place.f = here_.f;
    near.slope = first_slope;
    double far = infinity;
    double a = std::min(pairs_.empty() ? 1 / largest : 1.0, longest);
    for (Index trial = 0; trial < trials && !spent(); ++trial) {
      Trial now = attempt(d, a);
      if (now.lower && now.place.f < best.place.f) best = now;
      if (now.lower && now.slope >= flattened * first_slope) break;
      if (now.lower) {
        near = std::move(now);
        if (near.a >= longest) break;
        a = std::isfinite(far) ? (near.a + far) / 2 : std::min(4 * near.a, longest);
      } else {
        far = now.a;
        a = std::isfinite(now.place.f) ? interpolated(near.a, near.place.f, near.slope, far, now.place.f, now.slope)
                                       : near.a + 0.2 * (far - near.a);
      }
      if (best.lower && far - near.a < 0.1 * near.a) break;
    }
    if (best.lower) go_to(std::move(best.place));
    return best.lower;
  }

  void go_to(Place&& next) {
    LbfgsPair pair{Array<double>(size_, 0.0), Array<double>(size_, 0.0)};
    for (std::size_t i = 0; i < size_; ++i) {
      pair.s[i] = next.x[i] - here_.x[i];
      pair.y[i] = next.g[i] - here_.g[i];
    }
    here_ = std::move(next);
    if (inner(pair.s, pair.s) > 0) pairs_.push_back(std::move(pair));
    if (std::ssize(pairs_) > options_.pairs) pairs_.pop_front();
  }

  BoundedMinimum answer(SearchEnd end) {
    BoundedMinimum out;
    out.f = here_.f;
    out.gradient = gradient();
    out.at.assign(size_, 0);
    for (std::size_t i = 0; i < size_; ++i) out.at[i] = here_.x[i] <= low_[i] ? -1 : here_.x[i] >= high_[i] ? 1 : 0;
    out.x = std::move(here_.x);
    out.end = end;
    out.evaluations = evaluations_;
    out.known.assign(pairs_.begin(), pairs_.end());
    return out;
  }

  const ValueAndGradient& f_;
  Span<const double> low_, high_;
  const LbfgsOptions& options_;
  std::size_t size_;
  Place here_;
  std::deque<LbfgsPair> pairs_;  // the oldest first
  Index evaluations_ = 0;
};

}  // namespace

double projected_gradient(Span<const double> x, Span<const double> g, Span<const double> low, Span<const double> high) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(std::clamp(x[i] - g[i], low[i], high[i]) - x[i]));
  return largest;
}

BoundedMinimum minimise_in_box(const ValueAndGradient& f, Span<const double> start, Span<const double> low,
                               Span<const double> high, const LbfgsOptions& options) {
  return BoxSearch(f, start, low, high, options).run();
}

}  // namespace freeridge
