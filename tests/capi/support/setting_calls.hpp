// The calls that change a model, up to its lambda, as structs: their arguments, valid for the
// sample until a test spoils one.
#pragma once

#include <algorithm>

#include "capi/support/shared_arguments.hpp"

struct SetKernel : AnyCall, OnModel {
  Kernel owned = Kernel::gaussian(0.75);
  const freeridge_kernel* kernel = owned.get();
  FREERIDGE_CALL(freeridge_set_kernel);
};

struct SetData : AnyCall, OnModel {
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  int64_t t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  FREERIDGE_CALL(freeridge_set_data);
};

// y of the sample beside points.
struct SetPoints : AnyCall, OnModel {
  PointsArgument points = with_unpenalised(dense_points(sample::n, sample::x()), sample::fixed());
  int32_t borrow = 0;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  FREERIDGE_CALL(freeridge_set_points);
};
struct SetPointsView : AnyCall, OnModel {
  PointsArgument points = dense_points(sample::n, sample::x());
  int32_t borrow = 1;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  FREERIDGE_CALL(freeridge_set_points);
};

// Of the sample's x by columns.
struct SetSparse : AnyCall, OnModel {
  PointsArgument points = sparse_points(sample::n, sample::x());
  int32_t borrow = 0;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  FREERIDGE_CALL(freeridge_set_points);
};

struct SetWeights : AnyCall, OnModel {
  static constexpr const char* optional = "weights";
  Input<double> weights{sample::weights()};
  FREERIDGE_CALL(freeridge_set_weights);
};

struct SetGroups : AnyCall, OnModel {
  int64_t divisions = 1;
  Input<int32_t> group{sample::group()};  // may be NULL where layers is 0
  int64_t layers = 1;
  Input<int32_t> gap{sample::gap()};
  FREERIDGE_CALL(freeridge_set_groups);
};

struct SetParameter : AnyCall, OnModel {
  freeridge_parameter parameter = FREERIDGE_REFINEMENT;
  double value = 2;
  FREERIDGE_CALL(freeridge_set_parameter);
};
// A parameter set to some value.
template <freeridge_parameter number, std::int64_t told>
struct Told : SetParameter {
  Told() { parameter = number, value = told; }
};
struct SetAccuracy : SetParameter {
  SetAccuracy() { parameter = FREERIDGE_ACCURACY, value = 1e-6; }
};
struct GetParameter : AnyCall, OnModel {
  freeridge_parameter parameter = FREERIDGE_REFINEMENT;
  Output<double> value{1};
  FREERIDGE_CALL(freeridge_get_parameter);
};
struct ParameterBounds : AnyCall {
  static constexpr const char* optional = "low high usual whole";
  freeridge_parameter parameter = FREERIDGE_REFINEMENT;
  Output<double> low{1}, high{1}, usual{1};
  Output<int32_t> whole{1};
  FREERIDGE_CALL(freeridge_parameter_bounds);
};

// The rows of the sample, all in one stretch; y may be NULL.
inline int64_t sample_rows(int64_t first, int64_t count, double* x, double* y, double*, void*) {
  static const std::vector<double> of_x = sample::x(), of_y = sample::y();
  const int64_t got = std::min(count, sample::n - first);
  for (int64_t i = 0; i < got; ++i) {
    for (int64_t k = 0; k < sample::d; ++k) x[i + k * count] = of_x[sample::size(first + i + k * sample::n)];
    for (int64_t j = 0; j < sample::t && y != nullptr; ++j)
      y[i + j * count] = of_y[sample::size(first + i + j * sample::n)];
  }
  return got;
}

inline PointsArgument read_points(int64_t n) {
  PointsArgument out;
  out.fields.size = sizeof out.fields;
  out.fields.n = n;
  out.fields.d = sample::d;
  out.fields.layout = FREERIDGE_COL_MAJOR;
  out.fields.reader = sample_rows;
  return out;
}

struct SetReader : AnyCall, OnModel {
  static constexpr const char* optional = "y";
  static constexpr const char* own = "points.n layout ldy";
  PointsArgument points = read_points(sample::n);
  int32_t borrow = 0;
  freeridge_layout layout = 0;
  int64_t t = sample::t;
  const double* y = nullptr;
  int64_t ldy = 0;
  FREERIDGE_CALL(freeridge_set_points);
};

// A model with a reader, which has been factorized.
inline support::Model with_reader() {
  support::Model model(support::Kernel::linear());
  SetReader set;
  set.points = read_points(-1);
  set.model = model.get();
  support::check(set(), "freeridge_set_points");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_UNPENALISED, 1), "freeridge_set_parameter");
  model.factorize();
  return model;
}

// UNPENALISED, which a reader's model alone can be told.
struct SetUnpenalised : AnyCall {
  support::Model read = with_reader();
  freeridge_model* model = read.get();
  freeridge_parameter parameter = FREERIDGE_UNPENALISED;
  double value = 1;
  FREERIDGE_CALL(freeridge_set_parameter);
};

struct GetUnpenalisedRead : AnyCall {
  static constexpr const char* optional = "count kept effects errors";
  static constexpr const char* own = "ld";
  support::Model read = with_reader();
  const freeridge_model* model = read.get();
  Output<int64_t> count{1};
  Output<int32_t> kept{1};
  double *effects = nullptr, *errors = nullptr;
  int64_t ld = 0;
  FREERIDGE_CALL(freeridge_get_unpenalised);
};

struct SetProgress : AnyCall, OnModel {
  static constexpr const char* optional = "callback user";
  freeridge_progress callback = nullptr;
  void* user = nullptr;
  FREERIDGE_CALL(freeridge_set_progress);
};

FREERIDGE_GETTER(MemoryRequired, OnModel, freeridge_memory_required, 1);

struct Explain : AnyCall, OnModel {
  int64_t size = 2048;
  Output<char> text{2048};
  Output<int64_t> length{1};
  FREERIDGE_CALL(freeridge_explain);
};

struct Factorize : AnyCall, OnModel {
  FREERIDGE_CALL(freeridge_factorize);
};

FREERIDGE_SETTER(SetLambda, OnModel, freeridge_set_lambda, 0.5);

struct SetLambdas : AnyCall, OnModel {
  Input<double> lambda{{0.5, 2.0}};
  FREERIDGE_CALL(freeridge_set_lambdas);
};

FREERIDGE_GETTER(Clone, OnModel, freeridge_clone, 1);
FREERIDGE_GETTER(GetKernel, OnModel, freeridge_get_kernel, 1);
FREERIDGE_GETTER(GetWeights, OnModel, freeridge_get_weights, sample::n);

struct GetGroups : AnyCall, OnModel {
  static constexpr const char* optional = "divisions group layers gap";
  Output<int64_t> divisions{1};
  Output<int32_t> group{sample::size(sample::n)};
  Output<int64_t> layers{1};
  Output<int32_t> gap{sample::size(sample::n)};
  FREERIDGE_CALL(freeridge_get_groups);
};
