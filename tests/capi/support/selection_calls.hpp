// The calls that choose lambda and the bandwidth as structs: their arguments, valid for the sample
// until a test spoils one.
#pragma once

#include "capi/support/arrays.hpp"
#include "capi/support/sample.hpp"

struct LambdaGrid {
  static constexpr const char* name = "freeridge_lambda_grid";
  freeridge_model* model = nullptr;
  int64_t count = sample::count;
  Output<double> lambdas{sample::size(sample::count)};
  freeridge_status operator()() { return freeridge_lambda_grid(model, count, lambdas.get()); }
  void each_output(auto visit) { visit(lambdas); }
};

struct Score {
  static constexpr const char* name = "freeridge_score";
  freeridge_model* model = nullptr;
  freeridge_criterion criterion = FREERIDGE_LOO;
  int64_t count = sample::count;
  Input<double> lambdas{{1e-2, 1e-1, 1.0, 1e1, 1e2}};
  Output<double> scores{sample::size(sample::count, sample::t)};
  int64_t ld = sample::count;
  freeridge_status operator()() { return freeridge_score(model, criterion, count, lambdas.get(), scores.get(), ld); }
  void each_output(auto visit) { visit(scores); }
};

struct SelectLambda {
  static constexpr const char* name = "freeridge_select_lambda";
  freeridge_model* model = nullptr;
  freeridge_criterion criterion = FREERIDGE_GCV;
  double low = 1e-2, high = 1e2;
  Output<double> lambda{sample::size(sample::t)}, score{sample::size(sample::t)};
  freeridge_status operator()() {
    return freeridge_select_lambda(model, criterion, low, high, lambda.get(), score.get());
  }
  void each_output(auto visit) { visit(lambda), visit(score); }
};

struct GetSearchCount {
  static constexpr const char* name = "freeridge_get_search_count";
  freeridge_model* model = nullptr;
  Output<int64_t> count{1};
  freeridge_status operator()() { return freeridge_get_search_count(model, count.get()); }
  void each_output(auto visit) { visit(count); }
};

// Room for `most` lambdas: more than a search looks at.
struct GetSearch {
  static constexpr const char* name = "freeridge_get_search";
  static constexpr int64_t most = 1000;
  freeridge_model* model = nullptr;
  Output<double> lambdas{sample::size(most)}, scores{sample::size(most, sample::t)};
  int64_t ld = most;
  Output<int32_t> edge{sample::size(sample::t)};
  freeridge_status operator()() { return freeridge_get_search(model, lambdas.get(), scores.get(), ld, edge.get()); }
  void each_output(auto visit) { visit(lambdas), visit(scores), visit(edge); }
};

struct SelectBandwidth {
  static constexpr const char* name = "freeridge_select_bandwidth";
  freeridge_model* model = nullptr;
  freeridge_criterion criterion = FREERIDGE_GCV;
  double low = 0.5, high = 5.0;
  int64_t budget = sample::budget;
  Output<double> sigma{1}, tried{sample::size(sample::budget, 2)};
  Output<int64_t> used{1};
  freeridge_status operator()() {
    return freeridge_select_bandwidth(model, criterion, low, high, budget, sigma.get(), tried.get(), used.get());
  }
  void each_output(auto visit) { visit(sigma), visit(tried), visit(used); }
};

struct ScoreWithError {
  static constexpr const char* name = "freeridge_score_with_error";
  freeridge_model* model = nullptr;
  freeridge_criterion criterion = FREERIDGE_LOO;
  int64_t count = sample::count;
  Input<double> lambdas{{1e-2, 1e-1, 1.0, 1e1, 1e2}};
  Output<double> scores{sample::size(sample::count, sample::t)}, errors{sample::size(sample::count, sample::t)};
  int64_t ld = sample::count;
  freeridge_status operator()() {
    return freeridge_score_with_error(model, criterion, count, lambdas.get(), scores.get(), errors.get(), ld);
  }
  void each_output(auto visit) { visit(scores), visit(errors); }
};

struct GetOneStandardError {
  static constexpr const char* name = "freeridge_get_one_standard_error";
  freeridge_model* model = nullptr;
  Output<double> lambda{sample::size(sample::t)}, score{sample::size(sample::t)}, error{sample::size(sample::t)};
  freeridge_status operator()() {
    return freeridge_get_one_standard_error(model, lambda.get(), score.get(), error.get());
  }
  void each_output(auto visit) { visit(lambda), visit(score), visit(error); }
};

struct GetSearchShape {
  static constexpr const char* name = "freeridge_get_search_shape";
  freeridge_model* model = nullptr;
  Output<double> decades{sample::size(sample::t)};
  Output<int32_t> dips{sample::size(sample::t)};
  freeridge_status operator()() { return freeridge_get_search_shape(model, decades.get(), dips.get()); }
  void each_output(auto visit) { visit(decades), visit(dips); }
};

struct GetLambdaFlags {
  static constexpr const char* name = "freeridge_lambda_flags";
  freeridge_model* model = nullptr;
  Output<double> floor{1};
  Output<int32_t> below{sample::size(sample::t)}, edge{sample::size(sample::t)};
  freeridge_status operator()() { return freeridge_lambda_flags(model, floor.get(), below.get(), edge.get()); }
  void each_output(auto visit) { visit(floor), visit(below), visit(edge); }
};

struct GetBandwidthShape {
  static constexpr const char* name = "freeridge_get_bandwidth_shape";
  freeridge_model* model = nullptr;
  Output<int32_t> edge{1}, dips{1};
  Output<double> decades{1};
  freeridge_status operator()() { return freeridge_get_bandwidth_shape(model, edge.get(), decades.get(), dips.get()); }
  void each_output(auto visit) { visit(edge), visit(decades), visit(dips); }
};

struct MakeFolds {
  static constexpr const char* name = "freeridge_make_folds";
  int64_t n = sample::n;
  int32_t folds = 5;
  int64_t seed = 1;
  Output<int32_t> group{sample::size(sample::n)};
  freeridge_status operator()() { return freeridge_make_folds(n, folds, seed, group.get()); }
  void each_output(auto visit) { visit(group); }
};

struct MakeHoldout {
  static constexpr const char* name = "freeridge_make_holdout";
  int64_t n = sample::n;
  double fraction = 0.25;
  int64_t seed = 1;
  Output<int32_t> group{sample::size(sample::n)};
  freeridge_status operator()() { return freeridge_make_holdout(n, fraction, seed, group.get()); }
  void each_output(auto visit) { visit(group); }
};

struct ConvertLambda {
  static constexpr const char* name = "freeridge_convert_lambda";
  freeridge_convention from = FREERIDGE_CONVENTION_TOTAL, to = FREERIDGE_CONVENTION_GLMNET;
  int64_t n = 50;
  double sd_y = 3.0, lambda = 0.5;
  Output<double> out{1};
  freeridge_status operator()() { return freeridge_convert_lambda(from, to, n, sd_y, lambda, out.get()); }
  void each_output(auto visit) { visit(out); }
};
