// A plain struct as the argument of a call: settings and answers, whose arrays can be made NULL and whose numbers can be
// spoiled, each under its name, as "answers.w".
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "capi/support/call.hpp"

template <class S>
class StructArgument {
 public:
  using Number = std::variant<std::int32_t S::*, std::int64_t S::*, double S::*>;

  // numbers: those that a test spoils.
  StructArgument(S with, std::vector<std::pair<const char*, Number>> numbers)
      : fields(with), numbers_(std::move(numbers)) {
    fields.size = sizeof(S);
  }
  StructArgument& in(const char* name, const double* S::*field, std::vector<double> values) {
    inputs_.push_back({name, field, {std::move(values)}});
    return *this;
  }
  StructArgument& out(const char* name, double* S::*field, std::size_t size) {
    outputs_.push_back({name, field, Output<double>(size)});
    return *this;
  }

  // The array of that name.
  Input<double>& input(const std::string& name) { return place(inputs_, name); }
  Output<double>& output(const std::string& name) { return place(outputs_, name); }

  S* get() {
    for (auto& [name, field, array] : inputs_) fields.*field = array.get();
    for (auto& [name, field, array] : outputs_) fields.*field = array.get();
    return null_ ? nullptr : &fields;
  }
  call::Slot slot() {
    call::Slot slot{.null = &null_};
    slot.fields.emplace_back("size", call::slot_of(fields.size));
    for (const auto& [name, field] : numbers_)
      slot.fields.emplace_back(name, std::visit([&](auto at) { return call::slot_of(fields.*at); }, field));
    for (auto& [name, field, array] : inputs_) slot.fields.emplace_back(name, call::slot_of(array));
    for (auto& [name, field, array] : outputs_) slot.fields.emplace_back(name, call::slot_of(array));
    return slot;
  }

  S fields;

 private:
  template <class Pointer, class Array>
  struct Place {
    const char* name;
    Pointer S::*field;
    Array array;
  };
  template <class Places>
  static auto& place(Places& places, const std::string& name) {
    return std::ranges::find(places, name, [](const auto& each) { return std::string(each.name); })->array;
  }
  std::vector<std::pair<const char*, Number>> numbers_;
  std::vector<Place<const double*, Input<double>>> inputs_;
  std::vector<Place<double*, Output<double>>> outputs_;
  bool null_ = false;
};

namespace call {

template <class S>
S* passed(StructArgument<S>& argument) {
  return argument.get();
}
template <class S>
Slot slot_of(StructArgument<S>& argument) {
  return argument.slot();
}

}  // namespace call
