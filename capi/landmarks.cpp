// The C layer, landmarks and how factorizations are made.
#include <algorithm>

#include "capi/handles.hpp"

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_set_landmarks(freeridge_model* model, int64_t count, const int64_t* rows) {
  return guarded(__func__, [&] {
    Model& m = settings_of(model);
    if (!model->reader) return m.set_landmarks(count, rows);
    model->reader->model.set_landmarks(
        count, rows == nullptr || count < 0 ? Span<const Index>() : Span<const Index>(rows, count));
    model->reader->forget();
  });
}

freeridge_status freeridge_set_landmark_method(freeridge_model* model, freeridge_landmark_method method, int64_t seed) {
  return guarded(__func__, [&] {
    Model& m = settings_of(model);
    require_one_of("method", method,
                   {FREERIDGE_LANDMARKS_AUTO, FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS,
                    FREERIDGE_LANDMARKS_PIVOTED});
    m.set_landmark_method(static_cast<LandmarkMethod>(method), seed);
    forget_rows_read(*model);
  });
}

freeridge_status freeridge_set_reduction(freeridge_model* model, freeridge_reduction reduction) {
  return guarded(__func__, [&] {
    Model& m = settings_of(model);
    require_one_of("reduction", reduction,
                   {FREERIDGE_REDUCTION_AUTO, FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM});
    m.set_reduction(static_cast<Reduction>(reduction));
    forget_rows_read(*model);
  });
}

freeridge_status freeridge_set_refinement(freeridge_model* model, int32_t steps) {
  return guarded(__func__, [&] {
    Model& m = settings_of(model);
    if (steps < 0 || steps > 100) fail(Status::invalid_argument, "steps is ", steps, "; it must be from 0 to 100");
    m.set_refinement(steps);
  });
}

freeridge_status freeridge_set_accuracy(freeridge_model* model, double accuracy) {
  return guarded(__func__, [&] {
    settings_of(model).set_accuracy(accuracy);
    forget_rows_read(*model);
  });
}

freeridge_status freeridge_get_landmarks(const freeridge_model* model, int64_t* count, int64_t* rows) {
  return guarded(__func__, [&] {
    const Model& m = settings_of(model);
    const Span<const Index> chosen = model->reader ? require_factorized(*model->reader).model.chosen() : m.landmarks();
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
