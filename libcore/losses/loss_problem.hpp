// The problem of a loss for two classes, scaled so that its numbers are about one. Both solvers solve it in this form:
//     min over f, b   sum_i w_i L(y_i f_i) + 1/2 a'(tau K)a,      f = tau K a + b 1,  1'a = 0 (with intercept)
// K = kernel matrix / kappa, w = W / omega, tau = kappa omega / lambda; kappa and omega are powers of two next to the
// largest kernel value and weight, so that scaling rounds nothing. Stationarity says that a_i = lambda c_i / omega is
// -w_i times a (sub)derivative of L(y_i f) by f. So 0 <= a_i y_i <= w_i whatever lambda is.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

struct LossProblem {
  ConstMatrixView k;  // n x n, both triangles
  double tau;
  Span<const double> y;  // n labels, -1 or +1
  Span<const double> w;  // n, positive, at most 2
  bool intercept;

  Index n() const { return k.rows; }
};

struct LossControl {
  double tolerance;
  Index iterations;
};

struct LossSolution {
  double tau = 0;
  Array<double> a;  // n
  double b = 0;
  Array<double> f;  // n, b included
  Index iterations = 0;
  double gap = 0;        // how far from stationary the solution is, in units of w
  double squared = 0;    // a'(tau K)a
  double objective = 0;  // the minimum of the problem above
};

// out = tau K a + b 1
inline void decision_values(const LossProblem& p, double tau, Span<const double> a, double b, Span<double> out) {
  symv(p.k, a.data(), out.data());
  for (double& value : out) value = tau * value + b;
}

// The progress fraction of work of unknown length: `done` units, where `usual` are usual. It stays below 1.
inline double open_fraction(Index done, double usual) {
  const double ratio = static_cast<double>(done) / usual;
  return ratio / (1 + ratio);
}

}  // namespace freeridge
