// The calls that ask a model as structs: their arguments, valid for the sample until a test spoils
// one.
#pragma once

#include "capi/support/arrays.hpp"
#include "capi/support/sample.hpp"

struct Loo {
  static constexpr const char* name = "freeridge_loo";
  freeridge_model* model = nullptr;
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  freeridge_status operator()() { return freeridge_loo(model, errors.get(), ld); }
  void each_output(auto visit) { visit(errors); }
};

struct GroupErrors {
  static constexpr const char* name = "freeridge_group_errors";
  freeridge_model* model = nullptr;
  Input<int32_t> group{sample::group()};
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  freeridge_status operator()() { return freeridge_group_errors(model, group.get(), errors.get(), ld); }
  void each_output(auto visit) { visit(errors); }
};

struct Predict {
  static constexpr const char* name = "freeridge_predict";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  freeridge_status operator()() { return freeridge_predict(model, layout, m, x.get(), ldx, out.get(), ldout); }
  void each_output(auto visit) { visit(out); }
};

struct GetCoefficients {
  static constexpr const char* name = "freeridge_coefficients";
  freeridge_model* model = nullptr;
  Output<double> c{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  freeridge_status operator()() { return freeridge_coefficients(model, c.get(), ld); }
  void each_output(auto visit) { visit(c); }
};

struct GetHyperplane {
  static constexpr const char* name = "freeridge_get_hyperplane";
  freeridge_model* model = nullptr;
  Output<double> w{sample::size(sample::d, sample::t)};
  int64_t ld = sample::d;
  freeridge_status operator()() { return freeridge_get_hyperplane(model, w.get(), ld); }
  void each_output(auto visit) { visit(w); }
};

struct GetIntercept {
  static constexpr const char* name = "freeridge_get_intercept";
  freeridge_model* model = nullptr;
  Output<double> b{sample::size(sample::t)};
  freeridge_status operator()() { return freeridge_get_intercept(model, b.get()); }
  void each_output(auto visit) { visit(b); }
};

struct GetFitted {
  static constexpr const char* name = "freeridge_get_fitted";
  freeridge_model* model = nullptr;
  Output<double> fitted{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  freeridge_status operator()() { return freeridge_get_fitted(model, fitted.get(), ld); }
  void each_output(auto visit) { visit(fitted); }
};

struct GetLeverage {
  static constexpr const char* name = "freeridge_get_leverage";
  freeridge_model* model = nullptr;
  Output<double> leverage{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  freeridge_status operator()() { return freeridge_get_leverage(model, leverage.get(), ld); }
  void each_output(auto visit) { visit(leverage); }
};

struct GetLambda {
  static constexpr const char* name = "freeridge_get_lambda";
  freeridge_model* model = nullptr;
  Output<double> lambda{sample::size(sample::t)};
  freeridge_status operator()() { return freeridge_get_lambda(model, lambda.get()); }
  void each_output(auto visit) { visit(lambda); }
};

struct GetRoute {
  static constexpr const char* name = "freeridge_get_route";
  freeridge_model* model = nullptr;
  Output<freeridge_route> route{1};
  freeridge_status operator()() { return freeridge_get_route(model, route.get()); }
  void each_output(auto visit) { visit(route); }
};

struct GetDimensions {
  static constexpr const char* name = "freeridge_get_dimensions";
  freeridge_model* model = nullptr;
  Output<int64_t> n{1}, d{1}, t{1};
  freeridge_status operator()() { return freeridge_get_dimensions(model, n.get(), d.get(), t.get()); }
  void each_output(auto visit) { visit(n), visit(d), visit(t); }
};

struct GetBandwidth {
  static constexpr const char* name = "freeridge_get_bandwidth";
  freeridge_model* model = nullptr;
  Output<double> sigma{1};
  freeridge_status operator()() { return freeridge_get_bandwidth(model, sigma.get()); }
  void each_output(auto visit) { visit(sigma); }
};

struct GetDegreesOfFreedom {
  static constexpr const char* name = "freeridge_degrees_of_freedom";
  freeridge_model* model = nullptr;
  Output<double> df{sample::size(sample::t)}, sigma2{sample::size(sample::t)};
  freeridge_status operator()() { return freeridge_degrees_of_freedom(model, df.get(), sigma2.get()); }
  void each_output(auto visit) { visit(df), visit(sigma2); }
};

struct CooksDistance {
  static constexpr const char* name = "freeridge_cooks_distance";
  freeridge_model* model = nullptr;
  Output<double> distance{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  freeridge_status operator()() { return freeridge_cooks_distance(model, distance.get(), ld); }
  void each_output(auto visit) { visit(distance); }
};

struct PredictJackknife {
  static constexpr const char* name = "freeridge_predict_jackknife";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  double level = 0.75;
  Output<double> lower{sample::size(sample::m, sample::t)}, upper{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  freeridge_status operator()() {
    return freeridge_predict_jackknife(model, layout, m, x.get(), ldx, level, lower.get(), upper.get(), ldout);
  }
  void each_output(auto visit) { visit(lower), visit(upper); }
};

struct PredictVariance {
  static constexpr const char* name = "freeridge_predict_variance";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  Output<double> variance{sample::size(sample::m, sample::t)}, noise{sample::size(sample::t)};
  int64_t ldout = sample::m;
  freeridge_status operator()() {
    return freeridge_predict_variance(model, layout, m, x.get(), ldx, variance.get(), ldout, noise.get());
  }
  void each_output(auto visit) { visit(variance), visit(noise); }
};
