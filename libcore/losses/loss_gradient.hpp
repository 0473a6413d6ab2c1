// The objective of a loss and its gradient, at any w and b, or at any c and b:
//     J(w, b) = sum_i W_i L(y_i, f_i) + lambda/2 |w|^2,     f = X w + b 1      dJ/dw = X'g + lambda w,      dJ/db = 1'g
//     J(c, b) = sum_i W_i L(y_i, f_i) + lambda/2 c'K c,     f = K c + b 1      dJ/dc = K (g + lambda c),    dJ/db = 1'g
// with g_i = W_i dL(y_i, f_i)/df_i, the derivatives of loss_functions.hpp. Where a loss has its corner these are
// subgradients. X and K are passed over twice for each w or c.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/select/loss_functions.hpp"

namespace freeridge {

// n outputs with their loss. `weights`: n numbers, or NULL: all one.
struct LossOutputs {
  PointLoss loss;
  Index n;
  const double* y;
  const double* weights;
  double lambda;

  double weight(Index i) const { return weights == nullptr ? 1 : weights[i]; }
};
// Throws NOT_FINITE, INVALID_ARGUMENT: y (for logistic and hinge -1 or +1), weights > 0, lambda >= 0.
void check(const LossOutputs& outputs);

// X = op(a): the user's matrix as BLAS takes it, in either layout and without a copy.
struct BlasRows {
  ConstMatrixView a;
  Op op;
};
BlasRows blas_rows(const LayoutView& x);

// f = X w + b 1
void linear_values(const LayoutView& x, const double* w, double b, Span<double> f);
// out = X'g + lambda w
void linear_gradient(const LayoutView& x, Span<const double> g, double lambda, const double* w, double* out);
// sum_i W_i L(y_i, f_i)
double training_loss(const LossOutputs& outputs, Span<const double> f);
// g_i = W_i dL(y_i, f_i)/df_i
void training_slopes(const LossOutputs& outputs, Span<const double> f, Span<double> g);

struct LossGradient {
  Array<double> objective;  // one for each column of w
  Matrix gradient;          // as w; empty where it is not wanted
  Array<double> intercept;  // dJ/db for each column of w
};

// At the columns of w (d x count), b: count numbers. Memory: 2 n and the answer.
LossGradient loss_gradient(const LossOutputs& outputs, const LayoutView& x, ConstMatrixView w, Span<const double> b,
                           bool with_gradient);
// At c (n numbers) and b. k: n x n and symmetric, of which the triangle k(i, j), i >= j, is read.
LossGradient expansion_gradient(const LossOutputs& outputs, ConstMatrixView k, const double* c, double b,
                                bool with_gradient);

}  // namespace freeridge
