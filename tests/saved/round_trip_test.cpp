// Whole models, saved and loaded: in the state that was saved, with the same answers to the last bit, then and after
// whatever is done next; and the factorization is the saved one.
#include <gtest/gtest.h>

#include <cmath>

#include <thread>

#include "capi/support/answer_calls.hpp"
#include "capi/support/fingerprint.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"
#include "saved/cases.hpp"
#include "support/deep.hpp"
#include "support/saved.hpp"

namespace round_trip_test {

using sample::State;
using support::Bytes;
using support::Handle;
namespace frame = support::frame;

// Predictions at four points, whatever d is, in both layouts; NaNs in a state without.
std::vector<double> predictions(const freeridge_model* model) {
  int64_t n = 0, d = 0, t = 0;
  if (freeridge_get_dimensions(model, &n, &d, &t) != FREERIDGE_OK) return {};
  std::vector<double> points, out(sample::size(8, t), NAN);
  for (int64_t k = 0; k < 4 * d; ++k) points.push_back(std::cos(2.3 * static_cast<double>(k)));
  freeridge_predict(model, FREERIDGE_COL_MAJOR, 4, points.data(), 4, out.data(), 4);
  freeridge_predict(model, FREERIDGE_ROW_MAJOR, 4, points.data(), d, out.data() + 4 * t, t);
  return out;
}

void expect_same(const freeridge_model* a, const freeridge_model* b) {
  EXPECT_EQ(difference(fingerprint(a), fingerprint(b)), "");
  const std::vector<double> of_a = predictions(a), of_b = predictions(b);
  ASSERT_EQ(of_a.size(), of_b.size());
  for (std::size_t k = 0; k < of_a.size(); ++k)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(of_a[k]), std::bit_cast<std::uint64_t>(of_b[k])) << k;
}

// Whatever can be done next, in an order in which each finds what the one before has left. after_each: answers are
// compared after each call, else only after the last one.
void expect_same_afterwards(freeridge_model* a, freeridge_model* b, bool after_each) {
  const auto on_both = [=]<class Call>(Call call) {
    SCOPED_TRACE(Call::name);
    Call again = call;
    call.model = a;
    again.model = b;
    EXPECT_EQ(call(), again());
    if (after_each) expect_same(a, b);
  };
  SetLambda one;
  one.lambda = 0.7;
  on_both(one);
  on_both(SetLambdas());
  one.lambda = 0;
  on_both(one);
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_GROUPS}) {
    SelectLambda select;
    select.criterion = criterion;
    on_both(select);
  }
  on_both(LandmarkCurve());
  on_both(Factorize());
  on_both(SelectBandwidth());
  on_both(SetWeights());
  on_both(SelectBandwidth());
  on_both(SetLandmarks());
  on_both(Factorize());
  on_both(SelectLambda());
  on_both(SetData());
  on_both(Factorize());
  on_both(SetLambda());
  if (!after_each) expect_same(a, b);
}

// The route whose answers take long, as systems are solved for each.
bool is_iterative(const freeridge_model* model) {
  double route = 0;
  freeridge_get_parameter(model, FREERIDGE_ROUTE, &route);
  return static_cast<int>(route) == FREERIDGE_ROUTE_ITERATIVE;
}

void expect_round_trip(const Model& model) {
  // Before anything was asked, so that what is made when it is first needed is not there yet.
  const Handle early = support::loaded(support::saved(model.get()));
  const Fingerprint before = fingerprint(model.get());
  EXPECT_EQ(difference(before, fingerprint(early.get())), "");
  const State state = sample::state_of(model.get());
  const Bytes bytes = support::saved(model.get());
  EXPECT_EQ(difference(before, fingerprint(model.get())), "") << "saving changed the model";
  EXPECT_EQ(support::saved(model.get()), bytes) << "saved twice";
  const Handle copy = support::loaded(bytes);
  EXPECT_EQ(sample::state_of(copy.get()), state);
  EXPECT_EQ(support::saved(copy.get()), bytes) << "saved again after loading";
  expect_same(model.get(), copy.get());
  EXPECT_EQ(support::saved(copy.get()), bytes) << "the answers changed the loaded model";
  expect_same_afterwards(model.get(), copy.get(), support::deep() || !is_iterative(model.get()));
}

class SavedRoundTrip : public testing::TestWithParam<std::size_t> {
 protected:
  const SavedCase& saved_case() const { return saved_cases()[GetParam()]; }
};

TEST_P(SavedRoundTrip, EveryState) {
  SCOPED_TRACE(saved_case().name);
  for (const State state : saved_states) {
    SCOPED_TRACE("state " + std::to_string(static_cast<int>(state)));
    expect_round_trip(saved_case().make(state));
  }
}

// One lambda for all outputs, and lambda = 0: what the outputs share is kept in another way.
TEST_P(SavedRoundTrip, OneLambda) {
  SCOPED_TRACE(saved_case().name);
  for (const double lambda : {0.25, 0.0}) {
    Model model = saved_case().make(State::factorized);
    if (freeridge_set_lambda(model.get(), lambda) == FREERIDGE_OK) expect_round_trip(model);
  }
}

// All answers asked for by several threads of one loaded model, each of which may be the first.
TEST_P(SavedRoundTrip, SideBySide) {
  SCOPED_TRACE(saved_case().name);
  Model model = saved_case().make(State::factorized);
  model.lambda(0.25);
  const Handle copy = support::loaded(support::saved(model.get()));
  const Fingerprint expected = fingerprint(model.get());
  std::vector<Fingerprint> heard(4);
  std::vector<Bytes> bytes(heard.size());
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < heard.size(); ++k)
    threads.emplace_back([&, k] {
      if (k % 2 == 0) heard[k] = fingerprint(copy.get());
      bytes[k] = support::saved(copy.get());
      if (k % 2 == 1) heard[k] = fingerprint(copy.get());
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < heard.size(); ++k) {
    EXPECT_EQ(difference(expected, heard[k]), "");
    EXPECT_EQ(difference(expected, fingerprint(support::loaded(bytes[k]).get())), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, SavedRoundTrip, testing::Range(std::size_t{0}, saved_cases().size()));

// Where the n d numbers of x begin in the bytes of a model with data.
std::size_t place_of_x(const Bytes& bytes) {
  const std::size_t text = (frame::get(bytes, frame::payload) + 7) / 8;
  return frame::payload + 8 * (1 + text + 9 + 1 + 1 + 3 + 2);
}

// x is changed in the bytes. What rests on the factorization and y alone stays, to the last bit: nothing was factorized
// again. What needs x does not.
TEST(Saved, TheFactorizationIsTheSavedOne) {
  for (const char* name : {"spectral", "cholesky", "band"}) {
    SCOPED_TRACE(name);
    for (const SavedCase& of : saved_cases()) {
      if (of.name != name) continue;
      const Model model = of.make(State::fitted);
      Bytes bytes = support::saved(model.get());
      const std::size_t x = place_of_x(bytes);
      ASSERT_EQ(std::bit_cast<double>(frame::get(bytes, x)), sample::x()[0]);
      for (std::size_t k = 0; k < sample::x().size(); ++k)
        frame::put(bytes, x + 8 * k, std::bit_cast<std::uint64_t>(sample::x()[k] + 1.0 / static_cast<double>(k + 1)));
      const Handle changed = support::loaded(frame::with_checksum(bytes));
      std::string others = difference(fingerprint(model.get()), fingerprint(changed.get()));
      for (const char* call : {"freeridge_loo", "freeridge_group_errors", "freeridge_score", "freeridge_get_leverage",
                               "freeridge_get_fitted", "freeridge_lambda_grid"})
        EXPECT_EQ(others.find(call + std::string(":")), std::string::npos) << others;
      EXPECT_NE(others.find("freeridge_predict"), std::string::npos);
    }
  }
}

TEST(Saved, ALoadedModelNeedsNoBytesAndNoSavedModel) {
  Handle copy;
  {
    const Model model = sample::model(State::fitted);
    copy = support::loaded(support::saved(model.get()));  // frees the bytes
  }
  const Model model = sample::model(State::fitted);
  expect_same(model.get(), copy.get());
}

// A callback is not saved: it may be gone by then.
TEST(Saved, NoCallback) {
  Model model = sample::model(State::fitted);
  model.progress([](double, void*) -> int32_t { return 1; }, nullptr);
  Predict predict;
  predict.model = model.get();
  ASSERT_EQ(predict(), FREERIDGE_CANCELLED);
  for (const Bytes& bytes : {support::saved(model.get()), support::saved_predictor(model.get())}) {
    const Handle copy = support::loaded(bytes);
    predict.model = copy.get();
    EXPECT_EQ(predict(), FREERIDGE_OK);
  }
}

// Kernels deeper than their text is read back are refused before anything is written.
TEST(Saved, AKernelTooDeepForItsText) {
  Kernel kernel = Kernel::gaussian(1.0);
  for (int depth = 1; depth < 70; ++depth) {
    std::vector<Kernel> factors;
    factors.push_back(std::move(kernel));
    kernel = Kernel::product(factors);
    const Model model(kernel);
    int64_t length = -1;
    const freeridge_status status = freeridge_save_to_memory(model.get(), FREERIDGE_SAVE_MODEL, 0, nullptr, &length);
    EXPECT_EQ(status, depth < 64 ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT) << depth;
    if (status != FREERIDGE_OK) {
      EXPECT_NE(std::string(freeridge_last_error()).find("64"), std::string::npos) << freeridge_last_error();
      EXPECT_EQ(length, -1);
    }
  }
}

}  // namespace round_trip_test
