// The exception wall of freeridge_mpi.h. capi/wall.hpp, whose checks it uses, is that of freeridge.h.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include "capi/wall.hpp"
#include "freeridge_mpi.h"
#include "libcore/base/progress.hpp"
#include "mpi/team.hpp"

namespace freeridge::mpi {

// Keeps "<call>: <message>" as this thread's last error of this library.
void remember(const char* call, const char* message) noexcept;

// Runs body(), or body(call); what it throws becomes a status and this thread's last error.
template <class Body>
freeridge_status guarded(const char* call, const Body& body) noexcept {
  const Fault fault = fault_of([&] {
    adopt_thread_count();
    if constexpr (std::is_invocable_v<Body, const char*>)
      body(call);
    else
      body();
  });
  if (fault.status != 0) remember(call, fault.words);
  return fault.status;
}

// A call of freeridge.h within a call of this library; throws its status with its words.
inline void ask(freeridge_status status) {
  if (status != FREERIDGE_OK) throw Error(Status{status}, freeridge_last_error());
}

// While it lives, the callback is heard on rank 0. Begins and ends with a report.
class Heard {
 public:
  Heard(const Team& team, const Listener& listener) : team_(team) {
    team.together([&] {
      if (team.rank() == 0) hearing_.emplace(listener);
    });
  }
  // The last report, before anything is changed.
  void finish() const {
    team_.together([] { report(1); });
  }

 private:
  const Team& team_;
  std::optional<Hearing> hearing_;
};

// What all ranks must hand over alike: a fingerprint of each argument, by its name.
class Alike {
 public:
  void bytes(const char* name, const void* from, Index size);
  void text(const char* name, std::string_view words) { bytes(name, words.data(), std::ssize(words)); }
  void numbers(const char* name, const double* from, Index count) { bytes(name, from, 8 * count); }
  void numbers(const char* name, Span<const double> from) { numbers(name, from.data(), std::ssize(from)); }
  template <class T>
  void number(const char* name, T value) {
    bytes(name, &value, sizeof value);
  }
  // Throws DIMENSION_MISMATCH on all ranks, with the first name of what differs. All ranks have the same names.
  // Collective.
  void require(const Team& team) const;

 private:
  struct Print {
    const char* name;
    std::uint64_t value;
  };
  Array<Print> prints_;
};

// How every collective call begins, with the same messages in all of them, so that ranks which make different calls, or
// hand over other arguments, are told so, and none waits for another: check(alike) checks the arguments on each rank,
// and adds those that must be the same on all.
template <class Check>
void begin_together(const Team& team, const char* call, const Check& check) {
  Alike name, alike;
  team.together([&] {
    check(alike);
    name.text("the call", call);
  });
  name.require(team);
  alike.require(team);
}

}  // namespace freeridge::mpi
