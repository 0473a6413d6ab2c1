// A new file beside the one that it will replace, on every system.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "libcore/base/error.hpp"

namespace freeridge {

[[noreturn]] inline void fail_with(const std::string& path, int error) {
  const std::string words = std::generic_category().message(error);
  if (path.size() > 800) fail(Status::io, words, ": ", path);  // the end of a long message is cut off
  fail(Status::io, path, ": ", words);
}

// Opens a file that was not there, folder + ".freeridge-<process>-<k>.tmp", whose name stands in `name` then, else nothing.
// open(name): a descriptor, or a negative number with errno. path: of the file that will be replaced, for messages.
template <class Open>
int open_aside(const std::string& folder, std::int64_t process, const std::string& path, std::string& name,
               const Open& open) {
  constexpr int most_attempts = 100000;
  for (int k = 0; k < most_attempts; ++k) {
    name = text(folder, ".freeridge-", process, "-", k, ".tmp");
    const int fd = open(name.c_str());
    if (fd >= 0) return fd;
    const int error = errno;
    name.clear();
    if (error != EEXIST) fail_with(path, error);
  }
  fail_with(path, EEXIST);
}

}  // namespace freeridge
