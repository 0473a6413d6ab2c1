// The calls about landmarks and about how a factorization is made as structs: their arguments, valid for the sample
// until a test spoils one.
#pragma once

#include "capi/support/call.hpp"
#include "capi/support/sample.hpp"

struct SetLandmarks {
  static constexpr const char* optional = "rows";
  static constexpr const char* own = "count";
  freeridge_model* model = nullptr;
  int64_t count = static_cast<int64_t>(sample::landmarks().size());
  Input<int64_t> rows{sample::landmarks()};
  FREERIDGE_CALL(freeridge_set_landmarks, model, count, rows);
};

struct SetLandmarkMethod {
  freeridge_model* model = nullptr;
  freeridge_landmark_method method = FREERIDGE_LANDMARKS_KMEANS;
  int64_t seed = 7;
  FREERIDGE_CALL(freeridge_set_landmark_method, model, method, seed);
};

struct SetReduction {
  freeridge_model* model = nullptr;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_GRAM;
  FREERIDGE_CALL(freeridge_set_reduction, model, reduction);
};

struct SetRefinement {
  freeridge_model* model = nullptr;
  int32_t steps = 2;
  FREERIDGE_CALL(freeridge_set_refinement, model, steps);
};

struct SetAccuracy {
  freeridge_model* model = nullptr;
  double accuracy = 1e-6;
  FREERIDGE_CALL(freeridge_set_accuracy, model, accuracy);
};

struct GetLandmarks {
  static constexpr const char* optional = "count rows";
  freeridge_model* model = nullptr;
  Output<int64_t> count{1}, rows{sample::landmarks().size()};
  FREERIDGE_CALL(freeridge_get_landmarks, model, count, rows);
};

struct LandmarkTrace {
  static constexpr const char* optional = "left trace";
  freeridge_model* model = nullptr;
  Output<double> left{1}, trace{1};
  FREERIDGE_CALL(freeridge_landmark_trace, model, left, trace);
};

struct GetRequestedLandmarks {
  static constexpr const char* optional = "count given rows";
  freeridge_model* model = nullptr;
  Output<int64_t> count{1}, given{1}, rows{sample::landmarks().size()};
  FREERIDGE_CALL(freeridge_get_requested_landmarks, model, count, given, rows);
};

struct GetLandmarkMethod {
  static constexpr const char* optional = "method seed";
  freeridge_model* model = nullptr;
  Output<freeridge_landmark_method> method{1};
  Output<int64_t> seed{1};
  FREERIDGE_CALL(freeridge_get_landmark_method, model, method, seed);
};

struct GetReduction {
  freeridge_model* model = nullptr;
  Output<freeridge_reduction> reduction{1};
  FREERIDGE_CALL(freeridge_get_reduction, model, reduction);
};

struct GetRefinement {
  freeridge_model* model = nullptr;
  Output<int32_t> steps{1};
  FREERIDGE_CALL(freeridge_get_refinement, model, steps);
};

struct GetRequestedAccuracy {
  freeridge_model* model = nullptr;
  Output<double> accuracy{1};
  FREERIDGE_CALL(freeridge_get_requested_accuracy, model, accuracy);
};

struct GetAccuracy {
  freeridge_model* model = nullptr;
  Output<double> accuracy{sample::t};
  FREERIDGE_CALL(freeridge_get_accuracy, model, accuracy);
};

struct LandmarkCurve {
  freeridge_model* model = nullptr;
  freeridge_criterion criterion = FREERIDGE_GCV;
  int64_t count = 3;
  Input<int64_t> sizes{{1, 2, 4}};
  Output<double> lambdas{sample::size(3, sample::t)}, scores{sample::size(3, sample::t)};
  int64_t ld = 3;
  FREERIDGE_CALL(freeridge_landmark_curve, model, criterion, count, sizes, lambdas, scores, ld);
};

struct GetRank {
  freeridge_model* model = nullptr;
  Output<int64_t> rank{1};
  FREERIDGE_CALL(freeridge_get_rank, model, rank);
};

struct GetTolerance {
  freeridge_model* model = nullptr;
  Output<double> tolerance{1};
  FREERIDGE_CALL(freeridge_get_tolerance, model, tolerance);
};
