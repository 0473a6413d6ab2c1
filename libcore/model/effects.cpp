// Averages of derivatives and of differences of f over points, with weights a (sum a = 1), and their standard errors:
//     A_k = sum_i a_i d f(x_i) / d x_k = delta_k'c,     delta_lk = sum_i a_i d k(x_i, x_l) / d x_ik
//     D   = sum_i a_i (f(high_i) - f(low_i)) = delta'c, delta_l  = sum_i a_i (k(high_i, x_l) - k(low_i, x_l))
// with the derivatives of kernel_gradient.hpp. Both are linear functionals of f, and linear in Y: c = P_M Y, A_k = q'Y,
// q = P_M delta_k. With errors of variance sigma^2 / w_i, and for the posterior f ~ N(0, tau^2 k), tau^2 = sigma^2 /
// lambda:
//     bayesian      Var(A_k) = tau^2 (v_k - delta_k'P_M delta_k)                            (functional_variances)
//                   v_k = sum_ij a_i a_j d^2 k(x_i, x_j) / (d x_ik d x_jk), of D the sum of the differences of k
//     frequentist   Var(A_k) = sigma^2 q'W^-1 q = sigma^2 |P W^(1/2) delta_k|^2             (functional_norms)
// The frequentist one tells how A_k varies with Y; the bias, which the penalty brings, is in the bayesian one as well.
// Linear kernels: A = w, D = w'z, z = sum_i a_i (high_i - low_i), with the covariance of w (covariance.cpp). Outputs
// with missing values: c is zero in rows where they are not observed, and standard errors come from a model of the other
// rows.
// J. Hainmueller, C. Hazlett, Kernel regularized least squares, Political Analysis 22 (2014), section 4 (frequentist);
// A. O'Hagan, Bayes-Hermite quadrature, Journal of Statistical Planning and Inference 29 (1991) (functionals of f).
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/kernel_gradient.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/model/error_variance.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

constexpr Index functionals_at_once = 64;

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

void require_finite_average(const Matrix& values, const char* what) {
  if (!all_finite(values.values())) fail(Status::not_finite, what, " overflows; rescale x or y");
}

}  // namespace

void Model::predict_gradient(const Rows& points, Layout layout, double* out, Index ldout) const {
  require_fitted();
  require_room_for_gradient(points.rows, 0);
  const Hearing hearing(listener_);
  freeridge::predict_gradient(prediction(), points, layout, out, ldout);
}

// The averages delta'c and their errors. delta: support x functionals, used up.
Model::Effects Model::effects_of(MatrixView delta, const Prediction& from,
                                 const std::optional<WantedErrors>& wanted) const {
  Effects out{Matrix(delta.cols, t()), Matrix(wanted ? delta.cols : 0, wanted ? t() : 0), {}};
  gemm(Op::transpose, Op::none, 1, delta, from.c, 0, out.average.view());
  require_finite_average(out.average, "the average");
  if (!wanted) return out;
  if (!data_->missing) {
    effect_errors(delta, *wanted, out);
    return out;
  }
  each_part_model("the standard error of an average",
                  [&](const Model& part, Span<const Index> rows, Span<const Index> outputs) {
                    const Matrix own = picked_rows(delta, rows);
                    Effects of{{}, Matrix(delta.cols, std::ssize(outputs)), {}};
                    part.effect_errors(own.view(), *wanted, of);
                    for (Index j = 0; j < of.error.cols(); ++j)
                      copy(of.error.view().columns(j, 1), out.error.view().columns(outputs[j], 1));
                    if (!of.reason.empty()) keep_first(out.reason, of_part(of.reason, outputs));
                  });
  return out;
}

// delta: functionals of all rows of this model, without missing outputs.
void Model::effect_errors(ConstMatrixView delta, const WantedErrors& wanted, Effects& out) const {
  const bool bayesian = wanted.type == CovarianceType::bayesian;
  for (Index first_delta = 0; first_delta < delta.cols; first_delta += functionals_at_once) {
    const Index some = std::min(functionals_at_once, delta.cols - first_delta);
    for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
      const double lambda = fit_->lambdas[first];
      Matrix room = copy_of(delta.columns(first_delta, some));
      Array<double> variances(some, nan);  // over sigma^2
      if (lambda == 0 && (bayesian || !landmarks().empty())) {
        keep_first(out.reason, bayesian ? "the standard errors of the posterior are undefined at lambda = 0"
                                        : "the standard errors are undefined at lambda = 0 with landmarks");
      } else if (bayesian) {
        std::copy_n(wanted.prior.begin() + static_cast<std::ptrdiff_t>(first_delta), some, variances.begin());
        residual_maker.functional_variances(room.view(), variances);
        // A difference of nearly equal numbers, which rounding can make negative.
        for (double& value : variances) value = std::max(value, 0.0) / lambda;
      } else {
        residual_maker.functional_norms(room.view(), variances);
      }
      const double trace = residual_maker.trace();
      for (Index j = first; j < first + count; ++j) {
        const double sigma2 = error_variance(residual_maker, residual_maker.squared_norm(j), trace);
        if (std::isnan(sigma2)) keep_first(out.reason, no_error_variance(j));
        for (Index q = 0; q < some; ++q) {
          double& error = out.error(first_delta + q, j);
          error = std::sqrt(sigma2) * std::sqrt(variances[q]);
          if (std::isinf(error) || (std::isnan(error) && out.reason.empty()))
            fail(Status::not_finite, "a standard error of output ", j, " overflows; rescale x or y");
        }
      }
    });
  }
}

Model::Effects Model::average_gradient(const Rows& points, const double* a, CovarianceType type,
                                       bool with_errors) const {
  require_fitted();
  const bool linear = factorization_->problem().linear();
  if (!linear) require_derivative(*kernel_);
  require_finite("x", points);
  const Array<double> share = shares(a, points.rows);
  if (linear) {
    Effects out{copy_of(fit_->solution.w.view()), Matrix(with_errors ? d() : 0, with_errors ? t() : 0), {}};
    if (with_errors) out.reason = coefficient_errors(type, out.error.view(), nullptr);
    return out;
  }
  const Prediction from = prediction();
  require_room_for_gradient(0, d());
  const Hearing hearing(listener_);
  Matrix delta(from.support.rows, d());
  gradient_functional(*kernel_, points, share, from.support, delta.view());
  std::optional<WantedErrors> wanted;
  if (with_errors) wanted = WantedErrors{type, Array<double>(d(), 0.0)};
  if (with_errors && type == CovarianceType::bayesian && landmarks().empty())
    wanted->prior = average_slope_variances(*kernel_, points, share);
  Effects out = effects_of(delta.view(), from, wanted);
  report(1);
  return out;
}

Model::Effects Model::average_difference(const Rows& high, const Rows& low, const double* a, CovarianceType type,
                                         bool with_errors) const {
  require_fitted();
  if (kernel_->precomputed())
    fail(Status::invalid_argument, "the model's kernel is precomputed: its points have no columns that could differ");
  require_finite("x", high);
  require_finite("others.x", low);
  const Array<double> share = shares(a, high.rows);
  if (factorization_->problem().linear()) return linear_difference(high, low, share, type, with_errors);
  const Prediction from = prediction();
  require_room_for_gradient(0, 1);
  const Hearing hearing(listener_);
  Array<double> minus = share;
  for (double& value : minus) value = -value;
  // sum_i a_i (k(high_i, .) - k(low_i, .)) at some points
  const auto add_to = [&](const Rows& at, Span<double> values) {
    add_value_functional(*kernel_, high, share, at, values);
    add_value_functional(*kernel_, low, minus, at, values);
  };
  Matrix delta(from.support.rows, 1, 0.0);
  add_to(from.support, delta.values());
  std::optional<WantedErrors> wanted;
  if (with_errors) wanted = WantedErrors{type, {0.0}};
  if (with_errors && type == CovarianceType::bayesian && landmarks().empty()) {
    Array<double> of_high(high.rows, 0.0), of_low(low.rows, 0.0);
    add_to(high, of_high);
    add_to(low, of_low);
    for (Index i = 0; i < high.rows; ++i) wanted->prior[0] += share[i] * (of_high[i] - of_low[i]);
  }
  Effects out = effects_of(delta.view(), from, wanted);
  report(1);
  return out;
}

}  // namespace freeridge
