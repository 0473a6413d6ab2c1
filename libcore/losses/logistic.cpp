#include "libcore/losses/logistic.hpp"

#include <algorithm>

#include "libcore/base/constants.hpp"
#include "libcore/losses/logistic_step.hpp"

namespace freeridge {
namespace {

constexpr double whole_step = 0.5;   // a step with all |df_i| up to this is taken whole, without a line search
constexpr double near_tau = 1e4;     // the path begins at this tau, or at the wanted one if that is smaller
constexpr double first_stretch = 7;  // in log tau, along a tangent; doubled after few Newton steps, halved after many
constexpr double usual_steps = 10;   // how many there usually are; for the progress fraction

class Newton {
 public:
  Newton(const LossProblem& problem, const LossControl& control)
      : p_(problem),
        control_(control),
        storage_(p_.n(), p_.n()),
        e_(p_.y.size()),
        v_(p_.y.size()),
        load_(p_.y.size()),
        df_(p_.y.size()),
        kda_(p_.y.size()) {}

  LossSolution solve(const LossSolution* start);

 private:
  void cold_start() {
    s_.a.assign(p_.y.size(), 0.0);
    double positive = 0, negative = 0;
    for (std::size_t i = 0; i < p_.y.size(); ++i) (p_.y[i] > 0 ? positive : negative) += p_.w[i];
    s_.b = p_.intercept ? std::log(positive) - std::log(negative) : 0;
    tau_ = std::min(p_.tau, near_tau);
  }
  void evaluate();          // f, e, v, the gap
  double newton_step();     // the largest |df_i| if the step was taken whole, else infinity
  Index stage();            // Newton steps until near the solution at tau_; returns how many
  void tangent(double to);  // moves along the path's tangent to tau = `to`
  void finish();            // Newton steps to the tolerance at tau_
  double step_length(const LogisticStep::Move&) const;  // near the minimum of the objective along the step
  void count() {
    if (s_.iterations >= control_.iterations)
      fail(Status::not_converged, "no solution within ", control_.iterations, " Newton steps (the stationarity is ",
           s_.gap, "); see FREERIDGE_TOLERANCE and FREERIDGE_ITERATIONS, or use a larger lambda");
    stage_.next(open_fraction(++s_.iterations, usual_steps));
    report(0);
  }

  const LossProblem& p_;
  const LossControl control_;
  Stage stage_{0, 0};  // of a Newton step
  Matrix storage_;
  LossSolution s_;
  double tau_ = 0;
  Array<double> e_, v_, load_;
  Array<double> df_, kda_;  // of the last step: the change of f, and tau K da
};

void Newton::evaluate() {
  s_.f.resize(s_.a.size());
  decision_values(p_, tau_, s_.a, s_.b, s_.f);
  s_.gap = p_.intercept ? std::abs(sum_of(s_.a)) / sum_of(p_.w) : 0;
  for (std::size_t i = 0; i < e_.size(); ++i) {
    const double z = p_.y[i] * s_.f[i], q = sigmoid(-z);
    if (!std::isfinite(z)) fail(Status::not_finite, "the decision values overflow; use a larger lambda");
    e_[i] = p_.w[i] * q * p_.y[i];
    v_[i] = p_.w[i] * q * sigmoid(z);
    s_.gap = std::max(s_.gap, std::abs(e_[i] - s_.a[i]) / p_.w[i]);
  }
}

double Newton::step_length(const LogisticStep::Move& step) const {
  // phi(t) = the objective after t steps, which is convex. Newton's method finds the root of phi' inside a bracket;
  // while the bracket has no right end, t grows.
  const auto slope = [&](double t, double& curvature) {
    double total = 0;
    curvature = 0;
    for (std::size_t i = 0; i < df_.size(); ++i) {
      const double f = s_.f[i] + t * df_[i], q = sigmoid(-p_.y[i] * f);
      total += (s_.a[i] + t * step.da[i]) * kda_[i] - p_.w[i] * q * p_.y[i] * df_[i];
      curvature += step.da[i] * kda_[i] + p_.w[i] * q * (1 - q) * df_[i] * df_[i];
    }
    return total;
  };
  double curvature = 0, low = 0, high = infinity, t = 1;
  const double steepest = std::abs(slope(0, curvature));
  for (int tries = 0; tries < 100; ++tries) {
    const double here = slope(t, curvature);
    if (std::abs(here) <= 0.1 * steepest) break;
    (here < 0 ? low : high) = t;
    const double newton = t - here / curvature;
    if (high < infinity)
      t = newton > low && newton < high ? newton : low + (high - low) / 2;
    else
      t = newton > t ? std::min(newton, 16 * t) : 2 * t;
  }
  return t;
}

double Newton::newton_step() {
  count();
  const LogisticStep working(p_, tau_, v_, storage_.view());
  for (std::size_t i = 0; i < load_.size(); ++i) load_[i] = e_[i] - s_.a[i];
  const LogisticStep::Move step = working.solve(load_, -sum_of(s_.a));
  decision_values(p_, tau_, step.da, 0, kda_);
  double largest = 0;
  for (std::size_t i = 0; i < df_.size(); ++i) {
    df_[i] = kda_[i] + step.db;
    if (!std::isfinite(df_[i])) fail(Status::not_converged, "a Newton step overflows; use a larger lambda");
    largest = std::max(largest, std::abs(df_[i]));
  }
  const bool whole = largest <= whole_step;
  const double t = whole ? 1 : step_length(step);
  for (std::size_t i = 0; i < s_.a.size(); ++i) s_.a[i] += t * step.da[i];
  s_.b += t * step.db;
  evaluate();
  return whole ? largest : infinity;
}

Index Newton::stage() {
  const Index before = s_.iterations;
  while (newton_step() > whole_step) continue;
  return s_.iterations - before;
}

void Newton::tangent(double to) {
  count();
  const LogisticStep working(p_, tau_, v_, storage_.view());
  const LogisticStep::Move step = working.solve(e_, 0);
  const double stretch = std::log(to) - std::log(tau_), ratio = tau_ / to;
  for (std::size_t i = 0; i < s_.a.size(); ++i) s_.a[i] = (s_.a[i] + stretch * step.da[i]) * ratio;
  s_.b += stretch * step.db;
  tau_ = to;
  evaluate();
}

void Newton::finish() {
  // After a whole step that moved every f_i by at most r, e_i - a_i = O(r^2) e_i: so r <= sqrt(tolerance) makes the
  // error small relative to each point's own e_i. The gap alone measures it relative to w_i, which may be far larger:
  // where the classes separate and lambda is small.
  double before = infinity, gap_before = before;
  for (int idle = 0; idle < 4;) {
    const double moved = newton_step();
    if (moved <= std::sqrt(control_.tolerance) && s_.gap <= control_.tolerance) return;
    const bool quick = moved <= before / 2 || s_.gap <= gap_before / 2 || !(moved <= whole_step);
    idle = quick ? 0 : idle + 1;
    before = moved;
    gap_before = s_.gap;
  }
  fail(Status::not_converged, "rounding leaves a stationarity of ", s_.gap, " at this lambda, more than the tolerance ",
       control_.tolerance, "; use a larger lambda or a larger tolerance");
}

LossSolution Newton::solve(const LossSolution* start) {
  // Starts from the given solution where its tau is nearer to the wanted one than the beginning of the path.
  const double distance = std::max(first_stretch, std::log(p_.tau) - std::log(near_tau));
  const bool warm =
      start != nullptr && p_.tau > 1 && start->tau > 1 && std::abs(std::log(p_.tau) - std::log(start->tau)) <= distance;
  if (warm) {
    s_.a = start->a;
    s_.b = start->b;
    tau_ = start->tau;
  } else {
    cold_start();
  }
  evaluate();
  double stretch = first_stretch;
  for (bool solved = warm; tau_ != p_.tau; solved = false) {
    const Index steps = solved ? 2 : stage();
    if (!solved) stretch = steps <= 2 ? 2 * stretch : steps > 4 ? stretch / 2 : stretch;
    const double rest = std::log(p_.tau) - std::log(tau_);
    const double length = std::min(std::abs(rest), stretch);
    tangent(std::abs(rest) < stretch + 1 ? p_.tau : tau_ * std::exp(std::copysign(length, rest)));
  }
  finish();

  s_.tau = p_.tau;
  s_.squared = s_.objective = 0;
  for (std::size_t i = 0; i < s_.a.size(); ++i) {
    s_.squared += s_.a[i] * (s_.f[i] - s_.b);
    s_.objective += p_.w[i] * logistic_loss(p_.y[i] * s_.f[i]);
  }
  s_.objective += s_.squared / 2;
  return std::move(s_);
}

}  // namespace

LossSolution solve_logistic(const LossProblem& problem, const LossControl& control, const LossSolution* start) {
  LossSolution solution = Newton(problem, control).solve(start);
  report(1);
  return solution;
}

std::string logistic_loo(const LossProblem& problem, const LossSolution& solution, Span<double> out) {
  report(0);
  Array<double> v(out.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = problem.w[i] * sigmoid(solution.f[i]) * sigmoid(-solution.f[i]);
  Matrix storage(problem.n(), problem.n());
  const LogisticStep working(problem, problem.tau, v, storage.view());
  const Array<double> p = working.residual_diagonal();

  std::string reason;
  const double rounding = 4 * eps * static_cast<double>(problem.n());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double y = problem.y[i], z = y * solution.f[i], own = sigmoid(z);
    if (p[i] > rounding && own > 1e-4) {
      out[i] = solution.f[i] - y / own * ((1 - p[i]) / p[i]);
    } else if (p[i] > rounding) {  // far on the wrong side: dividing by `own` would magnify the error of 1 - P_ii
      const double s = working.response(static_cast<Index>(i));
      out[i] = solution.f[i] - problem.w[i] * sigmoid(-z) * y * s / (1 - v[i] * s);
    }
    if (p[i] > rounding && std::isfinite(out[i])) continue;
    out[i] = nan;
    if (reason.empty())
      reason = text("the left-out value of row ", i, " is undefined: its leverage in the last Newton step is one");
  }
  report(1);
  return reason;
}

}  // namespace freeridge
