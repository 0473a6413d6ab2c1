#include "libcore/rows/entry_loops.hpp"

#include "libcore/base/instruction_sets.hpp"

// Loops over registers must be unrolled for their arrays to be registers, whatever the optimisation level.
#define UNROLL _Pragma("GCC unroll 8")

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f")
#define LANES 8
namespace freeridge {
namespace avx512 {
namespace {
#include "libcore/rows/entry_loops_body.hpp"
}
}  // namespace avx512
}  // namespace freeridge
#undef LANES
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
#define LANES 4
namespace freeridge {
namespace avx2 {
namespace {
#include "libcore/rows/entry_loops_body.hpp"
}
}  // namespace avx2
}  // namespace freeridge
#undef LANES
FREERIDGE_END_TARGET

#endif

#define LANES 2
namespace freeridge {
namespace plain {
namespace {
#include "libcore/rows/entry_loops_body.hpp"
}
}  // namespace plain

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
