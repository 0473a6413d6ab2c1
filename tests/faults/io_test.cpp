// The disk and the memory fail together: each of the system's calls of a save or a load fails while each request for
// memory in turn is refused, once and for good. The status is one of the two, with words of this call; the file is the
// old one or the new one, whole, and alone; no descriptor and no block is left; and the same call then succeeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "faults/allocations.hpp"
#include "saved/old_and_new.hpp"
#include "saved/system_calls.hpp"

namespace {

using faults::Until;
using support::Bytes;

// The k-th request is refused while the c-th call fails.
struct Faults {
  int call;
  long request;
  Until until;
};

class DiskAndMemory : public OldAndNew {
 protected:
  // run(): for every pair of faults until no request is refused any more; `check` is told the status, and whether the
  // c-th call was made.
  template <class Run, class Check>
  void each_pair(const Run& run, const Check& check) {
    faults::arm(0);
    ASSERT_EQ(watched({}, run), FREERIDGE_OK) << freeridge_last_error();
    const long requests = faults::disarm().requests;
    const int calls = watch.calls, files = open_descriptors();
    ASSERT_GT(requests, 3);
    check(FREERIDGE_OK, Faults{0, 0, Until::once});
    { SCOPED_TRACE("the room for traces is made before blocks are counted"); }
    const long before = faults::live_blocks();
    constexpr long words = 8;  // requests for what is said of a failure
    int both = 0;
    for (int call = 1; call <= calls; ++call)
      for (const Until until : {Until::once, Until::for_good})
        for (long request = 1; request <= requests + words && !HasFailure(); ++request) {
          SCOPED_TRACE("call " + std::to_string(call) + " and request " + std::to_string(request) +
                       (until == Until::once ? "" : " and all after it"));
          Watch failing;
          failing.fail_at = call;
          failing.error = EIO;
          freeridge_model* none = nullptr;
          EXPECT_EQ(freeridge_create(nullptr, &none), FREERIDGE_INVALID_ARGUMENT);  // other words before
          faults::arm(request, until);
          const freeridge_status status = watched(failing, run);
          const faults::Outcome outcome = faults::disarm();
          both += outcome.refused > 0 && watch.calls >= call ? 1 : 0;
          EXPECT_EQ(open_descriptors(), files);
          check(status, Faults{call, request, until});
        }
    if (!HasFailure()) {
      EXPECT_EQ(faults::live_blocks(), before) << "blocks are left";
    }
    EXPECT_GT(both, 10) << "they never failed together";
  }

  static void expect_words(freeridge_status status, const std::string& call) {
    const std::string words = freeridge_last_error();
    EXPECT_EQ(words.rfind(call + ": ", 0), 0u) << words;
    EXPECT_NE(words.find(status == FREERIDGE_IO ? std::strerror(EIO) : "memory"), std::string::npos) << words;
  }
};

TEST_F(DiskAndMemory, FailTogetherInASave) {
  for (const bool predictor : {false, true}) {
    const freeridge_save_kind what = predictor ? FREERIDGE_SAVE_PREDICTOR : FREERIDGE_SAVE_MODEL;
    const Bytes fresh = predictor ? support::saved_predictor(model.get()) : of_model;
    put_old();
    each_pair([&] { return freeridge_save(model.get(), what, path.c_str()); },
              [&](freeridge_status status, const Faults& failed) {
                EXPECT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_IO || status == FREERIDGE_OUT_OF_MEMORY);
                if (status != FREERIDGE_OK) expect_words(status, "freeridge_save");
                // The new file from the rename on, unless it was the one that failed.
                const std::string log = watch.log;
                const std::size_t at = log.find("renameat ");
                const bool renamed =
                    at != std::string::npos &&
                    std::count(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(at), ' ') + 1 != failed.call;
                EXPECT_TRUE(support::file_bytes(path) == (renamed ? fresh : of_old)) << log;
                EXPECT_TRUE(renamed || status != FREERIDGE_OK);
                EXPECT_EQ(directory.names(), (std::set<std::string>{"model"}));
                if (renamed) put_old();
              });
  }
}

TEST_F(DiskAndMemory, FailTogetherInALoad) {
  ASSERT_EQ(save(), FREERIDGE_OK);
  freeridge_model* out = nullptr;
  each_pair([&] { return freeridge_load(path.c_str(), &out); },
            [&](freeridge_status status, const Faults&) {
              EXPECT_EQ(status == FREERIDGE_OK, out != nullptr);
              EXPECT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_IO || status == FREERIDGE_OUT_OF_MEMORY);
              if (status != FREERIDGE_OK) expect_words(status, "freeridge_load");
              freeridge_destroy(out);
              out = nullptr;
              ASSERT_EQ(freeridge_load(path.c_str(), &out), FREERIDGE_OK) << freeridge_last_error();
              freeridge_destroy(out);
              out = nullptr;
            });
}

}  // namespace
