// Loops compiled more than once, for processors with different instruction sets, of which the best is taken at run
// time. A file of loops (a "body") is included once for each, in a namespace of its own, between
//     FREERIDGE_BEGIN_TARGET("avx2") ... FREERIDGE_END_TARGET
// and its functions stand in a table, the fastest first: AVX-512 (avx512f), AVX2 with FMA, and the baseline that the
// compiler builds for anyway (the only one where FREERIDGE_X86 is 0). bodies_here() gives those of the table that this
// processor can run.
// A body must not call a function of another file: the linker keeps one copy of an inline function, and it might keep
// the one that was compiled for AVX-512, which then ends the process on other machines.
#pragma once

#include <cstddef>

// GCC for Windows takes the stack for aligned to 32 bytes, which it is not there (GCC bug 54412): the baseline alone.
#if defined(__x86_64__) && defined(__GNUC__) && (!defined(_WIN32) || defined(__clang__))
#define FREERIDGE_X86 1
#include <immintrin.h>

#include "libcore/base/array.hpp"
#else
#define FREERIDGE_X86 0
#endif

#define FREERIDGE_PRAGMA(words) _Pragma(#words)
#if defined(__clang__)
#define FREERIDGE_BEGIN_TARGET(set) \
  FREERIDGE_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define FREERIDGE_END_TARGET FREERIDGE_PRAGMA(clang attribute pop)
#else
#define FREERIDGE_BEGIN_TARGET(set) FREERIDGE_PRAGMA(GCC push_options) FREERIDGE_PRAGMA(GCC target(set))
#define FREERIDGE_END_TARGET FREERIDGE_PRAGMA(GCC pop_options)
#endif

namespace freeridge {

#if FREERIDGE_X86

inline bool runs_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

// The part of a table {AVX-512, AVX2, baseline} that this processor can run, the fastest first.
template <class Body>
Span<const Body> bodies_here(const Body (&table)[3]) {
  const std::size_t first = __builtin_cpu_supports("avx512f") ? 0 : runs_avx2() ? 1 : 2;
  return Span<const Body>(table).subspan(first);
}

#else

template <class Body>
Span<const Body> bodies_here(const Body (&table)[1]) {
  return table;
}

#endif

}  // namespace freeridge
