#include "libcore/rows/entry_loops.hpp"

#include "libcore/base/instruction_sets.hpp"

// Loops over registers must be unrolled for their arrays to be registers, whatever the optimisation level.
#define UNROLL _Pragma("GCC unroll 8")

namespace freeridge {
namespace {

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f")
namespace avx512 {
#define LANES 8
#include "libcore/rows/entry_loops_body.hpp"
#undef LANES
}  // namespace avx512
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
namespace avx2 {
#define LANES 4
#include "libcore/rows/entry_loops_body.hpp"
#undef LANES
}  // namespace avx2
FREERIDGE_END_TARGET

#endif

namespace plain {
#define LANES 2
#include "libcore/rows/entry_loops_body.hpp"
}  // namespace plain

}  // namespace

Span<const EntryLoops> entry_loops() {
  static constexpr EntryLoops all[] = {
#if FREERIDGE_X86
    {"AVX-512", avx512::combine},
    {"AVX2", avx2::combine},
#endif
    {"plain", plain::combine}
  };
  return bodies_here(all);
}

}  // namespace freeridge
