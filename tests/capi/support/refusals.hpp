// Tables of bad arguments: one row names an argument, the values that spoil it and the status that answers
// each of them (INVALID_ARGUMENT unless said); the message names the argument and the value.
//
//     expect_refused<Loo>({{"model", null(&Loo::model)},
//                          {"ld", values(&Loo::ld, {0, sample::n - 1})}});
//
// For every value: the status, the message, nothing printed, no output written, and the model as it was.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "capi/support/arrays.hpp"
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

template <class Call>
struct BadValue {
  std::string text;
  std::function<void(Call&)> spoil;
};

template <class Call>
using BadValues = std::vector<BadValue<Call>>;

template <class Call, class Handle>
BadValues<Call> null(Handle* Call::*handle) {
  return {{"NULL", [=](Call& call) { call.*handle = nullptr; }}};
}

template <class Call, class T>
BadValues<Call> null(Input<T> Call::*input) {
  return {{"NULL", [=](Call& call) { (call.*input).null = true; }}};
}

template <class Call, class T>
BadValues<Call> null(Output<T> Call::*output) {
  return {{"NULL", [=](Call& call) { (call.*output).null = true; }}};
}

template <class Call, class T>
BadValues<Call> values(T Call::*argument, const std::type_identity_t<std::vector<T>>& list) {
  BadValues<Call> result;
  for (T value : list) result.push_back({text_of(value), [=](Call& call) { call.*argument = value; }});
  return result;
}

// Each value as the first, the middle and the last entry of the array.
template <class Call, class T>
BadValues<Call> entries(Input<T> Call::*input, const std::type_identity_t<std::vector<T>>& list) {
  BadValues<Call> result;
  for (T value : list) {
    for (int place : {0, 1, 2}) {
      result.push_back({text_of(value), [=](Call& call) {
                          std::vector<T>& array = (call.*input).values;
                          array[(array.size() - 1) * static_cast<std::size_t>(place) / 2] = value;
                        }});
    }
  }
  return result;
}

inline const std::vector<double> not_finite = {NaN, Inf, -Inf};
inline const std::vector<int64_t> bad_sizes = {0, -1, INT64_MIN, int64_t{INT32_MAX} + 1, INT64_MAX};
inline const std::vector<int32_t> unknown_layouts = {0, 3, 5, 99, -1, INT32_MIN, INT32_MAX};
inline const std::vector<int32_t> unknown_routes = {6, 99, -1, INT32_MIN, INT32_MAX};
inline const std::vector<int32_t> unknown_criteria = {0, 6, 99, -1, INT32_MIN, INT32_MAX};

// Leading dimensions that are shorter than `least`, and one whose product with the columns overflows.
inline std::vector<int64_t> bad_leading(int64_t least) {
  return {least - 1, 0, -1, INT64_MIN, INT64_MAX};
}

// --- the check ----------------------------------------------------------------------------------------------------

// Makes the call, which is expected to fail with that status, one that freeridge.h names for it, and a message with
// these words. Prints nothing, and writes
// nothing but to the outputs of a call that is UNDEFINED or CANCELLED, or that fails on the way (`partly`).
template <class Call>
void expect_failure(Call& call, freeridge_status status, const Words& words, bool partly = false) {
  leave_stale_error();
  OutputCapture capture;
  const freeridge_status actual = call();
  const std::string message = freeridge_last_error();
  const std::string printed = capture.end();
  EXPECT_STREQ(freeridge_status_name(actual), freeridge_status_name(status)) << message;
  expect_message(message, words);
  EXPECT_EQ(printed, "");
  if constexpr (requires { Call::name; }) {
    EXPECT_TRUE(Documented::has(Call::name, actual)) << Call::name << ": " << freeridge_status_name(actual);
  }
  if constexpr (requires { call.each_output([](auto&) {}); }) {
    const bool may_write = partly || status == FREERIDGE_UNDEFINED || status == FREERIDGE_CANCELLED;
    call.each_output([&](const auto& output) {
      EXPECT_TRUE(may_write ? output.guard_untouched() : output.untouched()) << "an output was written";
    });
  }
}

template <class Call>
struct Row {
  std::string argument;
  BadValues<Call> values;
  freeridge_status status = FREERIDGE_INVALID_ARGUMENT;
};

template <class Call>
concept OnModel = requires(Call call) {
  call.model;
};

// Each bad value of each row, in a call of its own that `prepare` has had first; `check` comes after it.
template <class Call, class Prepare, class Check>
void expect_each_refused(const std::vector<Row<Call>>& rows, Prepare prepare, Check check) {
  for (const Row<Call>& row : rows) {
    for (const BadValue<Call>& value : row.values) {
      SCOPED_TRACE(std::string(Call::name) + ": " + row.argument + " = " + value.text);
      Call call;
      prepare(call);
      value.spoil(call);
      expect_failure(call, row.status, {row.argument, value.text});
      check();
    }
  }
}

// A call without a model.
template <class Call>
requires(!OnModel<Call>) void expect_refused(const std::vector<Row<Call>>& rows) {
  expect_each_refused(
      rows, [](Call&) {}, [] {});
}

// A call on a model: on FITTED ones, which must answer as before.
template <OnModel Call>
void expect_refused(const std::vector<Row<Call>>& rows,
                    const std::vector<sample::Variant>& variants = sample::variants) {
  for (sample::Variant variant : variants) {
    SCOPED_TRACE("variant " + std::to_string(static_cast<int>(variant)));
    const Model model = sample::model(sample::State::fitted, variant);
    const Fingerprint before = fingerprint(model.get());
    expect_each_refused(
        rows, [&](Call& call) { call.model = model.get(); },
        [&] { EXPECT_EQ(difference(before, fingerprint(model.get())), ""); });
  }
}
