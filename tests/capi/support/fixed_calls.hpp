// The calls that need a model with unpenalised columns (sample::Variant::fixed) as structs: their arguments, valid for the sample
// until a test spoils one.
#pragma once

#include "capi/support/shared_arguments.hpp"

struct GetUnpenalised : AnyCall, OnModel {
  static constexpr const char* optional = "count kept effects errors";
  Output<int64_t> count{1};
  Output<int32_t> kept{sample::size(sample::q)};
  Output<double> effects{sample::size(sample::q, sample::t)}, errors{effects};
  int64_t ld = sample::q;
  FREERIDGE_CALL(freeridge_get_unpenalised);
};

struct GetUnpenalisedCovariance : AnyCall, OnModel {
  Output<double> covariance{sample::size(sample::q, sample::q* sample::t)};
  int64_t ld = sample::q;
  FREERIDGE_CALL(freeridge_get_unpenalised_covariance);
};

struct PredictFixed : AnyCall, AtPointsFixed {
  static constexpr const char* optional = "lambdas";
  static constexpr const char* own = "count";
  int64_t count = 0;
  const double* lambdas = nullptr;
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_points);
};

struct PredictPathFixed : AnyCall, AtPointsFixed {
  static constexpr const char* own = "ldout";
  int64_t count = 2;
  Input<double> lambdas{{0.5, 2.0}};
  Output<double> out{sample::size(sample::m, 2 * sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_points);
};

struct PredictJackknifeFixed : AnyCall, AtPointsFixed {
  static constexpr const char* own = "folds";
  double level = 0.75;
  int64_t folds = -1, seed = 0;
  Output<double> lower{sample::size(sample::m, sample::t)}, upper{lower};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_jackknife);
};

struct PredictVarianceFixed : AnyCall, AtPointsFixed {
  static constexpr const char* optional = "noise";
  Output<double> variance{sample::size(sample::m, sample::t)}, noise{sample::size(sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_predict_variance);
};

// Of any model; the sample's lambda is chosen by REML for it.
struct VarianceComponents : AnyCall, OnModel {
  static constexpr const char* optional = "count residual random share error";
  Output<int64_t> count{1};
  Output<double> residual{sample::size(sample::t)}, random{residual}, share{residual},
      error{sample::size(2 * sample::t)};
  FREERIDGE_CALL(freeridge_variance_components);
};
