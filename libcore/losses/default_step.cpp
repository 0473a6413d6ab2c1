// The default step of gradient_descent.hpp.
#include "libcore/base/checks.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/symmetric_eigen.hpp"
#include "libcore/losses/gradient_descent.hpp"

namespace freeridge {
namespace {

// Columns sqrt(W_i) (x_i, 1), without the 1 where there is no intercept.
Matrix weighted_rows(const LossOutputs& o, const LayoutView& x, bool intercept) {
  const Index d = x.cols, p = d + (intercept ? 1 : 0);
  Matrix rows(p, o.n);
  for (Index i = 0; i < o.n; ++i) {
    const double root = std::sqrt(o.weight(i));
    for (Index k = 0; k < d; ++k) rows(k, i) = root * x(i, k);
    if (intercept) rows(d, i) = root;
    worked(touched * static_cast<double>(p));
  }
  return rows;
}

// The largest eigenvalue of A A' and A'A.
double largest_eigenvalue(ConstMatrixView a) {
  const Index order = std::min(a.rows, a.cols);
  Matrix gram(order, order, 0.0);
  syrk(a.rows <= a.cols ? Op::none : Op::transpose, 1, a, 0, gram.view());
  require_no_overflow("the products of rows of x", gram.view());
  Array<double> values(order);
  symmetric_eigen(gram.view(), values);
  return values.back();
}

// The root mean square of y, about its weighted mean where there is an intercept; 1 where it is 0.
double root_mean_square(const LossOutputs& o, bool intercept) {
  double total = 0, mean = 0, squares = 0;
  for (Index i = 0; i < o.n; ++i) total += o.weight(i);
  for (Index i = 0; i < o.n && intercept; ++i) mean += o.weight(i) / total * o.y[i];
  for (Index i = 0; i < o.n; ++i) squares += o.weight(i) / total * (o.y[i] - mean) * (o.y[i] - mean);
  return squares > 0 ? std::sqrt(squares) : 1;
}

}  // namespace

double default_step(const LossOutputs& o, const LayoutView& x, bool intercept, Index batch) {
  const Matrix rows = weighted_rows(o, x, intercept);
  const auto n = static_cast<double>(o.n), s = static_cast<double>(batch);
  double longest = 0;
  for (Index i = 0; i < o.n; ++i) longest = std::max(longest, dot(rows.rows(), rows.col(i), rows.col(i)));
  double seen = n * longest;
  if (batch > 1) {
    const double mu = largest_eigenvalue(rows.view());
    seen = n * (s - 1) / (s * (n - 1)) * mu + (n - s) / (s * (n - 1)) * n * longest;
  }
  const double bound = largest_curvature(o.loss) * seen + o.lambda;
  const double scale = o.loss == PointLoss::absolute ? root_mean_square(o, intercept) : 1;
  const double step = bound > 0 ? scale / bound : 1;  // all numbers of x are 0: every gradient is 0, too
  if (!(step > 0) || !std::isfinite(step))
    fail(Status::not_finite, "the default step is ", step, ", out of range; rescale x or y, or give a step");
  return step;
}

}  // namespace freeridge
