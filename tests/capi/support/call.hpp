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

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "capi/support/arrays.hpp"

#define FREERIDGE_CALL(function, ...)                                                                          \
  auto arguments() {                                                                                           \
    return std::tie(__VA_ARGS__);                                                                              \
  }                                                                                                            \
  freeridge_status operator()() {                                                                              \
    return std::apply([](auto&... argument) { return function(call::passed(argument)...); }, arguments());     \
  }                                                                                                            \
  void each_output(auto visit) {                                                                               \
    std::apply([&](auto&... argument) { (call::visit_output(argument, visit), ...); }, arguments());           \
  }                                                                                                            \
  std::vector<call::Slot> slots() {                                                                            \
    return std::apply([](auto&... argument) { return std::vector{call::slot_of(argument)...}; }, arguments()); \
  }                                                                                                            \
  static constexpr const char* argument_names = #__VA_ARGS__;                                                  \
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

// An argument whatever its type is: those of these that it has are not NULL.
struct Slot {
  void** pointer = nullptr;
  bool* null = nullptr;  // of an array
  std::vector<char>* chars = nullptr;
  std::vector<std::int64_t>* integers = nullptr;
  std::vector<double>* reals = nullptr;
  std::int32_t* int32 = nullptr;
  std::int64_t* int64 = nullptr;
  double* real = nullptr;
};
inline Slot slot_of(std::int32_t& argument) {
  return {.int32 = &argument};
}
inline Slot slot_of(std::int64_t& argument) {
  return {.int64 = &argument};
}
inline Slot slot_of(double& argument) {
  return {.real = &argument};
}
inline Slot slot_of(Input<char>& argument) {
  return {.null = &argument.null, .chars = &argument.values};
}
inline Slot slot_of(Input<std::int64_t>& argument) {
  return {.null = &argument.null, .integers = &argument.values};
}
inline Slot slot_of(Input<double>& argument) {
  return {.null = &argument.null, .reals = &argument.values};
}
template <class T>
Slot slot_of(Input<T>& argument) {
  return {.null = &argument.null};
}
template <class T>
Slot slot_of(Output<T>& argument) {
  return {.null = &argument.null};
}
template <class T>
Slot slot_of(T*& argument) {
  return {.pointer = reinterpret_cast<void**>(const_cast<std::remove_const_t<T>**>(&argument))};
}

}  // namespace call
