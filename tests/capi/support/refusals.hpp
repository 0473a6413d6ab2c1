// Bad arguments: each argument of a call (call.hpp) is spoilt by the values that its type and its name forbid: NULL where
// it is not optional, sizes that are no sizes, a leading dimension that is too short, unknown constants, numbers that are
// not finite, negative or zero. Rows of a test's own name an argument, the values that spoil it and the status that
// answers each of them (INVALID_ARGUMENT unless said); the message names the argument and the value.
//
//     expect_refused<SetMemoryLimit>({{"bytes", values(&SetMemoryLimit::bytes, {-1, INT64_MIN})}});
//
// For every value: the status, the message, nothing printed, no output written, and the handle as it was. `own`: the
// arguments of a call whose numbers are not judged by their name.
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

template <class Call>
struct BadValue {
  std::string text;
  std::function<void(Call&)> spoil;
};

template <class Call>
using BadValues = std::vector<BadValue<Call>>;

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

// The numbers that an argument of this name may not be; `valid` is what it is else.
template <class T>
struct BadNumbers {
  freeridge_status status;
  std::vector<T> list;
};
std::vector<BadNumbers<int32_t>> bad_numbers(std::string_view name, int32_t valid);
std::vector<BadNumbers<int64_t>> bad_numbers(std::string_view name, int64_t valid);
std::vector<BadNumbers<double>> bad_numbers(std::string_view name, double valid);
// The same of an entry of an array.
std::vector<BadNumbers<double>> bad_entries(std::string_view name);

template <class Call>
concept ByRows = requires(Call call) {
  call.layout;
  call.ldx;
};

// The call with x, y and its outputs in row-major order, where the leading dimensions are numbers of columns.
template <ByRows Call>
void lay_by_rows(Call& call) {
  call.layout = FREERIDGE_ROW_MAJOR;
  call.ldx = sample::d;
  if constexpr (requires { call.ldy; }) call.ldy = sample::t;
  if constexpr (requires { call.ldout; }) call.ldout = sample::t;
}

// The rows of the k-th argument.
template <class Call, std::size_t k>
void add_bad(std::vector<Row<Call>>& rows) {
  constexpr std::string_view name = call::nth_name(Call::argument_names, k);
  const std::string argument(name);
  using T = std::remove_reference_t<std::tuple_element_t<k, decltype(std::declval<Call&>().arguments())>>;
  bool optional = false, own = false;
  if constexpr (requires { Call::optional; }) optional = call::has_name(Call::optional, name);
  if constexpr (requires { Call::own; }) own = call::has_name(Call::own, name);
  const auto add = [&](freeridge_status status, auto value, auto place) {
    rows.push_back({argument, {{text_of(value), [=](Call& call) { place(call) = value; }}}, status});
  };
  const auto itself = [](Call& call) -> T& { return std::get<k>(call.arguments()); };
  if constexpr (std::is_pointer_v<T>) {
    if (!optional) rows.push_back({argument, {{"NULL", [=](Call& call) { itself(call) = nullptr; }}}});
  } else if constexpr (requires(T value) { value.null; }) {
    if (!optional) rows.push_back({argument, {{"NULL", [=](Call& call) { itself(call).null = true; }}}});
    if constexpr (std::is_same_v<T, Input<double>>) {
      if (own) return;
      for (const auto& [status, list] : bad_entries(name))
        for (const double value : list)
          for (const std::size_t third : {0, 1, 2})  // the first, the middle and the last
            add(status, value, [=](Call& call) -> double& {
              std::vector<double>& array = itself(call).values;
              return array[(array.size() - 1) * third / 2];
            });
    }
  } else {
    if (own) return;
    Call valid;
    for (const auto& [status, list] : bad_numbers(name, itself(valid)))
      for (const T value : list) add(status, value, itself);
    if constexpr (ByRows<Call> && (name == "ldx" || name == "ldy" || name == "ldout"))
      for (const int64_t value : bad_leading(name == "ldx" ? sample::d : sample::t))
        add(FREERIDGE_INVALID_ARGUMENT, value, [=](Call& call) -> T& {
          lay_by_rows(call);
          return itself(call);
        });
  }
}

// Each bad value of each argument and of the rows given, in a call of its own that `prepare` has had first; `check` comes
// after it.
template <class Call, class Prepare, class Check>
void expect_each_refused(std::vector<Row<Call>> rows, Prepare prepare, Check check) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (add_bad<Call, k>(rows), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(std::declval<Call&>().arguments())>>());
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

template <class Call>
concept OnModel = requires(Call call) {
  call.model;
};

// A call without a model.
template <class Call>
requires(!OnModel<Call>) void expect_refused(const std::vector<Row<Call>>& rows = {}) {
  expect_each_refused(
      rows, [](Call&) {}, [] {});
}

// A call on a model: on FITTED ones, which must answer as before.
template <OnModel Call>
void expect_refused(const std::vector<Row<Call>>& rows = {},
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

// Calls of which nothing is to be said but what their arguments' names say.
template <class... Calls>
void expect_all_refused() {
  (expect_refused<Calls>(), ...);
}
