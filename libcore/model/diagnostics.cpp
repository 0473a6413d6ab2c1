// Diagnostics and intervals at the lambdas in force (notation as in factorization.hpp; h_i = H_ii, m = n - 1 or n):
//   df        tr(H), sums of Lambda / (Lambda + lambda) where the spectrum is known
//   sigma2    sum_i W_ii r_i^2 / (n - df) = rho |P~Y~|^2 / tr(P~),  since r~ = rho P~Y~ and n - df = rho tr(P~):
//             nothing is subtracted, and nothing is lost however small n - df is
//   Cook      D_i = W_ii e_i^2 h_i / (df sigma2) = ((P~Y~)_i / P~_ii)^2 h_i / (df sigma2)
//   jackknife f_(-i)(x) = f(x) + b - a_i(x) e_i,  a(x)'Y = f(x) + b:  order statistics of f_(-i)(x) -+ |e_i|
//   variance  tau^2 v(x), v from the smoother;  tau^2 = Y~'PY~ / m, noise sigma^2 = lambda tau^2
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index points_at_once = 64;  // whose order statistics one thread makes: fewer are not worth starting a thread

// Calls tile(row, rows, progress) for the new points [0, m), in tiles of as many points as smoother_rows allows.
template <class Tile>
void for_each_tile(Index m, Index n, const Progress& progress, const Tile& tile) {
  const Index height = smoother_rows(n, m);
  for (Index row = 0; row < m; row += height) {
    const Index rows = std::min(height, m - row);
    const Progress part = progress.part(static_cast<double>(row) / static_cast<double>(m),
                                        static_cast<double>(row + rows) / static_cast<double>(m));
    part.report(0);
    tile(row, rows, part);
    part.report(1);
  }
}

// sigma2 from |P~Y~|^2; NaN when n - df = rho tr(P~) is not positive.
double error_variance(const ResidualMaker& maker, double squared_norm, double trace) {
  const double rho = maker.shrinkage();
  return rho > 0 && trace > 0 ? squared_norm / trace * rho : nan;
}

std::string no_error_variance(Index output) {
  return text("sigma2 of output ", output, " is undefined: no degrees of freedom are left for the errors");
}

// ceil(level (n + 1)): the upper end of an interval is the value at this place, counted from 1, of n values in
// ascending order. A product that would be a whole number without rounding counts as that number (0.55 * 20 is 11, not
// 11.000000000000002). The lower end is at place floor((1 - level) (n + 1)) = n + 1 - ceil(level (n + 1)).
Index upper_place(double level, Index n) {
  const double exact = level * static_cast<double>(n + 1), whole = std::round(exact);
  const bool is_whole = std::abs(exact - whole) <= 4 * std::numeric_limits<double>::epsilon() * exact;
  return static_cast<Index>(is_whole ? whole : std::ceil(exact));
}

// f_(-i)(x) - |e_i| and f_(-i)(x) + |e_i| for all i. f: the prediction made with all rows.
void left_out_ends(double f, const double* a, const double* e, std::span<double> low, std::span<double> high) {
  for (std::size_t i = 0; i < low.size(); ++i) {
    const double left_out = f - a[i] * e[i];
    low[i] = left_out - std::abs(e[i]);
    high[i] = left_out + std::abs(e[i]);
  }
}

bool all_finite(std::span<const double> values) {
  double zero = 0;  // value * 0 is 0 for a finite value, else NaN
  for (const double value : values) zero += value * 0;
  return zero == 0;
}

// The k-th smallest value, k counted from 1. Reorders the values.
double smallest(std::span<double> values, Index k) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Model::Freedom Model::degrees_of_freedom(bool with_sigma2) const {
  require_fitted();
  require_room(lambda_bytes(), "the degrees of freedom", "use fewer outputs, or landmarks");
  const Hearing hearing(progress_);
  Freedom out{
      std::vector<double>(static_cast<std::size_t>(t())), std::vector<double>(static_cast<std::size_t>(t())), {}};
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    std::fill_n(out.df.begin() + static_cast<std::ptrdiff_t>(first), count, maker.degrees_of_freedom());
    if (!with_sigma2) return;
    const double trace = maker.trace();
    for (Index j = first; j < first + count; ++j) {
      double& sigma2 = out.sigma2[static_cast<std::size_t>(j)];
      sigma2 = error_variance(maker, maker.squared_norm(j), trace);
      if (std::isnan(sigma2)) keep_first(out.reason, no_error_variance(j));
      if (std::isinf(sigma2)) fail(Status::not_finite, "sigma2 of output ", j, " overflows; rescale y");
    }
  });
  progress_.report(1);
  return out;
}

std::string Model::cooks_distance(MatrixView distance) const {
  require_fitted();
  require_room(lambda_bytes(), "Cook's distances", "use fewer outputs, or landmarks");
  const Hearing hearing(progress_);
  const Index n = this->n();
  Matrix out(n, t());
  std::vector<double> diagonal(static_cast<std::size_t>(n)), leverage(static_cast<std::size_t>(n));
  std::string reason;
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const MatrixView residual = out.view().columns(first, count);
    const Progress whole = here();
    const auto quarter = [&](double number) { return whole.part(number / 4, (number + 1) / 4); };
    double df = 0, trace = 0;
    {
      const Stage stage(quarter(0), 0);
      maker.residual_and_diagonal(first, residual, diagonal);
    }
    {
      const Stage stage(quarter(1), 0);
      maker.leverage(leverage);
    }
    {
      const Stage stage(quarter(2), 0);
      df = maker.degrees_of_freedom();
    }
    {
      const Stage stage(quarter(3), 0);
      trace = maker.trace();
    }
    require_no_overflow("the residuals", residual);
    for (Index j = 0; j < count; ++j) {
      double* const column = residual.col(j);
      const double largest = largest_magnitude({column, static_cast<std::size_t>(n)});
      // D_i does not change when Y is multiplied by a number. So the residuals are divided by the largest one, and no
      // square overflows or underflows.
      double squared_norm = 0;
      for (Index i = 0; i < n && largest > 0; ++i) {
        column[i] /= largest;
        squared_norm += column[i] * column[i];
      }
      const double sigma2 = error_variance(maker, squared_norm, trace);
      const bool defined = sigma2 > 0 && df > 0;
      if (!defined)
        keep_first(reason, std::isnan(sigma2)
                               ? no_error_variance(first + j)
                               : text("Cook's distances of output ", first + j, " are undefined: ",
                                      df > 0 ? "its residuals are zero" : "the fit has no degrees of freedom"));
      for (Index i = 0; i < n; ++i) {
        const double p = diagonal[static_cast<std::size_t>(i)];
        if (p == 0) keep_first(reason, text("Cook's distance of row ", i, " is undefined: its leverage is one"));
        const double e = column[i] / p, h = std::max(leverage[static_cast<std::size_t>(i)], 0.0);
        column[i] = p == 0 || !defined ? nan : e / sigma2 * e * (h / df);
        if (p != 0 && defined && !std::isfinite(column[i]))
          fail(Status::not_finite, "Cook's distance of row ", i, " overflows; rescale y or x");
      }
    }
  });
  progress_.report(1);
  copy_out(out.view(), Layout::col_major, distance.data, distance.ld);
  return reason;
}

const Model::Fit::LeftOut& Model::left_out() const {
  Fit::LeftOut& out = *fit_->left_out;
  std::unique_lock lock(out.mutex, std::defer_lock);
  lock_patiently(lock);
  if (out.made) return out;
  Matrix errors(n(), t());
  std::vector<std::string> reasons(static_cast<std::size_t>(t()));
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const std::string reason = loo_errors(factorization_->problem(), maker, first, errors.view().columns(first, count));
    std::fill_n(reasons.begin() + static_cast<std::ptrdiff_t>(first), count, reason);
  });
  out.errors = std::move(errors);
  out.reasons = std::move(reasons);
  out.made = true;
  return out;
}

Model::Intervals Model::predict_jackknife(const LayoutView& points, double level) const {
  require_fitted();
  if (!std::isfinite(level)) fail(Status::not_finite, "level is ", level, "; it must be finite");
  if (level <= 0 || level >= 1)
    fail(Status::invalid_argument, "level is ", level, "; it must lie between 0 and 1, both excluded");
  require_room_to_predict(points.rows, 2, true);
  const Hearing hearing(progress_);
  require_finite("x", points);
  const Index n = this->n(), m = points.rows, place = upper_place(level, n);
  Intervals out{Matrix(m, t()), Matrix(m, t()), {}};
  // The array `lower` holds f(x) + b until the lower ends take its place.
  for_each_tile(m, n, progress_.part(0, 0.2), [&](Index row, Index rows, const Progress& part) {
    predict_rows(prediction(), points, row, out.lower.view().row_range(row, rows), part);
  });
  const Fit::LeftOut& left_out = [&]() -> const Fit::LeftOut& {
    const Stage stage(progress_.part(0.2, 0.4), 0);
    return this->left_out();
  }();
  const Stage stage_of_points(progress_.part(0.4, 1), 0);
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const std::string& undefined = left_out.reasons[static_cast<std::size_t>(first)];
    if (!undefined.empty()) {
      keep_first(out.reason, undefined);
      for (Index j = first; j < first + count; ++j) {
        std::fill_n(out.lower.col(j), m, nan);
        std::fill_n(out.upper.col(j), m, nan);
      }
      return;
    }
    for_each_tile(m, n, here(), [&](Index row, Index rows, const Progress& part) {
      Matrix a(n, rows);
      {
        const Stage stage(part.part(0, 0.5), 0);
        maker.smoother(points, row, a.view(), {});
      }
      part.report(0.5);
      parallel_for((rows + points_at_once - 1) / points_at_once, part.part(0.5, 1), [&](Index block) {
        std::vector<double> low(static_cast<std::size_t>(n)), high(low);
        const Index begin = block * points_at_once, end = std::min(begin + points_at_once, rows);
        for (Index q = begin; q < end; ++q)
          for (Index j = first; j < first + count; ++j) {
            worked(10 * nanosecond * static_cast<double>(n));
            left_out_ends(out.lower(row + q, j), a.col(q), left_out.errors.col(j), low, high);
            if (!all_finite(low) || !all_finite(high))
              fail(Status::not_finite, "the predictions for row ", row + q, " of x without a row of the data overflow");
            out.lower(row + q, j) = place > n ? -infinity : smallest(low, n + 1 - place);
            out.upper(row + q, j) = place > n ? infinity : smallest(high, place);
          }
      });
    });
  });
  progress_.report(1);
  return out;
}

Model::Variance Model::predict_variance(const LayoutView& points) const {
  require_fitted();
  if (kernel_->precomputed())
    fail(Status::invalid_argument, "the model's kernel is precomputed: k(x, x) of new points is not known");
  require_room_to_predict(points.rows, 1, true);
  const Hearing hearing(progress_);
  require_finite("x", points);
  const Problem& problem = factorization_->problem();
  const Index n = this->n(), m = points.rows;
  Variance out{Matrix(m, t()), std::vector<double>(static_cast<std::size_t>(t())), {}};
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const double lambda = fit_->lambdas[static_cast<std::size_t>(first)];
    if (lambda <= 0 || problem.degrees() == 0) {
      keep_first(out.reason, lambda <= 0 ? "the variance is undefined at lambda = 0"
                                         : "the variance is undefined: one point with an intercept leaves nothing to "
                                           "estimate it from");
      for (Index j = first; j < first + count; ++j) {
        std::fill_n(out.of_mean.col(j), m, nan);
        out.noise[static_cast<std::size_t>(j)] = nan;
      }
      return;
    }
    std::vector<double> tau2;
    for (Index j = first; j < first + count; ++j) {
      tau2.push_back(maker.quadratic_form(j) / static_cast<double>(problem.degrees()));
      const double noise = lambda * tau2.back();
      if (!std::isfinite(tau2.back()) || !std::isfinite(noise))
        fail(Status::not_finite, "the variance of output ", j, " overflows; rescale y or x");
      out.noise[static_cast<std::size_t>(j)] = noise;
    }
    for_each_tile(m, n, here(), [&](Index row, Index rows, const Progress& part) {
      std::vector<double> v(static_cast<std::size_t>(rows));
      const Stage stage(part, 0);
      maker.smoother(points, row, {}, v);
      for (Index q = 0; q < rows; ++q)
        for (Index j = 0; j < count; ++j) {
          // A variance that is tiny beside the prior's is a difference of nearly equal numbers, and rounding can make
          // it negative.
          const double value = tau2[static_cast<std::size_t>(j)] * std::max(v[static_cast<std::size_t>(q)], 0.0);
          if (!std::isfinite(value)) fail(Status::not_finite, "the variance for row ", row + q, " of x overflows");
          out.of_mean(row + q, first + j) = value;
        }
    });
  });
  progress_.report(1);
  return out;
}

}  // namespace freeridge
