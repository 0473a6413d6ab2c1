#include "faults/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* block, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** block, std::size_t alignment, std::size_t size);
void __real_free(void* block);
}

namespace faults {
namespace {

std::atomic<bool> armed = false;
std::atomic<long> requests = 0, refused = 0, elsewhere = 0, live = 0;
std::thread::id armed_on;
long first = 0, second = 0;
Until until_when = Until::once;
Thrown what = Thrown::bad_alloc;

struct Unknown {};

bool refuses() {
  if (!armed) return false;
  const long k = ++requests;
  const bool refuse = first > 0 && (k == first || k == second || (k > first && until_when == Until::for_good));
  if (refuse) ++refused;
  if (refuse && std::this_thread::get_id() != armed_on) ++elsewhere;
  return refuse;
}

[[noreturn]] void refuse() {
  switch (what) {
    case Thrown::number:
      throw 42;
    case Thrown::text:
      throw "a text";
    case Thrown::exception:
      throw std::runtime_error("an exception of the standard library");
    case Thrown::nothing_known:
      throw Unknown{};
    default:
      throw std::bad_alloc();
  }
}

void* block_of(std::size_t size, std::size_t alignment) {
  void* block = nullptr;
  if (size == 0) size = 1;
  if (alignment <= alignof(std::max_align_t)) {
    block = __real_malloc(size);
  } else if (__real_posix_memalign(&block, alignment, size) != 0) {
    block = nullptr;
  }
  if (block != nullptr) ++live;
  return block;
}

void* make(std::size_t size, std::size_t alignment) {
  if (refuses()) refuse();
  void* const block = block_of(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void* make_or_null(std::size_t size, std::size_t alignment) {
  return refuses() ? nullptr : block_of(size, alignment);
}

void release(void* block) {
  if (block == nullptr) return;
  --live;
  __real_free(block);
}

}  // namespace

void arm(long k, Until until, Thrown thrown, long again) {
  first = k;
  second = again > 0 ? k + again : 0;
  until_when = until;
  what = thrown;
  requests = 0;
  refused = 0;
  elsewhere = 0;
  armed_on = std::this_thread::get_id();
  armed = true;
}

Outcome disarm() {
  armed = false;
  return {requests, refused, elsewhere};
}

long live_blocks() {
  return live;
}

}  // namespace faults

constexpr std::size_t usual = alignof(std::max_align_t);

// clang-format off
void* operator new(std::size_t n) { return faults::make(n, usual); }
void* operator new[](std::size_t n) { return faults::make(n, usual); }
void* operator new(std::size_t n, std::align_val_t a) { return faults::make(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return faults::make(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return faults::make_or_null(n, usual); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return faults::make_or_null(n, usual); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return faults::make_or_null(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return faults::make_or_null(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { faults::release(p); }
void operator delete[](void* p) noexcept { faults::release(p); }
void operator delete(void* p, std::size_t) noexcept { faults::release(p); }
void operator delete[](void* p, std::size_t) noexcept { faults::release(p); }
void operator delete(void* p, std::align_val_t) noexcept { faults::release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { faults::release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { faults::release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { faults::release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { faults::release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { faults::release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { faults::release(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { faults::release(p); }

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
