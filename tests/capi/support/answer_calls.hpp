// The calls that ask a model as structs: their arguments, valid for the sample until a test spoils
// one.
#pragma once

#include "capi/support/call.hpp"
#include "capi/support/sample.hpp"

struct Loo {
  freeridge_model* model = nullptr;
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_loo, model, errors, ld);
};

struct GroupErrors {
  freeridge_model* model = nullptr;
  Input<int32_t> group{sample::group()};
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_group_errors, model, group, errors, ld);
};

struct GroupErrorsWithGaps {
  freeridge_model* model = nullptr;
  Input<int32_t> group{sample::group()};
  int64_t layers = 1;
  Input<int32_t> gap{sample::gap()};
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_group_errors_with_gaps, model, group, layers, gap, errors, ld);
};

struct Predict {
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict, model, layout, m, x, ldx, out, ldout);
};

struct PredictSparse {
  freeridge_model* model = nullptr;
  freeridge_sparse_format format = FREERIDGE_CSC;
  int64_t m = sample::m;
  Input<int64_t> start{sample::starts(sample::m, sample::d)};
  Input<int32_t> index{sample::places(sample::m, sample::d)};
  Input<double> value{sample::new_x()};
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_sparse, model, format, m, start, index, value, layout, out, ldout);
};

struct Coefficients {
  freeridge_model* model = nullptr;
  Output<double> c{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_coefficients, model, c, ld);
};

struct GetHyperplane {
  freeridge_model* model = nullptr;
  Output<double> w{sample::size(sample::d, sample::t)};
  int64_t ld = sample::d;
  FREERIDGE_CALL(freeridge_get_hyperplane, model, w, ld);
};

struct GetIntercept {
  freeridge_model* model = nullptr;
  Output<double> b{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_get_intercept, model, b);
};

struct GetFitted {
  freeridge_model* model = nullptr;
  Output<double> fitted{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_get_fitted, model, fitted, ld);
};

struct GetLeverage {
  freeridge_model* model = nullptr;
  Output<double> leverage{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_get_leverage, model, leverage, ld);
};

struct GetLambda {
  freeridge_model* model = nullptr;
  Output<double> lambda{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_get_lambda, model, lambda);
};

struct GetRoute {
  freeridge_model* model = nullptr;
  Output<freeridge_route> route{1};
  FREERIDGE_CALL(freeridge_get_route, model, route);
};

struct GetDimensions {
  freeridge_model* model = nullptr;
  Output<int64_t> n{1}, d{1}, t{1};
  FREERIDGE_CALL(freeridge_get_dimensions, model, n, d, t);
};

// Of the kernel alone; what a search saw: ContractSelection.Bandwidth.
struct GetBandwidth {
  static constexpr const char* optional = "sigma count sigmas scores edge decades dips";
  freeridge_model* model = nullptr;
  Output<double> sigma{1};
  int64_t* count = nullptr;
  double *sigmas = nullptr, *scores = nullptr, *decades = nullptr;
  int32_t *edge = nullptr, *dips = nullptr;
  FREERIDGE_CALL(freeridge_get_bandwidth, model, sigma, count, sigmas, scores, edge, decades, dips);
};

// Of a model whose bandwidth was chosen.
struct GetBandwidthSearch {
  freeridge_model* model = nullptr;
  Output<double> sigma{1}, sigmas{sample::size(sample::budget)}, scores{sample::size(sample::budget)}, decades{1};
  Output<int64_t> count{1};
  Output<int32_t> edge{1}, dips{1};
  FREERIDGE_CALL(freeridge_get_bandwidth, model, sigma, count, sigmas, scores, edge, decades, dips);
};

struct DegreesOfFreedom {
  static constexpr const char* optional = "df sigma2";
  freeridge_model* model = nullptr;
  Output<double> df{sample::size(sample::t)}, sigma2{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_degrees_of_freedom, model, df, sigma2);
};

struct CooksDistance {
  freeridge_model* model = nullptr;
  Output<double> distance{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_cooks_distance, model, distance, ld);
};

struct PredictJackknife {
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  double level = 0.75;
  Output<double> lower{sample::size(sample::m, sample::t)}, upper{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_jackknife, model, layout, m, x, ldx, level, lower, upper, ldout);
};

struct PredictVariance {
  static constexpr const char* optional = "noise";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  Output<double> variance{sample::size(sample::m, sample::t)}, noise{sample::size(sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_variance, model, layout, m, x, ldx, variance, ldout, noise);
};

struct CoefficientCovariance {
  freeridge_model* model = nullptr;
  freeridge_covariance_type kind = FREERIDGE_COVARIANCE_BAYESIAN;
  Output<double> covariance{sample::size((sample::d + 1) * sample::t, (sample::d + 1) * sample::t)};
  int64_t ld = (sample::d + 1) * sample::t;
  FREERIDGE_CALL(freeridge_coefficient_covariance, model, kind, covariance, ld);
};

struct CoefficientErrors {
  static constexpr const char* optional = "b";
  freeridge_model* model = nullptr;
  freeridge_covariance_type kind = FREERIDGE_COVARIANCE_FREQUENTIST;
  Output<double> w{sample::size(sample::d, sample::t)};
  int64_t ld = sample::d;
  Output<double> b{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_coefficient_errors, model, kind, w, ld, b);
};

// Its columns are features and outputs.
struct PredictGradient {
  static constexpr const char* own = "ldout";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  Output<double> gradient{sample::size(sample::m, sample::d* sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_gradient, model, layout, m, x, ldx, gradient, ldout);
};

struct AverageGradient {
  static constexpr const char* optional = "weights errors";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  Input<double> weights{{1.0, 0.5, 2.0}};
  Output<double> average{sample::size(sample::d, sample::t)}, errors{sample::size(sample::d, sample::t)};
  int64_t ld = sample::d;
  FREERIDGE_CALL(freeridge_average_gradient, model, layout, m, x, ldx, weights, average, errors, ld);
};

struct AverageDifference {
  static constexpr const char* optional = "weights errors";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m;
  Input<double> z{{1.0, -0.5, 0.25, 2.0, 0.5, -1.0}};  // m x d
  int64_t ldz = sample::m;
  Input<double> weights{{1.0, 0.5, 2.0}};
  Output<double> average{sample::size(sample::t)}, errors{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_average_difference, model, layout, m, x, ldx, z, ldz, weights, average, errors);
};

// Its columns of out are outputs and lambdas.
struct PredictPath {
  static constexpr const char* own = "ldout";
  freeridge_model* model = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::m;
  Input<double> x{sample::new_x()};
  int64_t ldx = sample::m, count = 3;
  Input<double> lambdas{{0.5, 1.0, 10.0}};
  Output<double> out{sample::size(sample::m, 3 * sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_path, model, layout, m, x, ldx, count, lambdas, out, ldout);
};

struct CoefficientsPath {
  static constexpr const char* optional = "b";
  freeridge_model* model = nullptr;
  int64_t count = 3;
  Input<double> lambdas{{0.5, 1.0, 10.0}};
  Output<double> c{sample::size(sample::n, 3 * sample::t)};
  int64_t ld = sample::n;
  Output<double> b{sample::size(sample::t, 3)};
  FREERIDGE_CALL(freeridge_coefficients_path, model, count, lambdas, c, ld, b);
};

struct HyperplanePath {
  static constexpr const char* optional = "b";
  freeridge_model* model = nullptr;
  int64_t count = 3;
  Input<double> lambdas{{0.5, 1.0, 10.0}};
  Output<double> w{sample::size(sample::d, 3 * sample::t)};
  int64_t ld = sample::d;
  Output<double> b{sample::size(sample::t, 3)};
  FREERIDGE_CALL(freeridge_hyperplane_path, model, count, lambdas, w, ld, b);
};
