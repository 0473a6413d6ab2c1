// The exception wall of freeridge_mpi.h. capi/wall.hpp, whose checks it uses, is that of freeridge.h.
#pragma once

#include <optional>

#include "capi/wall.hpp"
#include "freeridge_mpi.h"
#include "libcore/base/progress.hpp"
#include "mpi/team.hpp"

namespace freeridge::mpi {

// Keeps "<call>: <message>" as this thread's last error of this library.
void remember(const char* call, const char* message) noexcept;

// Runs body(); what it throws becomes a status and this thread's last error.
template <class Body>
freeridge_status guarded(const char* call, const Body& body) noexcept {
  const Fault fault = fault_of([&] {
    adopt_thread_count();
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

// Whether all ranks were handed the same numbers.
class Fingerprint {
 public:
  void add(const void* bytes, Index size);
  template <class T>
  void number(T value) {
    add(&value, sizeof value);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037u;  // FNV-1a, on words of eight bytes
};

}  // namespace freeridge::mpi
