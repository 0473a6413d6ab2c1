// Brent's method for a minimum in [a, b] without derivatives: golden sections, and parabolas where they can be trusted.
// R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 5.
#pragma once

#include <cmath>
#include <functional>

namespace freeridge {

// Calls f at most `calls` times, inside (a, b), until the bracket is within `tolerance` of the best point. The caller
// keeps what f saw; infinite values are fine.
inline void brent_minimum(double a, double b, double tolerance, int calls, const std::function<double(double)>& f) {
  const double golden = (3 - std::sqrt(5.0)) / 2;
  if (calls < 1 || !(a < b)) return;
  double x = a + golden * (b - a), w = x, v = x;  // the best point, the second best, the one before
  double fx = f(x), fw = fx, fv = fx;
  double step = 0, before = 0;  // the last step and the one before it
  for (int call = 1; call < calls; ++call) {
    const double middle = (a + b) / 2;
    if (std::abs(x - middle) + (b - a) / 2 <= 2 * tolerance) return;

    double p = 0, q = 0;  // the parabola through x, w, v has its vertex at x + p / q
    if (std::abs(before) > tolerance && std::isfinite(fw) && std::isfinite(fv)) {
      const double r = (x - w) * (fx - fv);
      q = (x - v) * (fx - fw);
      p = (x - v) * q - (x - w) * r;
      q = 2 * (q - r);
      if (q > 0) p = -p;
      q = std::abs(q);
    }
    const bool trusted = q != 0 && std::abs(p) < std::abs(q * before / 2) && p > q * (a - x) && p < q * (b - x);
    before = trusted ? step : (x < middle ? b - x : a - x);
    step = trusted ? p / q : golden * before;
    double u = x + step;
    if (trusted && (u - a < 2 * tolerance || b - u < 2 * tolerance)) step = x < middle ? tolerance : -tolerance;
    if (std::abs(step) < tolerance) step = step > 0 ? tolerance : -tolerance;
    u = x + step;

    const double fu = f(u);
    if (fu <= fx) {
      (u < x ? b : a) = x;
      v = w, fv = fw;
      w = x, fw = fx;
      x = u, fx = fu;
    } else {
      (u < x ? a : b) = u;
      if (fu <= fw || w == x) {
        v = w, fv = fw;
        w = u, fw = fu;
      } else if (fu <= fv || v == x || v == w) {
        v = u, fv = fu;
      }
    }
  }
}

}  // namespace freeridge
