// A call as a struct: its arguments are members, under the names of freeridge.h, valid until a test spoils one.
//
//     struct Loo {
//       freeridge_model* model = nullptr;
//       Output<double> errors{sample::size(sample::n, sample::t)};
//       int64_t ld = sample::n;
//       FREERIDGE_CALL(freeridge_loo, model, errors, ld);
//     };
//
// So the tests of the contract, of states, of failing memory and of cancelling make any call, find its outputs, and spoil
// each argument by its type and its name (refusals.hpp). `optional`: the names of the arguments that may be NULL.
//
// A new call: its struct here, in the file of its section; its place in refusals_test.cpp and, if it takes a model, in
// states_test.cpp and fingerprint.cpp; a scenario in tests/faults.
#pragma once

#include <string_view>
#include <tuple>

#include "capi/support/arrays.hpp"

#define FREERIDGE_CALL(function, ...)                                                                      \
  auto arguments() {                                                                                       \
    return std::tie(__VA_ARGS__);                                                                          \
  }                                                                                                        \
  freeridge_status operator()() {                                                                          \
    return std::apply([](auto&... argument) { return function(call::passed(argument)...); }, arguments()); \
  }                                                                                                        \
  void each_output(auto visit) {                                                                           \
    std::apply([&](auto&... argument) { (call::visit_output(argument, visit), ...); }, arguments());       \
  }                                                                                                        \
  static constexpr std::string_view argument_names = #__VA_ARGS__;                                         \
  static constexpr const char* name = #function

namespace call {

template <class T>
T& passed(T& argument) {
  return argument;
}
template <class T>
const T* passed(Input<T>& argument) {
  return argument.get();
}
template <class T>
T* passed(Output<T>& argument) {
  return argument.get();
}

template <class T>
void visit_output(T&, auto&) {}
template <class T>
void visit_output(Output<T>& argument, auto& visit) {
  visit(argument);
}

// Whether a list of names, with or without commas between them, has this one.
constexpr bool has_name(std::string_view list, std::string_view name) {
  for (std::size_t from = 0; from < list.size();) {
    const std::size_t end = std::min(list.find_first_of(", ", from), list.size());
    if (list.substr(from, end - from) == name) return true;
    from = end + 1;
  }
  return false;
}

// The k-th of these names.
constexpr std::string_view nth_name(std::string_view list, std::size_t k) {
  for (; k > 0; --k) list.remove_prefix(list.find(", ") + 2);
  return list.substr(0, list.find(','));
}

}  // namespace call
