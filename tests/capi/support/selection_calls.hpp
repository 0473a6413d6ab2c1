// The calls that choose lambda and the bandwidth as structs: their arguments, valid for the sample
// until a test spoils one.
#pragma once

#include "capi/support/shared_arguments.hpp"
#include "capi/support/struct_argument.hpp"

struct LambdaGrid : AnyCall, OnModel {
  int64_t count = sample::count;
  Output<double> lambdas{sample::size(sample::count)};
  FREERIDGE_CALL(freeridge_lambda_grid);
};

struct Score : AnyCall, OnModel {
  static constexpr const char* optional = "errors";
  freeridge_criterion criterion = FREERIDGE_LOO;
  int64_t count = sample::count;
  Input<double> lambdas{{1e-2, 1e-1, 1.0, 1e1, 1e2}};
  Output<double> scores{sample::size(sample::count, sample::t)}, errors{sample::size(sample::count, sample::t)};
  int64_t ld = sample::count;
  FREERIDGE_CALL(freeridge_score);
};

struct EstimateScore : AnyCall, OnModel {
  freeridge_criterion criterion = FREERIDGE_GCV;
  int64_t probes = 5;
  int64_t count = sample::count;
  Input<double> lambdas{{1e-2, 1e-1, 1.0, 1e1, 1e2}};
  Output<double> scores{sample::size(sample::count, sample::t)}, errors{sample::size(sample::count, sample::t)};
  int64_t ld = sample::count;
  FREERIDGE_CALL(freeridge_estimate_score);
};

// The kernel of the sample has one hyperparameter on most routes; the output has room for those of all.
struct ScoreGradient : AnyCall, OnModel {
  freeridge_criterion criterion = FREERIDGE_LOO;
  double lambda = 0.5;
  Output<double> score{1}, by_log_lambda{1}, by_log_hyperparameters{1};
  FREERIDGE_CALL(freeridge_score_gradient);
};

struct Objective : AnyCall, OnModel {
  static constexpr const char* optional = "training norm2 objective";
  int64_t count = sample::count;
  Input<double> lambdas{{1e-2, 1e-1, 1.0, 1e1, 1e2}};
  Output<double> training{sample::size(sample::count, sample::t)}, norm2{training}, objective{training};
  int64_t ld = sample::count;
  FREERIDGE_CALL(freeridge_objective);
};

struct SelectLambda : AnyCall, OnModel {
  freeridge_criterion criterion = FREERIDGE_GCV;
  double low = 1e-2, high = 1e2;
  Output<double> lambda{sample::size(sample::t)}, score{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_select_lambda);
};

// Two models, of six rows each. (`status`, which is no array of doubles, and w, of linear kernels alone: tests/core.)
struct Batch : AnyCall, OnModel {
  using Answers = freeridge_batch_answers;
  static constexpr const char* optional =
      "weights answers.effects answers.b answers.lambda answers.score answers.df answers.sigma2 answers.c "
      "answers.errors";
  PointsArgument points = with_unpenalised(dense_points(sample::n, sample::x()), sample::fixed());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  Input<double> weights{sample::weights()};
  int64_t models = 2;
  Input<int64_t> start{{0, sample::n / 2, sample::n}};
  freeridge_criterion criterion = FREERIDGE_LOO;
  double low = 1e-2, high = 1e2;
  StructArgument<Answers> answers = StructArgument<Answers>({}, {})
                                        .out("effects", &Answers::effects, sample::size(sample::q, 2 * sample::t))
                                        .out("b", &Answers::b, sample::size(sample::t, 2))
                                        .out("lambda", &Answers::lambda, sample::size(sample::t, 2))
                                        .out("score", &Answers::score, sample::size(sample::t, 2))
                                        .out("df", &Answers::df, sample::size(sample::t, 2))
                                        .out("sigma2", &Answers::sigma2, sample::size(sample::t, 2))
                                        .out("c", &Answers::c, sample::size(sample::n, sample::t))
                                        .out("errors", &Answers::errors, sample::size(sample::n, sample::t));
  FREERIDGE_CALL(freeridge_batch);
};

// Room for `most` lambdas: more than a search looks at.
struct GetSearch : AnyCall, OnModel {
  static constexpr const char* own = "search.ld";
  static constexpr int64_t most = 1000;
  SearchArgument search;
  GetSearch() {
    search.with("lambda score edge decades dips", sample::size(sample::t));
    search.with("lambdas", sample::size(most)).with("scores", sample::size(most, sample::t)).fields.ld = most;
  }
  FREERIDGE_CALL(freeridge_get_search);
};

// The last search was by a criterion that is a mean.
struct GetOneStandardError : AnyCall, OnModel {
  static constexpr const char* own = "search.ld";
  SearchArgument search;
  GetOneStandardError() { search.with("score standard_error one_se_lambda one_se_score", sample::size(sample::t)); }
  FREERIDGE_CALL(freeridge_get_search);
};

struct SelectBandwidth : AnyCall, OnModel {
  freeridge_criterion criterion = FREERIDGE_GCV;
  double low = 0.5, high = 5.0;
  int64_t budget = sample::budget;
  Output<double> sigma{1};
  FREERIDGE_CALL(freeridge_select_bandwidth);
};

// The kernels of the sample have at most three hyperparameters.
struct SelectKernel : AnyCall, OnModel {
  static constexpr const char* optional = "label";
  static constexpr const char* own = "shrinkage rows evaluations seed";  // 0 is the library's choice; any seed
  freeridge_criterion criterion = FREERIDGE_REML;
  Input<int32_t> label{{0, 1, 2}};
  double shrinkage = 0.5;
  int64_t rows = 10, seed = 3, evaluations = 4;
  Output<double> score{1};
  FREERIDGE_CALL(freeridge_select_kernel);
};

// Of a model whose kernel was learnt.
struct GetKernelSearch : AnyCall, OnModel {
  static constexpr std::size_t tried = 100, numbers = 8;  // more than there are
  KernelSearchArgument search;
  GetKernelSearch() {
    search.with("ended", 5).with("stage score lambda gradient", tried).with("row", sample::size(sample::n));
    search.with("variable low high at", numbers);
  }
  FREERIDGE_CALL(freeridge_get_kernel_search);
};

// Of a model whose lambda or kernel was chosen.
struct LooLearnt : AnyCall, OnModel {
  static constexpr const char* optional = "change freedom";
  static constexpr const char* own = "folds seed";  // 0 folds are the library's choice; any seed
  int64_t folds = 3, seed = 2;
  Output<double> errors{sample::size(sample::n, sample::t)};
  int64_t ld = sample::n;
  Output<double> change{sample::size(sample::n)}, freedom{1};
  FREERIDGE_CALL(freeridge_loo_learnt);
};

struct LambdaFlags : AnyCall, OnModel {
  static constexpr const char* optional = "floor below edge";
  Output<double> floor{1};
  Output<int32_t> below{sample::size(sample::t)}, edge{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_lambda_flags);
};

struct MakeFolds : AnyCall {
  int64_t n = sample::n;
  int32_t folds = 5;
  int64_t seed = 1;
  Output<int32_t> group{sample::size(sample::n)};
  FREERIDGE_CALL(freeridge_make_folds);
};

struct MakeHoldout : AnyCall {
  int64_t n = sample::n;
  double fraction = 0.25;
  int64_t seed = 1;
  Output<int32_t> group{sample::size(sample::n)};
  FREERIDGE_CALL(freeridge_make_holdout);
};

struct MakeBlocks : AnyCall {
  static constexpr const char* optional = "layers group gap";
  int64_t n = sample::n;
  int32_t folds = 5;
  int64_t before = 1, after = 1;
  Output<int64_t> layers{1};
  Output<int32_t> group{sample::size(sample::n)}, gap{sample::size(2 * sample::n)};
  FREERIDGE_CALL(freeridge_make_blocks);
};

struct ConvertLambda : AnyCall {
  freeridge_convention from = FREERIDGE_CONVENTION_TOTAL, to = FREERIDGE_CONVENTION_GLMNET;
  int64_t n = 50;
  double sd_y = 3.0, lambda = 0.5;
  Output<double> out{1};
  FREERIDGE_CALL(freeridge_convert_lambda);
};
