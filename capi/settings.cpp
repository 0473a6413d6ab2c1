// The C layer, what a model was told.
#include <algorithm>

#include "capi/handles.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_get_kernel(const freeridge_model* model, freeridge_kernel** out) {
  return guarded(__func__, [&] {
    const KernelPtr& kernel = required("model", model).model.kernel();
    freeridge_kernel*& to = required("out", out);
    to = new freeridge_kernel{kernel};
  });
}

freeridge_status freeridge_get_weights(const freeridge_model* model, double* weights) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("weights", weights);
    const Span<const double> given = m.weights();
    std::fill_n(weights, m.n(), 1.0);
    std::ranges::copy(given, weights);
  });
}

freeridge_status freeridge_get_groups(const freeridge_model* model, int64_t* divisions, int32_t* group, int64_t* layers,
                                      int32_t* gap) {
  return guarded(__func__, [&] {
    const AbstractModel& m = whole_of(model);
    const Groups& groups = m.groups();
    const Index n = m.require_n();
    if (gap != nullptr) groups.gaps({gap, n * groups.divisions() * groups.layers()});  // the one that needs memory
    if (group != nullptr) groups.labels({group, n * groups.divisions()});
    if (divisions != nullptr) *divisions = groups.divisions();
    if (layers != nullptr) *layers = groups.layers();
  });
}

freeridge_status freeridge_get_requested_landmarks(const freeridge_model* model, int64_t* count, int64_t* given,
                                                   int64_t* rows) {
  return guarded(__func__, [&] {
    const Landmarks wanted = whole_of(model).requested_landmarks();
    if (count != nullptr) *count = wanted.count;
    if (given != nullptr) *given = static_cast<int64_t>(wanted.rows.size());
    copy_to(wanted.rows, rows);
  });
}
