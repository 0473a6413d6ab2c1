// What save and load of all handles share: a container in a file or in the caller's memory.
#pragma once

#include <string>

#include "capi/handles.hpp"
#include "libcore/base/bytes_file.hpp"

namespace freeridge::capi {

inline std::string checked_path(const char* path) {
  required("path", path);
  if (*path == 0) fail(Status::invalid_argument, "path is empty");
  return path;
}

// The callback is called until the last block is written; then the new file replaces the old.
inline void save_to_file(const char* path, SavedKind kind, const Listener& listener, const Payload& payload) {
  const std::string name = checked_path(path);
  const Hearing hearing(listener);
  write_file(name, [&](ByteSink& sink) {
    write_container(kind, payload, sink);
    report(1);
  });
}

// read(source); of a damaged file the message begins with its name.
template <class Read>
auto load_from_file(const char* path, const Read& read) {
  const std::string name = checked_path(path);
  const FileSource source(name);
  try {
    return read(source);
  } catch (const Error& error) {
    if (error.status() != Status::corrupt && error.status() != Status::newer_format) throw;
    throw Error(error.status(), text(name, ": ", std::string_view(error.what())));
  }
}

inline void check_room(std::int64_t size, void* bytes, std::int64_t* length) {
  required("length", length);
  if (size != 0) required("bytes", static_cast<char*>(bytes));
}

// Writes saved bytes to `bytes` (room for `size` of them), and how many there are to *length. size = 0: *length alone.
// No callback is called: after a cancelled call the output must be as it was.
inline void hand_out_bytes(std::int64_t size, void* bytes, std::int64_t* length, SavedKind kind,
                           const Payload& payload) {
  check_room(size, bytes, length);
  const Index needed = container_size(payload);
  if (size == 0 || size < needed) *length = needed;
  if (size == 0) return;
  if (size < needed)
    fail(Status::invalid_argument, "size is ", size, "; it must be at least ", needed, ", or 0 for the length alone");
  MemorySink sink({static_cast<unsigned char*>(bytes), needed});
  write_container(kind, payload, sink);
  *length = needed;
}

inline MemorySource checked_bytes(const void* bytes, std::int64_t size) {
  const auto* const from = static_cast<const unsigned char*>(bytes);
  required("bytes", from);
  if (size < 1) fail(Status::invalid_argument, "size is ", size, "; it must be at least 1");
  return MemorySource({from, size});
}

}  // namespace freeridge::capi
