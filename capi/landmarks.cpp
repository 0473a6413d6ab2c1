// The C layer, landmarks and how factorizations are made.
#include <algorithm>

#include "capi/handles.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_set_landmarks(freeridge_model* model, int64_t count, const int64_t* rows) {
  return guarded(__func__, [&] { whole_of(model).set_landmarks(count, rows); });
}

freeridge_status freeridge_get_landmarks(const freeridge_model* model, int64_t* count, int64_t* rows) {
  return guarded(__func__, [&] {
    const Span<const Index> chosen = whole_of(model).landmarks();
    if (count != nullptr) *count = static_cast<int64_t>(chosen.size());
    copy_to(chosen, rows);
  });
}

freeridge_status freeridge_landmark_trace(const freeridge_model* model, double* left, double* trace) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    m.require_landmarks();
    if (left != nullptr) {
      const LandmarkTrace found = m.landmark_trace();
      *left = found.left;
      if (trace != nullptr) *trace = found.all;
    } else if (trace != nullptr) {
      *trace = m.kernel_trace();
    }
  });
}

freeridge_status freeridge_landmark_curve(const freeridge_model* model, freeridge_criterion criterion, int64_t count,
                                          const int64_t* sizes, double* lambdas, double* scores, int64_t ld) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    const Criterion by = checked_criterion(criterion);
    require_size("count", count);
    required("sizes", sizes);
    required("lambdas", lambdas);
    required("scores", scores);
    m.require_data();
    const MatrixView lambda_view = checked_output("lambdas", lambdas, "count", count, m.t(), ld);
    const MatrixView score_view = checked_output("scores", scores, "count", count, m.t(), ld);
    m.landmark_curve(by, {sizes, count}, lambda_view, score_view);
  });
}

freeridge_status freeridge_get_rank(const freeridge_model* model, int64_t* rank) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("rank", rank);
    *rank = m.rank();
  });
}

freeridge_status freeridge_get_tolerance(const freeridge_model* model, double* tolerance) {
  return guarded(__func__, [&] {
    const Model& m = model_of(model);
    required("tolerance", tolerance);
    *tolerance = m.tolerance();
  });
}
