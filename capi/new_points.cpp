// The C layer, answers at new points: each call checks its arguments and hands over to the core, behind the exception
// wall. New points of a reader are answered stretch by stretch.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "libcore/base/checks.hpp"

namespace freeridge::capi {
namespace {

// `folds` of freeridge_predict_jackknife where nothing is chosen again: rows are left out, or groups of rows.
constexpr std::int64_t held = -1, held_groups = -2;

struct FitSizes {
  Index d, t;
};

// Of a predictor, or of a model that must be fitted.
FitSizes fit_sizes(const freeridge_model* model) {
  if (const Predictor* const predictor = predictor_of(model); predictor != nullptr)
    return {predictor->d(), predictor->t()};
  const Model& fitted = model_of(model);
  fitted.require_fitted();
  return {fitted.d(), fitted.t()};
}

// answer(model or prediction, points, output from the row first on) for all new points.
template <class ByModel, class ByPrediction>
void each_points(const freeridge_model* model, const GivenPoints& given, const ByModel& by_model,
                 const ByPrediction& by_prediction) {
  const Predictor* const predictor = predictor_of(model);
  const Listener& listener = model->model.listener();
  given.each(listener, [&](Index first, const Points& points) {
    if (predictor == nullptr) return by_model(model_of(model), points, first);
    const Hearing hearing(listener);
    by_prediction(predictor->prediction(), points, first);
  });
}

void predict_at(const freeridge_model* model, const GivenPoints& given, Layout layout, double* out, Index ldout) {
  each_points(
      model, given,
      [&](const Model& fitted, const Points& points, Index first) {
        fitted.predict(points, layout, from_row(out, layout, first, ldout), ldout);
      },
      [&](const Prediction& prediction, const Points& points, Index first) {
        predict(prediction, points, layout, from_row(out, layout, first, ldout), ldout);
      });
}

// f(x) + b of count t columns, those of each lambda together.
void predict_path(const Model& model, const GivenPoints& given, Span<const double> lambdas, Layout layout, double* out,
                  Index ldout) {
  require_lambdas("lambdas", lambdas);
  require_fixed(model.fixed_count(), given.unpenalised());
  const Hearing hearing(model.listener());
  given.require_finite();
  model.each_prediction(lambdas, given.n(), [&](const Prediction& prediction, Index column) {
    double* const to = out + (layout == Layout::col_major ? column * ldout : column);
    given.each(model.listener(), [&](Index first, const Points& points) {
      predict(prediction, points, layout, from_row(to, layout, first, ldout), ldout);
    });
  });
}

// New points of a fitted model, and where the answers about them go (n x t in a layout).
struct Asked {
  Answering answering;
  GivenPoints points;
  Layout layout;
  Index ldout;

  const Model& model() const { return answering.model(); }
  void copy(const Matrix& from, Index first, double* out) const {
    copy_out(from.view(), layout, from_row(out, layout, first, ldout), ldout);
  }
};

// answer(first, points) for all new points as the model has them.
void each_seen(const Answering& answering, const GivenPoints& given, const GivenPoints::Use& answer) {
  given.each(answering.listener(), [&](Index first, const Points& points) {
    answering.each(points, pass_rows, [&](Index row, const Points& seen) { answer(first + row, seen); });
  });
}

// answer(points) for all of them together.
void all_seen(const Answering& answering, const GivenPoints& given, const std::function<void(const Points&)>& answer) {
  Matrix room;
  std::optional<Hearing> hearing;
  if (given.read()) hearing.emplace(answering.listener());
  const Points at = given.filled(room, answering.listener(), answering.model().memory_limit());
  answering.each(at, given.n(), [&](Index /*first*/, const Points& seen) { answer(seen); });
}

Asked asked(const freeridge_model* model, const freeridge_points* points, freeridge_layout layout, const char* out_name,
            const double* out, std::int64_t ldout) {
  Asked to{Answering(model), GivenPoints("points", points), checked_layout(layout), ldout};
  required(out_name, out);
  to.model().require_fitted();
  to.points.require_columns(to.answering.d());
  checked_matrix(out_name, out, to.layout, "points.n", to.points.n(), "t", to.model().t(), "ldout", ldout);
  return to;
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_predict(const freeridge_model* model, freeridge_layout layout, int64_t m, const double* x,
                                   int64_t ldx, double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    predictor_of(model);
    const Layout order = checked_layout(layout);
    require_size("m", m);
    required("x", x);
    required("out", out);
    const auto [d, t] = fit_sizes(model);
    checked_matrix("x", x, order, "m", m, "d", d, "ldx", ldx);
    checked_matrix("out", out, order, "m", m, "t", t, "ldout", ldout);
    freeridge_points points{};
    points.size = sizeof points;
    points.n = m;
    points.d = d;
    points.layout = layout;
    points.x = x;
    points.ldx = ldx;
    predict_at(model, GivenPoints("points", &points), order, out, ldout);
  });
}

freeridge_status freeridge_predict_points(const freeridge_model* model, const freeridge_points* points, int64_t count,
                                          const double* lambdas, freeridge_layout layout, double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    predictor_of(model);
    const GivenPoints given("points", points);
    const Layout order = checked_layout(layout);
    required("out", out);
    if (count == 0 && lambdas == nullptr) {
      const auto [d, t] = fit_sizes(model);
      given.require_columns(d);
      checked_matrix("out", out, order, "points.n", given.n(), "t", t, "ldout", ldout);
      return predict_at(model, given, order, out, ldout);
    }
    const Model& factorized = model_of(model);
    const Span<const double> values = checked_lambdas(count, lambdas);
    factorized.require_factorized();
    given.require_columns(factorized.d());
    require_product("count", count, "t", factorized.t());
    checked_matrix("out", out, order, "points.n", given.n(), "count t", count * factorized.t(), "ldout", ldout);
    predict_path(factorized, given, values, order, out, ldout);
  });
}

freeridge_status freeridge_predict_jackknife(const freeridge_model* model, const freeridge_points* points, double level,
                                             int64_t folds, int64_t seed, freeridge_layout layout, double* lower,
                                             double* upper, int64_t ldout) {
  return guarded(__func__, [&] {
    model_of(model);
    required("upper", upper);
    const Asked to = asked(model, points, layout, "lower", lower, ldout);
    std::string reason;
    Model::LeavingOut how{.by_groups = folds == held_groups};
    if (folds != held && folds != held_groups) how.folds = Model::Folds{folds, seed};
    to.points.each(to.answering.listener(), [&](Index first, const Points& at) {
      Model::Intervals found = to.model().predict_jackknife(at, level, how);
      to.copy(found.lower, first, lower);
      to.copy(found.upper, first, upper);
      reason = std::move(found.reason);
    });
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_predict_left_out(const freeridge_model* model, const freeridge_points* points,
                                            const int32_t* group, const int32_t* label, freeridge_layout layout,
                                            double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const GivenPoints given("points", points);
    const Layout order = checked_layout(layout);
    required("out", out);
    if (group != nullptr) required("label", label);
    fitted.require_fitted();
    given.require_columns(fitted.d());
    const Index m = given.n(), n = fitted.n(), t = fitted.t();
    require_product("n", n, "t", t);
    const Index columns = label == nullptr ? n * t : t;
    checked_matrix("out", out, order, "points.n", m, label == nullptr ? "n t" : "t", columns, "ldout", ldout);
    std::string reason;
    given.each(fitted.listener(), [&](Index first, const Points& at) {
      Matrix found(at.x.rows, columns);
      keep_first(reason,
                 fitted.predict_left_out(
                     at, Span(group, group == nullptr ? 0 : n),
                     Span(label == nullptr ? label : label + first, label == nullptr ? 0 : at.x.rows), found.view()));
      copy_out(found.view(), order, from_row(out, order, first, ldout), ldout);
    });
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_predict_variance(const freeridge_model* model, const freeridge_points* points,
                                            freeridge_layout layout, double* variance, int64_t ldout, double* noise) {
  return guarded(__func__, [&] {
    const Asked to = asked(model, points, layout, "variance", variance, ldout);
    std::string reason;
    each_seen(to.answering, to.points, [&](Index first, const Points& at) {
      Model::Variance found = to.model().predict_variance(at);
      to.copy(found.of_mean, first, variance);
      if (first == 0) copy_to(found.noise, noise);
      reason = std::move(found.reason);
    });
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_predict_covariance(const freeridge_model* model, const freeridge_points* points,
                                              freeridge_covariance_type kind, freeridge_layout layout, double* errors,
                                              int64_t ldout, double* covariance, int64_t ld) {
  return guarded(__func__, [&] {
    const Answering answering(model);
    const Model& fitted = answering.model();
    const GivenPoints given("points", points);
    const CovarianceType type = checked_kind(kind);
    const Layout order = checked_layout(layout);
    fitted.require_fitted();
    given.require_columns(answering.d());
    const Index m = given.n(), t = fitted.t();
    MatrixView whole;
    if (errors != nullptr) checked_matrix("errors", errors, order, "points.n", m, "t", t, "ldout", ldout);
    if (covariance != nullptr) {
      require_product("points.n", m, "t", t);
      whole = checked_output("covariance", covariance, "points.n", m, m * t, ld);
    }
    std::string reason;
    const auto answer = [&](Index first, const Points& at) {
      Matrix own(at.x.rows, errors == nullptr ? 0 : t);
      keep_first(reason, fitted.predict_covariance(at, type, own.view(), whole));
      if (errors != nullptr) copy_out(own.view(), order, from_row(errors, order, first, ldout), ldout);
    };
    if (covariance == nullptr)
      each_seen(answering, given, answer);
    else
      all_seen(answering, given, [&](const Points& at) { answer(0, at); });
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_predict_combinations(const freeridge_model* model, const freeridge_points* points,
                                                int64_t groups, const int64_t* group, const double* factors,
                                                freeridge_covariance_type kind, double* value, double* errors,
                                                int64_t ld, double* covariance, int64_t ldc) {
  return guarded(__func__, [&] {
    const Answering answering(model);
    const Model& fitted = answering.model();
    const GivenPoints given("points", points);
    const CovarianceType type = checked_kind(kind);
    require_size("groups", groups);
    required("value", value);
    fitted.require_fitted();
    given.require_columns(answering.d());
    const Index t = fitted.t();
    const MatrixView values = checked_output("value", value, "groups", groups, t, ld);
    MatrixView whole;
    if (covariance != nullptr) {
      require_product("groups", groups, "t", t);
      checked_matrix("covariance", covariance, Layout::col_major, "groups", groups, "groups t", groups * t, "ldc", ldc);
      whole = {covariance, groups, groups * t, ldc};
    }
    const Combinations of(given.n(), groups, group, factors);
    std::string reason;
    all_seen(answering, given, [&](const Points& at) {
      reason = fitted.predict_combinations(at, of, type, values, optional_output(errors, groups, t, ld), whole);
    });
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_predict_gradient(const freeridge_model* model, const freeridge_points* points,
                                            freeridge_layout layout, double* gradient, int64_t ldout) {
  return guarded(__func__, [&] {
    predictor_of(model);
    const GivenPoints given("points", points);
    const Layout order = checked_layout(layout);
    required("gradient", gradient);
    const auto [d, t] = fit_sizes(model);
    given.require_columns(d);
    require_product("d", d, "t", t);
    checked_matrix("gradient", gradient, order, "points.n", given.n(), "d t", d * t, "ldout", ldout);
    each_points(
        model, given,
        [&](const Model& fitted, const Points& at, Index first) {
          fitted.predict_gradient(at.x, order, from_row(gradient, order, first, ldout), ldout);
        },
        [&](const Prediction& prediction, const Points& at, Index first) {
          predict_gradient(prediction, at.x, order, from_row(gradient, order, first, ldout), ldout);
        });
  });
}
