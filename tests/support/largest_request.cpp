#include "support/largest_request.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace support {

std::atomic<std::size_t> largest_request{0};

namespace {

void* note(std::size_t size, void* memory) {
  std::size_t before = largest_request;
  while (size > before && !largest_request.compare_exchange_weak(before, size)) {
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace
}  // namespace support

void* operator new(std::size_t size) {
  return support::note(size, std::malloc(std::max<std::size_t>(size, 1)));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return support::note(size, std::aligned_alloc(unit, std::max<std::size_t>((size + unit - 1) / unit, 1) * unit));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
