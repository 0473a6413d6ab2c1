#include "libcore/linalg/band_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define FREERIDGE_X86 1
#include <immintrin.h>
#else
#define FREERIDGE_X86 0
#endif

// Loops over registers must be unrolled for their arrays to be registers, whatever the optimisation level.
#define UNROLL _Pragma("GCC unroll 8")

// The file of the loops is included anew for each instruction set, because a vector type means another thing in each.
#if FREERIDGE_X86

#pragma GCC push_options
#pragma GCC target("avx512f")
#define LANES 8
#define COLUMNS 8
namespace freeridge {
namespace avx512 {
namespace {
#include "libcore/linalg/band_kernels_body.hpp"
}
}  // namespace avx512
}  // namespace freeridge
#undef LANES
#undef COLUMNS
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES 4
#define COLUMNS 4
namespace freeridge {
namespace avx2 {
namespace {
#include "libcore/linalg/band_kernels_body.hpp"
}
}  // namespace avx2
}  // namespace freeridge
#undef LANES
#undef COLUMNS
#pragma GCC pop_options

#endif

#define LANES 2
#define COLUMNS 4
namespace freeridge {
namespace plain {
namespace {
#include "libcore/linalg/band_kernels_body.hpp"
}
}  // namespace plain

std::span<const BandKernels> band_kernels() {
  static constexpr BandKernels all[] = {
#if FREERIDGE_X86
    {"AVX-512", avx512::symmetric_tile, avx512::squared_norms, avx512::solve},
    {"AVX2", avx2::symmetric_tile, avx2::squared_norms, avx2::solve},
#endif
    {"plain", plain::symmetric_tile, plain::squared_norms, plain::solve}
  };
#if FREERIDGE_X86
  if (__builtin_cpu_supports("avx512f")) return all;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return std::span(all).subspan(1);
  return std::span(all).subspan(2);
#else
  return all;
#endif
}

}  // namespace freeridge
