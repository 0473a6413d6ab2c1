#include "libcore/linalg/row_loops.hpp"

#include <cmath>

#include "libcore/base/instruction_sets.hpp"

// Loops over registers must be unrolled for their arrays to be registers, whatever the optimisation level.
#undef UNROLL
#undef LANES
#define UNROLL _Pragma("GCC unroll 4")

namespace freeridge {
namespace {

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f")
namespace rows_avx512 {
#define LANES 8
#include "libcore/linalg/row_loops_body.hpp"
#undef LANES
}  // namespace rows_avx512
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
namespace rows_avx2 {
#define LANES 4
#include "libcore/linalg/row_loops_body.hpp"
#undef LANES
}  // namespace rows_avx2
FREERIDGE_END_TARGET

#endif

namespace rows_plain {
#define LANES 2
#include "libcore/linalg/row_loops_body.hpp"
#undef LANES
}  // namespace rows_plain

#undef UNROLL

}  // namespace

#define FREERIDGE_ROW_LOOPS(set) set::rotate, set::unrotate, set::add, set::dot, set::shifted_dot

Span<const RowLoops> row_loops() {
  static constexpr RowLoops all[] = {
#if FREERIDGE_X86
    {"AVX-512", FREERIDGE_ROW_LOOPS(rows_avx512)},
    {"AVX2", FREERIDGE_ROW_LOOPS(rows_avx2)},
#endif
    {"plain", FREERIDGE_ROW_LOOPS(rows_plain)}
  };
  return bodies_here(all);
}

#undef FREERIDGE_ROW_LOOPS

Rotation rotation_of(double a, double x) {
  const double squares = a * a + x * x;
  const double h = squares > 1e-280 && squares < 1e280 ? std::sqrt(squares) : std::hypot(a, x);
  return {a / h, x / h};
}

}  // namespace freeridge
