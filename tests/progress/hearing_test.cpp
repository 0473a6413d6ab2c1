// progress.hpp by itself: reports, work, stages, cancelling, threads.
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
  Listener listener() {
    return {[](double fraction, void* user) {
              auto* self = static_cast<Ear*>(user);
              self->fractions.push_back(fraction);
              return self->fractions.size() > self->cancel_at ? 1 : 0;
            },
            this};
  }
};

TEST(Hearing, CallsBackOnceABeat) {
  Ear ear;
  {
    const Hearing hearing(ear.listener());
    EXPECT_EQ(ear.fractions.size(), 1u);
    for (int i = 0; i < 40; ++i) worked(beat / 4);
  }
  EXPECT_EQ(ear.fractions.size(), 11u);
  worked(10 * beat);  // nobody hears
  EXPECT_EQ(ear.fractions.size(), 11u);
}

TEST(Hearing, AReportIsABeat) {
  Ear ear;
  const Hearing hearing(ear.listener());
  worked(0.9 * beat);
  report(0.5);
  worked(0.9 * beat);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.5}));
}

TEST(Stage, MovesTheFractionByItsUnits) {
  Ear ear;
  const Hearing hearing(ear.listener());
  {
    const Stage stage(0.2, 0.6, 4 * beat);
    {
      const Stage inner(0, 1, 100 * beat);  // the outer one knows
      for (int i = 0; i < 4; ++i) worked(beat);
    }
    worked(beat);  // more than was foreseen
  }
  worked(beat);  // of no stage: stays
  report(0.3);   // never falls
  report(0.9);
  const std::vector<double> expected = {0, 0.3, 0.4, 0.5, 0.6, 0.6, 0.6, 0.6, 0.9};
  ASSERT_EQ(ear.fractions.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ear.fractions[i], expected[i], 1e-15);
}

TEST(Stage, OfUnknownUnitsGivesItsStretchOn) {
  Ear ear;
  const Hearing hearing(ear.listener());
  const Stage outer(0.5, 1);
  {
    const Stage inner(0, 1, 2 * beat);
    worked(beat);
  }
  report(0.75);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.75, 0.875}));
}

TEST(Stage, IsAPartOfTheStretchBeforeIt) {
  Ear ear;
  const Hearing hearing(ear.listener());
  {
    Stage stage(0.5, 0.75);
    {
      const Stage inner(0.5, 1);
      report(0.5);
    }
    report(1);
    stage.next(1);
    report(0.5);
    const Stage inner(0.5, 1);
    report(1);
  }
  const Stage stage(0, 1);
  report(1);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.6875, 0.75, 0.875, 1, 1}));
}

// Where the units of a stage are known, nothing but they moves the fraction.
TEST(Stage, OfKnownUnitsHearsNoReport) {
  Ear ear;
  const Hearing hearing(ear.listener());
  const Stage stage(0, 1, 4 * beat);
  report(1);
  Stage inner(0.9, 1);
  report(1);
  worked(beat);
  inner.next(1);
  worked(beat);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.25, 0.5}));
}

// Work in a stage of no length asks whether to go on, and leaves the fraction where it is.
TEST(Stage, OfNoLengthStays) {
  Ear ear;
  const Hearing hearing(ear.listener());
  report(0.5);
  {
    const Stage still(0, 0);
    const Stage inner(0, 1, 4 * beat);
    report(1);
    worked(4 * beat);
  }
  report(0.75);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.5, 0.5, 0.75}));
}

// Each item of a loop is a stage; a loop that says its work is heard by that.
TEST(Stage, IsEachItemOfALoop) {
  set_thread_count(1);
  Ear ear;
  const Hearing hearing(ear.listener());
  parallel_for(2, [](Index) { report(0.5); });
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  parallel_for(
      2, [](Index) { report(0.5); }, 2 * beat / nanosecond);
  EXPECT_EQ(ear.fractions, (std::vector<double>{0, 0.25, 0.5, 0.75, 1, 1, 1}));
  set_thread_count(0);
}

TEST(Hearing, CancelsWhereWorkIsSaid) {
  Ear ear;
  ear.cancel_at = 2;
  const Hearing hearing(ear.listener());
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
  const Hearing hearing(ear.listener());
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
  const Listener listener{[](double, void* user) {
                            auto* self = static_cast<Nest*>(user);
                            ++self->outer;
                            worked(10 * beat);  // of no call
                            const Hearing hearing(Listener{});
                            worked(10 * beat);
                            return std::int32_t{0};
                          },
                          &nest};
  const Hearing hearing(listener);
  worked(beat);
  EXPECT_EQ(nest.outer, 2);
}

// Threads that help stop at their next worked() once the caller's wish is known; all of it on the caller's thread.
TEST(Loops, StopAllThreadsWhenCancelled) {
  set_thread_count(4);
  struct Heard {
    std::thread::id thread = std::this_thread::get_id();
    bool elsewhere = false;
    int calls = 0;
  } heard;
  const Listener listener{[](double, void* user) {
                            auto* self = static_cast<Heard*>(user);
                            self->elsewhere = self->elsewhere || std::this_thread::get_id() != self->thread;
                            return ++self->calls > 3 ? 1 : 0;
                          },
                          &heard};
  const Hearing hearing(listener);
  try {
    // Without an end but for the callback: the thread of the call and its helpers work on the same items.
    parallel_for(4, [](Index) {
      for (;;) worked(beat / 100);
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::cancelled);
  }
  EXPECT_FALSE(heard.elsewhere);
  EXPECT_EQ(heard.calls, 4);
  set_thread_count(0);
}

// The caller's own share is done at once; it is asked while the others work on, and its wish ends them.
TEST(Loops, AskWhileTheyWaitForOthers) {
  set_thread_count(3);
  Ear ear;
  ear.cancel_at = 5;
  const Hearing hearing(ear.listener());
  try {
    parallel_shares(3, 3, [](Index, int worker) {
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
