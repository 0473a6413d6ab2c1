#include "libcore/linalg/band_kernels.hpp"

#include "libcore/base/instruction_sets.hpp"

// Loops over registers must be unrolled for their arrays to be registers, whatever the optimisation level.
#define UNROLL _Pragma("GCC unroll 8")

namespace freeridge {
namespace {

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f")
namespace avx512 {
#define LANES 8
#define COLUMNS 8
#include "libcore/linalg/band_kernels_body.hpp"
#undef LANES
#undef COLUMNS
}  // namespace avx512
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
namespace avx2 {
#define LANES 4
#define COLUMNS 4
#include "libcore/linalg/band_kernels_body.hpp"
#undef LANES
#undef COLUMNS
}  // namespace avx2
FREERIDGE_END_TARGET

#endif

namespace plain {
#define LANES 2
#define COLUMNS 4
#include "libcore/linalg/band_kernels_body.hpp"
}  // namespace plain

}  // namespace

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
