#include "faults/trials.hpp"

#include <utility>

namespace faults {

Bytes take_outputs(AnyCall& call) {
  Bytes bytes;
  call.each_output([&](AnyOutput& output) {
    const Bytes written = output.bytes();
    bytes.insert(bytes.end(), written.begin(), written.end());
    output.reset();
  });
  return bytes;
}

Trial trial_of(const std::shared_ptr<AnyCall>& call, const std::shared_ptr<void>& owner, std::function<Bytes()> state) {
  return {[call, owner] { return (*call)(); }, [call] { return take_outputs(*call); }, std::move(state)};
}

Bytes bytes_of(freeridge_kernel* kernel) {
  Bytes bytes(200);
  int64_t length = 0;
  const auto status = freeridge_kernel_describe(kernel, 200, reinterpret_cast<char*>(bytes.data()), &length);
  append(bytes, status);
  return bytes;
}

void add_plain(Scenarios& all, const CallKind& kind, const std::string& about, const ChangeAny& prepare) {
  all.push_back({kind.name, about, true, [=] {
                   const std::shared_ptr<AnyCall> call = kind.make();
                   prepare(*call);
                   return trial_of(call, nullptr, [] { return Bytes(); });
                 }});
}

}  // namespace faults
