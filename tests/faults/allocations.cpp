#include "faults/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "support/operator_new.hpp"

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* block, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** block, std::size_t alignment, std::size_t size);
void __real_free(void* block);
void __asan_init() __attribute__((weak));
}

namespace faults {
namespace {

std::atomic<bool> armed = false;
std::atomic<long> requests = 0, refused = 0, live = 0;
std::thread::id armed_on;
long first = 0, second = 0;
Until until_when = Until::once;
Thrown what = Thrown::bad_alloc;
Where counted = Where::anywhere;

struct Unknown {};

bool refuses() {
  if (!armed || (counted == Where::elsewhere && std::this_thread::get_id() == armed_on)) return false;
  const long k = ++requests;
  const bool refuse = first > 0 && (k == first || k == second || (k > first && until_when == Until::for_good));
  if (refuse) ++refused;
  return refuse;
}

}  // namespace

void arm(long k, Until until, Thrown thrown, long again, Where where) {
  first = k;
  second = again > 0 ? k + again : 0;
  until_when = until;
  what = thrown;
  counted = where;
  requests = 0;
  refused = 0;
  armed_on = std::this_thread::get_id();
  armed = true;
}

Outcome disarm() {
  armed = false;
  return {requests, refused};
}

long live_blocks() {
  return live;
}

bool sanitized() {
  return __asan_init != nullptr;
}

}  // namespace faults

void* operator_new::block(std::size_t size, std::size_t alignment, const void*) noexcept {
  if (faults::refuses()) return nullptr;
  void* block = nullptr;
  if (size == 0) size = 1;
  if (alignment <= usual) {
    block = __real_malloc(size);
  } else if (__real_posix_memalign(&block, alignment, size) != 0) {
    block = nullptr;
  }
  if (block != nullptr) ++faults::live;
  return block;
}

void operator_new::refuse() {
  switch (faults::what) {
    case faults::Thrown::number:
      throw 42;
    case faults::Thrown::text:
      throw "a text";
    case faults::Thrown::exception:
      throw std::runtime_error("an exception of the standard library");
    case faults::Thrown::nothing_known:
      throw faults::Unknown{};
    default:
      throw std::bad_alloc();
  }
}

void operator_new::release(void* block) noexcept {
  if (block == nullptr) return;
  --faults::live;
  __real_free(block);
}

// clang-format off
extern "C" {
void* __wrap_malloc(std::size_t size) { return faults::refuses() ? nullptr : __real_malloc(size); }
void* __wrap_calloc(std::size_t count, std::size_t size) {
  return faults::refuses() ? nullptr : __real_calloc(count, size);
}
void* __wrap_realloc(void* block, std::size_t size) {
  return faults::refuses() ? nullptr : __real_realloc(block, size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  return faults::refuses() ? nullptr : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  return faults::refuses() ? ENOMEM : __real_posix_memalign(block, alignment, size);
}
void __wrap_free(void* block) { __real_free(block); }
}
// clang-format on
