// Failures inside the handling of failures. A request is refused, and then another one while the call makes its status
// of the first, and another one when the call is repeated, and all of them while the handles go; each time the status is
// one of memory or the usual one, the words are those of this call, what failed has written nothing, and in the end no
// block is left. The requests are drawn at random, from the same seeds each time.
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "faults/allocations.hpp"
#include "faults/models.hpp"
#include "support/accumulator.hpp"
#include "support/deep.hpp"
#include "support/random.hpp"
#include "support/saved.hpp"

namespace faults {
namespace compound_test {

constexpr double stale = -7.25;

// The words of a call that has nothing to do with it.
void leave_stale_words() {
  freeridge_kernel* none = nullptr;
  ASSERT_EQ(freeridge_kernel_gaussian(stale, &none), FREERIDGE_INVALID_ARGUMENT);
  ASSERT_NE(std::string(freeridge_last_error()).find("-7.25"), std::string::npos);
}

void expect_fresh_words(const std::string& call) {
  const std::string words = freeridge_last_error();
  EXPECT_EQ(words.rfind(call + ": ", 0), 0u) << words;
  EXPECT_GT(words.size(), call.size() + 2) << words;
  EXPECT_EQ(words.find("-7.25"), std::string::npos) << words;
}

class Compound : public ::testing::TestWithParam<Scenario> {
 protected:
  // Whether a second request was refused before the call had answered.
  bool try_once(const Trial& trial, freeridge_status usual, const Bytes& answer, long first, long again,
                Thrown thrown) {
    trial.answer();
    const Bytes untouched = trial.answer();
    leave_stale_words();
    arm(first, Until::once, thrown, again);
    const freeridge_status status = trial.call();
    const Outcome outcome = disarm();
    bool failed = status != usual;
    if (failed) {
      EXPECT_TRUE(status == FREERIDGE_OUT_OF_MEMORY || (status == FREERIDGE_INTERNAL && thrown != Thrown::bad_alloc))
          << freeridge_status_name(status) << ": " << freeridge_last_error();
      EXPECT_GT(outcome.refused, 0);
      expect_fresh_words(GetParam().call);
      EXPECT_TRUE(GetParam().in_pieces || trial.answer() == untouched) << "a call that failed has written";
      // Recovering, another request is refused ...
      trial.answer();
      leave_stale_words();
      arm(again);
      const freeridge_status repeated = trial.call();
      disarm();
      failed = repeated != usual;
      if (failed) {
        EXPECT_EQ(repeated, FREERIDGE_OUT_OF_MEMORY) << freeridge_last_error();
        expect_fresh_words(GetParam().call);
        EXPECT_TRUE(GetParam().in_pieces || trial.answer() == untouched) << "a call that failed has written";
        // ... and at last none is.
        EXPECT_EQ(trial.call(), usual) << freeridge_last_error();
      }
    }
    EXPECT_TRUE(trial.answer() == answer) << "another answer";
    return outcome.refused > 1;
  }

  // So many second requests were refused.
  int run(int pairs) {
    const Scenario& scenario = GetParam();
    long requests = 0;
    freeridge_status usual = FREERIDGE_OK;
    Bytes answer, after;
    {
      const Trial trial = scenario.make();
      trial.answer();
      arm(0);
      usual = trial.call();
      requests = disarm().requests;
      answer = trial.answer();
      after = trial.state();
    }
    if (requests == 0) return 0;
    support::Random random(static_cast<std::uint64_t>(requests));
    std::unique_ptr<Trial> trial;
    int compound = 0;
    for (int pair = 0; pair < pairs && !HasFailure(); ++pair) {
      const long first = 1 + random.index(requests), again = 1 + random.index(pair % 2 == 0 ? 3 : requests);
      const Thrown thrown = pair % 4 == 3 ? Thrown::exception : Thrown::bad_alloc;
      SCOPED_TRACE("request " + std::to_string(first) + ", and " + std::to_string(again) + " after it, of " +
                   std::to_string(requests));
      if (!trial || !scenario.repeatable) trial = std::make_unique<Trial>(scenario.make());
      if (try_once(*trial, usual, answer, first, again, thrown)) ++compound;
      if (pair + 1 == pairs || (!scenario.repeatable && pair % 4 == 0)) {
        EXPECT_TRUE(trial->state() == after) << "the handle answers otherwise";
      }
    }
    return compound;
  }
};

TEST_P(Compound, SecondFailures) {
  run(1);  // what is made once in a process
  const long before = live_blocks();
  run(support::deep() && !sanitized() ? 16 : 4);
  if (HasFailure()) return;
  EXPECT_EQ(live_blocks(), before) << "blocks are left";
}

// One of each call and route, and those that share their work among threads.
INSTANTIATE_TEST_SUITE_P(Every, Compound, ::testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return scenario.param.call + "_" + scenario.param.about; });

// The handles go when there is no memory at all: nothing is asked for.
TEST(NoMemory, HandlesAreDestroyed) {
  for (const auto& [name, route] : routes)
    for (const State state : {State::empty, State::data, State::factorized, State::fitted}) {
      SCOPED_TRACE(std::string(name) + ", state " + std::to_string(static_cast<int>(state)));
      const Model model = model_on(route, state);
      std::vector<freeridge_model*> models(state == State::fitted ? 2 : 1, nullptr);
      const Bytes whole = support::saved(model.get());
      ASSERT_EQ(freeridge_load_from_memory(whole.data(), static_cast<std::int64_t>(whole.size()), &models[0]),
                FREERIDGE_OK);
      if (state == State::fitted) {
        const Bytes predictor = support::saved_predictor(model.get());
        ASSERT_EQ(freeridge_load_from_memory(predictor.data(), static_cast<std::int64_t>(predictor.size()), &models[1]),
                  FREERIDGE_OK);
      }
      for (freeridge_model* const one : models) {
        arm(1, Until::for_good);  // a call fails first ...
        EXPECT_EQ(freeridge_factorize(one), FREERIDGE_OUT_OF_MEMORY);
        disarm();
        arm(1, Until::for_good);
        freeridge_destroy(one);  // ... and the handle goes right after
        EXPECT_EQ(disarm().requests, 0);
      }
    }
  freeridge_kernel* kernel = nullptr;
  ASSERT_EQ(freeridge_kernel_gaussian(1, &kernel), FREERIDGE_OK);
  freeridge_accumulator* accumulator = nullptr;
  ASSERT_EQ(freeridge_accumulator_create(2, 1, 1, &accumulator), FREERIDGE_OK);
  freeridge_classifier* classifier = nullptr;
  ASSERT_EQ(freeridge_classifier_create(kernel, FREERIDGE_LOSS_HINGE, &classifier), FREERIDGE_OK);
  arm(1, Until::for_good);
  freeridge_classifier_destroy(classifier);
  freeridge_accumulator_destroy(accumulator);
  freeridge_kernel_destroy(kernel);
  EXPECT_EQ(disarm().requests, 0);
}

// The first call of a thread, and its first words, when there is no memory: they need none.
TEST(NoMemory, AThreadsFirstCall) {
  const Model model = model_on(FREERIDGE_ROUTE_SPECTRAL, State::data);
  for (const bool has_words : {true, false}) {  // or its first call asks for nothing but a text
    freeridge_status status = FREERIDGE_OK;
    std::string words(100, '\0'), info(100, '\0');
    std::thread([&] {
      arm(1, Until::for_good);
      if (has_words) status = freeridge_factorize(model.get());
      std::snprintf(words.data(), words.size(), "%s", freeridge_last_error());
      std::snprintf(info.data(), info.size(), "%s", freeridge_build_info());
      disarm();
    }).join();
    EXPECT_EQ(status, has_words ? FREERIDGE_OUT_OF_MEMORY : FREERIDGE_OK);
    EXPECT_STREQ(words.c_str(), has_words ? "freeridge_factorize: out of memory" : "");
    EXPECT_EQ(info.substr(0, 9), "freeridge");
  }
}

}  // namespace compound_test
}  // namespace faults
