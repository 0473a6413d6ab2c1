#include "libcore/kernel/passes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Functions between these two are compiled for an instruction set that the processor may lack. Callers of those that
// passes() hands out have asked.
#if defined(__clang__)
#define FREERIDGE_BEGIN_TARGET(set) \
  FREERIDGE_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define FREERIDGE_END_TARGET FREERIDGE_PRAGMA(clang attribute pop)
#else
#define FREERIDGE_BEGIN_TARGET(set) FREERIDGE_PRAGMA(GCC push_options) FREERIDGE_PRAGMA(GCC target(set))
#define FREERIDGE_END_TARGET FREERIDGE_PRAGMA(GCC pop_options)
#endif
#define FREERIDGE_PRAGMA(words) _Pragma(#words)

#define FREERIDGE_PASSES(name)                                                                                    \
  constexpr Passes table = {                                                                                      \
      name, exp_minus, gaussian, rooted<Half>, rooted<ThreeHalves>, rooted<FiveHalves>, power, distances, divide, \
      add,  multiply,  weighted, finite};

namespace freeridge {
namespace {

#if defined(__x86_64__)

FREERIDGE_BEGIN_TARGET("avx512f")
namespace avx512 {
#define FREERIDGE_LANES 8
#define FREERIDGE_SQRT(v) ((Vec)_mm512_maskz_sqrt_pd(0xff, (__m512d)(v)))  // GCC 12 warns of the one without mask
#include "libcore/kernel/passes_body.hpp"
FREERIDGE_PASSES("AVX-512")
#undef FREERIDGE_LANES
#undef FREERIDGE_SQRT
}  // namespace avx512
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2")
namespace avx2 {
#define FREERIDGE_LANES 4
#define FREERIDGE_SQRT(v) ((Vec)_mm256_sqrt_pd((__m256d)(v)))
#include "libcore/kernel/passes_body.hpp"
FREERIDGE_PASSES("AVX2")
#undef FREERIDGE_LANES
#undef FREERIDGE_SQRT
}  // namespace avx2
FREERIDGE_END_TARGET

namespace baseline {
#define FREERIDGE_LANES 2
#define FREERIDGE_SQRT(v) ((Vec)_mm_sqrt_pd((__m128d)(v)))
#include "libcore/kernel/passes_body.hpp"
FREERIDGE_PASSES("SSE2")
}  // namespace baseline

constexpr const Passes* tables[] = {&avx512::table, &avx2::table, &baseline::table};

std::size_t best() {
  if (__builtin_cpu_supports("avx512f")) return 0;
  return __builtin_cpu_supports("avx2") ? 1 : 2;
}

#else

namespace baseline {
#define FREERIDGE_LANES 2
#define FREERIDGE_SQRT(v) (Vec{__builtin_sqrt((v)[0]), __builtin_sqrt((v)[1])})
#include "libcore/kernel/passes_body.hpp"
FREERIDGE_PASSES("two lanes")
}  // namespace baseline

constexpr const Passes* tables[] = {&baseline::table};

std::size_t best() {
  return 0;
}

#endif

}  // namespace

const Passes& passes() {
  return *tables[best()];
}

std::span<const Passes* const> all_passes() {
  return std::span(tables).subspan(best());
}

}  // namespace freeridge
