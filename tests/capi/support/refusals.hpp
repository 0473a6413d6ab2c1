// Bad arguments: each argument of a call (call.hpp) is spoilt by the values that its type and its name forbid: NULL where
// it is not optional, sizes that are no sizes, a leading dimension that is too short, unknown constants, numbers that are
// not finite, negative or zero. Rows of a test's own name an argument, the values that spoil it and the status that
// answers each of them (INVALID_ARGUMENT unless said); the message names the argument and the value.
//
//     expect_refused<SetGroups>({{"divisions", integers({0, INT64_MIN})}});
//
// For every value: the status, the message, nothing printed, no output written, and the handle as it was. A call's own
// `optional` are its arguments that may be NULL, `own` those whose numbers are not judged by their name.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "capi/support/call.hpp"
#include "capi/support/documented.hpp"
#include "capi/support/fingerprint.hpp"
#include "capi/support/output_capture.hpp"
#include "capi/support/sample.hpp"

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double Inf = std::numeric_limits<double>::infinity();
using Words = std::vector<std::string>;

// A number as a message writes it.
std::string text_of(double value);
std::string text_of(int64_t value);
inline std::string text_of(int32_t value) {
  return text_of(static_cast<int64_t>(value));
}

// Whether the word stands in the message by itself: "ld" does not stand in "ldx", nor "1" in "-1" or "1.5".
bool has_word(const std::string& message, const std::string& word);

// A failure with words of its own before the call that is tested, so that a message left over is seen to be one.
void leave_stale_error();

// One line, not stale, with every word.
void expect_message(const std::string& message, const Words& words);

// --- bad values ---------------------------------------------------------------------------------------------------

struct BadValue {
  std::string text;
  std::function<void(const call::Slot&)> spoil;
};
using BadValues = std::vector<BadValue>;

BadValues integers(const std::vector<int64_t>& list);
BadValues reals(const std::vector<double>& list);
// Each as the first, the middle and the last entry of the array.
BadValues integer_entries(const std::vector<int64_t>& list);
BadValues real_entries(const std::vector<double>& list);

struct Row {
  std::string argument;
  BadValues values;
  freeridge_status status = FREERIDGE_INVALID_ARGUMENT;
};
using Rows = std::vector<Row>;

inline const std::vector<double> not_finite = {NaN, Inf, -Inf};
inline const std::vector<int64_t> bad_sizes = {0, -1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX};
// Leading dimensions that are shorter than `least`, and one whose product with the columns overflows. zero: 0 is none of
// them.
inline std::vector<int64_t> bad_leading(int64_t least, bool zero = false) {
  std::vector<int64_t> out{-1, INT64_MIN, INT64_MAX};
  if (!zero || least > 1) out.push_back(least - 1);
  if (!zero) out.push_back(0);
  return out;
}

// --- the check ----------------------------------------------------------------------------------------------------

// Makes the call, which is expected to fail with that status, one that freeridge.h names for it, and a message with
// these words. Prints nothing, and writes nothing but to the outputs of a call that is UNDEFINED or CANCELLED, or that
// fails on the way (`partly`).
void expect_failure_of(AnyCall& call, const char* name, freeridge_status status, const Words& words,
                       bool partly = false);

template <class Call>
void expect_failure(Call& call, freeridge_status status, const Words& words, bool partly = false) {
  expect_failure_of(call, Call::name, status, words, partly);
}

// Each bad value of each argument and of the rows given, in a call of its own that `prepare` has had first; `check` comes
// after it.
void expect_each_refused(const CallKind& kind, const Rows& rows, const std::function<void(AnyCall&)>& prepare,
                         const std::function<void()>& check);

// A call on a model: on FITTED ones, which must answer as before. A call without one: by itself.
void expect_refused(const CallKind& kind, const Rows& rows, const std::vector<sample::Variant>& variants);
template <class Call>
void expect_refused(const Rows& rows = {}, const std::vector<sample::Variant>& variants = sample::variants) {
  expect_refused(kind_of<Call>(), rows, variants);
}

// Calls of which nothing is to be said but what their arguments' names say.
template <class... Calls>
void expect_all_refused() {
  (expect_refused<Calls>(), ...);
}
