// What holds for every call, whatever goes in (freeridge.h, "Rules that hold for every call"):
//   - the status is one that the call's comment names; never INTERNAL, and OUT_OF_MEMORY only where it is expected
//   - a failed call leaves its outputs as they were, but for UNDEFINED and what works in pieces
//   - UNDEFINED leaves a NaN, or no output at all, and OK leaves none; Inf is no answer; and nothing is written behind
//     an output
// A call that breaks a rule ends the process, which is how the fuzzer hears of it.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>

#include "capi/support/arrays.hpp"
#include "capi/support/fingerprint.hpp"
#include "capi/support/search_arguments.hpp"

namespace fuzz {

// Says what is wrong, and aborts.
[[noreturn]] void wrong(const std::string& what);

struct Outputs {
  bool untouched = true, guarded = true, nan = false, infinite = false;
};

// ASK(freeridge_get_rank, 0, model, rank): by the Caller `call`.
#define ASK(function, manners, ...) call.made(#function, manners, function, __VA_ARGS__)

class Caller {
 public:
  enum Manners : unsigned {
    strict = 0,
    in_pieces = 1,     // after some failures the output is partly written
    may_be_nan = 2,    // NaN without UNDEFINED: rows that no group leaves out, lambdas that were not tried
    may_be_inf = 4,    // Inf is an answer: an interval without an end, the margin of f = 0
    may_be_short = 8,  // a failure may set the length alone
  };

  bool memory_may_lack = false;
  bool of_a_predictor = false;  // it answers INVALID_STATE to most calls, also those that need no state of a model
  bool missing_values = false;  // NaN is what an output without a value has
  bool any_numbers = false;     // what a forged file answers need not be finite, nor its K + lambda I regular
  Fingerprint answers;          // of all calls so far

  template <class Call, class... Arguments>
  freeridge_status operator()(const char* name, unsigned manners, const Call& call, Arguments&... output) {
    const freeridge_status status = call();
    Outputs all;
    Answer answer{name, status, {}};
    (look_at(output, all, answer), ...);
    inspect(name, manners, status, all);
    answers.push_back(std::move(answer));
    return status;
  }

  // A function with these arguments, of which the outputs are looked at (ASK).
  template <class Function, class... Argument>
  freeridge_status made(const char* name, unsigned manners, const Function& function, Argument&&... argument) {
    return (*this)(
        name, manners, [&] { return function(passed(argument)...); }, argument...);
  }

 private:
  template <class T>
  static T* passed(Output<T>& output) {
    return output.get();
  }
  template <class T>
  static const T& passed(const T& value) {
    return value;
  }
  static SearchArgument::Passed passed(SearchArgument& search) { return SearchArgument::Passed(search); }
  static KernelSearchArgument::Passed passed(KernelSearchArgument& search) {
    return KernelSearchArgument::Passed(search);
  }

  template <class T>
  static void look_at(const T&, Outputs&, Answer&) {}
  template <class T>
  static void look_at(const Output<T>& output, Outputs& all, Answer& answer) {
    all.untouched = all.untouched && output.untouched();
    all.guarded = all.guarded && output.guard_untouched();
    if constexpr (std::is_floating_point_v<T>)
      for (const T value : output.values) all.nan = all.nan || value != value, all.infinite |= std::isinf(value);
    if constexpr (!std::is_pointer_v<T>) {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(output.values.data());
      answer.bytes.insert(answer.bytes.end(), bytes, bytes + output.values.size() * sizeof(T));
    }
  }

  static void look_at(SearchArgument& search, Outputs& all, Answer& answer) { look_within(search, all, answer); }
  static void look_at(KernelSearchArgument& search, Outputs& all, Answer& answer) { look_within(search, all, answer); }
  template <class Argument>
  static void look_within(Argument& search, Outputs& all, Answer& answer) {
    const auto look = [&](const char*, const auto& output, auto&) { look_at(output, all, answer); };
    search.each_number(look);
    search.each_array(look);
  }

  void inspect(const char* name, unsigned manners, freeridge_status status, const Outputs& all) const;
};

}  // namespace fuzz
