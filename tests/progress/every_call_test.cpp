// Every call that hears a progress callback, on every route: fractions from 0 to 1 that never fall, on the caller's
// thread; cancelled at its first, second, ..., last report the call answers CANCELLED, its outputs are untouched, all
// that the model answers is the same to the last bit, and the same call then succeeds with the bits of one that was
// never cancelled. Deep: of 300 points, whose matrices are cut into tiles.
#include <gtest/gtest.h>

#include <algorithm>

#include "capi/support/documented.hpp"
#include "progress/heard_calls.hpp"
#include "support/deep.hpp"

namespace every_call_test {

using namespace heard;

const std::vector<Case> cases = {
    {"CHOLESKY", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY},
    {"CHOLESKY, a lambda for each output", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY, 0,
     FREERIDGE_REDUCTION_AUTO, FREERIDGE_LOO, 0, true},
    {"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL},
    {"SPECTRAL, refined", "matern(nu = 1.5, length = 2)", FREERIDGE_ROUTE_SPECTRAL, 0, FREERIDGE_REDUCTION_AUTO,
     FREERIDGE_LOO, 2},
    {"BAND", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND},
    {"BAND, for GCV", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND, 0, FREERIDGE_REDUCTION_AUTO, FREERIDGE_GCV},
    {"PRIMAL", "linear()", FREERIDGE_ROUTE_PRIMAL},
    {"PRIMAL, streamed", "linear()", FREERIDGE_ROUTE_PRIMAL, 0, FREERIDGE_REDUCTION_GRAM},
    {"LANDMARK", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_LANDMARK, 9},
    {"LANDMARK by QR", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_LANDMARK, 9, FREERIDGE_REDUCTION_QR},
    {"precomputed, SPECTRAL", "precomputed()", FREERIDGE_ROUTE_SPECTRAL},
    {"precomputed, LANDMARK", "precomputed()", FREERIDGE_ROUTE_LANDMARK, 9},
};
const Sizes size = support::deep() ? Sizes{300, 3, 2, 300} : Sizes{40, 3};

void expect_risen(const Listener& listener) {
  ASSERT_FALSE(listener.fractions.empty()) << "the callback was never called";
  EXPECT_EQ(listener.fractions.front(), 0.0);
  EXPECT_EQ(listener.fractions.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(listener.fractions.begin(), listener.fractions.end()));
  EXPECT_FALSE(listener.on_other_thread);
}

bool several_threads() {
  std::int32_t count = 0;
  support::check(freeridge_get_threads(&count), "freeridge_get_threads");
  return count > 1;
}

// make(c, size) gives the model in the state of the calls. BAND for GCV forms Q when rows of it are first asked for, and
// what it had answered before changes by rounding then: it is asked for once beforehand, but for the test of just that.
template <class Make>
void expect_heard(const Case& c, const Make& make, const std::vector<Call<Model>>& calls) {
  for (const Call<Model>& call : calls) {
    SCOPED_TRACE(std::string(c.name) + ": " + call.name);
    EXPECT_TRUE(Documented::has("freeridge_" + call.name.substr(0, call.name.find(' ')), FREERIDGE_CANCELLED));
    Model silent = make(c, size), heard = make(c, size);
    if (c.expected == FREERIDGE_GCV) {
      everything(c, size, silent);
      everything(c, size, heard);
    }
    Listener whole;
    heard.progress(Listener::hear, &whole);
    const Answer expected = call.run(silent), answer = call.run(heard);
    ASSERT_EQ(answer.status, FREERIDGE_OK) << freeridge_last_error();
    EXPECT_TRUE(support::bit_equal(answer.numbers, expected.numbers));
    expect_risen(whole);
    heard.progress(nullptr, nullptr);
    const std::vector<Vector> after = everything(c, size, silent);
    EXPECT_TRUE(same(everything(c, size, heard), after));

    Model model = make(c, size);
    const std::vector<Vector> before = everything(c, size, model);
    const std::size_t reports = whole.fractions.size();
    for (std::size_t place = 0; place < reports; ++place) {
      SCOPED_TRACE("cancelled at report " + std::to_string(place) + " of " + std::to_string(reports));
      Listener listener;
      listener.cancel_at = place;
      model.progress(Listener::hear, &listener);
      const Answer cancelled = call.run(model);
      model.progress(nullptr, nullptr);
      if (several_threads() && listener.fractions.size() <= place) {  // reports depend on who had which item
        ASSERT_EQ(cancelled.status, FREERIDGE_OK);
        model = make(c, size);
        ASSERT_TRUE(same(everything(c, size, model), before));
        continue;
      }
      ASSERT_EQ(cancelled.status, FREERIDGE_CANCELLED);
      EXPECT_EQ(listener.fractions.size(), place + 1) << "called again after it had cancelled";
      if (!call.by_pieces) {
        EXPECT_TRUE(std::all_of(cancelled.numbers.begin(), cancelled.numbers.end(),
                                [](double value) { return value == untouched; }));
      }
      // All answers are looked at after the first, the last and some in between.
      if (place % (support::deep() ? 5 : 15) == 0 || place + 1 == reports) {
        ASSERT_TRUE(same(everything(c, size, model), before));
      }
    }
    const Answer repeated = call.run(model);
    ASSERT_EQ(repeated.status, FREERIDGE_OK);
    EXPECT_TRUE(support::bit_equal(repeated.numbers, expected.numbers));
    EXPECT_TRUE(same(everything(c, size, model), after));
  }
}

class EveryCall : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Case& c() const { return cases[GetParam()]; }
};

TEST_P(EveryCall, OfAModelWithData) {
  expect_heard(c(), data_model, data_calls(c(), size));
}

TEST_P(EveryCall, OfAFactorizedModel) {
  expect_heard(c(), factorized_model, factorized_calls(c(), size));
}

TEST_P(EveryCall, OfAFittedModel) {
  expect_heard(c(), fitted_model, fitted_calls(c(), size));
  if (!support::deep() && GetParam() % 3 != 0) return;  // those of earlier states, on a third of the cases
  expect_heard(c(), fitted_model, factorized_calls(c(), size));
  expect_heard(c(), fitted_model, data_calls(c(), size));
}

INSTANTIATE_TEST_SUITE_P(Routes, EveryCall, ::testing::Range<std::size_t>(0, cases.size()));

// BAND after GCV: cancelled again and again while Q is formed, the errors at last are those of a model that never was;
// meanwhile predictions are the same to the last bit, and what is made from Q's parts to rounding.
TEST(LazyBasis, IsFormedInStepsThatMayBeCancelled) {
  const Case c = {"", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND, 0, FREERIDGE_REDUCTION_AUTO, FREERIDGE_GCV};
  const Sizes large = {600, 3};
  const Model straight = fitted_model(c, large);
  const Vector errors = straight.loo().values;
  Model model = fitted_model(c, large);
  const Matrix fitted = model.fitted();
  const auto predict = [&] {
    for (const Call<Model>& call : fitted_calls(c, large))
      if (call.name == "predict") return call.run(model).numbers;
    return Vector{};
  };
  const Vector predicted = predict();
  Vector values(static_cast<std::size_t>(large.n * large.t));
  int cancelled = 0;
  for (std::size_t place = 0;; ++place) {
    Listener listener;
    listener.cancel_at = place;
    model.progress(Listener::hear, &listener);
    const freeridge_status status = freeridge_loo(model.get(), values.data(), large.n);
    model.progress(nullptr, nullptr);
    if (status == FREERIDGE_OK) break;
    ASSERT_EQ(status, FREERIDGE_CANCELLED);
    ++cancelled;
    EXPECT_TRUE(support::bit_equal(predict(), predicted));
    EXPECT_LE(support::relative_difference(model.fitted(), fitted), 1e-12);
  }
  EXPECT_GE(cancelled, 3);
  EXPECT_TRUE(support::bit_equal(values, errors));
}

TEST(Callback, MayUseAnotherModel) {
  static Model other = fitted_model(cases[2], size);
  const Vector alone = other.loo().values;
  Model model = data_model(cases[0], size);
  struct Inner {
    Vector answer;
    bool equal = true;
  } inner;
  inner.answer = alone;
  model.progress(
      [](double, void* user) {
        auto* self = static_cast<Inner*>(user);
        self->equal = self->equal && support::bit_equal(other.loo().values, self->answer);
        return std::int32_t{0};
      },
      &inner);
  model.factorize().lambda(0.2);
  EXPECT_TRUE(inner.equal);
}

}  // namespace every_call_test
