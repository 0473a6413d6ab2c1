// The kernel of the caller's library as one of this library's own, by its text.
#pragma once

#include "libcore/kernel/kernel_text.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {

inline KernelPtr own_kernel(const freeridge_kernel* kernel) {
  int64_t length = 0;
  ask(freeridge_kernel_describe(&capi::required("kernel", kernel), 0, nullptr, &length));
  std::string text(static_cast<std::size_t>(length) + 1, 0);
  ask(freeridge_kernel_describe(kernel, length + 1, text.data(), &length));
  text.pop_back();
  return parse_kernel(text);
}

}  // namespace freeridge::mpi
