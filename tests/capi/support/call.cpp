#include "capi/support/call.hpp"

#include <sstream>

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream text(list);
  for (std::string name; text >> name;) out.push_back(name.back() == ',' ? name.substr(0, name.size() - 1) : name);
  return out;
}

const freeridge_points* PointsArgument::get() {
  fields.x = x.values.empty() ? nullptr : x.get();
  fields.start = start.values.empty() ? nullptr : start.get();
  fields.index = index.values.empty() ? nullptr : index.get();
  fields.value = value.values.empty() ? nullptr : value.get();
  fields.unpenalised = unpenalised.values.empty() ? nullptr : unpenalised.get();
  return null ? nullptr : &fields;
}

std::vector<std::string> names_of(const CallKind& kind, AnyCall& call) {
  const std::vector<std::string> names = names_in(kind.argument_names);
  const std::vector<call::Slot> slots = call.slots();
  std::vector<std::string> out;
  for (std::size_t k = 0; k < names.size(); ++k) {
    out.push_back(names[k]);
    for (const auto& [field, slot] : slots[k].fields) out.push_back(names[k] + "." + field);
  }
  return out;
}

call::Slot slot(const CallKind& kind, AnyCall& call, const std::string& name) {
  const std::vector<std::string> names = names_in(kind.argument_names);
  const std::vector<call::Slot> slots = call.slots();
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == name) return slots[k];
    for (const auto& [field, slot] : slots[k].fields)
      if (names[k] + "." + field == name) return slot;
  }
  return {};
}

void AnyCall::each_output(const std::function<void(AnyOutput&)>& visit) {
  for (const call::Slot& slot : slots()) {
    if (slot.output != nullptr) visit(*slot.output);
    for (const auto& [name, field] : slot.fields)
      if (field.output != nullptr) visit(*field.output);
  }
}

void destroy_outputs(AnyCall& call) {
  call.each_output([](AnyOutput& output) {
    if (output.untouched()) return;
    if (auto* model = dynamic_cast<Output<freeridge_model*>*>(&output)) freeridge_destroy(model->values[0]);
    if (auto* kernel = dynamic_cast<Output<freeridge_kernel*>*>(&output)) freeridge_kernel_destroy(kernel->values[0]);
  });
}
