// operator new and operator delete of a test program, in all their forms, by three functions that the one file which
// includes this header defines. (All forms: the sanitizers compare who gave memory with who takes it back. One file, and
// not that of the tests: where operator new is inlined, compilers see its memory meet free().)
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace operator_new {

// A block for the code at `caller`, of size 0, too; NULL where there is none.
void* block(std::size_t size, std::size_t alignment, const void* caller) noexcept;

// What the throwing forms do then.
[[noreturn]] void refuse();

void release(void* block) noexcept;

inline void* of_malloc(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t whole = (size + alignment) / alignment * alignment;  // and never 0
  return whole < size ? nullptr : std::aligned_alloc(alignment, whole);
}

inline void* required(void* block) {
  if (block == nullptr) refuse();
  return block;
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace operator_new

// Of the whole program, and of the shared libraries that it loads.
#define PROGRAMS __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

// clang-format off
PROGRAMS void* operator new(std::size_t n) { return operator_new::required(operator_new::block(n, operator_new::usual, CALLER)); }
PROGRAMS void* operator new[](std::size_t n) { return operator_new::required(operator_new::block(n, operator_new::usual, CALLER)); }
PROGRAMS void* operator new(std::size_t n, std::align_val_t a) {
  return operator_new::required(operator_new::block(n, static_cast<std::size_t>(a), CALLER));
}
PROGRAMS void* operator new[](std::size_t n, std::align_val_t a) {
  return operator_new::required(operator_new::block(n, static_cast<std::size_t>(a), CALLER));
}
PROGRAMS void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return operator_new::block(n, operator_new::usual, CALLER); }
PROGRAMS void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return operator_new::block(n, operator_new::usual, CALLER); }
PROGRAMS void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return operator_new::block(n, static_cast<std::size_t>(a), CALLER);
}
PROGRAMS void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return operator_new::block(n, static_cast<std::size_t>(a), CALLER);
}
PROGRAMS void operator delete(void* p) noexcept { operator_new::release(p); }
PROGRAMS void operator delete[](void* p) noexcept { operator_new::release(p); }
PROGRAMS void operator delete(void* p, std::size_t) noexcept { operator_new::release(p); }
PROGRAMS void operator delete[](void* p, std::size_t) noexcept { operator_new::release(p); }
PROGRAMS void operator delete(void* p, std::align_val_t) noexcept { operator_new::release(p); }
PROGRAMS void operator delete[](void* p, std::align_val_t) noexcept { operator_new::release(p); }
PROGRAMS void operator delete(void* p, std::size_t, std::align_val_t) noexcept { operator_new::release(p); }
PROGRAMS void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { operator_new::release(p); }
PROGRAMS void operator delete(void* p, const std::nothrow_t&) noexcept { operator_new::release(p); }
PROGRAMS void operator delete[](void* p, const std::nothrow_t&) noexcept { operator_new::release(p); }
PROGRAMS void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { operator_new::release(p); }
PROGRAMS void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { operator_new::release(p); }
// clang-format on

#undef PROGRAMS
#undef CALLER
