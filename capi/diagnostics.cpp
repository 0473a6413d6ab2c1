// The C layer, diagnostics.
#include <algorithm>
#include <utility>

#include "capi/handles.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_degrees_of_freedom(const freeridge_model* model, double* df, double* sigma2) {
  return guarded(__func__, [&] {
    Model::Freedom found = Answering(model).model().degrees_of_freedom(sigma2 != nullptr);
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
