// The C layer, fixed effects: each call is one lambda behind the wall, checks its arguments, and calls the core.
#include <utility>

#include "capi/handles.hpp"

namespace freeridge::capi {
namespace {

Index some_effects(Index q) {
  if (q == 0) fail(Status::invalid_state, "the model has no fixed effects; call freeridge_set_fixed_effects first");
  return q;
}

// New points with the values of their fixed effects, and where the answers about them go (m x t in the same layout).
struct GivenPoints {
  Layout layout;
  Index m;
  const double* x;
  Index ldx;
  const double* fixed;
  Index ldfixed;

  Points of(Index d, Index q) const {
    some_effects(q);
    const LayoutView rows = checked_matrix("x", x, layout, "m", m, "d", d, "ldx", ldx);
    return {rows, checked_matrix("fixed", fixed, layout, "m", m, "q", q, "ldfixed", ldfixed)};
  }
  void check_out(const char* name, const double* out, const char* columns_name, Index columns, Index ldout) const {
    checked_matrix(name, out, layout, "m", m, columns_name, columns, "ldout", ldout);
  }
};

GivenPoints checked_points(freeridge_layout layout, std::int64_t m, const double* x, std::int64_t ldx,
                           const double* fixed, std::int64_t ldfixed) {
  const Layout order = checked_new_points(layout, m, x);
  required("fixed", fixed);
  return {order, m, x, ldx, fixed, ldfixed};
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_set_fixed_effects(freeridge_model* model, freeridge_layout layout, int64_t q,
                                             const double* f, int64_t ldf) {
  return guarded(__func__, [&] {
    Model& m = model_of(model);
    const Layout order = checked_layout(layout);
    if (q < 0) fail(Status::invalid_argument, "q is ", q, "; it must not be negative");
    if (q > 0) {
      require_size("q", q);
      required("f", f);
    }
    m.require_data();
    if (q == 0) return m.set_fixed_effects({nullptr, m.n(), 0, m.n(), order});
    m.set_fixed_effects(checked_matrix("f", f, order, "n", m.n(), "q", q, "ldf", ldf));
  });
}

freeridge_status freeridge_get_fixed_count(const freeridge_model* model, int64_t* q) {
  return guarded(__func__, [&] {
    const Predictor* const predictor = predictor_of(model);
    required("q", q);
    *q = predictor != nullptr ? predictor->fixed().rows() : model_of(model).fixed_count();
  });
}

freeridge_status freeridge_get_fixed_effects(const freeridge_model* model, int32_t* kept, double* effects,
                                             double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    m.require_fitted();
    const Index q = some_effects(m.fixed_count());
    require_ld("ld", ld, "q", q, m.t());
    Matrix found(q, m.t());
    std::string reason;
    if (errors != nullptr) reason = m.fixed_errors(found.view());
    if (errors != nullptr) copy_out(found.view(), Layout::col_major, errors, ld);
    if (effects != nullptr) m.fixed_effects(optional_output(effects, q, m.t(), ld));
    if (kept != nullptr) m.fixed_kept({kept, q});
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_get_fixed_covariance(const freeridge_model* model, double* covariance, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("covariance", covariance);
    m.require_fitted();
    const Index q = some_effects(m.fixed_count());
    require_ld("ld", ld, "q", q, q * m.t());
    Matrix found(q, q * m.t());
    std::string reason = m.fixed_covariance(found.view());
    copy_out(found.view(), Layout::col_major, covariance, ld);
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_predict_fixed(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                         const double* x, int64_t ldx, const double* fixed, int64_t ldfixed,
                                         double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    const Predictor* const predictor = predictor_of(model);
    const GivenPoints given = checked_points(layout, m, x, ldx, fixed, ldfixed);
    required("out", out);
    if (predictor != nullptr) {
      const Points points = given.of(predictor->d(), predictor->fixed().rows());
      given.check_out("out", out, "t", predictor->t(), ldout);
      const Hearing hearing(model->model.listener());
      return predict(predictor->prediction(), points, given.layout, out, ldout);
    }
    const Model& fitted = model_of(model);
    fitted.require_fitted();
    const Points points = given.of(fitted.d(), fitted.fixed_count());
    given.check_out("out", out, "t", fitted.t(), ldout);
    fitted.predict(points, given.layout, out, ldout);
  });
}

freeridge_status freeridge_predict_path_fixed(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                              const double* x, int64_t ldx, const double* fixed, int64_t ldfixed,
                                              int64_t count, const double* lambdas, double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    const Model& factorized = model_of(model);
    const GivenPoints given = checked_points(layout, m, x, ldx, fixed, ldfixed);
    const Span<const double> values = checked_lambdas(count, lambdas);
    required("out", out);
    factorized.require_factorized();
    const Points points = given.of(factorized.d(), factorized.fixed_count());
    require_product("count", count, "t", factorized.t());
    given.check_out("out", out, "count t", count * factorized.t(), ldout);
    factorized.predict_path(points, given.layout, values, out, ldout);
  });
}

freeridge_status freeridge_predict_jackknife_fixed(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                                   const double* x, int64_t ldx, const double* fixed, int64_t ldfixed,
                                                   double level, double* lower, double* upper, int64_t ldout) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const GivenPoints given = checked_points(layout, m, x, ldx, fixed, ldfixed);
    required("lower", lower);
    required("upper", upper);
    fitted.require_fitted();
    const Points points = given.of(fitted.d(), fitted.fixed_count());
    given.check_out("lower", lower, "t", fitted.t(), ldout);
    Model::Intervals found = fitted.predict_jackknife(points, level);
    copy_out(found.lower.view(), given.layout, lower, ldout);
    copy_out(found.upper.view(), given.layout, upper, ldout);
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_predict_variance_fixed(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                                  const double* x, int64_t ldx, const double* fixed, int64_t ldfixed,
                                                  double* variance, int64_t ldout, double* noise) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const GivenPoints given = checked_points(layout, m, x, ldx, fixed, ldfixed);
    required("variance", variance);
    fitted.require_fitted();
    const Points points = given.of(fitted.d(), fitted.fixed_count());
    given.check_out("variance", variance, "t", fitted.t(), ldout);
    Model::Variance found = fitted.predict_variance(points);
    copy_out(found.of_mean.view(), given.layout, variance, ldout);
    copy_to(found.noise, noise);
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_variance_components(const freeridge_model* model, double* residual, double* random,
                                               double* share, double* error) {
  return guarded(__func__, [&] {
    Model::VarianceComponents found = model_of(model).variance_components(error != nullptr);
    copy_to(found.residual, residual);
    copy_to(found.random, random);
    copy_to(found.share, share);
    copy_to(found.share_error, error);
    if (residual != nullptr || random != nullptr || share != nullptr || error != nullptr)
      report_undefined(std::move(found.reason));
  });
}
