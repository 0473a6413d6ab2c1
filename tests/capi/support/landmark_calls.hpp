// The calls about landmarks and about how a factorization is made as structs: their arguments, valid for the sample
// until a test spoils one.
#pragma once

#include "capi/support/arrays.hpp"
#include "capi/support/sample.hpp"

struct SetLandmarks {
  static constexpr const char* name = "freeridge_set_landmarks";
  freeridge_model* model = nullptr;
  int64_t count = static_cast<int64_t>(sample::landmarks().size());
  Input<int64_t> rows{sample::landmarks()};
  freeridge_status operator()() { return freeridge_set_landmarks(model, count, rows.get()); }
};

struct SetLandmarkMethod {
  static constexpr const char* name = "freeridge_set_landmark_method";
  freeridge_model* model = nullptr;
  freeridge_landmark_method method = FREERIDGE_LANDMARKS_KMEANS;
  int64_t seed = 7;
  freeridge_status operator()() { return freeridge_set_landmark_method(model, method, seed); }
};

struct SetReduction {
  static constexpr const char* name = "freeridge_set_reduction";
  freeridge_model* model = nullptr;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_GRAM;
  freeridge_status operator()() { return freeridge_set_reduction(model, reduction); }
};

struct SetRefinement {
  static constexpr const char* name = "freeridge_set_refinement";
  freeridge_model* model = nullptr;
  int32_t steps = 1;
  freeridge_status operator()() { return freeridge_set_refinement(model, steps); }
};

struct GetLandmarkCount {
  static constexpr const char* name = "freeridge_get_landmark_count";
  freeridge_model* model = nullptr;
  Output<int64_t> count{1};
  freeridge_status operator()() { return freeridge_get_landmark_count(model, count.get()); }
  void each_output(auto visit) { visit(count); }
};

struct GetLandmarks {
  static constexpr const char* name = "freeridge_get_landmarks";
  freeridge_model* model = nullptr;
  Output<int64_t> rows{sample::landmarks().size()};
  Output<double> trace_left{1}, trace{1};
  freeridge_status operator()() { return freeridge_get_landmarks(model, rows.get(), trace_left.get(), trace.get()); }
  void each_output(auto visit) { visit(rows), visit(trace_left), visit(trace); }
};

struct LandmarkCurve {
  static constexpr const char* name = "freeridge_landmark_curve";
  freeridge_model* model = nullptr;
  freeridge_criterion criterion = FREERIDGE_GCV;
  int64_t count = 3;
  Input<int64_t> sizes{{1, 2, 4}};
  Output<double> lambdas{sample::size(3, sample::t)}, scores{sample::size(3, sample::t)};
  int64_t ld = 3;
  freeridge_status operator()() {
    return freeridge_landmark_curve(model, criterion, count, sizes.get(), lambdas.get(), scores.get(), ld);
  }
  void each_output(auto visit) { visit(lambdas), visit(scores); }
};

struct GetRank {
  static constexpr const char* name = "freeridge_get_rank";
  freeridge_model* model = nullptr;
  Output<int64_t> rank{1};
  freeridge_status operator()() { return freeridge_get_rank(model, rank.get()); }
  void each_output(auto visit) { visit(rank); }
};

struct GetTolerance {
  static constexpr const char* name = "freeridge_get_tolerance";
  freeridge_model* model = nullptr;
  Output<double> tolerance{1};
  freeridge_status operator()() { return freeridge_get_tolerance(model, tolerance.get()); }
  void each_output(auto visit) { visit(tolerance); }
};
