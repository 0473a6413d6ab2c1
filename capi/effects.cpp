// The C layer, coefficients and effects with their errors.
#include <algorithm>
#include <utility>

#include "capi/handles.hpp"

namespace freeridge::capi {
namespace {

CovarianceType checked_kind(freeridge_covariance_type kind) {
  require_one_of("kind", kind, {FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COVARIANCE_FREQUENTIST});
  return static_cast<CovarianceType>(kind);
}

// The derivatives at points(d), by a model or a predictor.
template <class Points>
void gradient(const freeridge_model* model, Layout layout, int64_t m, double* out, int64_t ldout,
              const Points& points) {
  const auto checked = [&](const auto& fitted) {
    const LayoutView x = points(fitted.d());
    require_product("d", fitted.d(), "t", fitted.t());
    checked_matrix("gradient", out, layout, "m", m, "d t", fitted.d() * fitted.t(), "ldout", ldout);
    return x;
  };
  const Predictor* const predictor = predictor_of(model);
  if (predictor == nullptr) {
    const Model& fitted = model_of(model);
    fitted.require_fitted();
    return fitted.predict_gradient(checked(fitted), out, ldout);
  }
  const LayoutView x = checked(*predictor);
  const Hearing hearing(model->model.listener());
  predict_gradient(predictor->prediction(), x, out, ldout);
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_coefficient_covariance(const freeridge_model* model, freeridge_covariance_type kind,
                                                  double* covariance, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    const CovarianceType wanted = checked_kind(kind);
    required("covariance", covariance);
    m.require_fitted();
    require_product("the number of coefficients", m.coefficient_count(), "t", m.t());
    const Index side = m.coefficient_count() * m.t();
    report_undefined(m.coefficient_covariance(wanted, checked_output("covariance", covariance, "p t", side, side, ld)));
  });
}

freeridge_status freeridge_coefficient_errors(const freeridge_model* model, freeridge_covariance_type kind, double* w,
                                              int64_t ld, double* b) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    const CovarianceType wanted = checked_kind(kind);
    required("w", w);
    m.require_fitted();
    report_undefined(m.coefficient_errors(wanted, checked_output("w", w, "d", m.d(), m.t(), ld), b));
  });
}

freeridge_status freeridge_predict_gradient(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                            const double* x, int64_t ldx, double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    predictor_of(model);
    const Layout order = checked_new_points(layout, m, x);
    required("gradient", out);
    gradient(model, order, m, out, ldout,
             [&](Index d) { return checked_matrix("x", x, order, "m", m, "d", d, "ldx", ldx); });
  });
}

freeridge_status freeridge_average_gradient(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                            const double* x, int64_t ldx, const double* weights,
                                            freeridge_covariance_type kind, double* average, double* errors,
                                            int64_t ld) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const CovarianceType wanted = checked_kind(kind);
    const Layout order = checked_new_points(layout, m, x);
    required("average", average);
    fitted.require_fitted();
    const LayoutView points = checked_matrix("x", x, order, "m", m, "d", fitted.d(), "ldx", ldx);
    const MatrixView out = checked_output("average", average, "d", fitted.d(), fitted.t(), ld);
    Model::Effects found = fitted.average_gradient(points, weights, wanted, errors != nullptr);
    copy(found.average.view(), out);
    if (errors != nullptr) copy(found.error.view(), {errors, out.rows, out.cols, ld});
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_average_difference(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                              const double* x, int64_t ldx, const double* z, int64_t ldz,
                                              const double* weights, freeridge_covariance_type kind, double* average,
                                              double* errors) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const CovarianceType wanted = checked_kind(kind);
    const Layout order = checked_new_points(layout, m, x);
    required("z", z);
    required("average", average);
    fitted.require_fitted();
    const LayoutView high = checked_matrix("x", x, order, "m", m, "d", fitted.d(), "ldx", ldx);
    const LayoutView low = checked_matrix("z", z, order, "m", m, "d", fitted.d(), "ldz", ldz);
    Model::Effects found = fitted.average_difference(high, low, weights, wanted, errors != nullptr);
    std::ranges::copy(found.average.values(), average);
    copy_to(found.error.values(), errors);
    report_undefined(std::move(found.reason));
  });
}
