// The bad arguments of every call that has any (support/refusals.hpp): what their types and names say, and in rows what
// they do not.
#include "capi/support/refusals.hpp"

#include <fstream>
#include <set>

#include "capi/support/accumulator_calls.hpp"
#include "capi/support/answer_calls.hpp"
#include "capi/support/classical_calls.hpp"
#include "capi/support/classifier_calls.hpp"
#include "capi/support/kernel_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/saved_calls.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"

namespace {

using sample::Variant;

const std::vector<int64_t> negative = {-1, INT64_MIN};

TEST(Refusals, Kernels) {
  expect_all_refused<KernelLinear, KernelPolynomial, KernelGaussian, KernelLaplacian, KernelMatern, KernelSum,
                     KernelProduct, KernelScaled, KernelPrecomputed, KernelParse, KernelEqual, Create,
                     KernelEvaluate>();
  expect_refused<KernelDescribe>({{"size", values(&KernelDescribe::size, negative)}});
}

TEST(Refusals, Settings) {
  expect_all_refused<SetKernel, SetData, SetDataView, SetIntercept, SetGroups, SetRoute, SetExpectedLambdas,
                     SetExpectedCriterion, SetProgress, MemoryRequired, Factorize, SetLambda, SetLambdas,
                     SetLandmarkMethod, SetReduction, Clone, GetKernel, GetWeights, GetGroups, HasIntercept,
                     GetRequestedRoute, GetExpectedLambdas, GetExpectedCriterion, GetMemoryLimit, GetRequestedLandmarks,
                     GetLandmarkMethod, GetReduction, GetRefinement>();
  expect_refused<SetWeights>({{"weights", entries(&SetWeights::weights, {0.0})}});
  expect_refused<SetMemoryLimit>({{"bytes", values(&SetMemoryLimit::bytes, negative)}});
  expect_refused<SetRefinement>({{"steps", values(&SetRefinement::steps, {-1, 101, INT32_MIN, INT32_MAX})}});
  expect_refused<Explain>({{"size", values(&Explain::size, negative)}});
  expect_refused<SetLandmarks>({
      {"count", values(&SetLandmarks::count, {-1, INT64_MIN, sample::n + 1, int64_t{INT32_MAX} + 1, INT64_MAX})},
      {"rows", entries(&SetLandmarks::rows, {-1, sample::n, INT64_MIN, INT64_MAX})},
  });
}

TEST(Refusals, Answers) {
  expect_all_refused<Loo, GroupErrors, Predict, Coefficients, GetIntercept, GetFitted, GetLeverage, GetLambda, GetRoute,
                     GetDimensions, DegreesOfFreedom, CooksDistance, PredictJackknife, PredictVariance, GetLandmarks,
                     GetTolerance, PredictPath, CoefficientsPath>();
  expect_refused<GetHyperplane>({}, {Variant::primal});
  expect_refused<HyperplanePath>({}, {Variant::primal});
  expect_refused<GetBandwidth>({}, {Variant::spectral, Variant::cholesky});
  expect_refused<GetRank>({}, {Variant::spectral, Variant::primal, Variant::landmark});
  expect_refused<LandmarkTrace>({}, {Variant::landmark});
}

TEST(Refusals, Selection) {
  expect_all_refused<LambdaGrid, SelectLambda, GetOneStandardError, LambdaFlags, ConvertLambda>();
  // A search looks at 50 lambdas or more.
  expect_refused<GetSearch>({{"ld", values(&GetSearch::ld, bad_leading(50))}});
  // With standard errors, which these two have not: they are no means.
  expect_refused<Score>({{"criterion", values(&Score::criterion, {FREERIDGE_GCV, FREERIDGE_REML})}});
  expect_refused<SelectBandwidth>(
      {{"budget", values(&SelectBandwidth::budget, {2, 1, -1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX})}},
      {Variant::spectral, Variant::cholesky});
  expect_refused<LandmarkCurve>({{"sizes", entries(&LandmarkCurve::sizes, {0, -1, 6, INT64_MIN, INT64_MAX})}},
                                {Variant::landmark});
  expect_refused<MakeFolds>({{"folds", values(&MakeFolds::folds, {1, 0, -1, INT32_MIN, 13, INT32_MAX})}});
  expect_refused<MakeHoldout>({{"n", values(&MakeHoldout::n, {1})}});
}

template <class Call>
Row<Call> empty_path() {
  return {"path", {{"empty", [](Call& call) { call.path.values = {'\0'}; }}}};
}

// Too small a size: ContractSaved.Lengths.
TEST(Refusals, SaveAndLoad) {
  expect_all_refused<SaveToMemory, SavePredictorToMemory>();
  expect_refused<Save>({empty_path<Save>()});
  expect_refused<SavePredictor>({empty_path<SavePredictor>()});
  expect_refused<Load>({empty_path<Load>()});
  expect_refused<LoadFromMemory>({{"size", values(&LoadFromMemory::size, {0, -1, INT64_MIN})}});
}

using namespace classical;

template <class Call>
Row<Call> points(const std::vector<int64_t>& list) {
  Row<Call> row{"n", {}};
  for (const int64_t n : list) row.values.push_back({text_of(n), [=](Call& call) { call.n = n; }});
  return row;
}

TEST(Refusals, Classical) {
  expect_all_refused<Ols, Ridge, Pinv, Exponents, Features, Factors, Median, Slope>();
  expect_refused<Tls>({points<Tls>({1, 2, 3, 4})});  // d + t + 1 = 5
  expect_refused<FeatureCount>({{"degree", values(&FeatureCount::degree, {INT32_MAX})}});
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

}  // namespace

namespace accumulator {
namespace {

// On an accumulator with rows, which must be the same, bit for bit, afterwards.
template <class Call>
void expect_refused_on_accumulator(const std::vector<Row<Call>>& rows = {}) {
  const support::Accumulator it(sample_problem(), 5), other(sample_problem());
  const std::vector<unsigned char> before = it.save();
  const auto prepare = [&](Call& call) {
    call.accumulator = it.get();
    if constexpr (requires { call.other; }) call.other = other.get();
  };
  expect_each_refused(rows, prepare, [&] { EXPECT_EQ(it.save(), before); });
  Call call;  // and the call as it stands is fine
  prepare(call);
  EXPECT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
}

TEST(Refusals, Accumulators) {
  expect_refused<Create>();
  expect_refused<Load>({empty_path<Load>()});
  expect_refused<LoadFromMemory>({{"size", values(&LoadFromMemory::size, {0, -1, INT64_MIN})},
                                  {"size", values(&LoadFromMemory::size, {1, 39}), FREERIDGE_CORRUPT}});
  expect_refused_on_accumulator<HasIntercept>();
  expect_refused_on_accumulator<SelectLambda>(
      {{"criterion", values(&SelectLambda::criterion, {FREERIDGE_LOO, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE})}});
  expect_refused_on_accumulator<SaveToMemory>();
  expect_refused_on_accumulator<Add>({{"weights", entries(&Add::weights, {0.0})}});
  expect_refused_on_accumulator<Loo>({{"weights", entries(&Loo::weights, {0.0})}});
  expect_refused_on_accumulator<Score>(
      {{"criterion", values(&Score::criterion, {FREERIDGE_LOO, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE})}});
  expect_refused_on_accumulator<Merge>();
  expect_refused_on_accumulator<GetDimensions>();
  expect_refused_on_accumulator<MemoryRequired>();
  expect_refused_on_accumulator<SetProgress>();
  expect_refused_on_accumulator<Solve>();
  expect_refused_on_accumulator<LambdaGrid>();
  expect_refused_on_accumulator<Save>({empty_path<Save>()});
}

}  // namespace
}  // namespace accumulator

namespace classifier {
namespace {

// On a FITTED classifier, which must answer as before.
template <class Call>
void expect_refused_on_classifier(const std::vector<Row<Call>>& rows = {},
                                  const std::vector<freeridge_loss>& losses = {FREERIDGE_LOSS_LOGISTIC,
                                                                               FREERIDGE_LOSS_HINGE}) {
  for (const freeridge_loss loss : losses) {
    const Classifier c = classifier(State::fitted, loss);
    const support::Vector before = everything(c);
    expect_each_refused(
        rows,
        [&](Call& call) {
          call.classifier = c.get();
          if constexpr (requires { call.probability; }) call.probability.null = loss == FREERIDGE_LOSS_HINGE;
        },
        [&] { EXPECT_TRUE(support::bit_equal(everything(c), before)); });
  }
}

TEST(Refusals, Classifiers) {
  expect_refused<Create>();
  expect_refused_on_classifier<SetData>({{"y", entries(&SetData::y, {0.0, -0.0, 2.0, 0.5, -1.5, 1e300})}});
  expect_refused_on_classifier<SetWeights>({{"weights", entries(&SetWeights::weights, {0.0})}});
  expect_refused_on_classifier<SetIntercept>();
  expect_refused_on_classifier<SetProgress>();
  expect_refused_on_classifier<MemoryRequired>();
  expect_refused_on_classifier<SetControl>();
  expect_refused_on_classifier<Fit>({{"lambda", values(&Fit::lambda, {0.0, -0.0})},
                                     {"lambda", values(&Fit::lambda, {1e-307, 1e-305}), FREERIDGE_NOT_FINITE}});
  expect_refused_on_classifier<Predict>();
  expect_refused_on_classifier<Loo>({}, {FREERIDGE_LOSS_LOGISTIC});
  expect_refused_on_classifier<GetCoefficients>();
  expect_refused_on_classifier<GetConvergence>();
  expect_refused_on_classifier<GetSupport>({}, {FREERIDGE_LOSS_HINGE});
  expect_refused_on_classifier<GetKernel>();
  expect_refused_on_classifier<GetLoss>();
  expect_refused_on_classifier<HasIntercept>();
  expect_refused_on_classifier<GetControl>();
  expect_refused_on_classifier<GetWeights>();
  expect_refused_on_classifier<GetDimensions>();
  expect_refused_on_classifier<GetLambda>();
  expect_refused_on_classifier<Save>({empty_path<Save>()});
  expect_refused_on_classifier<SaveToMemory>();
  expect_refused<Load>({empty_path<Load>()});
  expect_refused<LoadFromMemory>({{"size", values(&LoadFromMemory::size, {0, -1, INT64_MIN})}});
}

}  // namespace
}  // namespace classifier
