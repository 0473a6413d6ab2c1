// Models saved for prediction only: they predict as the model does, to the last bit, and say that they do nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "capi/support/answer_calls.hpp"
#include "capi/support/fixed_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/matrix_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/saved_calls.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"
#include "saved/cases.hpp"

namespace predictor_test {

using sample::State;
using support::Bytes;
using support::Handle;

// The status and all output bytes of a call.
template <class Call>
std::pair<freeridge_status, Bytes> answer(const freeridge_model* model, Call call = {}) {
  call.model = const_cast<freeridge_model*>(model);
  std::pair<freeridge_status, Bytes> out;
  out.first = call();
  call.each_output([&](const AnyOutput& output) {
    const Bytes bytes = output.bytes();
    out.second.insert(out.second.end(), bytes.begin(), bytes.end());
  });
  return out;
}

// Points for a kernel of any d.
Predict predict_of(int64_t d, freeridge_layout layout) {
  Predict predict;
  predict.layout = layout;
  predict.x.values.clear();
  for (int64_t k = 0; k < sample::m * d; ++k) predict.x.values.push_back(std::sin(0.9 * static_cast<double>(k)));
  predict.ldx = layout == FREERIDGE_COL_MAJOR ? sample::m : d;
  predict.ldout = layout == FREERIDGE_COL_MAJOR ? sample::m : sample::t;
  return predict;
}

TEST(SavedPredictor, AnswersAsTheModel) {
  for (const SavedCase& of : saved_cases()) {
    SCOPED_TRACE(of.name);
    const Model model = of.make(State::fitted);
    const Fingerprint before = fingerprint(model.get());
    const Bytes bytes = support::saved_predictor(model.get());
    EXPECT_EQ(difference(before, fingerprint(model.get())), "") << "saving changed the model";
    const Handle predictor = support::loaded(bytes);

    EXPECT_EQ(answer<GetDimensions>(predictor.get()), answer<GetDimensions>(model.get()));
    EXPECT_EQ(answer<GetLambda>(predictor.get()), answer<GetLambda>(model.get()));
    EXPECT_EQ(answer<Intercept>(predictor.get()), answer<Intercept>(model.get()));
    EXPECT_EQ(answer<Hyperplane>(predictor.get()), answer<Hyperplane>(model.get()));
    const bool linear = answer<Hyperplane>(model.get()).first == FREERIDGE_OK;
    if (linear)
      EXPECT_EQ(answer<Coefficients>(predictor.get()).first, FREERIDGE_INVALID_STATE);
    else
      EXPECT_EQ(answer<Coefficients>(predictor.get()), answer<Coefficients>(model.get()));
    int64_t n = 0, d = 0, t = 0, q = 0, expected_q = -1;
    ASSERT_EQ(freeridge_get_dimensions(predictor.get(), &n, &d, &t), FREERIDGE_OK);
    ASSERT_EQ(freeridge_get_unpenalised(predictor.get(), &q, nullptr, nullptr, nullptr, 0), FREERIDGE_OK);
    ASSERT_EQ(freeridge_get_unpenalised(model.get(), &expected_q, nullptr, nullptr, nullptr, 0), FREERIDGE_OK);
    EXPECT_EQ(q, expected_q);
    if (q > 0) {
      const auto expected = answer<PredictFixed>(model.get());
      ASSERT_EQ(expected.first, FREERIDGE_OK);
      EXPECT_EQ(answer<PredictFixed>(predictor.get()), expected);
      std::vector<double> effects(sample::size(q, t)), expected_effects(effects), errors(effects);
      ASSERT_EQ(freeridge_get_unpenalised(model.get(), nullptr, nullptr, expected_effects.data(), nullptr, q),
                FREERIDGE_OK);
      ASSERT_EQ(freeridge_get_unpenalised(predictor.get(), nullptr, nullptr, effects.data(), nullptr, q), FREERIDGE_OK);
      EXPECT_EQ(effects, expected_effects);
      EXPECT_EQ(freeridge_get_unpenalised(predictor.get(), nullptr, nullptr, effects.data(), errors.data(), q),
                FREERIDGE_INVALID_STATE);
      expect_message(freeridge_last_error(), {"errors", "NULL"});
    }
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const auto expected = answer(model.get(), predict_of(d, layout));
      ASSERT_EQ(expected.first, q > 0 ? FREERIDGE_INVALID_STATE : FREERIDGE_OK);
      EXPECT_EQ(answer(predictor.get(), predict_of(d, layout)), expected);
    }
    EXPECT_EQ(support::saved_predictor(predictor.get()), bytes) << "saved again";
  }
}

LocateSavedX locate_in(const Bytes& bytes) {
  LocateSavedX call;
  call.bytes.values = bytes;
  call.size = static_cast<int64_t>(bytes.size());
  return call;
}

// docs/file-format.md: form 2 ends with x, c and the checksum, but for a precomputed kernel, which has no x.
TEST(SavedPredictor, TellsWhereXStands) {
  namespace frame = support::frame;
  std::set<int64_t> forms;
  for (const SavedCase& of : saved_cases()) {
    SCOPED_TRACE(of.name);
    const Model model = of.make(State::fitted);
    const Bytes bytes = support::saved_predictor(model.get());
    LocateSavedX call = locate_in(bytes);
    ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    const auto word = [&](std::size_t k) { return static_cast<int64_t>(frame::get(bytes, frame::payload + 8 * k)); };
    const int64_t n = word(0), d = word(1), t = word(2), form = word(3);
    const std::string kernel(bytes.begin() + frame::payload + 40, bytes.begin() + frame::payload + 51);
    const bool has_x = form == 2 && kernel != "precomputed";
    EXPECT_EQ(call.length.values[0], has_x ? 8 * n * d : 0);
    EXPECT_EQ(call.first.values[0], has_x ? call.size - 8 - 8 * n * t - 8 * n * d : 0);
    forms.insert(form);
    LocateSavedX whole = locate_in(support::saved(model.get()));
    expect_failure(whole, FREERIDGE_CORRUPT, {"kind 2"});
  }
  EXPECT_EQ(forms, (std::set<int64_t>{1, 2, 3}));
}

TEST(SavedPredictor, TellsNothingOfDamagedBytes) {
  namespace frame = support::frame;
  const Bytes bytes = support::saved_predictor(sample::model(State::fitted).get());
  for (std::size_t k = 0; k < bytes.size(); k += 7) {
    Bytes damaged = bytes;
    damaged[k] ^= 1;
    LocateSavedX call = locate_in(damaged);
    const freeridge_status status = call();
    EXPECT_TRUE(status == FREERIDGE_CORRUPT || status == FREERIDGE_NEWER_FORMAT) << k << ": " << status;
    EXPECT_TRUE(call.first.untouched() && call.length.untouched());
  }
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {  // n, d: more than the bytes have
    Bytes forged = bytes;
    frame::put(forged, frame::payload + 8 * k, 1000000);
    LocateSavedX call = locate_in(frame::with_checksum(forged));
    expect_failure(call, FREERIDGE_CORRUPT, {});
  }
}

// Padded lines, and more points than are predicted at once.
TEST(SavedPredictor, ManyPoints) {
  const Model model = sample::model(State::fitted);
  const Handle predictor = support::loaded(support::saved_predictor(model.get()));
  constexpr int64_t m = 40000, ld = 41000;
  std::vector<double> x(sample::size(ld, sample::d)), expected(sample::size(ld, sample::t), 7), out = expected;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(static_cast<double>(k));
  ASSERT_EQ(freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, m, x.data(), ld, expected.data(), ld), FREERIDGE_OK);
  ASSERT_EQ(freeridge_predict(predictor.get(), FREERIDGE_COL_MAJOR, m, x.data(), ld, out.data(), ld), FREERIDGE_OK);
  EXPECT_EQ(out, expected);
}

TEST(SavedPredictor, HearsProgressAndIsCancelled) {
  const Model model = sample::model(State::fitted);
  const Handle predictor = support::loaded(support::saved_predictor(model.get()));
  std::vector<double> heard;
  const auto listen = [](double fraction, void* user) -> int32_t {
    static_cast<std::vector<double>*>(user)->push_back(fraction);
    return 0;
  };
  ASSERT_EQ(freeridge_set_progress(predictor.get(), listen, &heard), FREERIDGE_OK);
  ASSERT_EQ(answer<Predict>(predictor.get()).first, FREERIDGE_OK);
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.back(), 1.0);
  const auto cancel = [](double, void*) -> int32_t { return 1; };
  ASSERT_EQ(freeridge_set_progress(predictor.get(), cancel, nullptr), FREERIDGE_OK);
  EXPECT_EQ(answer<Predict>(predictor.get()).first, FREERIDGE_CANCELLED);
  ASSERT_EQ(freeridge_set_progress(predictor.get(), nullptr, nullptr), FREERIDGE_OK);
  EXPECT_EQ(answer<Predict>(predictor.get()), answer<Predict>(model.get()));
}

template <class... Calls>
void expect_all_refused_of(freeridge_model* predictor) {
  const auto expect_one = [&](const CallKind& kind) {
    const auto prepare = [&](AnyCall& call) { *slot(kind, call, "model").pointer = predictor; };
    expect_each_refused(kind, {}, prepare, [] {});
  };
  (expect_one(kind_of<Calls>()), ...);
}

TEST(SavedPredictor, ChecksItsArguments) {
  const Model model = sample::model(State::fitted, sample::Variant::primal);
  const Handle predictor = support::loaded(support::saved_predictor(model.get()));
  expect_all_refused_of<Predict, Hyperplane, Intercept, GetLambda, GetDimensions>(predictor.get());
}

// What it keeps: w, b, origin and level of a linear kernel whatever n is; r (d + t) numbers with landmarks.
TEST(SavedPredictor, IsSmall) {
  const auto size = [](const Model& model) { return support::saved_predictor(model.get()).size(); };
  const auto linear = [&](int64_t n) {
    support::Matrix x(n, 3), y(n, 2);
    for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] = std::sin(static_cast<double>(k));
    for (std::size_t k = 0; k < y.values.size(); ++k) y.values[k] = std::cos(static_cast<double>(k));
    Model model(Kernel::linear());
    model.data(x, y).factorize().lambda(0.5);
    return size(model);
  };
  EXPECT_EQ(linear(10), linear(1000));
  // the frame, 4 sizes, "linear()" and its length, lambda, b, no fixed effects, origin, level, w
  EXPECT_EQ(linear(10), 8u * (5 + 4 + 2 + 2 + 2 + 1 + 3 + 2 + 6));
  const Model landmarks = sample::model(State::fitted, sample::Variant::landmark);
  // and the number of landmarks, their rows, x and c; "gaussian(sigma = 1.5)" has 21 bytes
  EXPECT_EQ(size(landmarks), 8u * (5 + 4 + 4 + 2 + 2 + 1 + 1 + 5 + 5 * 2 + 5 * 2));
}

// --- every other call ---------------------------------------------------------------------------------------------

class Others {
 public:
  explicit Others(freeridge_model* predictor) : predictor_(predictor) {}
  template <class... Calls>
  void refused() {
    (refused_one<Calls>(), ...);
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  template <class Call>
  void refused_one() {
    SCOPED_TRACE(Call::name);
    Call call;
    call.model = predictor_;
    leave_stale_error();  // the header says it of all these calls at once, in its section on saving
    EXPECT_EQ(call(), FREERIDGE_INVALID_STATE);
    expect_message(freeridge_last_error(), {"saved", "prediction", "only"});
    call.each_output([](const AnyOutput& output) { EXPECT_TRUE(output.untouched()) << "an output was written"; });
    names_.insert(Call::name);
  }

  freeridge_model* predictor_;
  std::set<std::string> names_;
};

// The calls of freeridge.h that take a model: freeridge_name([const] freeridge_model* model ...
std::set<std::string> calls_on_models() {
  std::ifstream in(FREERIDGE_TEST_DATA "/../../capi/freeridge.h");
  std::string header, word;
  while (in >> word) header += word + " ";
  std::set<std::string> out;
  for (const std::string first : {"(freeridge_model* model", "(const freeridge_model* model"})
    for (std::size_t at = header.find(first); at != std::string::npos; at = header.find(first, at + 1)) {
      const std::size_t begin = header.rfind(' ', at) + 1;
      out.insert(header.substr(begin, at - begin));
    }
  return out;
}

TEST(SavedPredictor, RefusesEveryOtherCall) {
  for (const sample::Variant variant : sample::variants) {
    const Model model = sample::model(State::fitted, variant);
    const Bytes bytes = support::saved_predictor(model.get());
    const Handle predictor = support::loaded(bytes);
    Others others(predictor.get());
    others.refused<SetKernel, SetData, SetPoints, SetPointsView, SetSparse, SetReader, SetParameter, SetWeights,
                   SetGroups, SetLandmarks>();
    others.refused<MemoryRequired, Explain, Factorize, SetLambda, SetLambdas, SelectLambda, SelectBandwidth,
                   SelectKernel, GetKernelSearch, LooLearnt>();
    others.refused<Loo, GroupErrors, GroupErrorsWithGaps, GetFitted, GetLeverage, GetRoute, GetBandwidth,
                   DegreesOfFreedom, CooksDistance, PredictJackknife, PredictVariance, PredictCovariance,
                   PredictLeftOut, Influence, ScoreTest, CoefficientCovariance, CoefficientErrors, AverageGradient,
                   PredictCombinations, GetUnpenalised, GetUnpenalisedCovariance, PredictPathFixed,
                   PredictJackknifeFixed, PredictVarianceFixed, VarianceComponents>();
    others
        .refused<LambdaGrid, Score, EstimateScore, ScoreGradient, Objective, GetSearch, GetOneStandardError,
                 LambdaFlags, PredictPath, CoefficientsPath, HyperplanePath, Eigenvalues, ConditionNumber, HatMatrix>();
    others.refused<GetUnpenalisedRead, GetWeights, GetGroups, GetParameter, GetRequestedLandmarks, GetAccuracy>();
    others.refused<GetLandmarks, LandmarkTrace, LandmarkCurve, GetRank, GetTolerance>();
    others.refused<Save, SaveToMemory, Batch>();
    EXPECT_EQ(support::saved_predictor(predictor.get()), bytes) << "a refused call changed it";

    std::set<std::string> expected = calls_on_models();
    ASSERT_GT(expected.size(), 50u);
    for (const char* answered :
         {"freeridge_destroy", "freeridge_clone", "freeridge_predict", "freeridge_predict_gradient",
          "freeridge_get_dimensions", "freeridge_get_kernel", "freeridge_get_lambda", "freeridge_set_progress"})
      EXPECT_EQ(expected.erase(answered), 1u) << answered;
    EXPECT_EQ(others.names(), expected);
  }
}

}  // namespace predictor_test
