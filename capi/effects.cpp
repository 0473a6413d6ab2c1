// The C layer, coefficients and averages with their errors.
#include <algorithm>
#include <optional>
#include <utility>

#include "capi/handles.hpp"
#include "capi/points.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_coefficient_covariance(const freeridge_model* model, freeridge_covariance_type kind,
                                                  double* covariance, int64_t ld) {
  return guarded(__func__, [&] {
    const Answering answering(model);
    const Model& m = answering.with_slopes();
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
    const Answering answering(model);
    const Model& m = answering.with_slopes();
    const CovarianceType wanted = checked_kind(kind);
    required("w", w);
    m.require_fitted();
    report_undefined(m.coefficient_errors(wanted, checked_output("w", w, "d", m.d(), m.t(), ld), b));
  });
}

freeridge_status freeridge_average_gradient(const freeridge_model* model, const freeridge_points* points,
                                            const double* weights, freeridge_covariance_type kind, double* average,
                                            double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const GivenPoints given("points", points);
    const CovarianceType wanted = checked_kind(kind);
    required("average", average);
    fitted.require_fitted();
    given.require_columns(fitted.d());
    const MatrixView out = checked_output("average", average, "d", fitted.d(), fitted.t(), ld);
    Matrix room;
    std::optional<Hearing> hearing;
    if (given.read()) hearing.emplace(fitted.listener());
    const Points at = given.filled(room, fitted.listener(), fitted.memory_limit());
    report_undefined(
        fitted.average_gradient(at.x, weights, wanted, out, optional_output(errors, out.rows, out.cols, ld)));
  });
}
