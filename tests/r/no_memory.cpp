// Loaded before an R session (LD_PRELOAD): requests of operator new from freeridge.so, and from the C++ library that it
// calls, are counted and refused when the session asks for it. R's own memory and the BLAS are left alone.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "support/operator_new.hpp"

namespace {

std::atomic<bool> armed{false}, for_good{false};
std::atomic<long> place{0}, requests{0}, refused{0};

bool ours(const void* caller) {
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  return std::strstr(info.dli_fname, "/freeridge.so") != nullptr || std::strstr(info.dli_fname, "libstdc++") != nullptr;
}

bool refused_to(const void* caller) {
  if (!armed || !ours(caller)) return false;
  const long number = ++requests;
  if (!(number == place || (for_good && number > place && place > 0))) return false;
  ++refused;
  return true;
}

}  // namespace

void* operator_new::block(std::size_t size, std::size_t alignment, const void* caller) noexcept {
  return refused_to(caller) ? nullptr : of_malloc(size, alignment);
}

void operator_new::refuse() {
  throw std::bad_alloc();
}

void operator_new::release(void* block) noexcept {
  std::free(block);
}

// For .C: the number of the request to refuse (0: none), and whether all after it are refused, too.
extern "C" void refuse_from(const int* number, const int* all_after) {
  requests = refused = 0;
  place = *number;
  for_good = *all_after != 0;
  armed = true;
}

extern "C" void refuse_no_more(int* requested, int* declined) {
  armed = false;
  *requested = static_cast<int>(requests);
  *declined = static_cast<int>(refused);
}
