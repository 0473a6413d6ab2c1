// Diagnostics at the lambdas in force (notation as in factorization.hpp; h_i = H_ii, m = n - 1 or n):
//   df        tr(H), sums of Lambda / (Lambda + lambda) where the spectrum is known
//   sigma2    sum_i W_ii r_i^2 / (n - df) = rho |P~Y~|^2 / tr(P~),  since r~ = rho P~Y~ and n - df = rho tr(P~):
//             nothing is subtracted, and nothing is lost however small n - df is
//   Cook      D_i = W_ii e_i^2 h_i / (df sigma2) = ((P~Y~)_i / P~_ii)^2 h_i / (df sigma2)
//   variance  tau^2 v(x), v from the smoother;  tau^2 = Y~'PY~ / m, noise sigma^2 = lambda tau^2
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/model/error_variance.hpp"
#include "libcore/model/model.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {
namespace {

// The numbers that Cook's distances of all outputs have in common.
struct LeverageTerms {
  Array<double> diagonal, leverage;  // P~_ii, H_ii
  double df, trace;                  // tr(H), tr(P~)
};

// Replaces P~Y~ of one output by D_i. D_i does not depend on the units of Y, so the residuals are taken in units of the
// largest one: then no square overflows or underflows.
std::string cooks_distances(const ResidualMaker& residual_maker, const LeverageTerms& terms, Index output,
                            double known_sigma2, double kept, Span<double> column) {
  std::string reason;
  const double largest = largest_magnitude(column);
  double squared_norm = 0;
  for (std::size_t i = 0; i < column.size() && largest > 0; ++i) {
    column[i] /= largest;
    squared_norm += column[i] * column[i];
  }
  const double df = terms.df, sigma2 = known_sigma2 > 0 && largest > 0
                                           ? known_sigma2 / largest / largest
                                           : error_variance(residual_maker, squared_norm, terms.trace) / kept;
  const bool defined = sigma2 > 0 && df > 0;
  if (!defined)
    reason = std::isnan(sigma2)
                 ? no_error_variance(output)
                 : text("Cook's distances of output ", output,
                        " are undefined: ", df > 0 ? "its residuals are zero" : "the fit has no degrees of freedom");
  const Span<const Index> unobserved = residual_maker.unobserved();  // without influence
  auto next = unobserved.begin();
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double p = terms.diagonal[i];
    if (next != unobserved.end() && *next == static_cast<Index>(i)) {
      column[i] = defined ? 0 : nan;
      ++next;
      continue;
    }
    if (p == 0) keep_first(reason, text("Cook's distance of row ", i, " is undefined: its leverage is one"));
    const double e = column[i] / p, h = std::max(terms.leverage[i], 0.0);
    column[i] = p == 0 || !defined ? nan : e / sigma2 * e * (h / df);
    if (p != 0 && defined && !std::isfinite(column[i]))
      fail(Status::not_finite, "Cook's distance of row ", i, " overflows; rescale y or x");
  }
  return reason;
}

}  // namespace

Model::Freedom Model::degrees_of_freedom(bool with_sigma2) const {
  require_fitted();
  if (factorization_->estimating() != nullptr)
    require_room_to_estimate(usual_probes(n()), 1);
  else
    require_room(lambda_bytes(), "the degrees of freedom", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  Freedom out{Array<double>(t()), Array<double>(t()), {}};
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    std::fill_n(out.df.begin() + static_cast<std::ptrdiff_t>(first), count, residual_maker.degrees_of_freedom());
    if (!with_sigma2) return;
    const double trace = residual_maker.trace();
    for (Index j = first; j < first + count; ++j) {
      double& sigma2 = out.sigma2[j];
      sigma2 = known_sigma2_ > 0
                   ? known_sigma2_
                   : error_variance(residual_maker, residual_maker.squared_norm(j), trace, absent_) / kept_share();
      if (std::isnan(sigma2)) keep_first(out.reason, no_error_variance(j));
      if (std::isinf(sigma2)) fail(Status::not_finite, "sigma2 of output ", j, " overflows; rescale y");
    }
  });
  report(1);
  return out;
}

std::string Model::cooks_distance(MatrixView distance) const {
  require_fitted();
  const Index rows = n();
  LeverageTerms terms{Array<double>(rows), Array<double>(rows), 0, 0};
  std::string reason;
  answer("Cook's distances", distance, [&](const ResidualMaker& residual_maker, Index first, MatrixView part) {
    Stage stage(0, 0.25);
    residual_maker.residual_and_diagonal(first, part, terms.diagonal);
    factorization_->problem().clear_decisive(0, terms.diagonal);
    stage.next(0.5);
    residual_maker.leverage(terms.leverage);
    stage.next(0.75);
    terms.df = residual_maker.degrees_of_freedom();
    stage.next(1);
    terms.trace = residual_maker.trace();
    require_no_overflow("the residuals", part);
    for (Index j = 0; j < part.cols; ++j)
      keep_first(reason,
                 cooks_distances(residual_maker, terms, first + j, known_sigma2_, kept_share(), {part.col(j), rows}));
  });
  return reason;
}

Model::Variance Model::predict_variance(const Points& points) const {
  require_fitted();
  if (kernel_->precomputed())
    fail(Status::invalid_argument, "the model's kernel is precomputed: k(x, x) of new points is not known");
  require_fixed(fixed_count(), points.fixed);
  require_room_to_predict(points.x.rows, 1, smoother_rows(this->n(), points.x.rows));
  const Hearing hearing(listener_);
  require_finite("x", points.x);
  const Problem& problem = factorization_->problem();
  const Index n = this->n(), m = points.x.rows;
  const OffsetRows rows_seen = problem_rows(*kernel_, points.x);
  const Points seen(rows_seen.x, points.fixed);
  Variance out{Matrix(m, t()), Array<double>(t()), {}};
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    const double lambda = fit_->lambdas[first];
    Array<double> tau2;
    for (Index j = first; j < first + count; ++j) {
      const Index degrees = problem.reml_degrees_of(j);
      if (lambda <= 0 || degrees <= 0) {
        keep_first(out.reason, lambda <= 0
                                   ? "the variance is undefined at lambda = 0"
                                   : "the variance is undefined: the intercept, the fixed effects and copies of "
                                     "rows leave no degree of freedom to estimate it from");
        tau2.push_back(nan);
        out.noise[j] = nan;
        continue;
      }
      const double form = residual_maker.quadratic_form(j);
      tau2.push_back(problem.prior_variance(j, lambda, form) / kept_share());
      out.noise[j] = known_sigma2_ > 0 ? known_sigma2_  // of a row of weight one
                                       : lambda * form / static_cast<double>(problem.degrees_of(j)) / kept_share();
      if (!std::isfinite(tau2.back()) || !std::isfinite(out.noise[j]))
        fail(Status::not_finite, "the variance of output ", j, " overflows; rescale y or x");
    }
    if (lambda <= 0) {
      for (Index j = first; j < first + count; ++j) std::fill_n(out.of_mean.col(j), m, nan);
      return;
    }
    each_smoother_tile(n, m, [&](Index row, Index rows) {
      Array<double> v(rows, 0.0);
      residual_maker.smoother(seen, row, {}, v);
      for (Index q = 0; q < rows; ++q)
        for (Index j = 0; j < count; ++j) {
          // A variance that is tiny beside the prior's is a difference of nearly equal numbers, and rounding can make
          // it negative.
          const double value = tau2[j] * std::max(v[q], 0.0);
          if (!std::isnan(tau2[j]) && !std::isfinite(value))
            fail(Status::not_finite, "the variance for row ", row + q, " of x overflows");
          out.of_mean(row + q, first + j) = value;
        }
    });
  });
  report(1);
  return out;
}

}  // namespace freeridge
