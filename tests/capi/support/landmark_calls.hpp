// The calls about landmarks and about how a factorization is made as structs: their arguments, valid for the sample
// until a test spoils one.
#pragma once

#include "capi/support/shared_arguments.hpp"

struct SetLandmarks : AnyCall, OnModel {
  static constexpr const char* optional = "rows";
  static constexpr const char* own = "count";
  int64_t count = static_cast<int64_t>(sample::landmarks().size());
  Input<int64_t> rows{sample::landmarks()};
  FREERIDGE_CALL(freeridge_set_landmarks, model, count, rows);
};

struct SetLandmarkMethod : AnyCall, OnModel {
  freeridge_landmark_method method = FREERIDGE_LANDMARKS_KMEANS;
  int64_t seed = 7;
  FREERIDGE_CALL(freeridge_set_landmark_method, model, method, seed);
};

FREERIDGE_SETTER(SetReduction, OnModel, model, freeridge_set_reduction, freeridge_reduction, reduction,
                 FREERIDGE_REDUCTION_GRAM);
FREERIDGE_SETTER(SetRefinement, OnModel, model, freeridge_set_refinement, int32_t, steps, 2);
FREERIDGE_SETTER(SetAccuracy, OnModel, model, freeridge_set_accuracy, double, accuracy, 1e-6);

struct GetLandmarks : AnyCall, OnModel {
  static constexpr const char* optional = "count rows";
  Output<int64_t> count{1}, rows{sample::landmarks().size()};
  FREERIDGE_CALL(freeridge_get_landmarks, model, count, rows);
};

struct LandmarkTrace : AnyCall, OnModel {
  static constexpr const char* optional = "left trace";
  Output<double> left{1}, trace{1};
  FREERIDGE_CALL(freeridge_landmark_trace, model, left, trace);
};

struct GetRequestedLandmarks : AnyCall, OnModel {
  static constexpr const char* optional = "count given rows";
  Output<int64_t> count{1}, given{1}, rows{sample::landmarks().size()};
  FREERIDGE_CALL(freeridge_get_requested_landmarks, model, count, given, rows);
};

struct GetLandmarkMethod : AnyCall, OnModel {
  static constexpr const char* optional = "method seed";
  Output<freeridge_landmark_method> method{1};
  Output<int64_t> seed{1};
  FREERIDGE_CALL(freeridge_get_landmark_method, model, method, seed);
};

FREERIDGE_GETTER(GetReduction, OnModel, model, freeridge_get_reduction, freeridge_reduction, reduction, 1);
FREERIDGE_GETTER(GetRefinement, OnModel, model, freeridge_get_refinement, int32_t, steps, 1);
FREERIDGE_GETTER(GetRequestedAccuracy, OnModel, model, freeridge_get_requested_accuracy, double, accuracy, 1);
FREERIDGE_GETTER(GetAccuracy, OnModel, model, freeridge_get_accuracy, double, accuracy, sample::t);

struct LandmarkCurve : AnyCall, OnModel {
  freeridge_criterion criterion = FREERIDGE_GCV;
  int64_t count = 3;
  Input<int64_t> sizes{{1, 2, 4}};
  Output<double> lambdas{sample::size(3, sample::t)}, scores{sample::size(3, sample::t)};
  int64_t ld = 3;
  FREERIDGE_CALL(freeridge_landmark_curve, model, criterion, count, sizes, lambdas, scores, ld);
};

FREERIDGE_GETTER(GetRank, OnModel, model, freeridge_get_rank, int64_t, rank, 1);
FREERIDGE_GETTER(GetTolerance, OnModel, model, freeridge_get_tolerance, double, tolerance, 1);
