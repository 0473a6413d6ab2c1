// The C layer, diagnostics and intervals.
#include <algorithm>
#include <utility>

#include "capi/handles.hpp"

namespace freeridge::capi {
namespace {

// New points of a fitted model, and where the answers about them go (m x t in the same layout).
struct NewPoints {
  LayoutView x;
  Layout layout;
  Index ldout;

  void copy(const Matrix& from, double* out) const { copy_out(from.view(), layout, out, ldout); }
};

NewPoints checked_points(const Model& model, freeridge_layout layout, int64_t m, const double* x, int64_t ldx,
                         const char* out_name, const double* out, int64_t ldout) {
  const Layout order = checked_new_points(layout, m, x);
  required(out_name, out);
  model.require_fitted();
  checked_matrix(out_name, out, order, "m", m, "t", model.t(), "ldout", ldout);
  return {checked_matrix("x", x, order, "m", m, "d", model.d(), "ldx", ldx), order, ldout};
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_degrees_of_freedom(const freeridge_model* model, double* df, double* sigma2) {
  return guarded(__func__, [&] {
    Model::Freedom found = model_of(model).degrees_of_freedom(sigma2 != nullptr);
    copy_to(found.df, df);
    if (sigma2 == nullptr) return;
    std::ranges::copy(found.sigma2, sigma2);
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_cooks_distance(const freeridge_model* model, double* distance, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("distance", distance);
    m.require_fitted();
    report_undefined(m.cooks_distance(checked_output("distance", distance, "n", m.n(), m.t(), ld)));
  });
}

freeridge_status freeridge_predict_jackknife(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                             const double* x, int64_t ldx, double level, double* lower, double* upper,
                                             int64_t ldout) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    required("upper", upper);
    const NewPoints points = checked_points(fitted, layout, m, x, ldx, "lower", lower, ldout);
    Model::Intervals found = fitted.predict_jackknife(points.x, level);
    points.copy(found.lower, lower);
    points.copy(found.upper, upper);
    report_undefined(std::move(found.reason));
  });
}

freeridge_status freeridge_predict_variance(const freeridge_model* model, freeridge_layout layout, int64_t m,
                                            const double* x, int64_t ldx, double* variance, int64_t ldout,
                                            double* noise) {
  return guarded(__func__, [&] {
    const Model& fitted = model_of(model);
    const NewPoints points = checked_points(fitted, layout, m, x, ldx, "variance", variance, ldout);
    Model::Variance found = fitted.predict_variance(points.x);
    points.copy(found.of_mean, variance);
    copy_to(found.noise, noise);
    report_undefined(std::move(found.reason));
  });
}
