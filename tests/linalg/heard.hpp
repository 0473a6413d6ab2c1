// Cancels what libcore/linalg does at its first report, its second, and so on.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "libcore/base/error.hpp"
#include "libcore/base/progress.hpp"

// The number of reports after which run() could be cancelled, and was. How often it is heard depends on which thread
// does what.
template <class Run>
int reports_of(const Run& run) {
  struct Heard {
    int calls = 0, cancel_at = 0;
  };
  const auto hear = [](double, void* user) -> std::int32_t {
    auto* heard = static_cast<Heard*>(user);
    return ++heard->calls == heard->cancel_at ? 1 : 0;
  };
  const auto cancelled = [&](int at) {
    Heard heard{0, at};
    try {
      const freeridge::Hearing hearing(freeridge::Listener{hear, &heard});
      run();
    } catch (const freeridge::Error& error) {
      EXPECT_EQ(error.status(), freeridge::Status::cancelled);
      EXPECT_EQ(heard.calls, at);
      return true;
    }
    EXPECT_LT(heard.calls, at);
    return false;
  };
  int reports = 0;
  while (cancelled(reports + 1)) ++reports;
  return reports;
}
