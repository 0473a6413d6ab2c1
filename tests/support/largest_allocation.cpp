// A file of its own: where operator new is inlined, compilers see its memory meet free(). All forms that the standard
// library uses are here: the sanitizers compare who gave memory with who takes it back.
#include "support/largest_allocation.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest{0};

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  for (std::size_t seen = largest; size > seen && !largest.compare_exchange_weak(seen, size);) {
  }
  const std::size_t whole = (size + alignment) / alignment * alignment;  // and never 0
  return whole < size ? nullptr : std::aligned_alloc(alignment, whole);
}

void* required(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

std::size_t support::largest_allocation() {
  return largest.exchange(0);
}

void* operator new(std::size_t size) {
  return required(allocate(size, usual));
}
void* operator new[](std::size_t size) {
  return required(allocate(size, usual));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, usual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return required(allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return required(allocate(size, static_cast<std::size_t>(alignment)));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
