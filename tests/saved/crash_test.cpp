// A process that is killed while it saves over an old file: at whatever moment, there is the old file or the new one.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "support/random.hpp"
#include "support/saved.hpp"

namespace {

using support::Bytes;
using support::Directory;
using support::Kernel;
using support::Model;

Model large_model(double lambda) {
  constexpr std::int64_t n = 500;
  support::Matrix x(n, 2), y(n, 1);
  for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] = std::sin(1e3 * static_cast<double>(k));
  for (std::size_t k = 0; k < y.values.size(); ++k) y.values[k] = std::cos(1e3 * static_cast<double>(k));
  Model model(Kernel::gaussian(0.5));
  model.data(x, y).route(FREERIDGE_SPECTRAL).factorize().lambda(lambda);
  return model;
}

TEST(SavedCrash, TheOldFileOrTheNewOne) {
  constexpr int wanted = 25, most = 2000;  // kills within a save; kills in all
  const Directory directory;
  const std::string path = directory / "model";
  const Model models[] = {large_model(0.1), large_model(0.2)};
  const Bytes bytes[] = {support::saved(models[0].get()), support::saved(models[1].get())};
  ASSERT_NE(bytes[0], bytes[1]);
  ASSERT_EQ(freeridge_save(models[0].get(), path.c_str()), FREERIDGE_OK) << freeridge_last_error();

  support::Random random(5);
  int within = 0, seen[] = {0, 0};
  for (int attempt = 0; attempt < most && within < wanted; ++attempt) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int turn = 0;; ++turn)
        if (freeridge_save(models[(attempt + turn) % 2].get(), path.c_str()) != FREERIDGE_OK) _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.index(20000)));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a save failed";

    const Bytes now = support::file_bytes(path);
    ASSERT_TRUE(now == bytes[0] || now == bytes[1]) << "attempt " << attempt;
    ++seen[now == bytes[0] ? 0 : 1];
    ASSERT_NE(support::loaded_file(path), nullptr);
    for (const std::string& name : directory.names()) {
      if (name == "model") continue;
      ++within;  // what a killed save has left behind
      unlink((directory / name).c_str());
    }
  }
  EXPECT_GE(within, wanted) << "the kills came at no moment that matters";
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[1], 0);
}

}  // namespace
