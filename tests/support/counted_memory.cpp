#include "support/counted_memory.hpp"

#include <malloc.h>

#include <atomic>

#include "support/operator_new.hpp"

namespace {

std::atomic<std::size_t> largest{0};
std::atomic<std::int64_t> held{0}, most{0};

template <class Number>
void raise(std::atomic<Number>& peak, Number value) {
  for (Number seen = peak; value > seen && !peak.compare_exchange_weak(seen, value);) {
  }
}

}  // namespace

std::size_t support::largest_allocation() {
  return largest.exchange(0);
}

std::int64_t support::held_bytes() {
  return held;
}

std::int64_t support::most_held_bytes() {
  return most.exchange(held);
}

void* operator_new::block(std::size_t size, std::size_t alignment, const void*) noexcept {
  raise(largest, size);
  void* const block = of_malloc(size, alignment);
  if (block != nullptr) raise(most, held += static_cast<std::int64_t>(malloc_usable_size(block)));
  return block;
}

void operator_new::refuse() {
  throw std::bad_alloc();
}

void operator_new::release(void* block) noexcept {
  if (block != nullptr) held -= static_cast<std::int64_t>(malloc_usable_size(block));
  std::free(block);
}
