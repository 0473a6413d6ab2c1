// progress.hpp by itself: work that nobody handed a Progress to, stages, cancelling, threads.
#include "libcore/base/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "libcore/linalg/threads.hpp"

namespace hearing_test {

using namespace freeridge;

struct Ear {
  std::vector<double> fractions;
  std::size_t cancel_at = 1000000;
  Progress progress() {
    return Progress(
        [](double fraction, void* user) {
          auto* self = static_cast<Ear*>(user);
          self->fractions.push_back(fraction);
          return self->fractions.size() > self->cancel_at ? 1 : 0;
        },
        this);
  }
};

TEST(Hearing, CallsBackOnceABeat) {
  Ear ear;
  const Progress progress = ear.progress();
  {
    const Hearing hearing(progress);
    EXPECT_EQ(ear.fractions.size(), 1u);
    for (int i = 0; i < 40; ++i) worked(beat / 4);
  }
  EXPECT_EQ(ear.fractions.size(), 11u);
  worked(10 * beat);  // nobody hears
  EXPECT_EQ(ear.fractions.size(), 11u);
}

TEST(Hearing, AReportIsABeat) {
  Ear ear;
  const Progress progress = ear.progress();
  const Hearing hearing(progress);
  worked(0.9 * beat);
  progress.report(0.5);
  worked(0.9 * beat);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.5}));
}

TEST(Stage, MovesTheFractionByItsUnits) {
  Ear ear;
  const Progress progress = ear.progress();
  const Hearing hearing(progress);
  {
    const Stage stage(progress.part(0.2, 0.6), 4 * beat);
    {
      const Stage inner(100 * beat);  // the outer one knows
      for (int i = 0; i < 4; ++i) worked(beat);
    }
    worked(beat);  // more than was foreseen
  }
  worked(beat);          // of no stage: stays
  progress.report(0.3);  // never falls
  progress.report(0.9);
  const std::vector<double> expected = {0, 0.3, 0.4, 0.5, 0.6, 0.6, 0.6, 0.6, 0.9};
  ASSERT_EQ(ear.fractions.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ear.fractions[i], expected[i], 1e-15);
}

TEST(Stage, OfUnknownUnitsGivesItsStretchOn) {
  Ear ear;
  const Progress progress = ear.progress();
  const Hearing hearing(progress);
  const Stage outer(progress.part(0.5, 1), 0);
  {
    const Stage inner(2 * beat);
    worked(beat);
  }
  here().report(0.75);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.75, 0.875}));
}

TEST(Hearing, CancelsWhereWorkIsSaid) {
  Ear ear;
  ear.cancel_at = 2;
  const Progress progress = ear.progress();
  const Hearing hearing(progress);
  worked(beat);
  try {
    worked(beat);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::cancelled);
  }
}

TEST(Undisturbed, HearsNothing) {
  Ear ear;
  const Progress progress = ear.progress();
  const Hearing hearing(progress);
  {
    const Undisturbed undisturbed;
    worked(10 * beat);
  }
  EXPECT_EQ(ear.fractions.size(), 1u);
  worked(beat);
  EXPECT_EQ(ear.fractions.size(), 2u);
}

TEST(Hearing, ACallInACallbackIsItsOwn) {
  struct Nest {
    Ear inner;
    int outer = 0;
  } nest;
  const Progress progress(
      [](double, void* user) {
        auto* self = static_cast<Nest*>(user);
        ++self->outer;
        worked(10 * beat);  // of no call
        const Progress silent;
        const Hearing hearing(silent);
        worked(10 * beat);
        return std::int32_t{0};
      },
      &nest);
  const Hearing hearing(progress);
  worked(beat);
  EXPECT_EQ(nest.outer, 2);
}

// Threads that help stop at their next worked() once the caller's wish is known; all of it on the caller's thread.
TEST(Loops, StopAllThreadsWhenCancelled) {
  set_thread_count(4);
  struct Listener {
    std::thread::id thread = std::this_thread::get_id();
    bool elsewhere = false;
    int calls = 0;
  } listener;
  const Progress progress(
      [](double, void* user) {
        auto* self = static_cast<Listener*>(user);
        self->elsewhere = self->elsewhere || std::this_thread::get_id() != self->thread;
        return ++self->calls > 3 ? 1 : 0;
      },
      &listener);
  const Hearing hearing(progress);
  try {
    // Without an end but for the callback: the thread of the call and its helpers work on the same items.
    parallel_for(4, Progress(), [](Index) {
      for (;;) worked(beat / 100);
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::cancelled);
  }
  EXPECT_FALSE(listener.elsewhere);
  EXPECT_EQ(listener.calls, 4);
  set_thread_count(0);
}

// The caller's own share is done at once; it is asked while the others work on, and its wish ends them.
TEST(Loops, AskWhileTheyWaitForOthers) {
  set_thread_count(3);
  Ear ear;
  ear.cancel_at = 5;
  const Progress progress = ear.progress();
  const Hearing hearing(progress);
  try {
    parallel_shares(3, 3, Progress(), [](Index, int worker) {
      while (worker > 0) worked(1);
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::cancelled);
  }
  EXPECT_EQ(ear.fractions.size(), 6u);
  set_thread_count(0);
}

}  // namespace hearing_test
