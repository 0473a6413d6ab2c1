// The system's calls that saving and loading make, watched: each can be made to fail, to do a part of what is asked, or
// to be the last one before the process is killed. The functions stand in front of those of the C library, in the shared
// library, too (system_calls.cpp).
#pragma once

#include <cstddef>

// What happens to the calls while it is active.
struct Watch {
  bool active = false;
  int calls = 0;
  char log[4096] = "";   // the names of the calls, each with a space behind it
  int fail_at = 0;       // the number of the call that fails, from 1
  int error = 0;         // errno then
  int fail_again = 0;    // the number of another one
  int fail_unlink = 0;   // whether a file cannot be removed, either; errno then
  int kill_before = 0;   // the number of the call that is never made
  bool stutter = false;  // every second read or write is interrupted, and the others do a part of what is asked
};
extern Watch watch;

// `call` with the system's calls watched.
template <class Call>
auto watched(const Watch& wanted, const Call& call) {
  watch = wanted;
  watch.active = true;
  const auto answer = call();
  watch.active = false;
  return answer;
}

int open_descriptors();
