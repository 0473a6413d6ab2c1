#include "libcore/losses/hinge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/constants.hpp"
#include "libcore/factor/contrast.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr double usual_moves = 20;  // how many there usually are, in multiples of n; for the progress fraction

class Smo {
 public:
  Smo(const LossProblem& problem, const LossControl& control)
      : p_(problem), control_(control), low_(p_.y.size()), high_(p_.y.size()), g_(p_.y.size()) {
    for (std::size_t i = 0; i < low_.size(); ++i) {
      low_[i] = p_.y[i] > 0 ? 0 : -p_.w[i];
      high_[i] = p_.y[i] > 0 ? p_.w[i] : 0;
    }
  }

  LossSolution solve(const LossSolution* start);

 private:
  bool may_grow(std::size_t i) const { return s_.a[i] < high_[i]; }
  bool may_shrink(std::size_t i) const { return s_.a[i] > low_[i]; }
  bool is_free(std::size_t i) const { return may_grow(i) && may_shrink(i); }

  void refresh();  // restores 1'a = 0 and computes G anew
  bool move();     // one move; false when the stationarity seen is within the tolerance
  bool move_pair();
  bool move_one();
  Index move_free();  // joint steps of all free numbers; returns their cost, in moves
  bool step_free(Array<std::size_t>& free);
  void add(std::size_t i, double t);
  double curvature(double k) const;
  void finish();

  const LossProblem& p_;
  const LossControl control_;
  Array<double> low_, high_;
  Array<double> g_;
  LossSolution s_;
  double violation_ = 0;
};

// The second derivative along a move, but never zero: where K has no curvature the move ends at the box.
double Smo::curvature(double k) const {
  return p_.tau * std::max(k, 16 * eps) + std::numeric_limits<double>::min();
}

// a_i += t. Where only rounding separates a_i from a bound, it is set to the bound.
void Smo::add(std::size_t i, double t) {
  const Index column = static_cast<Index>(i);
  double a = s_.a[i] + t;
  const double w = p_.w[i], own = p_.tau * p_.k(column, column);
  if (std::abs(a) <= 8 * eps * w && std::abs(a) * own <= 8 * eps) a = 0;
  if (w - std::abs(a) <= 8 * eps * w) a = std::copysign(w, p_.y[i]);
  a = std::clamp(a, low_[i], high_[i]);
  const double change = p_.tau * (a - s_.a[i]);
  s_.a[i] = a;
  const double* const k = p_.k.col(column);
  for (std::size_t j = 0; j < g_.size(); ++j) g_[j] -= change * k[j];
  worked(touched * static_cast<double>(g_.size()));
}

bool Smo::move_pair() {
  std::size_t i = 0, j = 0;
  double top = -infinity, bottom = infinity;
  for (std::size_t l = 0; l < g_.size(); ++l) {
    if (may_grow(l) && g_[l] > top) top = g_[l], i = l;
    if (may_shrink(l)) bottom = std::min(bottom, g_[l]);
  }
  violation_ = top - bottom;
  if (violation_ <= control_.tolerance) return false;

  const double* const k = p_.k.col(static_cast<Index>(i));
  const double own = k[i];
  double best = -1, best_curvature = 1;
  for (std::size_t l = 0; l < g_.size(); ++l) {
    const double slope = top - g_[l];
    if (!may_shrink(l) || !(slope > 0)) continue;
    const double second = curvature(own + p_.k(static_cast<Index>(l), static_cast<Index>(l)) - 2 * k[l]);
    const double gain = slope / second * slope;
    if (gain > best) best = gain, best_curvature = second, j = l;
  }
  const double t = std::min({(top - g_[j]) / best_curvature, high_[i] - s_.a[i], s_.a[j] - low_[j]});
  add(i, t);
  add(j, -t);
  return true;
}

bool Smo::move_one() {
  std::size_t i = 0;
  double best = -1, best_curvature = 1;
  violation_ = 0;
  for (std::size_t l = 0; l < g_.size(); ++l) {
    if (g_[l] > 0 ? !may_grow(l) : !may_shrink(l)) continue;
    violation_ = std::max(violation_, std::abs(g_[l]));
    const double second = curvature(p_.k(static_cast<Index>(l), static_cast<Index>(l)));
    const double gain = g_[l] / second * g_[l];
    if (gain > best) best = gain, best_curvature = second, i = l;
  }
  if (violation_ <= control_.tolerance) return false;
  const double t = g_[i] / best_curvature;
  add(i, std::clamp(t, low_[i] - s_.a[i], high_[i] - s_.a[i]));
  return true;
}

bool Smo::move() {
  worked(10 * nanosecond * static_cast<double>(g_.size()));
  return p_.intercept ? move_pair() : move_one();
}

// Solves the problem of the free numbers alone, and moves towards its solution. True where a number meets a bound on
// the way: the move ends there, and the number is no longer free. False where the solution was reached.
bool Smo::step_free(Array<std::size_t>& free) {
  const Index f = static_cast<Index>(free.size());
  const auto at = [&](Index l) { return static_cast<Index>(free[l]); };
  Array<double> q1(p_.intercept ? free.size() : 0, 1 / std::sqrt(static_cast<double>(f)));
  const Contrast contrast(f, q1);
  Matrix k(f, f), step(f, 1);
  for (Index j = 0; j < f; ++j) {
    for (Index i = j; i < f; ++i) k(i, j) = p_.k(at(i), at(j));
    k(j, j) += 16 * eps * static_cast<double>(f);  // keeps K_FF regular: the step is long, and ends at a bound
    step(j, 0) = g_[free[j]];
  }
  contrast.reduce_symmetric(k.view());
  const MatrixView l = contrast.inner(k.view());
  if (!potrf(l)) return false;
  const MatrixView z = contrast.reduce(step.view());
  trsm(Op::none, l, z);
  trsm(Op::transpose, l, z);
  contrast.expand(step.view());

  Array<double> image(g_.size(), 0.0);  // K step
  for (Index j = 0; j < f; ++j) {
    const double* const column = p_.k.col(at(j));
    for (std::size_t i = 0; i < image.size(); ++i) image[i] += step(j, 0) * column[i];
    worked(touched * static_cast<double>(image.size()));
  }
  double slope = 0, second = 0, length = infinity;
  Index blocking = 0;
  for (Index j = 0; j < f; ++j) {
    const std::size_t i = free[j];
    const double t = step(j, 0);
    slope += t * g_[i];
    second += t * image[i];
    const double room = t > 0 ? (high_[i] - s_.a[i]) / t : t < 0 ? (low_[i] - s_.a[i]) / t : infinity;
    if (room < length) length = room, blocking = j;
  }
  if (!(slope > 0)) return false;
  const double best = second > 0 ? slope / (p_.tau * second) : infinity;
  const bool blocked = length <= best;
  length = std::min(length, best);
  if (!std::isfinite(length)) return false;
  for (Index j = 0; j < f; ++j) {
    const std::size_t i = free[j];
    s_.a[i] = std::clamp(s_.a[i] + length * step(j, 0), low_[i], high_[i]);
  }
  for (std::size_t i = 0; i < g_.size(); ++i) g_[i] -= p_.tau * (length * image[i]);
  if (!blocked) return false;
  const std::size_t stopped = free[blocking];
  s_.a[stopped] = step(blocking, 0) > 0 ? high_[stopped] : low_[stopped];
  free.erase(free.begin() + blocking);
  return true;
}

Index Smo::move_free() {
  Array<std::size_t> free;
  for (std::size_t i = 0; i < g_.size(); ++i)
    if (is_free(i)) free.push_back(i);
  double cost = 0;
  const double n = static_cast<double>(p_.n());
  for (bool more = true; more && free.size() > 1 && static_cast<Index>(free.size()) <= most_free;) {
    const double f = static_cast<double>(free.size());
    more = step_free(free);
    ++s_.iterations;
    cost += f * f * f / (12 * n) + f / 2;
  }
  return static_cast<Index>(cost);
}

void Smo::refresh() {
  if (p_.intercept) {  // 1'a is zero but for rounding; the excess is taken from free numbers
    double excess = sum_of(s_.a);
    for (std::size_t i = 0; i < g_.size() && excess != 0; ++i) {
      if (!is_free(i)) continue;
      const double before = s_.a[i];
      s_.a[i] = std::clamp(before - excess, low_[i], high_[i]);
      excess += s_.a[i] - before;
    }
  }
  decision_values(p_, p_.tau, s_.a, 0, g_);
  for (std::size_t i = 0; i < g_.size(); ++i) {
    g_[i] = p_.y[i] - g_[i];
    if (!std::isfinite(g_[i])) fail(Status::not_finite, "the decision values overflow; use a larger lambda");
  }
}

void Smo::finish() {
  double top = -infinity, bottom = infinity, total = 0, count = 0;
  for (std::size_t i = 0; i < g_.size(); ++i) {
    if (may_grow(i)) top = std::max(top, g_[i]);
    if (may_shrink(i)) bottom = std::min(bottom, g_[i]);
    if (is_free(i)) total += g_[i], count += 1;
  }
  s_.b = !p_.intercept ? 0 : count > 0 ? total / count : top / 2 + bottom / 2;
  s_.tau = p_.tau;
  s_.f.resize(g_.size());
  s_.gap = p_.intercept ? std::abs(sum_of(s_.a)) / sum_of(p_.w) : 0;
  s_.squared = s_.objective = 0;
  for (std::size_t i = 0; i < g_.size(); ++i) {
    const double f = p_.y[i] - g_[i], z = p_.y[i] * (f + s_.b);
    s_.f[i] = f + s_.b;
    s_.squared += s_.a[i] * f;
    s_.objective += p_.w[i] * std::max(0.0, 1 - z);
    s_.gap = std::max(s_.gap, is_free(i) ? std::abs(1 - z) : s_.a[i] == 0 ? 1 - z : z - 1);
  }
  s_.objective += s_.squared / 2;
}

LossSolution Smo::solve(const LossSolution* start) {
  if (start != nullptr)
    s_.a = start->a;
  else
    s_.a.assign(p_.y.size(), 0.0);
  const Index n = p_.n();
  Index most = 0;
  if (__builtin_mul_overflow(n, control_.iterations, &most)) most = std::numeric_limits<Index>::max();

  // In a badly conditioned problem moves of pairs slowly approach a point that all free numbers together reach in one
  // step. So joint steps are tried now and then, for at most half of the work.
  Index until_joint = n;
  // Moves update G, in which rounding errors add up. So G is computed anew before the moves end. If the new G shows ten
  // times in a row that nothing was gained, rounding prevents the tolerance.
  double best = infinity;
  bool polished = false;
  for (int idle = 0; idle < 10;) {
    refresh();
    if (!move()) {
      if (!polished) {  // a last joint step: it goes far below the tolerance, which counts where lambda is small
        polished = true;
        move_free();
        continue;
      }
      finish();
      return std::move(s_);
    }
    idle = violation_ < best / 2 ? 0 : idle + 1;
    best = std::min(best, violation_);
    do {
      if (s_.iterations >= most)
        fail(Status::not_converged, "no solution within ", s_.iterations, " pair updates (the stationarity is ",
             violation_, "); see FREERIDGE_TOLERANCE and FREERIDGE_ITERATIONS, or use a larger lambda");
      if (s_.iterations++ % n == 0) report(open_fraction(s_.iterations / n, usual_moves));
      if (--until_joint <= 0) until_joint = std::max(n, move_free());
    } while (move());
  }
  fail(Status::not_converged, "rounding leaves a stationarity of ", best, " at this lambda, more than the tolerance ",
       control_.tolerance, "; use a larger lambda or a larger tolerance");
}

}  // namespace

LossSolution solve_hinge(const LossProblem& problem, const LossControl& control, const LossSolution* start) {
  LossSolution solution = Smo(problem, control).solve(start);
  report(1);
  return solution;
}

std::string hinge_loo(const LossProblem& problem, const LossControl& control, const LossSolution& solution,
                      Span<double> out) {
  std::ranges::copy(solution.f, out.begin());
  Array<std::size_t> support;
  for (std::size_t i = 0; i < solution.a.size(); ++i)
    if (solution.a[i] != 0) support.push_back(i);
  double mass = 0;  // of |a| in each class, with intercept
  for (const std::size_t i : support) mass += std::abs(solution.a[i]) / 2;
  Array<double> w(problem.w.begin(), problem.w.end());
  LossProblem without = problem;
  without.w = w;
  std::string reason;
  Stage stage(0, 0);
  for (std::size_t k = 0; k < support.size(); ++k) {
    stage.next(fraction(static_cast<Index>(k) + 1, std::ssize(support)));
    const std::size_t i = support[k];
    if (problem.intercept && std::ranges::count(problem.y, problem.y[i]) == 1) {
      out[i] = nan;
      if (reason.empty()) reason = text("row ", i, " alone is of its class: without it there is no offset");
      continue;
    }
    LossSolution start = solution;
    start.a[i] = 0;
    for (const std::size_t j : support)
      if (problem.intercept && problem.y[j] != problem.y[i]) start.a[j] *= 1 - std::abs(solution.a[i]) / mass;
    w[i] = 0;
    out[i] = Smo(without, control).solve(&start).f[i];
    w[i] = problem.w[i];
    if (!std::isfinite(out[i])) {  // weights so far apart that those of the others are zero beside the largest
      out[i] = nan;
      if (reason.empty()) reason = text("without row ", i, " the other rows of its class weigh next to nothing");
    }
  }
  report(1);
  return reason;
}

}  // namespace freeridge
