// What several payloads share: how enums, flags and short integers are written, and the status of numbers that no
// handle can have had.
#pragma once

#include <limits>

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"

namespace freeridge {

constexpr Index largest_dimension = 2147483647;

// Where the x of all rows stands among saved bytes, column by column; length 0: it is not among them.
struct SavedX {
  Index first, length;
};

template <class Enum>
void save_enum(Enum value, ByteWriter& out) {
  out.integer(static_cast<std::int64_t>(value));
}

template <class Enum>
Enum load_enum(const char* name, Enum first, Enum last, ByteReader& in) {
  return static_cast<Enum>(in.integer(name, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)));
}

inline bool load_flag(const char* name, ByteReader& in) {
  return in.integer(name, 0, 1) == 1;
}

inline void save_integers(Span<const std::int32_t> values, ByteWriter& out) {
  for (const std::int32_t value : values) out.integer(value);
}

inline Array<std::int32_t> load_integers(const char* name, std::int32_t low, Index count, ByteReader& in) {
  in.require(name, count);
  Array<std::int32_t> out(count);
  for (std::int32_t& value : out)
    value = static_cast<std::int32_t>(in.integer(name, low, std::numeric_limits<std::int32_t>::max()));
  return out;
}

// `count` numbers from low to high. name: of all of them; each: of one, for the messages.
inline Array<Index> load_indices(const char* name, const char* each, Index low, Index high, Index count,
                                 ByteReader& in) {
  in.require(name, count);
  Array<Index> out(count);
  in.indices(each, low, high, out);
  return out;
}

// Runs load(). A check for users' numbers that fails there, as INVALID_ARGUMENT say, becomes CORRUPT: no handle had
// such numbers when it was saved.
template <class Load>
auto sound(const Load& load) {
  try {
    return load();
  } catch (const Error& error) {
    switch (error.status()) {
      case Status::corrupt:
      case Status::newer_format:
      case Status::io:
      case Status::out_of_memory:
      case Status::internal:
        throw;
      default:
        throw Error(Status::corrupt, text("what is saved cannot be: ", std::string_view(error.what())));
    }
  }
}

}  // namespace freeridge
