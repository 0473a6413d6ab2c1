// The bad arguments of every call that has any (support/refusals.hpp): what their types and names say, and in rows what
// they do not.
#include "capi/support/refusals.hpp"

#include <fstream>
#include <set>

#include "capi/support/accumulator_calls.hpp"
#include "capi/support/answer_calls.hpp"
#include "capi/support/classical_calls.hpp"
#include "capi/support/classifier_calls.hpp"
#include "capi/support/fixed_calls.hpp"
#include "capi/support/gradient_calls.hpp"
#include "capi/support/kernel_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/matrix_calls.hpp"
#include "capi/support/saved_calls.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"
#include "capi/support/window_calls.hpp"

namespace {

using sample::Variant;

const std::vector<int64_t> negative = {-1, INT64_MIN};

// A field of freeridge_search that a call cannot answer.
Row not_null(const std::string& field) {
  return {"search." + field, {{"NULL", [](const call::Slot& slot) { *slot.null = false; }}}};
}

TEST(Refusals, Kernels) {
  expect_all_refused<KernelLinear, KernelPolynomial, KernelGaussian, KernelLaplacian, KernelMatern, KernelSum,
                     KernelProduct, KernelScaled, KernelAdditive, KernelPrecomputed, KernelParse, KernelLinearScale,
                     Create>();
  expect_refused<KernelEvaluate>({{"ldout", integers(bad_leading(sample::m))}});
  expect_refused<KernelDescribe>({{"size", integers(negative)}});
  expect_refused<KernelGetCounts>();
  expect_refused<KernelGetParameter>(
      {{"index", integers({-1, 1, INT32_MIN, INT32_MAX})}, {"size", integers(negative)}});
  expect_all_refused<KernelGetHyperparameters, KernelWithHyperparameters>();
  expect_refused<KernelHyperparameterName>(
      {{"index", integers({-1, sample::d + 3, INT64_MIN, INT64_MAX})}, {"size", integers(negative)}});
  expect_refused<KernelGetPart>({{"index", integers({-1, 1, INT32_MIN, INT32_MAX})}});
}

// Arguments that are right by themselves and do not go together, and parameters that are told at the start alone.
TEST(Refusals, WhatDoesNotGoTogether) {
  const auto refused = [](freeridge_status status, freeridge_status as, const char* word) {
    EXPECT_EQ(status, as) << word;
    EXPECT_NE(std::string(freeridge_last_error()).find(word), std::string::npos) << freeridge_last_error();
  };
  freeridge_accumulator* sums = nullptr;
  ASSERT_EQ(freeridge_accumulator_create(sample::d, 1, 1, &sums), FREERIDGE_OK);
  refused(freeridge_accumulator_set_parameter(sums, FREERIDGE_INTERCEPT, 0), FREERIDGE_INVALID_ARGUMENT, "INTERCEPT");
  freeridge_accumulator_destroy(sums);
  freeridge_classifier* classes = nullptr;
  ASSERT_EQ(freeridge_classifier_create(support::Kernel::linear().get(), FREERIDGE_LOSS_HINGE, &classes), FREERIDGE_OK);
  refused(freeridge_classifier_set_parameter(classes, FREERIDGE_LOSS, FREERIDGE_LOSS_LOGISTIC),
          FREERIDGE_INVALID_ARGUMENT, "LOSS");
  freeridge_classifier_destroy(classes);

  const support::Model model = sample::model(sample::State::fitted);
  PredictCombinations combinations;
  combinations.model = model.get();
  combinations.groups = 3;
  combinations.ld = combinations.ldc = 3;
  refused(combinations(), FREERIDGE_INVALID_ARGUMENT, "of group 2");
  const std::vector<double> columns(2 * sample::n, 1.0);
  freeridge_points beside{};
  beside.size = sizeof beside, beside.layout = FREERIDGE_COL_MAJOR, beside.n = sample::n + 1, beside.d = sample::d;
  beside.unpenalised = columns.data(), beside.unpenalised_count = 1, beside.ldu = sample::n + 1;
  refused(freeridge_set_points(model.get(), &beside, 0, 0, 0, nullptr, 0), FREERIDGE_DIMENSION_MISMATCH, "points.n");
  SetReader read;
  const support::Model reads(support::Kernel::linear());
  read.model = reads.get();
  read.points.fields.layout = 7;
  refused(read(), FREERIDGE_INVALID_ARGUMENT, "layout");
  const support::Model factorized = with_reader();
  std::vector<double> c(sample::n * sample::t);
  refused(freeridge_get_leverage(factorized.get(), c.data(), sample::n), FREERIDGE_INVALID_STATE, "no lambda is set");
}

TEST(Refusals, Settings) {
  expect_all_refused<SetKernel, SetData, SetPoints, SetPointsView, SetSparse, SetProgress, MemoryRequired, Factorize,
                     SetLambda, SetLambdas, Clone, GetKernel, GetWeights, GetGroups, GetRequestedLandmarks,
                     GetParameter, ParameterBounds>();
  expect_refused<SetParameter>({{"value", reals({-1, 101, 0.5, 1e300})}});
  expect_refused<SetReader>({{"points.n", integers({0, -2, INT64_MIN})}});
  const auto as_it_is = [](AnyCall&) {};
  expect_each_refused(kind_of<SetUnpenalised>(), {{"value", reals({-1, sample::d, 0.5, 1e300})}}, as_it_is, [] {});
  expect_each_refused(kind_of<GetUnpenalisedRead>(), {}, as_it_is, [] {});
  expect_refused<SetGroups>(
      {{"divisions", integers(bad_sizes)}, {"layers", integers({-1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX})}});
  expect_refused<SetWeights>({{"weights", real_entries({0.0})}});
  expect_refused<SetPoints>({{"points.unpenalised_count", integers({sample::n})}});
  expect_refused<Explain>({{"size", integers(negative)}});
  expect_refused<SetLandmarks>({
      {"count", integers({-1, INT64_MIN, sample::n + 1, int64_t{INT32_MAX} + 1, INT64_MAX})},
      {"rows", integer_entries({-1, sample::n, INT64_MIN, INT64_MAX})},
  });
}

TEST(Refusals, Answers) {
  expect_all_refused<Loo, GroupErrors, Predict, PredictPoints, PredictSparse, Coefficients, Intercept, GetFitted,
                     GetLeverage, GetLambda, GetRoute, GetDimensions, DegreesOfFreedom, CooksDistance, PredictJackknife,
                     PredictLeftOut, PredictVariance, PredictCovariance, AverageGradient, PredictCombinations,
                     GetLandmarks, GetTolerance, CoefficientsPath>();
  expect_refused<GroupErrorsWithGaps>({{"layers", integers({-1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX})}});
  expect_refused<PredictPath>({{"ldout", integers(bad_leading(sample::m))}});
  expect_refused<PredictGradient>({{"ldout", integers(bad_leading(sample::m))}});
  expect_refused<CoefficientCovariance>({}, {Variant::primal});
  expect_refused<CoefficientErrors>({}, {Variant::primal});
  expect_refused<Hyperplane>({}, {Variant::primal});
  expect_refused<HyperplanePath>({}, {Variant::primal});
  expect_refused<GetBandwidth>({}, {Variant::spectral, Variant::cholesky});
  expect_refused<GetRank>({}, {Variant::spectral, Variant::primal, Variant::landmark});
  expect_refused<LandmarkTrace>({}, {Variant::landmark});
  expect_refused<GetAccuracy>({}, {Variant::iterative});
  expect_refused<Eigenvalues>({{"count", integers({sample::n, 8})}},  // more than there are, and than have vectors
                              {Variant::primal, Variant::landmark});
  expect_refused<Eigenvalues>({{"count", integers({sample::n})}}, {Variant::spectral});
  expect_refused<ConditionNumber>({}, {Variant::spectral, Variant::primal, Variant::landmark});
  expect_refused<HatMatrix>();
  expect_refused<Influence>();
  expect_refused<InfluenceOnCoefficients>({}, {Variant::primal});
  expect_refused<ScoreTest>();
  expect_refused<GetUnpenalised>({}, {Variant::fixed});
  expect_refused<GetUnpenalisedCovariance>({}, {Variant::fixed});
  expect_refused<PredictFixed>({}, {Variant::fixed});
  expect_refused<PredictPathFixed>({{"ldout", integers(bad_leading(sample::m))}}, {Variant::fixed});
  expect_refused<PredictJackknifeFixed>({}, {Variant::fixed});
  expect_refused<PredictVarianceFixed>({}, {Variant::fixed});
}

TEST(Refusals, Selection) {
  expect_all_refused<LambdaGrid, Objective, SelectLambda, LambdaFlags, ConvertLambda>();
  expect_refused<Batch>({{"start", integer_entries({-1, sample::n + 1, INT64_MIN, INT64_MAX})},
                         {"models", integers(bad_sizes)},
                         {"criterion", integers({FREERIDGE_GROUPS, FREERIDGE_EVIDENCE})}});
  // A search looks at 50 lambdas or more.
  expect_refused<GetSearch>({{"search.ld", integers(bad_leading(50, true))}, not_null("below"), not_null("next")});
  // With standard errors, which these two have not: they are no means.
  expect_refused<Score>({{"criterion", integers({FREERIDGE_GCV, FREERIDGE_REML})}});
  expect_refused<EstimateScore>({{"probes", integers({-1, 1, 2, 10001, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX})}},
                                {Variant::spectral, Variant::iterative});
  expect_refused<ScoreGradient>({{"criterion", integers({FREERIDGE_ERROR_RATE})}}, {Variant::spectral});
  expect_refused<SelectBandwidth>({{"budget", integers({2, 1, -1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX})}},
                                  {Variant::spectral, Variant::cholesky});
  expect_refused<SelectKernel>({{"criterion", integers({FREERIDGE_ERROR_RATE})},
                                {"shrinkage", reals({-1.0, -1e-300, -Inf})},
                                {"shrinkage", reals({NaN}), FREERIDGE_NOT_FINITE},
                                {"rows", integers({1, -1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX})},
                                {"evaluations", integers({-1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX})}},
                               {Variant::spectral, Variant::cholesky});
  expect_refused<LooLearnt>({{"folds", integers({1, -1, INT64_MIN, 13, INT64_MAX})}},
                            {Variant::spectral, Variant::cholesky});
  expect_refused<LandmarkCurve>({{"sizes", integer_entries({0, -1, 6, INT64_MIN, INT64_MAX})}}, {Variant::landmark});
  expect_refused<MakeFolds>({{"folds", integers({1, 0, -1, INT32_MIN, 13, INT32_MAX})}});
  expect_refused<MakeHoldout>({{"n", integers({1})}});
  expect_refused<MakeBlocks>({{"folds", integers({1, 0, -1, INT32_MIN, 13, INT32_MAX})},
                              {"before", integers(negative)},
                              {"after", integers(negative)}});
}

const Row empty_path = {"path", {{"empty", [](const call::Slot& path) { *path.chars = {'\0'}; }}}};

// Too small a size: ContractSaved.Lengths.
TEST(Refusals, SaveAndLoad) {
  expect_all_refused<SaveToMemory, SavePredictorToMemory>();
  expect_refused<Save>({empty_path});
  expect_refused<SavePredictor>({empty_path});
  expect_refused<Load>({empty_path});
  expect_refused<LoadFromMemory>({{"size", integers({0, -1, INT64_MIN})}});
  expect_refused<LocateSavedX>(
      {{"size", integers({0, -1, INT64_MIN})}, {"size", integers({1, 39}), FREERIDGE_CORRUPT}});
}

using namespace classical;

TEST(Refusals, Classical) {
  expect_all_refused<Ols, Ridge, Pinv, Features, Factors, Median, Slope>();
  expect_refused<StackWeights>({{"prior", reals({-1.0, -1e-300})}});
  expect_refused<Tls>({{"n", integers({1, 2, 3, 4})}});  // d + t + 1 = 5
  expect_refused<Exponents>({{"degree", integers({INT32_MAX})}});
  Tls without;
  without.intercept = 0;
  without.n = 4;
  EXPECT_EQ(without(), FREERIDGE_OK) << freeridge_last_error();
  Median none;
  none.weights.values = {0, 0, 0};
  expect_failure(none, FREERIDGE_INVALID_ARGUMENT, {"weights"});
  Slope zeros;
  zeros.x.values = {0, 0, 0};
  expect_failure(zeros, FREERIDGE_UNDEFINED, {"x"});
  EXPECT_TRUE(zeros.slope.untouched());
}

TEST(Refusals, GradientsAndDescent) {
  const Row losses = {"loss", integers({0, 5, 99, -1, INT32_MIN, INT32_MAX})};
  const Row no_weight = {"weights", real_entries({0.0, -1.0})}, no_label = {"y", real_entries({0.0, -0.0, 2.0, 0.5})};
  expect_refused<LossGradient>({losses, no_weight, no_label});
  expect_refused<ExpansionGradient>({losses, no_weight, no_label});
  expect_refused<GradientDescent>({losses,
                                   no_weight,
                                   no_label,
                                   {"descent.rule", integers({-1, 4, 99, INT32_MIN, INT32_MAX})},
                                   {"descent.step", reals({-1.0, -1e-300})},
                                   {"descent.done", integers(negative)},
                                   {"descent.batch", integers({-1, sample::n + 1, INT64_MIN, INT64_MAX})},
                                   {"steps", integer_entries({-1, INT64_MIN})}});
  expect_refused<EarlyStopping>(
      {{"step", reals({-1.0, -1e-300, 1e6})}, {"steps", integer_entries({0, -1, INT64_MIN})}});
  expect_refused<Calibrate>({no_weight, no_label});
  GradientDescent twice;
  for (const std::vector<std::int64_t>& steps :
       {std::vector<std::int64_t>{1, 3, 3}, {INT64_MAX, 5, 6}, {1, INT64_MAX, INT64_MAX}, {1, INT64_MAX, INT64_MIN}}) {
    twice.steps.values = steps;
    expect_failure(twice, FREERIDGE_INVALID_ARGUMENT, {"steps"});
  }
  LossGradient any;  // outputs of other losses are any numbers
  any.loss = FREERIDGE_LOSS_ABSOLUTE;
  any.y.values[3] = 7.5;
  EXPECT_EQ(any(), FREERIDGE_OK) << freeridge_last_error();
}

}  // namespace

namespace accumulator {
namespace {

// On an accumulator with rows, which must be the same, bit for bit, afterwards.
void expect_refused_on_accumulator(const CallKind& kind, const Rows& rows) {
  const support::Accumulator it(sample_problem(), 5), other(sample_problem());
  const std::vector<unsigned char> before = it.save();
  const auto prepare = [&](AnyCall& call) {
    *slot(kind, call, "accumulator").pointer = it.get();
    if (const call::Slot the_other = slot(kind, call, "other"); the_other.pointer) *the_other.pointer = other.get();
  };
  expect_each_refused(kind, rows, prepare, [&] { EXPECT_EQ(it.save(), before); });
  const std::unique_ptr<AnyCall> call = kind.make();
  prepare(*call);
  EXPECT_EQ((*call)(), FREERIDGE_OK) << "as it stands: " << freeridge_last_error();
  destroy_outputs(*call);
}
template <class Call>
void expect_refused_on_accumulator(const Rows& rows = {}) {
  expect_refused_on_accumulator(kind_of<Call>(), rows);
}

TEST(Refusals, Accumulators) {
  expect_refused<Create>();
  expect_refused<CreateLandmarks>();
  expect_refused<Load>({empty_path});
  expect_refused<LoadFromMemory>(
      {{"size", integers({0, -1, INT64_MIN})}, {"size", integers({1, 39}), FREERIDGE_CORRUPT}});
  expect_refused_on_accumulator<GetParameter>();
  expect_refused_on_accumulator<SelectLambda>(
      {{"criterion", integers({FREERIDGE_LOO, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE})},
       not_null("standard_error"),
       not_null("one_se_lambda"),
       not_null("one_se_score"),
       not_null("next"),
       not_null("lambdas"),
       not_null("scores")});
  expect_refused_on_accumulator<SaveToMemory>();
  const Row no_count{"points.n", integers(bad_counts)};
  expect_refused_on_accumulator<Add>({{"weights", real_entries({0.0})}, no_count});
  expect_refused_on_accumulator<AddSparse>({{"weights", real_entries({0.0})}, no_count});
  expect_refused_on_accumulator<LooMoments>({{"weights", real_entries({0.0})}, no_count});
  expect_refused_on_accumulator<LooMomentsSparse>({{"weights", real_entries({0.0})}, no_count});
  expect_refused_on_accumulator<GroupErrors>({{"weights", real_entries({0.0})}});
  expect_refused_on_accumulator<GroupMoments>({{"weights", real_entries({0.0})}, no_count});
  expect_refused_on_accumulator<GetUnpenalised>();
  expect_refused_on_accumulator<Compact>();
  expect_refused_on_accumulator<SetParameter>({{"value", reals({-1, sample::d, 0.5, 1e300})}});
  expect_refused_on_accumulator<Prepare>();
  expect_refused_on_accumulator<Predictor>();
  expect_refused<MergeBytes>({{"size", integers({0, -1, INT64_MIN})}, {"size", integers({39}), FREERIDGE_CORRUPT}});
  expect_refused<MomentsJoin>({{"other", real_entries({-1.0})}});
  expect_refused<MomentsScore>({{"moments", real_entries({-1.0})}});
  expect_refused<MomentsSelectLambda>({{"moments", real_entries({-1.0})},
                                       {"lambdas", real_entries({0.0})},
                                       {"search.ld", integers(bad_leading(lambda_count, true))},
                                       not_null("below")});
  expect_refused_on_accumulator<Loo>({{"weights", real_entries({0.0})}});
  expect_refused_on_accumulator<LooSparse>({{"weights", real_entries({0.0})}});
  expect_refused_on_accumulator<SquaredErrors>({{"weights", real_entries({0.0})}});
  expect_refused_on_accumulator<SquaredErrorsSparse>({{"weights", real_entries({0.0})}});
  expect_refused_on_accumulator<Score>(
      {{"criterion", integers({FREERIDGE_LOO, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE})}});
  expect_refused_on_accumulator<Objective>();
  expect_refused_on_accumulator<Merge>();
  expect_refused_on_accumulator<GetDimensions>();
  expect_refused_on_accumulator<MemoryRequired>();
  expect_refused_on_accumulator<SetProgress>();
  expect_refused_on_accumulator<Solve>();
  expect_refused_on_accumulator<LambdaGrid>();
  expect_refused_on_accumulator<Save>({empty_path});
}

}  // namespace
}  // namespace accumulator

namespace window {
namespace {

// On windows with rows, which must answer the same, bit for bit, afterwards.
template <class Call>
void expect_refused_on_windows(const Rows& rows = {}) {
  for (const bool kernel : {false, true}) {
    if (!kernel && std::is_same_v<Call, Coefficients>) continue;
    const support::Window it = sample_window(kernel);
    const support::Matrix before = it.loo();
    const auto prepare = [&](AnyCall& call) { *slot(kind_of<Call>(), call, "window").pointer = it.get(); };
    expect_each_refused(kind_of<Call>(), rows, prepare, [&] { EXPECT_TRUE(bit_equal(it.loo(), before)); });
    Call call;
    call.window = it.get();
    EXPECT_EQ(call(), FREERIDGE_OK) << "as it stands: " << freeridge_last_error();
  }
}

TEST(Refusals, Windows) {
  expect_refused<Create>({{"lambda", reals({0.0})},
                          {"capacity", integers(accumulator::bad_counts)},
                          {"forgetting", reals({0.0, -1.0, 1.5, 0.5})}});
  expect_refused_on_windows<SetProgress>();
  expect_refused_on_windows<Add>({{"weights", real_entries({0.0})}});
  expect_refused_on_windows<AddSparse>({{"weights", real_entries({0.0})}});
  expect_refused_on_windows<Remove>({{"count", integers({n + 1})}, {"rows", integer_entries({-1, n, INT64_MAX})}});
  expect_refused_on_windows<SetLambda>({{"lambda", reals({0.0})}});
  expect_refused_on_windows<SelectLambda>(
      {{"criterion", integers({FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE, FREERIDGE_LOG_LOSS, FREERIDGE_EVIDENCE})}});
  expect_refused_on_windows<Loo>();
  expect_refused_on_windows<Coefficients>();
  expect_refused_on_windows<Predict>();
  expect_refused_on_windows<GetRows>();
  expect_refused_on_windows<GetState>();
}

}  // namespace
}  // namespace window

namespace classifier {
namespace {

// On a FITTED classifier, which must answer as before.
template <class Call>
void expect_refused_on_classifier(const Rows& rows = {}, const std::vector<freeridge_loss>& losses = {
                                                             FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
  for (const freeridge_loss loss : losses) {
    const Classifier c = classifier(State::fitted, loss);
    const support::Vector before = everything(c);
    const CallKind kind = kind_of<Call>();
    expect_each_refused(
        kind, rows,
        [&](AnyCall& call) {
          *slot(kind, call, "classifier").pointer = c.get();
          if (const call::Slot output = slot(kind, call, "probability"); output.null)
            *output.null = loss == FREERIDGE_LOSS_HINGE;
        },
        [&] { EXPECT_TRUE(support::bit_equal(everything(c), before)); });
  }
}

TEST(Refusals, Classifiers) {
  expect_refused<Create>();
  expect_refused_on_classifier<SetData>({{"y", real_entries({0.0, -0.0, 2.0, 0.5, -1.5, 1e300})}});
  expect_refused_on_classifier<SetSparse>({{"y", real_entries({0.0})}});
  expect_refused_on_classifier<SetWeights>({{"weights", real_entries({0.0})}});
  expect_refused_on_classifier<SetParameter>({{"value", reals({-1, 3, 0.5, 1e300})}});
  expect_refused_on_classifier<SetTolerance>({{"value", reals({0, -1})}});
  expect_refused_on_classifier<SetIterations>({{"value", reals({-1, 0.5, 1e300})}});
  expect_refused_on_classifier<SetProgress>();
  expect_refused_on_classifier<MemoryRequired>();
  expect_refused_on_classifier<Fit>({{"lambda", reals({1e-307, 1e-305}), FREERIDGE_NOT_FINITE}});
  expect_refused_on_classifier<Fit>({{"lambda", reals({0.0})}}, {FREERIDGE_LOSS_LOGISTIC});
  expect_refused_on_classifier<Predict>();
  expect_refused_on_classifier<PredictSparse>();
  expect_refused_on_classifier<Loo>({}, {FREERIDGE_LOSS_LOGISTIC});
  expect_refused_on_classifier<GetCoefficients>();
  expect_refused_on_classifier<GetConvergence>();
  expect_refused_on_classifier<GetSupport>({}, {FREERIDGE_LOSS_HINGE});
  expect_refused_on_classifier<Distances>();
  expect_refused_on_classifier<GetMargins>({}, {FREERIDGE_LOSS_HINGE});
  expect_refused_on_classifier<GetKernel>();
  expect_refused_on_classifier<GetParameter>();
  expect_refused_on_classifier<GetWeights>();
  expect_refused_on_classifier<GetDimensions>();
  expect_refused_on_classifier<GetLambda>();
  expect_refused_on_classifier<Save>({empty_path});
  expect_refused_on_classifier<SaveToMemory>();
  expect_refused<Load>({empty_path});
  expect_refused<LoadFromMemory>({{"size", integers({0, -1, INT64_MIN})}});
}

}  // namespace
}  // namespace classifier
