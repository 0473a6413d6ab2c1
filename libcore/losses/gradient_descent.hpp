// Gradient descent, stochastic gradient descent and the subgradient method for
//     J(w, b) = sum_i W_i L(y_i, x_i'w + b) + lambda/2 |w|^2
// Step t + 1 (t = 0, 1, ...) uses the rows S of a batch, |S| of the n rows:
//     w <- w - eta_t (n/|S| sum_(i in S) g_i x_i + lambda w),     b <- b - eta_t n/|S| sum_(i in S) g_i
// with g_i = W_i dL/df_i at the old w and b (loss_gradient.hpp). A batch of all n rows is gradient descent. A smaller
// one is stochastic: each pass over the rows has a new random order, of which a batch is the next part; the last batch
// of a pass has the rows that are left. The expected gradient of each batch is dJ.
//     eta_t = step                                CONSTANT
//     eta_t = step / (1 + step lambda t)          INVERSE: step = 1/lambda is Pegasos, eta_t = 1 / (lambda (t + 1))
//     eta_t = step / sqrt(t + 1)                  ROOT
// The default step is scale / (kappa E + lambda), where kappa is the largest second derivative of L (1 for losses with
// a corner) and E bounds the curvature that a batch sees (the expected smoothness of Gower et al.):
//     E = n (s - 1) / (s (n - 1)) mu + (n - s) / (s (n - 1)) n max_i W_i |x~_i|^2,      s = |S|,  x~_i = (x_i, 1)
// mu is the largest eigenvalue of X~'W X~. With all rows the default step is 1 / (kappa mu + lambda): one divided by
// the Lipschitz constant of dJ. scale is 1, and for the absolute loss the root mean square of y (about its mean, with
// intercept), because the derivative of that loss has no unit.
// The averaged iterate after T steps is sum_t t w_t / sum_t t, t = 1..T (Lacoste-Julien, Schmidt, Bach).
// Sources: L. Bottou, Stochastic gradient descent tricks, 2012 (INVERSE). S. Shalev-Shwartz, Y. Singer, N. Srebro,
// Pegasos, ICML 2007. N. Shor, Minimization Methods for Non-Differentiable Functions, 1985 (ROOT). R. Gower, N. Loizou,
// X. Qian, A. Sailanbayev, E. Shulgin, P. Richtarik, SGD: general analysis and improved rates, ICML 2019.
// S. Lacoste-Julien, M. Schmidt, F. Bach, A simpler approach to obtaining an O(1/t) convergence rate for the projected
// stochastic subgradient method, 2012.
#pragma once

#include "libcore/losses/loss_gradient.hpp"

namespace freeridge {

// The same numbers as FREERIDGE_STEP_AUTO ... in freeridge.h. automatic: CONSTANT for all rows at once and a loss
// without a corner; else INVERSE for lambda > 0 and ROOT for lambda = 0.
enum class StepRule : std::int32_t { automatic = 0, constant = 1, inverse = 2, root = 3 };

struct DescentPlan {
  bool intercept;
  const double* start;  // d numbers, or NULL: zeros
  double start_b;
  Index done;  // steps made before: t begins here
  StepRule rule;
  double step;  // 0: the default
  Index batch;  // from 1 to n
  std::int64_t seed;
  bool average;
  // The numbers of steps, counted from the start of this call, after which an iterate is handed out; ascending.
  Span<const Index> steps;
};

struct DescentPath {
  Matrix w;                    // d x steps.size()
  Array<double> b, objective;  // objective: empty where it is not wanted
  double step = 0;             // as it was given, or the default
};

// Memory: 2 n; stochastic: n d more where x comes by columns; the default step: n d, and 3 min(n, d)^2 for more than
// one row in a batch. Throws NOT_FINITE where the iterates overflow.
DescentPath gradient_descent(const LossOutputs& outputs, const LayoutView& x, const DescentPlan& plan,
                             bool with_objective);

// The default step (see above), for checked arguments.
double default_step(const LossOutputs& outputs, const LayoutView& x, bool intercept, Index batch);

}  // namespace freeridge
