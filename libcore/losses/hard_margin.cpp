#include "libcore/losses/hard_margin.hpp"

#include <algorithm>

#include "libcore/base/constants.hpp"
#include "libcore/losses/hinge.hpp"

namespace freeridge {
namespace {

constexpr double first_tau = 16, next_tau = 64, last_tau = 0x1p60;
constexpr double coarse = 0.1;           // tolerance while tau grows: rounding in f grows with it
constexpr double touching = 1024 * eps;  // |u - v|^2 beside the largest kernel value

bool any_at_bound(const LossProblem& p, const LossSolution& s) {
  for (std::size_t i = 0; i < s.a.size(); ++i)
    if (std::abs(s.a[i]) >= p.w[i]) return true;
  return false;
}

// |u - v|^2 of the header.
double squared_distance(const LossProblem& p, const LossSolution& s) {
  double total = 0;
  for (std::size_t i = 0; i < s.a.size(); ++i)
    if (!p.intercept || p.y[i] > 0) total += std::abs(s.a[i]);
  return s.squared / p.tau / total / total;
}

}  // namespace

LossSolution solve_hard_margin(LossProblem problem, const LossControl& control) {
  const LossControl rough{std::max(coarse, control.tolerance), control.iterations};
  LossSolution solution;
  Index iterations = 0;
  Stage stage(0, 0);
  for (problem.tau = first_tau; problem.tau <= last_tau; problem.tau *= next_tau) {
    stage.next(open_fraction(iterations / problem.n() + 1, 100));
    solution = solve_hinge(problem, rough, iterations > 0 ? &solution : nullptr);
    iterations += solution.iterations;
    if (!any_at_bound(problem, solution)) {
      solution = solve_hinge(problem, control, &solution);
      iterations += solution.iterations;
      solution.iterations = iterations;
      if (!any_at_bound(problem, solution)) return solution;
    }
    if (squared_distance(problem, solution) <= touching) break;
  }
  fail(Status::undefined,
       "lambda is 0, and no hyperplane separates the two classes, or their distance is rounding; use a "
       "positive lambda");
}

}  // namespace freeridge
