// Progress and cancelling: who hears the callback, and that a cancelled call leaves the model as it was.
#include <thread>

#include "capi/support/answer_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"

namespace {

// Writes down each fraction; cancels at the one of that place.
struct Listener {
  std::size_t cancel_at = SIZE_MAX;
  std::vector<double> fractions = {};
  bool other_thread = false;
  std::thread::id thread = std::this_thread::get_id();

  static int32_t hear(double fraction, void* user) {
    auto* self = static_cast<Listener*>(user);
    if (std::this_thread::get_id() != self->thread) self->other_thread = true;
    self->fractions.push_back(fraction);
    return self->fractions.size() - 1 == self->cancel_at ? 7 : 0;  // any nonzero number cancels
  }
};

template <class Call>
Call call_on(const Model& model, freeridge_criterion criterion) {
  Call call;
  call.model = model.get();
  if constexpr (requires { call.criterion; }) call.criterion = criterion;
  return call;
}

// Heard from start to end, answers as without; then cancelled at each of its reports in turn.
template <class Call>
void expect_heard(sample::State state, sample::Variant variant, freeridge_criterion criterion = FREERIDGE_LOO) {
  SCOPED_TRACE(std::string(Call::name) + ", variant " + std::to_string(static_cast<int>(variant)) + ", criterion " +
               std::to_string(criterion));
  const Model silent = sample::model(state, variant), model = sample::model(state, variant);
  ASSERT_EQ(call_on<Call>(silent, criterion)(), FREERIDGE_OK) << freeridge_last_error();
  Listener whole;
  ASSERT_EQ(freeridge_set_progress(model.get(), Listener::hear, &whole), FREERIDGE_OK);
  ASSERT_EQ(call_on<Call>(model, criterion)(), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(freeridge_set_progress(model.get(), nullptr, nullptr), FREERIDGE_OK);
  ASSERT_FALSE(whole.fractions.empty()) << "the callback was never called";
  EXPECT_FALSE(whole.other_thread);
  double last = 0.0;
  for (double fraction : whole.fractions) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1.0);
    last = fraction;
  }
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(difference(fingerprint(silent.get()), fingerprint(model.get())), "");

  const Model cancelled = sample::model(state, variant);
  const Fingerprint before = fingerprint(cancelled.get());
  for (std::size_t place = 0; place < whole.fractions.size(); ++place) {
    SCOPED_TRACE("cancelled at report " + std::to_string(place));
    Listener listener;
    listener.cancel_at = place;
    ASSERT_EQ(freeridge_set_progress(cancelled.get(), Listener::hear, &listener), FREERIDGE_OK);
    Call call = call_on<Call>(cancelled, criterion);
    expect_failure(call, FREERIDGE_CANCELLED, {});
    EXPECT_EQ(listener.fractions.size(), place + 1) << "called again after it had cancelled";
    ASSERT_EQ(freeridge_set_progress(cancelled.get(), nullptr, nullptr), FREERIDGE_OK);
    EXPECT_EQ(difference(before, fingerprint(cancelled.get())), "");
  }
}

constexpr freeridge_criterion criteria[] = {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS};

TEST(ContractProgress, Factorize) {
  for (sample::Variant variant : sample::variants) {
    expect_heard<Factorize>(sample::State::data, variant);
    expect_heard<Factorize>(sample::State::fitted, variant);
  }
}

TEST(ContractProgress, Score) {
  for (sample::Variant variant : sample::variants) {
    for (freeridge_criterion criterion : criteria) expect_heard<Score>(sample::State::fitted, variant, criterion);
  }
}

TEST(ContractProgress, ScoreWithError) {
  for (sample::Variant variant : sample::variants) {
    expect_heard<ScoreWithError>(sample::State::fitted, variant, FREERIDGE_LOO);
    expect_heard<ScoreWithError>(sample::State::fitted, variant, FREERIDGE_GROUPS);
  }
}

TEST(ContractProgress, SelectLambda) {
  for (sample::Variant variant : sample::variants) {
    expect_heard<SelectLambda>(sample::State::factorized, variant);
    expect_heard<SelectLambda>(sample::State::fitted, variant, FREERIDGE_GCV);
  }
}

TEST(ContractProgress, SelectBandwidth) {
  expect_heard<SelectBandwidth>(sample::State::data, sample::Variant::spectral);
  expect_heard<SelectBandwidth>(sample::State::fitted, sample::Variant::spectral, FREERIDGE_GCV);
}

TEST(ContractProgress, GroupErrors) {
  for (sample::Variant variant : sample::variants) expect_heard<GroupErrors>(sample::State::fitted, variant);
}

TEST(ContractProgress, LandmarkTrace) {
  expect_heard<GetLandmarks>(sample::State::factorized, sample::Variant::landmark);
}

TEST(ContractProgress, LandmarkCurve) {
  for (freeridge_criterion criterion : criteria) {
    expect_heard<LandmarkCurve>(sample::State::data, sample::Variant::landmark, criterion);
    expect_heard<LandmarkCurve>(sample::State::fitted, sample::Variant::landmark, criterion);
  }
}

TEST(ContractProgress, Predict) {
  for (sample::Variant variant : sample::variants) expect_heard<Predict>(sample::State::fitted, variant);
}

}  // namespace
