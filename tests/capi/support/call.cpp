#include "capi/support/call.hpp"

#include <sstream>

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream text(list);
  for (std::string name; text >> name;) out.push_back(name.back() == ',' ? name.substr(0, name.size() - 1) : name);
  return out;
}

call::Slot slot(const CallKind& kind, AnyCall& call, const std::string& name) {
  const std::vector<std::string> names = names_in(kind.argument_names);
  const std::vector<call::Slot> slots = call.slots();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return slots[k];
  return {};
}

void AnyCall::each_output(const std::function<void(AnyOutput&)>& visit) {
  for (const call::Slot& slot : slots())
    if (slot.output != nullptr) visit(*slot.output);
}

void destroy_outputs(AnyCall& call) {
  call.each_output([](AnyOutput& output) {
    if (output.untouched()) return;
    if (auto* model = dynamic_cast<Output<freeridge_model*>*>(&output)) freeridge_destroy(model->values[0]);
    if (auto* kernel = dynamic_cast<Output<freeridge_kernel*>*>(&output)) freeridge_kernel_destroy(kernel->values[0]);
  });
}
