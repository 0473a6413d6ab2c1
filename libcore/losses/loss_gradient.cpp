#include "libcore/losses/loss_gradient.hpp"

#include "libcore/base/checks.hpp"

namespace freeridge {
namespace {

// lambda/2 `squared`, and 0 at lambda = 0 also where `squared` overflows
double penalty(double lambda, double squared) {
  return lambda == 0 ? 0 : lambda / 2 * squared;
}

void require_in_range(const LossGradient& answer) {
  if (!all_finite(answer.objective))
    fail(Status::not_finite, "the objective overflows; rescale x, y or the coefficients");
  if (!all_finite(answer.intercept))
    fail(Status::not_finite, "the gradient overflows; rescale x, y or the coefficients");
  require_no_overflow("the numbers of the gradient", answer.gradient.view());
}

}  // namespace

void check(const LossOutputs& o) {
  for (Index i = 0; i < o.n; ++i) {
    if (!std::isfinite(o.y[i])) fail(Status::not_finite, "y[", i, "] is ", o.y[i], "; every value must be finite");
    if (takes_labels(o.loss) && std::abs(o.y[i]) != 1)
      fail(Status::invalid_argument, "y[", i, "] is ", o.y[i], "; every label must be -1 or 1");
  }
  require_weights(o.weights, o.n);
  require_lambdas("lambda", {&o.lambda, 1});
}

BlasRows blas_rows(const LayoutView& x) {
  if (x.layout == Layout::col_major) return {{x.data, x.rows, x.cols, x.ld}, Op::none};
  return {{x.data, x.cols, x.rows, x.ld}, Op::transpose};
}

void linear_values(const LayoutView& x, const double* w, double b, Span<double> f) {
  const BlasRows rows = blas_rows(x);
  gemv(rows.op, 1, rows.a, w, 0, f.data());
  for (double& value : f) value += b;
}

void linear_gradient(const LayoutView& x, Span<const double> g, double lambda, const double* w, double* out) {
  const BlasRows rows = blas_rows(x);
  std::copy_n(w, x.cols, out);
  gemv(rows.op == Op::none ? Op::transpose : Op::none, 1, rows.a, g.data(), lambda, out);
}

double training_loss(const LossOutputs& o, Span<const double> f) {
  double total = 0;
  for (Index i = 0; i < o.n; ++i) total += o.weight(i) * loss_value(o.loss, o.y[i], f[i]);
  worked(touched * static_cast<double>(o.n));
  return total;
}

void training_slopes(const LossOutputs& o, Span<const double> f, Span<double> g) {
  for (Index i = 0; i < o.n; ++i) g[i] = o.weight(i) * loss_slope(o.loss, o.y[i], f[i]);
  worked(touched * static_cast<double>(o.n));
}

LossGradient loss_gradient(const LossOutputs& outputs, const LayoutView& x, ConstMatrixView w, Span<const double> b,
                           bool with_gradient) {
  require_finite("x", x);
  check(outputs);
  require_finite("w", {w.data, w.rows, w.cols, w.ld, Layout::col_major});
  require_finite("b", {b.data(), w.cols, 1, w.cols, Layout::col_major});
  LossGradient out{Array<double>(w.cols), with_gradient ? Matrix(w.rows, w.cols) : Matrix(), Array<double>(w.cols)};
  Array<double> f(outputs.n), g(outputs.n);
  for (Index l = 0; l < w.cols; ++l) {
    linear_values(x, w.col(l), b[l], f);
    out.objective[l] = training_loss(outputs, f) + penalty(outputs.lambda, dot(w.rows, w.col(l), w.col(l)));
    training_slopes(outputs, f, g);
    out.intercept[l] = sum_of(g);
    if (with_gradient) linear_gradient(x, g, outputs.lambda, w.col(l), out.gradient.col(l));
  }
  require_in_range(out);
  return out;
}

LossGradient expansion_gradient(const LossOutputs& outputs, ConstMatrixView k, const double* c, double b,
                                bool with_gradient) {
  const Index n = outputs.n;
  require_finite("k", {k.data, n, n, k.ld, Layout::col_major});
  check(outputs);
  require_finite("c", {c, n, 1, n, Layout::col_major});
  require_finite("b", {&b, 1, 1, 1, Layout::col_major});
  LossGradient out{Array<double>(1), with_gradient ? Matrix(n, 1) : Matrix(), Array<double>(1)};
  Array<double> f(n), g(n);
  symv(k, c, f.data());
  const double squared = dot(n, c, f.data());
  for (double& value : f) value += b;
  out.objective[0] = training_loss(outputs, f) + penalty(outputs.lambda, squared);
  training_slopes(outputs, f, g);
  out.intercept[0] = sum_of(g);
  if (with_gradient) {
    for (Index i = 0; i < n; ++i) g[i] += outputs.lambda * c[i];
    symv(k, g.data(), out.gradient.col(0));
  }
  require_in_range(out);
  return out;
}

}  // namespace freeridge
