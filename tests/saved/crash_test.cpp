// A process that is killed while it saves over an old file, at 50 moments (deep: 200) drawn from the time that a save takes: there
// is the old file or the new one, whole, and what is left beside it does no harm.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "support/deep.hpp"
#include "support/random.hpp"
#include "support/saved.hpp"

namespace crash_test {

using support::Bytes;
using support::Directory;
using support::Kernel;
using support::Model;
using Clock = std::chrono::steady_clock;

// Some hundred kilobytes: several blocks to write.
Model large_model(double lambda) {
  constexpr std::int64_t n = 250;
  support::Matrix x(n, 2), y(n, 1);
  for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] = std::sin(1e3 * static_cast<double>(k));
  for (std::size_t k = 0; k < y.values.size(); ++k) y.values[k] = std::cos(1e3 * static_cast<double>(k));
  Model model(Kernel::gaussian(0.5));
  model.data(x, y).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambda(lambda);
  return model;
}

class SavedCrash : public testing::Test {
 protected:
  const Directory directory;
  const std::string path = directory / "model";
  const Model models[2] = {large_model(0.1), large_model(0.2)};
  const Bytes bytes[2] = {support::saved(models[0].get()), support::saved(models[1].get())};

  void save(int which) const {
    ASSERT_EQ(freeridge_save(models[which].get(), FREERIDGE_SAVE_MODEL, path.c_str()), FREERIDGE_OK)
        << freeridge_last_error();
  }

  // The longest of some saves.
  std::chrono::microseconds duration() const {
    Clock::duration most{};
    for (int turn = 0; turn < 6; ++turn) {
      const Clock::time_point begin = Clock::now();
      save(turn % 2);
      most = std::max(most, Clock::now() - begin);
    }
    return std::chrono::duration_cast<std::chrono::microseconds>(most);
  }

  // A child that saves once and then waits is killed so long after it has begun; whether it was still saving.
  bool kill_within(int which, std::chrono::microseconds after) const {
    int said[2];
    if (pipe(said) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == 0) {
      const char begins = 'b', ends = 'e', fails = 'f';
      if (write(said[1], &begins, 1) != 1) _exit(1);
      const bool saved = freeridge_save(models[which].get(), FREERIDGE_SAVE_MODEL, path.c_str()) == FREERIDGE_OK;
      if (write(said[1], saved ? &ends : &fails, 1) == 1) pause();
      _exit(1);
    }
    close(said[1]);
    char word = 0;
    EXPECT_EQ(read(said[0], &word, 1), 1);
    std::this_thread::sleep_for(after);
    kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    const bool within = read(said[0], &word, 1) == 0;
    EXPECT_TRUE(within || word == 'e') << "a save failed";
    close(said[0]);
    return within;
  }
};

TEST_F(SavedCrash, TheOldFileOrTheNewOne) {
  const int wanted = support::deep() ? 200 : 50, most = 20 * wanted;  // kills within a save; kills in all
  ASSERT_NE(bytes[0], bytes[1]);
  save(0);
  const auto longest = duration();
  support::Random random(5);
  int within = 0, kept = 0, replaced = 0, current = 1;  // of those within; `current` is in the file
  for (int attempt = 0; attempt < most && within < wanted; ++attempt) {
    const int next = 1 - current;
    const bool in_save = kill_within(next, std::chrono::microseconds(random.index(longest.count() + 1)));
    within += in_save ? 1 : 0;
    const Bytes now = support::file_bytes(path);
    ASSERT_TRUE(now == bytes[current] || now == bytes[next]) << "attempt " << attempt << ": neither old nor new";
    ASSERT_NE(support::loaded_file(path), nullptr);
    if (now == bytes[next]) {
      current = next;
      replaced += in_save ? 1 : 0;
    } else {
      ASSERT_TRUE(in_save) << "saved, and the old file is there";
      ++kept;
    }
  }
  EXPECT_GE(within, wanted) << "the kills came at no moment that matters";
  EXPECT_GE(kept, wanted / 10) << "none before the rename";
  RecordProperty("killed_after_the_rename", replaced);

  // What the killed ones have left behind: named as documented, never a half model to a reader, in nobody's way.
  int left = 0;
  freeridge_model* none = nullptr;
  for (const std::string& name : directory.names()) {
    if (name == "model") continue;
    ++left;
    EXPECT_TRUE(name.starts_with(".freeridge-") && name.ends_with(".tmp")) << name;
    const freeridge_status status = freeridge_load((directory / name).c_str(), &none);
    EXPECT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_CORRUPT) << freeridge_last_error();
    if (status == FREERIDGE_OK) freeridge_destroy(none);
  }
  EXPECT_GT(left, 0);
  EXPECT_LE(left, within);
  save(1 - current);
  EXPECT_EQ(support::file_bytes(path), bytes[1 - current]);
}

// A later process may have the number of a killed one: it takes the next name, and leaves the other file alone.
TEST_F(SavedCrash, WhatIsLeftBehindIsInNobodysWay) {
  const std::string left = directory / (".freeridge-" + std::to_string(getpid()) + "-0.tmp");
  const Bytes half(bytes[0].begin(), bytes[0].begin() + 1000);
  support::write_bytes(left, half);
  save(0);
  EXPECT_EQ(support::file_bytes(path), bytes[0]);
  EXPECT_EQ(support::file_bytes(left), half);
  EXPECT_EQ(directory.names().size(), 2u);
}

}  // namespace crash_test
