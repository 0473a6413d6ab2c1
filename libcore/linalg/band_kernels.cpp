#include "libcore/linalg/band_kernels.hpp"

#include "libcore/base/instruction_sets.hpp"

// Loops over registers must be unrolled for their arrays to be registers, whatever the optimisation level.
#define UNROLL _Pragma("GCC unroll 8")

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f")
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
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
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
FREERIDGE_END_TARGET

#endif

#define LANES 2
#define COLUMNS 4
namespace freeridge {
namespace plain {
namespace {
#include "libcore/linalg/band_kernels_body.hpp"
}
}  // namespace plain

Span<const BandKernels> band_kernels() {
  static constexpr BandKernels all[] = {
#if FREERIDGE_X86
    {"AVX-512", avx512::symmetric_tile, avx512::squared_norms, avx512::solve},
    {"AVX2", avx2::symmetric_tile, avx2::squared_norms, avx2::solve},
#endif
    {"plain", plain::symmetric_tile, plain::squared_norms, plain::solve}
  };
  return bodies_here(all);
}

}  // namespace freeridge
