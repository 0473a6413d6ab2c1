// The calls of freeridge_accumulator as structs: their arguments, valid until a test spoils one.
#pragma once

#include "capi/support/shared_arguments.hpp"
#include "support/accumulator.hpp"

namespace accumulator {

constexpr int64_t lambda_count = 3;

struct OnAccumulator {
  freeridge_accumulator* accumulator = nullptr;
};

struct DenseRows : OnAccumulator {
  static constexpr const char* optional = "weights";
  PointsArgument points = dense_points(sample::n, sample::x());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  Input<double> weights{sample::weights()};
};

struct SparseRows : OnAccumulator {
  static constexpr const char* optional = "weights";
  PointsArgument points = sparse_points(sample::n, sample::x());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  Input<double> weights{sample::weights()};
};

// Each row left out by itself.
struct Alone {
  const int32_t* group = nullptr;
};
struct Together {
  Input<int32_t> group{sample::group()};
};

struct Lambdas {
  int64_t count = lambda_count;
  Input<double> lambdas{{1e-2, 1e-1, 1e1}};
};
struct LambdasFromZero {
  int64_t count = lambda_count;
  Input<double> lambdas{{0.0, 1e-1, 1e1}};
};

inline oracle::Problem sample_problem() {
  return {oracle::KernelSpec::linear(), sample::matrix(sample::n, sample::x()), sample::matrix(sample::n, sample::y()),
          sample::weights(), true};
}

struct Create : AnyCall {
  int64_t d = 2, t = 3;
  int32_t intercept = 1;
  Output<freeridge_accumulator*> out{1};
  FREERIDGE_CALL(freeridge_accumulator_create);
};

struct CreateLandmarks : AnyCall {
  support::Kernel inner = oracle::make_kernel(oracle::KernelSpec::gaussian(1.0));
  const freeridge_kernel* kernel = inner.get();
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t r = 3, d = 2;
  Input<double> z{{0.0, 1.0, 2.0, 0.5, -1.0, 0.0}};
  int64_t ldz = 3;
  int64_t t = 2;
  int32_t intercept = 1;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_AUTO;
  Output<freeridge_accumulator*> out{1};
  FREERIDGE_CALL(freeridge_accumulator_create_landmarks);
};

// Sizes that are none, 0 apart.
inline const std::vector<int64_t> bad_counts = {-1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX};

struct Add : AnyCall, DenseRows {
  static constexpr const char* own = "points.n";
  FREERIDGE_CALL(freeridge_accumulator_add);
};

struct AddSparse : AnyCall, SparseRows {
  static constexpr const char* own = "points.n";
  FREERIDGE_CALL(freeridge_accumulator_add);
};

struct Merge : AnyCall, OnAccumulator {
  const freeridge_accumulator* other = nullptr;
  FREERIDGE_CALL(freeridge_accumulator_merge);
};

struct GetDimensions : AnyCall, OnAccumulator {
  static constexpr const char* optional = "n d t sum_w";
  Output<int64_t> n{1}, d{1}, t{1};
  Output<double> sum_w{1};
  FREERIDGE_CALL(freeridge_accumulator_get_dimensions);
};

FREERIDGE_GETTER(MemoryRequired, OnAccumulator, freeridge_accumulator_memory_required, 1);

struct SetProgress : AnyCall, OnAccumulator {
  static constexpr const char* optional = "callback user";
  freeridge_progress callback = nullptr;
  void* user = nullptr;
  FREERIDGE_CALL(freeridge_accumulator_set_progress);
};

struct Solve : AnyCall, OnAccumulator, LambdasFromZero {
  Output<double> w{sample::size(sample::d, lambda_count* sample::t)};
  int64_t ld = sample::d;
  Output<double> b{sample::size(sample::t, lambda_count)};
  FREERIDGE_CALL(freeridge_accumulator_solve);
};

struct Score : AnyCall, OnAccumulator, Lambdas {
  freeridge_criterion criterion = FREERIDGE_GCV;
  Output<double> scores{sample::size(lambda_count, sample::t)};
  int64_t ld = lambda_count;
  FREERIDGE_CALL(freeridge_accumulator_score);
};

struct Objective : AnyCall, OnAccumulator, Lambdas {
  static constexpr const char* optional = "training norm2 objective";
  Output<double> training{sample::size(lambda_count, sample::t)}, norm2{training}, objective{training};
  int64_t ld = lambda_count;
  FREERIDGE_CALL(freeridge_accumulator_objective);
};

struct LambdaGrid : AnyCall, OnAccumulator {
  int64_t count = lambda_count;
  Output<double> lambdas{sample::size(lambda_count)};
  FREERIDGE_CALL(freeridge_accumulator_lambda_grid);
};

struct Loo : AnyCall, DenseRows, Alone, Lambdas {
  static constexpr const char* optional = "weights group";
  Output<double> errors{sample::size(sample::n, lambda_count* sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_accumulator_errors);
};

struct LooSparse : AnyCall, SparseRows, Alone, Lambdas {
  static constexpr const char* optional = "weights group";
  Output<double> errors{sample::size(sample::n, lambda_count* sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_accumulator_errors);
};

struct SquaredErrors : AnyCall, DenseRows, LambdasFromZero {
  static constexpr const char* optional = "weights sum_w";
  Output<double> sum_w{1}, squares{sample::size(lambda_count, sample::t)};
  int64_t ld = lambda_count;
  FREERIDGE_CALL(freeridge_accumulator_squared_errors);
};

struct SquaredErrorsSparse : AnyCall, SparseRows, LambdasFromZero {
  static constexpr const char* optional = "weights sum_w";
  Output<double> sum_w{1}, squares{sample::size(lambda_count, sample::t)};
  int64_t ld = lambda_count;
  FREERIDGE_CALL(freeridge_accumulator_squared_errors);
};

struct LooMoments : AnyCall, DenseRows, Alone, Lambdas {
  static constexpr const char* optional = "weights group";
  static constexpr const char* own = "points.n";
  Output<double> moments{sample::size(5, lambda_count* sample::t)};
  FREERIDGE_CALL(freeridge_accumulator_moments);
};

struct LooMomentsSparse : AnyCall, SparseRows, Alone, Lambdas {
  static constexpr const char* optional = "weights group";
  static constexpr const char* own = "points.n";
  Output<double> moments{sample::size(5, lambda_count* sample::t)};
  FREERIDGE_CALL(freeridge_accumulator_moments);
};

struct GroupErrors : AnyCall, DenseRows, Together, Lambdas {
  static constexpr const char* optional = "weights group";
  Output<double> errors{sample::size(sample::n, lambda_count* sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_accumulator_errors);
};

struct GroupMoments : AnyCall, DenseRows, Together, Lambdas {
  static constexpr const char* optional = "weights group";
  static constexpr const char* own = "points.n";
  Output<double> moments{sample::size(5, lambda_count* sample::t)};
  FREERIDGE_CALL(freeridge_accumulator_moments);
};

struct GetUnpenalised : AnyCall, OnAccumulator {
  static constexpr const char* optional = "count kept";
  Output<int64_t> count{1};
  Output<int32_t> kept{0};
  FREERIDGE_CALL(freeridge_accumulator_get_unpenalised);
};

struct SetParameter : AnyCall, OnAccumulator {
  freeridge_parameter parameter = FREERIDGE_UNPENALISED;
  double value = 1;
  FREERIDGE_CALL(freeridge_accumulator_set_parameter);
};
struct GetParameter : AnyCall, OnAccumulator {
  freeridge_parameter parameter = FREERIDGE_INTERCEPT;
  Output<double> value{1};
  FREERIDGE_CALL(freeridge_accumulator_get_parameter);
};

struct Compact : AnyCall, OnAccumulator {
  FREERIDGE_CALL(freeridge_accumulator_compact);
};

struct Prepare : AnyCall, OnAccumulator {
  FREERIDGE_CALL(freeridge_accumulator_prepare);
};

inline std::vector<unsigned char> compact_bytes() {
  const support::Accumulator rows(sample_problem());
  support::check(freeridge_accumulator_compact(rows.get()), "freeridge_accumulator_compact");
  return rows.save();
}

struct MergeBytes : AnyCall {
  std::vector<unsigned char> room = compact_bytes();
  void* inout = room.data();
  Input<unsigned char> other{compact_bytes()};
  int64_t size = static_cast<int64_t>(room.size());
  FREERIDGE_CALL(freeridge_accumulator_merge_bytes);
};

struct Predictor : AnyCall, OnAccumulator {
  Input<double> lambda{support::Vector(sample::size(sample::t), 0.5)};
  Output<freeridge_model*> out{1};
  FREERIDGE_CALL(freeridge_accumulator_predictor);
};

inline support::Vector sample_moments(int64_t pairs) {
  support::Vector out;
  for (int64_t k = 0; k < pairs; ++k) {
    const auto mean = 2.0 + static_cast<double>((k - 2) * (k - 2));
    out.insert(out.end(), {7, 6.5, mean, 0.5, 0});
  }
  return out;
}

struct MomentsJoin : AnyCall {
  support::Vector room = sample_moments(lambda_count);
  int64_t count = lambda_count;
  double* inout = room.data();
  Input<double> other{sample_moments(lambda_count)};
  FREERIDGE_CALL(freeridge_moments_join);
};

struct MomentsScore : AnyCall, LambdasFromZero {
  static constexpr const char* optional = "errors";
  int64_t t = 2;
  Input<double> moments{sample_moments(2 * lambda_count)};
  Output<double> scores{sample::size(2, lambda_count)}, errors{sample::size(2, lambda_count)};
  int64_t ld = lambda_count;
  FREERIDGE_CALL(freeridge_moments_score);
};

struct MomentsSelectLambda : AnyCall, Lambdas {
  static constexpr const char* own = "search.ld";
  int64_t t = 2;
  Input<double> moments{sample_moments(2 * lambda_count)};
  SearchArgument search;
  MomentsSelectLambda() {
    search.with("lambda score standard_error edge decades dips one_se_lambda one_se_score next", 2);
    search.with("lambdas", lambda_count).with("scores", sample::size(2, lambda_count));
  }
  FREERIDGE_CALL(freeridge_moments_select_lambda);
};

struct SelectLambda : AnyCall, OnAccumulator {
  static constexpr const char* own = "search.ld";
  freeridge_criterion criterion = FREERIDGE_GCV;
  double low = 1e-2, high = 1e2;
  SearchArgument search;
  SelectLambda() { search.with("lambda score edge decades dips below", sample::size(sample::t)); }
  FREERIDGE_CALL(freeridge_accumulator_select_lambda);
};

struct Save : AnyCall, OnAccumulator {
  Input<char> path{{'/', 'd', 'e', 'v', '/', 'n', 'u', 'l', 'l', '\0'}};
  FREERIDGE_CALL(freeridge_accumulator_save);
};

struct SaveToMemory : AnyCall, OnAccumulator {
  int64_t size = 100000;
  Output<unsigned char> bytes{100000};
  Output<int64_t> length{1};
  FREERIDGE_CALL(freeridge_accumulator_save_to_memory);
};

struct Load : AnyCall {
  Input<char> path{{'/', 'n', 'o', 'n', 'e', '\0'}};
  Output<freeridge_accumulator*> out{1};
  FREERIDGE_CALL(freeridge_accumulator_load);
};

struct LoadFromMemory : AnyCall {
  Input<unsigned char> bytes{support::Accumulator(sample_problem()).save()};
  int64_t size = static_cast<int64_t>(bytes.values.size());
  Output<freeridge_accumulator*> out{1};
  FREERIDGE_CALL(freeridge_accumulator_load_from_memory);
};

}  // namespace accumulator
