// The calls that change a model, up to its lambda, as structs: their arguments, valid for the
// sample until a test spoils one.
#pragma once

#include "capi/support/arrays.hpp"
#include "capi/support/sample.hpp"

struct SetKernel {
  static constexpr const char* name = "freeridge_set_kernel";
  freeridge_model* model = nullptr;
  Kernel owned = Kernel::gaussian(0.75);
  const freeridge_kernel* kernel = owned.get();
  freeridge_status operator()() { return freeridge_set_kernel(model, kernel); }
};

// freeridge_set_data and freeridge_set_data_view have the same arguments.
template <bool view>
struct SetDataCall {
  static constexpr const char* name = view ? "freeridge_set_data_view" : "freeridge_set_data";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  int64_t t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  freeridge_status operator()() {
    constexpr auto call = view ? freeridge_set_data_view : freeridge_set_data;
    return call(model, layout, n, d, x.get(), ldx, t, y.get(), ldy);
  }
};
using SetData = SetDataCall<false>;
using SetDataView = SetDataCall<true>;

struct SetWeights {
  static constexpr const char* name = "freeridge_set_weights";
  freeridge_model* model = nullptr;
  Input<double> weights{sample::weights()};
  freeridge_status operator()() { return freeridge_set_weights(model, weights.get()); }
};

struct SetIntercept {
  static constexpr const char* name = "freeridge_set_intercept";
  freeridge_model* model = nullptr;
  int32_t on = 1;
  freeridge_status operator()() { return freeridge_set_intercept(model, on); }
};

struct SetGroups {
  static constexpr const char* name = "freeridge_set_groups";
  freeridge_model* model = nullptr;
  Input<int32_t> group{sample::group()};
  freeridge_status operator()() { return freeridge_set_groups(model, group.get()); }
};

struct SetRoute {
  static constexpr const char* name = "freeridge_set_route";
  freeridge_model* model = nullptr;
  freeridge_route route = FREERIDGE_ROUTE_SPECTRAL;
  freeridge_status operator()() { return freeridge_set_route(model, route); }
};

struct SetExpectedLambdas {
  static constexpr const char* name = "freeridge_set_expected_lambdas";
  freeridge_model* model = nullptr;
  int64_t count = 10;
  freeridge_status operator()() { return freeridge_set_expected_lambdas(model, count); }
};

struct SetExpectedCriterion {
  static constexpr const char* name = "freeridge_set_expected_criterion";
  freeridge_model* model = nullptr;
  freeridge_criterion criterion = FREERIDGE_GCV;
  freeridge_status operator()() { return freeridge_set_expected_criterion(model, criterion); }
};

struct SetMemoryLimit {
  static constexpr const char* name = "freeridge_set_memory_limit";
  freeridge_model* model = nullptr;
  int64_t bytes = int64_t{1} << 30;
  freeridge_status operator()() { return freeridge_set_memory_limit(model, bytes); }
};

struct SetProgress {
  static constexpr const char* name = "freeridge_set_progress";
  freeridge_model* model = nullptr;
  freeridge_progress callback = nullptr;
  void* user = nullptr;
  freeridge_status operator()() { return freeridge_set_progress(model, callback, user); }
};

struct MemoryRequired {
  static constexpr const char* name = "freeridge_memory_required";
  freeridge_model* model = nullptr;
  Output<int64_t> bytes{1};
  freeridge_status operator()() { return freeridge_memory_required(model, bytes.get()); }
  void each_output(auto visit) { visit(bytes); }
};

struct Explain {
  static constexpr const char* name = "freeridge_explain";
  freeridge_model* model = nullptr;
  int64_t size = 2048;
  Output<char> text{2048};
  Output<int64_t> length{1};
  freeridge_status operator()() { return freeridge_explain(model, size, text.get(), length.get()); }
  void each_output(auto visit) { visit(text), visit(length); }
};

struct Factorize {
  static constexpr const char* name = "freeridge_factorize";
  freeridge_model* model = nullptr;
  freeridge_status operator()() { return freeridge_factorize(model); }
};

struct SetLambda {
  static constexpr const char* name = "freeridge_set_lambda";
  freeridge_model* model = nullptr;
  double lambda = 0.5;
  freeridge_status operator()() { return freeridge_set_lambda(model, lambda); }
};

struct SetLambdas {
  static constexpr const char* name = "freeridge_set_lambdas";
  freeridge_model* model = nullptr;
  Input<double> lambda{{0.5, 2.0}};
  freeridge_status operator()() { return freeridge_set_lambdas(model, lambda.get()); }
};
