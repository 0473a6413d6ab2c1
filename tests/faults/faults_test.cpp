// Every call of the library where allocations fail: the k-th one, once and for good, for k = 1, 2, ... until the call
// meets no refusal; of a call with many requests the first 20 (deep: 200 and more) and some of the others. The call
// answers OUT_OF_MEMORY, or, where it can do without, as ever; a call that failed has written nothing, its handle
// answers as before, and the same call then gives the same answer bit for bit; in the end no block is left. The same
// with refusals that throw something else: INTERNAL, and no exception crosses the wall.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "faults/allocations.hpp"
#include "faults/trials.hpp"
#include "support/deep.hpp"

namespace faults {

Scenarios all_scenarios() {
  Scenarios all;
  add_kernels(all);
  add_library(all);
  add_model_settings(all);
  add_model_answers(all);
  add_in_pieces(all);
  add_threaded(all);
  add_classical(all);
  add_accumulators(all);
  add_windows(all);
  add_classifiers(all);
  add_saved(all);
  return all;
}

namespace faults_test {

// What a call does where nothing fails.
struct Usual {
  freeridge_status status = FREERIDGE_OK;
  Bytes answer, before, after;
  long requests = 0;
};

Usual usual_of(const Scenario& scenario) {
  Usual usual;
  const Trial trial = scenario.make();
  trial.answer();
  usual.before = trial.state();
  arm(0);
  usual.status = trial.call();
  usual.requests = disarm().requests;
  usual.answer = trial.answer();
  usual.after = trial.state();
  return usual;
}

class Faults : public ::testing::TestWithParam<Scenario> {
 protected:
  // The call with the k-th request refused; false when it made fewer requests.
  bool refuse(const Trial& trial, const Usual& usual, long k, Until until, Thrown thrown) {
    trial.answer();
    const Bytes untouched = trial.answer();  // the marks
    // At the state, which takes longer than the call.
    const bool look = k % (GetParam().repeatable ? 16 : support::deep() ? 1 : 4) == 0;
    arm(k, until, thrown);
    const freeridge_status status = trial.call();
    const Outcome outcome = disarm();
    const freeridge_status failure = thrown == Thrown::bad_alloc ? FREERIDGE_OUT_OF_MEMORY : FREERIDGE_INTERNAL;
    if (status == failure) {
      EXPECT_GT(outcome.refused, 0);
      EXPECT_NE(std::string(freeridge_last_error()).find(GetParam().call + ": "), std::string::npos);
      const bool is_untouched = trial.answer() == untouched;
      EXPECT_TRUE(is_untouched || GetParam().in_pieces) << "a call that failed has written";
      if (look) {
        EXPECT_TRUE(trial.state() == usual.before) << "a call that failed has changed the handle";
      }
      EXPECT_EQ(trial.call(), usual.status) << "the same call again: " << freeridge_last_error();
    } else {
      EXPECT_EQ(status, usual.status) << freeridge_last_error();
    }
    EXPECT_TRUE(trial.answer() == usual.answer) << "another answer";
    if (look) {
      EXPECT_TRUE(trial.state() == usual.after) << "the handle answers otherwise";
    }
    return outcome.refused > 0;
  }

  // refuse(), on the trial at hand or on one of its own.
  bool refuse(const std::unique_ptr<Trial>& shared, const Usual& usual, long k, Until until,
              Thrown thrown = Thrown::bad_alloc) {
    SCOPED_TRACE("request " + std::to_string(k) + (until == Until::once ? ", once" : ", for good") + ", throwing " +
                 std::to_string(static_cast<int>(thrown)));
    if (shared) return refuse(*shared, usual, k, until, thrown);
    return refuse(GetParam().make(), usual, k, until, thrown);
  }

  void run() {
    const Usual usual = usual_of(GetParam());
    EXPECT_EQ(usual.status,
              GetParam().about.find("undefined") == std::string::npos ? FREERIDGE_OK : FREERIDGE_UNDEFINED)
        << freeridge_last_error();
    std::unique_ptr<Trial> shared;
    if (GetParam().repeatable) shared = std::make_unique<Trial>(GetParam().make());
    // Each of the first requests, then a quarter as many on the way to the last ones.
    const long each = std::min(GetParam().each, support::deep() && !sanitized() ? 1000L : 10L),
               last_ones = usual.requests - 2;
    const long step = std::max(1L, 4 * (usual.requests - each) / each);
    for (const Until until : {Until::once, Until::for_good})
      for (long k = 1; refuse(shared, usual, k, until) && !HasFailure();)
        k += k < each || k >= last_ones ? 1 : std::min(step, last_ones - k);
    for (const Thrown thrown : {Thrown::number, Thrown::text, Thrown::exception, Thrown::nothing_known})
      for (const long k : {1L, 2L, usual.requests / 3, usual.requests / 2, usual.requests})
        if (k > 0) refuse(shared, usual, k, Until::once, thrown);
  }
};

TEST_P(Faults, EveryRequestOnceAndForGood) {
  SCOPED_TRACE("what is made once in a process is made before blocks are counted");
  usual_of(GetParam());
  const long before = live_blocks();
  run();
  if (HasFailure()) return;  // its words are blocks, too
  EXPECT_EQ(live_blocks(), before) << "blocks are left";
}

INSTANTIATE_TEST_SUITE_P(Every, Faults, ::testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return scenario.param.call + "_" + scenario.param.about; });

TEST(FaultTable, HasEveryExportedCall) {
  std::ifstream list(FREERIDGE_CALLS);
  std::set<std::string> exported, tried;
  for (std::string name; std::getline(list, name);) exported.insert(name);
  for (const Scenario& scenario : all_scenarios()) tried.insert(scenario.call);
  EXPECT_GT(exported.size(), 100u);
  EXPECT_EQ(tried, exported);
}

// The tests above would pass if nothing were ever refused.
TEST(FaultTable, RefusesWhatTheLibraryAsksFor) {
  long requests = 0;
  for (const Scenario& scenario : all_scenarios())
    if (scenario.call == "freeridge_factorize" || scenario.call == "freeridge_create")
      requests += std::min(usual_of(scenario).requests, 1000L);
  EXPECT_GT(requests, 100);
  freeridge_kernel* kernel = nullptr;
  arm(1);
  const freeridge_status status = freeridge_kernel_gaussian(1.0, &kernel);
  EXPECT_EQ(disarm().refused, 1);
  EXPECT_EQ(status, FREERIDGE_OUT_OF_MEMORY);
  EXPECT_EQ(kernel, nullptr);
}

// And those of the threads if they asked for nothing.
TEST(FaultTable, RefusesOnTheLibrarysThreads) {
  long failed = 0;
  for (const Scenario& scenario : all_scenarios()) {
    if (scenario.about.find("threads_") == std::string::npos) continue;
    SCOPED_TRACE(scenario.call + " " + scenario.about);
    long refused = 1;
    for (long k = 1; k <= 5 && refused > 0; ++k) {
      const Trial trial = scenario.make();
      arm(k, Until::once, Thrown::bad_alloc, 0, Where::elsewhere);
      const freeridge_status status = trial.call();
      refused = disarm().refused;
      EXPECT_TRUE(status == FREERIDGE_OK || (status == FREERIDGE_OUT_OF_MEMORY && refused > 0));
      if (status == FREERIDGE_OUT_OF_MEMORY) ++failed;
    }
  }
  EXPECT_GT(failed, 0);
}

}  // namespace faults_test
}  // namespace faults
