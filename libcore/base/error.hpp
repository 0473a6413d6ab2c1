// Errors of the core: a pinned status and one sentence that names the argument and the value.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace freeridge {

// The same numbers as FREERIDGE_OK ... in freeridge.h (the C layer asserts it).
enum class Status : std::int32_t {
  ok = 0,
  invalid_argument = 1,
  invalid_state = 2,
  not_finite = 3,
  dimension_mismatch = 4,
  out_of_memory = 10,
  device_unavailable = 11,
  not_positive_definite = 20,
  not_converged = 21,
  undefined = 22,
  cancelled = 30,
  io = 40,
  corrupt = 41,
  newer_format = 42,
  internal = 90,
};

class Error : public std::exception {
 public:
  Error(Status status, std::string message) : status_(status), message_(std::move(message)) {}
  Status status() const noexcept { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Status status_;
  std::string message_;
};

namespace detail {
inline void append(std::string& out, std::string_view part) {
  out += part;
}
template <class Number>
requires std::integral<Number> || std::floating_point<Number>
void append(std::string& out, Number value) {
  char buffer[64];  // the shortest text that reads back as the same number
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}
}  // namespace detail

// text("sigma is ", sigma) joins its parts; a number is written in the shortest form that reads back as the same
// number.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

// `cold` tells the compiler that this seldom runs: its code is kept small and apart from the loops that call it.
template <class... Parts>
[[noreturn, gnu::cold]] void fail(Status status, const Parts&... parts) {
  throw Error(status, text(parts...));
}

}  // namespace freeridge
