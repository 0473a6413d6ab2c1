// The C layer, what a model was told.
#include <algorithm>

#include "capi/handles.hpp"

namespace freeridge::capi {
namespace {

// *out = get(model) for a setting of a whole model.
template <class T, class Get>
freeridge_status get_setting(const char* call, const freeridge_model* model, const char* name, T* out,
                             const Get& get) noexcept {
  return guarded(call, [&] {
    const Model& m = settings_of(model);
    required(name, out) = static_cast<T>(get(m));
  });
}

struct GroupsOfRows {
  const Groups& groups;
  Index n;
};
GroupsOfRows groups_of(const freeridge_model* model) {
  settings_of(model);
  if (model->reader) return {model->reader->model.groups(), model->reader->model.require_n()};
  const Model& m = model_of(model);
  return {m.groups(), m.n()};
}

}  // namespace
}  // namespace freeridge::capi

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

freeridge_status freeridge_get_groups(const freeridge_model* model, int64_t* divisions, int32_t* group) {
  return guarded(__func__, [&] {
    const auto [groups, n] = groups_of(model);
    if (divisions != nullptr) *divisions = groups.divisions();
    if (group != nullptr) groups.labels({group, n * groups.divisions()});
  });
}

freeridge_status freeridge_get_gaps(const freeridge_model* model, int64_t* layers, int32_t* gap) {
  return guarded(__func__, [&] {
    const auto [groups, n] = groups_of(model);
    if (gap != nullptr) groups.gaps({gap, n * groups.divisions() * groups.layers()});
    if (layers != nullptr) *layers = groups.layers();
  });
}

freeridge_status freeridge_has_intercept(const freeridge_model* model, int32_t* on) {
  return get_setting(__func__, model, "on", on, [](const Model& m) { return m.offset(); });
}

freeridge_status freeridge_get_requested_route(const freeridge_model* model, freeridge_route* route) {
  return get_setting(__func__, model, "route", route, [](const Model& m) { return m.requested_route(); });
}

freeridge_status freeridge_get_expected_lambdas(const freeridge_model* model, int64_t* count) {
  return get_setting(__func__, model, "count", count, [](const Model& m) { return m.expected_lambdas(); });
}

freeridge_status freeridge_get_expected_criterion(const freeridge_model* model, freeridge_criterion* criterion) {
  return get_setting(__func__, model, "criterion", criterion, [](const Model& m) { return m.expected_criterion(); });
}

freeridge_status freeridge_get_memory_limit(const freeridge_model* model, int64_t* bytes) {
  return get_setting(__func__, model, "bytes", bytes, [](const Model& m) { return m.memory_limit(); });
}

freeridge_status freeridge_get_reduction(const freeridge_model* model, freeridge_reduction* reduction) {
  return get_setting(__func__, model, "reduction", reduction, [](const Model& m) { return m.reduction(); });
}

freeridge_status freeridge_get_refinement(const freeridge_model* model, int32_t* steps) {
  return get_setting(__func__, model, "steps", steps, [](const Model& m) { return m.refinement(); });
}

freeridge_status freeridge_get_requested_accuracy(const freeridge_model* model, double* accuracy) {
  return get_setting(__func__, model, "accuracy", accuracy, [](const Model& m) { return m.requested_accuracy(); });
}

freeridge_status freeridge_get_landmark_method(const freeridge_model* model, freeridge_landmark_method* method,
                                               int64_t* seed) {
  return guarded(__func__, [&] {
    const Model& m = settings_of(model);
    if (method != nullptr) *method = static_cast<freeridge_landmark_method>(m.landmark_method());
    if (seed != nullptr) *seed = m.landmark_seed();
  });
}

freeridge_status freeridge_get_requested_landmarks(const freeridge_model* model, int64_t* count, int64_t* given,
                                                   int64_t* rows) {
  return guarded(__func__, [&] {
    const Model& m = settings_of(model);
    Landmarks wanted;
    if (model->reader) {
      const Span<const Index> given_rows = model->reader->model.given_landmarks();
      wanted.count = model->reader->model.landmarks();
      wanted.rows.assign(given_rows.begin(), given_rows.end());
    } else {
      wanted = m.requested_landmarks();
    }
    if (count != nullptr) *count = wanted.count;
    if (given != nullptr) *given = static_cast<int64_t>(wanted.rows.size());
    copy_to(wanted.rows, rows);
  });
}
