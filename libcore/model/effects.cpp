// Averages of derivatives of f over points, with weights a (sum a = 1), and their standard errors:
//     A_k = sum_i a_i d f(x_i) / d x_k = delta_k'c,     delta_lk = sum_i a_i d k(x_i, x_l) / d x_ik
// with the derivatives of kernel_gradient.hpp. An average is a linear functional of f with the values delta_k at k(x_l,
// .) and the prior variance
//     v_k = sum_ij a_i a_j d^2 k(x_i, x_j) / (d x_ik d x_jk)
// so that its errors are made as those of predictions (prediction_covariance.cpp). The frequentist one tells how A_k
// varies with Y; the bias, which the penalty brings, is in the bayesian one as well. Linear kernels: A = w
// (covariance.cpp).
// J. Hainmueller, C. Hazlett, Kernel regularized least squares, Political Analysis 22 (2014), section 4 (frequentist);
// A. O'Hagan, Bayes-Hermite quadrature, Journal of Statistical Planning and Inference 29 (1991) (functionals of f).
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/kernel_gradient.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

// a divided by its sum.
Array<double> shares(const double* a, Index m) {
  Array<double> out(m, 1 / static_cast<double>(m));
  if (a == nullptr) return out;
  double sum = 0, largest = 0;
  for (Index i = 0; i < m; ++i) {
    if (!std::isfinite(a[i])) fail(Status::not_finite, "weights[", i, "] is ", a[i], "; it must be finite");
    if (a[i] < 0) fail(Status::invalid_argument, "weights[", i, "] is ", a[i], "; it must not be negative");
    largest = std::max(largest, a[i]);
  }
  if (largest == 0) fail(Status::invalid_argument, "weights[0] is 0, and so are all others; one must be positive");
  for (Index i = 0; i < m; ++i) sum += a[i] / largest;
  for (Index i = 0; i < m; ++i) out[i] = a[i] / largest / sum;
  return out;
}

}  // namespace

void Model::predict_gradient(const Rows& points, Layout layout, double* out, Index ldout) const {
  require_fitted();
  require_room_for_gradient(points.rows, 0);
  const Hearing hearing(listener_);
  freeridge::predict_gradient(prediction(), points, layout, out, ldout);
}

std::string Model::average_gradient(const Rows& points, const double* a, CovarianceType type, MatrixView average,
                                    MatrixView errors) const {
  require_fitted();
  const Problem& problem = factorization_->problem();
  const bool linear = problem.linear(), bayesian = type == CovarianceType::bayesian;
  if (!linear) require_derivative(*kernel_);
  require_finite("x", points);
  const Array<double> share = shares(a, points.rows);
  if (linear) {
    std::string reason = errors.cols > 0 ? coefficient_errors(type, errors, nullptr) : std::string();
    copy(fit_->solution.w.view(), average);
    return reason;
  }
  const Prediction from = prediction();
  require_room_for_gradient(0, d());
  const Hearing hearing(listener_);
  Stage stage(0, 0.5);
  Matrix delta(from.support.rows, d()), mean(d(), t());
  gradient_functional(*kernel_, points, share, from.support, delta.view());
  gemm(Op::transpose, Op::none, 1, delta.view(), from.c, 0, mean.view());
  if (!all_finite(mean.values())) fail(Status::not_finite, "the average overflows; rescale x or y");
  std::string reason;
  if (errors.cols > 0) {
    const Matrix g(problem.q(), d(), 0.0);
    Matrix prior;
    if (bayesian && landmarks().empty()) {
      prior = Matrix(d(), 1);
      std::ranges::copy(average_slope_variances(*kernel_, points, share), prior.data());
    }
    const Functionals of{g.view(), delta.view(), prior.view(), {}};
    stage.next(1);
    reason = covariances_of(Points(of), d(), type, errors, {});
  } else {
    stage.next(1);
    report(1);
  }
  copy(mean.view(), average);
  return reason;
}

}  // namespace freeridge
