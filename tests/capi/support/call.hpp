// A call as a struct: its arguments are members, under the names of freeridge.h, valid until a test spoils one.
//
//     struct Loo : AnyCall {
//       freeridge_model* model = nullptr;
//       Output<double> errors{sample::size(sample::n, sample::t)};
//       int64_t ld = sample::n;
//       FREERIDGE_CALL(freeridge_loo);
//     };
//
// Which arguments the call takes, and in which order, comes from the table abi/declarations.txt (argument_names.hpp).
// So the tests of the contract, of states, of failing memory and of cancelling make any call, find its outputs, and spoil
// each argument by its type and its name (refusals.hpp). `optional`: the names of the arguments that may be NULL.
//
// A new call: its struct here, in the file of its section; its place in refusals_test.cpp and, if it takes a model, in
// states_test.cpp and fingerprint.cpp; a scenario in tests/faults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "argument_names.hpp"
#include "capi/support/arrays.hpp"
#include "capi/support/search_arguments.hpp"
#include "freeridge_classical.h"

namespace call {

// An argument whatever its type is: those of these that it has are not NULL.
struct Slot {
  void** pointer = nullptr;
  bool* null = nullptr;   // of an array
  bool optional = false;  // NULL is fine, and the call need not say so
  std::vector<char>* chars = nullptr;
  std::vector<std::int64_t>* integers = nullptr;
  std::vector<double>* reals = nullptr;
  std::int32_t* int32 = nullptr;
  std::int64_t* int64 = nullptr;
  double* real = nullptr;
  AnyOutput* output = nullptr;
  std::vector<std::pair<std::string, Slot>> fields{};  // of a struct
};

}  // namespace call

// freeridge_points whose arrays can be made NULL. Dense: x; sparse: start, index and value; both with unpenalised columns
// where `unpenalised` has some.
struct PointsArgument {
  freeridge_points fields{};
  Input<double> x;
  Input<std::int64_t> start;
  Input<std::int32_t> index;
  Input<double> value, unpenalised;
  bool null = false;
  const freeridge_points* get();
};

// A call whatever its type is. (Tests of all calls are compiled for it, and not once for each of them.)
struct AnyCall {
  virtual ~AnyCall() = default;
  virtual freeridge_status operator()() = 0;
  virtual std::vector<call::Slot> slots() = 0;  // its arguments in their order
  void each_output(const std::function<void(AnyOutput&)>& visit);
};

// Ends what a call has made.
void destroy_outputs(AnyCall& call);

#define FREERIDGE_CALL(function) FREERIDGE_CALL_WITH(function, FREERIDGE_ARGUMENTS_##function)
#define FREERIDGE_CALL_WITH(function, ...) FREERIDGE_CALL_OF(function, __VA_ARGS__)  // the names, not their macro
#define FREERIDGE_CALL_OF(function, ...)                                                           \
  freeridge_status operator()() override {                                                         \
    return [](auto&... argument) { return function(call::passed(argument)...); }(__VA_ARGS__);     \
  }                                                                                                \
  std::vector<call::Slot> slots() override {                                                       \
    return [](auto&... argument) { return std::vector{call::slot_of(argument)...}; }(__VA_ARGS__); \
  }                                                                                                \
  static constexpr const char* argument_names = #__VA_ARGS__;                                      \
  static constexpr const char* name = #function

// What is to be known of a call before one is made.
struct CallKind {
  const char* name;
  const char* argument_names;
  const char* optional;  // the arguments that may be NULL
  const char* own;       // those whose numbers are not judged by their name
  std::unique_ptr<AnyCall> (*make)();
};

template <class Call>
CallKind kind_of() {
  CallKind kind{Call::name, Call::argument_names, "", "", [] { return std::unique_ptr<AnyCall>(new Call); }};
  if constexpr (requires { Call::optional; }) kind.optional = Call::optional;
  if constexpr (requires { Call::own; }) kind.own = Call::own;
  return kind;
}

// The words of a list with spaces, or commas and spaces, between them.
std::vector<std::string> names_in(const std::string& list);

// The names of all arguments, and of the fields of structs among them: "points", "points.n".
std::vector<std::string> names_of(const CallKind& kind, AnyCall& call);

// The argument, or the field, of that name; one without anything where there is none.
call::Slot slot(const CallKind& kind, AnyCall& call, const std::string& name);

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

inline const freeridge_points* passed(PointsArgument& argument) {
  return argument.get();
}
inline SearchArgument::Passed passed(SearchArgument& argument) {
  return SearchArgument::Passed(argument);
}
inline KernelSearchArgument::Passed passed(KernelSearchArgument& argument) {
  return KernelSearchArgument::Passed(argument);
}

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
  return {.null = &argument.null, .output = &argument};
}
inline Slot slot_of(PointsArgument& argument) {
  Slot out{.null = &argument.null};
  freeridge_points& fields = argument.fields;
  out.fields = {{"size", slot_of(fields.size)}, {"n", slot_of(fields.n)}, {"d", slot_of(fields.d)}};
  const auto add = [&](const char* name, const Slot& slot) { out.fields.emplace_back(name, slot); };
  if (!argument.x.values.empty()) {
    add("layout", slot_of(fields.layout)), add("ldx", slot_of(fields.ldx)), add("x", slot_of(argument.x));
  } else if (!argument.value.values.empty()) {
    add("format", slot_of(fields.format)), add("start", slot_of(argument.start));
    add("index", slot_of(argument.index)), add("value", slot_of(argument.value));
  }
  if (!argument.unpenalised.values.empty()) {
    add("unpenalised_count", slot_of(fields.unpenalised_count));
    add("unpenalised", slot_of(argument.unpenalised)), add("ldu", slot_of(fields.ldu));
  }
  return out;
}
template <class Argument, class Struct>
Slot slot_of(StructOfOutputs<Argument, Struct>& given) {
  Argument& argument = static_cast<Argument&>(given);
  Slot out{.null = &argument.null};
  out.fields = {{"size", slot_of(argument.fields.size)}};
  argument.each_number(
      [&](const char* name, auto& output, auto&) { out.fields.emplace_back(name, Slot{.output = &output}); });
  argument.each_array([&](const char* name, auto& output, auto&) {
    out.fields.emplace_back(name, slot_of(output));
    out.fields.back().second.optional = true;
  });
  if constexpr (requires { argument.fields.ld; }) out.fields.emplace_back("ld", slot_of(argument.fields.ld));
  return out;
}
template <class T>
Slot slot_of(T*& argument) {
  return {.pointer = reinterpret_cast<void**>(const_cast<std::remove_const_t<T>**>(&argument))};
}

}  // namespace call
