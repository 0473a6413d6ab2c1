// The calls about landmarks and about how a factorization is made as structs: their arguments, valid for the sample
// until a test spoils one.
#pragma once

#include "capi/support/shared_arguments.hpp"

struct SetLandmarks : AnyCall, OnModel {
  static constexpr const char* optional = "rows";
  static constexpr const char* own = "count";
  int64_t count = static_cast<int64_t>(sample::landmarks().size());
  Input<int64_t> rows{sample::landmarks()};
  FREERIDGE_CALL(freeridge_set_landmarks);
};

struct GetLandmarks : AnyCall, OnModel {
  static constexpr const char* optional = "count rows";
  Output<int64_t> count{1}, rows{sample::landmarks().size()};
  FREERIDGE_CALL(freeridge_get_landmarks);
};

struct LandmarkTrace : AnyCall, OnModel {
  static constexpr const char* optional = "left trace";
  Output<double> left{1}, trace{1};
  FREERIDGE_CALL(freeridge_landmark_trace);
};

struct GetRequestedLandmarks : AnyCall, OnModel {
  static constexpr const char* optional = "count given rows";
  Output<int64_t> count{1}, given{1}, rows{sample::landmarks().size()};
  FREERIDGE_CALL(freeridge_get_requested_landmarks);
};

FREERIDGE_GETTER(GetAccuracy, OnModel, freeridge_get_accuracy, sample::t);

struct LandmarkCurve : AnyCall, OnModel {
  freeridge_criterion criterion = FREERIDGE_GCV;
  int64_t count = 3;
  Input<int64_t> sizes{{1, 2, 4}};
  Output<double> lambdas{sample::size(3, sample::t)}, scores{sample::size(3, sample::t)};
  int64_t ld = 3;
  FREERIDGE_CALL(freeridge_landmark_curve);
};

FREERIDGE_GETTER(GetRank, OnModel, freeridge_get_rank, 1);
FREERIDGE_GETTER(GetTolerance, OnModel, freeridge_get_tolerance, 1);
