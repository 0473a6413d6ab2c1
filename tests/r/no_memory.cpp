// Loaded before an R session (LD_PRELOAD): requests of operator new from freeridge.so, and from the C++ library that it
// calls, are counted and refused when the session asks for it. R's own memory and the BLAS are left alone.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<bool> armed{false}, for_good{false};
std::atomic<long> place{0}, requests{0}, refused{0};

bool ours(const void* caller) {
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  return std::strstr(info.dli_fname, "/freeridge.so") != nullptr || std::strstr(info.dli_fname, "libstdc++") != nullptr;
}

bool refuse(const void* caller) {
  if (!armed || !ours(caller)) return false;
  const long number = ++requests;
  if (!(number == place || (for_good && number > place && place > 0))) return false;
  ++refused;
  return true;
}

void* plain(std::size_t size, const void* caller) {
  return refuse(caller) ? nullptr : std::malloc(size > 0 ? size : 1);
}

void* aligned(std::size_t size, std::size_t to, const void* caller) {
  return refuse(caller) ? nullptr : std::aligned_alloc(to, (size + to - 1) / to * to + (size == 0 ? to : 0));
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

#define HERE __builtin_return_address(0)

void* operator new(std::size_t n) {
  return or_throw(plain(n, HERE));
}
void* operator new[](std::size_t n) {
  return or_throw(plain(n, HERE));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return plain(n, HERE);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return plain(n, HERE);
}
void* operator new(std::size_t n, std::align_val_t a) {
  return or_throw(aligned(n, std::size_t(a), HERE));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return or_throw(aligned(n, std::size_t(a), HERE));
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return aligned(n, std::size_t(a), HERE);
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return aligned(n, std::size_t(a), HERE);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
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
