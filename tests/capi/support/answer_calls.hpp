// The calls that ask a model as structs: their arguments, valid for the sample until a test spoils
// one.
#pragma once

#include "capi/support/shared_arguments.hpp"

struct Loo : AnyCall, OnModel {
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_loo);
};

struct GroupErrors : AnyCall, OnModel {
  static constexpr const char* optional = "gap";
  static constexpr const char* own = "layers";
  Input<int32_t> group{sample::group()};
  int64_t layers = 0;
  const int32_t* gap = nullptr;
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_group_errors);
};

struct GroupErrorsWithGaps : AnyCall, OnModel {
  Input<int32_t> group{sample::group()};
  int64_t layers = 1;
  Input<int32_t> gap{sample::gap()};
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_group_errors);
};

struct Predict : AnyCall, OnModel, PlainPoints {
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict);
};

struct PredictPoints : AnyCall, AtPoints {
  static constexpr const char* optional = "lambdas";
  static constexpr const char* own = "count";
  int64_t count = 0;
  const double* lambdas = nullptr;
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_points);
};

struct PredictSparse : AnyCall, AtSparsePoints {
  static constexpr const char* optional = "lambdas";
  static constexpr const char* own = "count";
  int64_t count = 0;
  const double* lambdas = nullptr;
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_points);
};

struct Coefficients : AnyCall, OnModel {
  static constexpr const char* optional = "lambdas c b";
  static constexpr const char* own = "count";
  int64_t count = 0;
  const double* lambdas = nullptr;
  Output<double> c{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  Output<double> b{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_coefficients);
};

// The intercepts alone.
struct Intercept : Coefficients {
  static constexpr const char* own = "count ld";
  Intercept() { c.null = true, ld = 0; }
};

struct Hyperplane : AnyCall, OnModel {
  static constexpr const char* optional = "lambdas w b";
  static constexpr const char* own = "count";
  int64_t count = 0;
  const double* lambdas = nullptr;
  Output<double> w{sample::size(sample::d, sample::t)};
  int64_t ld = sample::d;
  Output<double> b{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_hyperplane);
};

struct GetFitted : AnyCall, OnModel {
  Output<double> fitted{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_get_fitted);
};

struct GetLeverage : AnyCall, OnModel {
  Output<double> leverage{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_get_leverage);
};

FREERIDGE_GETTER(GetLambda, OnModel, freeridge_get_lambda, sample::t);
FREERIDGE_GETTER(GetRoute, OnModel, freeridge_get_route, 1);

struct GetDimensions : AnyCall, OnModel {
  Output<int64_t> n{1}, d{1}, t{1};
  FREERIDGE_CALL(freeridge_get_dimensions);
};

// Of the kernel alone; what a search saw: ContractSelection.Bandwidth.
struct GetBandwidth : AnyCall, OnModel {
  static constexpr const char* optional = "sigma count sigmas scores edge decades dips";
  Output<double> sigma{1};
  int64_t* count = nullptr;
  double *sigmas = nullptr, *scores = nullptr, *decades = nullptr;
  int32_t *edge = nullptr, *dips = nullptr;
  FREERIDGE_CALL(freeridge_get_bandwidth);
};

// Of a model whose bandwidth was chosen.
struct GetBandwidthSearch : AnyCall, OnModel {
  Output<double> sigma{1}, sigmas{sample::size(sample::budget)}, scores{sample::size(sample::budget)}, decades{1};
  Output<int64_t> count{1};
  Output<int32_t> edge{1}, dips{1};
  FREERIDGE_CALL(freeridge_get_bandwidth);
};

struct DegreesOfFreedom : AnyCall, OnModel {
  static constexpr const char* optional = "df sigma2";
  Output<double> df{sample::size(sample::t)}, sigma2{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_degrees_of_freedom);
};

struct CooksDistance : AnyCall, OnModel {
  Output<double> distance{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_cooks_distance);
};

struct Influence : AnyCall, OnModel {
  static constexpr const char* optional = "df sigma dfbeta";
  static constexpr const char* own = "ldb";  // of no dfbeta
  Output<double> df{sample::size(sample::n, sample::t)}, sigma{df};
  int64_t ld = sample::n;
  Output<double> dfbeta{0};  // of linear kernels alone
  int64_t ldb = sample::n;
  FREERIDGE_CALL(freeridge_influence);
  Influence() { dfbeta.null = true; }
};

struct InfluenceOnCoefficients : Influence {
  static constexpr const char* own = "";
  InfluenceOnCoefficients() { dfbeta = Output<double>(sample::size(sample::n, (sample::d + 1) * sample::t)); }
};

struct ScoreTest : AnyCall, OnModel {
  Input<double> difference{std::vector<double>(sample::size(sample::n, sample::n), 1.0)};
  int64_t ld = sample::n;
  Output<double> statistic{sample::size(sample::t)}, p{statistic};
  FREERIDGE_CALL(freeridge_score_test);
};

struct PredictJackknife : AnyCall, AtPoints {
  static constexpr const char* own = "folds";
  double level = 0.75;
  int64_t folds = -1, seed = 0;
  Output<double> lower{sample::size(sample::m, sample::t)}, upper{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_jackknife);
};

struct PredictLeftOut : AnyCall, AtPoints {
  static constexpr const char* optional = "group label";
  static constexpr const char* own = "group label";
  Input<int32_t> group{sample::group()}, label{{1, 0, -1}};
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_left_out);
};

struct PredictVariance : AnyCall, AtPoints {
  static constexpr const char* optional = "noise";
  Output<double> variance{sample::size(sample::m, sample::t)}, noise{sample::size(sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_variance);
};

struct PredictCovariance : AnyCall, AtPoints {
  static constexpr const char* optional = "errors covariance";
  freeridge_covariance_type kind = FREERIDGE_COVARIANCE_BAYESIAN;
  Output<double> errors{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  Output<double> covariance{sample::size(sample::m, sample::m* sample::t)};
  int64_t ld = sample::m;
  FREERIDGE_CALL(freeridge_predict_covariance);
};

struct CoefficientCovariance : AnyCall, OnModel {
  freeridge_covariance_type kind = FREERIDGE_COVARIANCE_BAYESIAN;
  Output<double> covariance{sample::size((sample::d + 1) * sample::t, (sample::d + 1) * sample::t)};
  int64_t ld = (sample::d + 1) * sample::t;
  FREERIDGE_CALL(freeridge_coefficient_covariance);
};

struct CoefficientErrors : AnyCall, OnModel {
  static constexpr const char* optional = "b";
  freeridge_covariance_type kind = FREERIDGE_COVARIANCE_FREQUENTIST;
  Output<double> w{sample::size(sample::d, sample::t)};
  int64_t ld = sample::d;
  Output<double> b{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_coefficient_errors);
};

// Its columns are features and outputs.
struct PredictGradient : AnyCall, AtPoints {
  static constexpr const char* own = "ldout";
  Output<double> gradient{sample::size(sample::m, sample::d* sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_gradient);
};

struct AverageGradient : AnyCall, OnModel {
  PointsArgument points = dense_points(sample::m, sample::new_x());
  static constexpr const char* optional = "weights errors";
  Input<double> weights{{1.0, 0.5, 2.0}};
  freeridge_covariance_type kind = FREERIDGE_COVARIANCE_BAYESIAN;
  Output<double> average{sample::size(sample::d, sample::t)}, errors{sample::size(sample::d, sample::t)};
  int64_t ld = sample::d;
  FREERIDGE_CALL(freeridge_average_gradient);
};

struct PredictCombinations : AnyCall, OnModel {
  PointsArgument points = dense_points(sample::m, sample::new_x());
  static constexpr const char* optional = "group factors errors covariance";
  int64_t groups = 2;
  Input<int64_t> group{{1, 0, 1}};
  Input<double> factors{{1.0, -0.5, 2.0}};
  freeridge_covariance_type kind = FREERIDGE_COVARIANCE_BAYESIAN;
  Output<double> value{sample::size(2, sample::t)}, errors{sample::size(2, sample::t)};
  int64_t ld = 2;
  Output<double> covariance{sample::size(2, 2 * sample::t)};
  int64_t ldc = 2;
  FREERIDGE_CALL(freeridge_predict_combinations);
};

// Its columns of out are outputs and lambdas.
struct PredictPath : AnyCall, AtPoints {
  static constexpr const char* own = "ldout";
  int64_t count = 3;
  Input<double> lambdas{{0.5, 1.0, 10.0}};
  Output<double> out{sample::size(sample::m, 3 * sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_points);
};

struct CoefficientsPath : AnyCall, OnModel {
  static constexpr const char* optional = "c b";
  int64_t count = 3;
  Input<double> lambdas{{0.5, 1.0, 10.0}};
  Output<double> c{sample::size(sample::n, 3 * sample::t)};
  int64_t ld = sample::n;
  Output<double> b{sample::size(sample::t, 3)};
  FREERIDGE_CALL(freeridge_coefficients);
};

struct HyperplanePath : AnyCall, OnModel {
  static constexpr const char* optional = "w b";
  int64_t count = 3;
  Input<double> lambdas{{0.5, 1.0, 10.0}};
  Output<double> w{sample::size(sample::d, 3 * sample::t)};
  int64_t ld = sample::d;
  Output<double> b{sample::size(sample::t, 3)};
  FREERIDGE_CALL(freeridge_hyperplane);
};
