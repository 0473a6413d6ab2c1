#include "libcore/kernel/single_loops.hpp"

#include "libcore/base/instruction_sets.hpp"

namespace freeridge {
namespace {

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f,avx2,fma")
namespace single_avx512 {
#define FREERIDGE_LANES 16
#define FREERIDGE_SQRT(v) ((Vec)_mm512_maskz_sqrt_ps(0xffff, (__m512)(v)))
#define FREERIDGE_ADD_PRODUCT(sum, x, y) ((Vec)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(sum)))
#define FREERIDGE_FEW 8
#define FREERIDGE_ADD_FEW(sum, x, y) ((Few)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum)))
#include "libcore/kernel/single_loops_body.hpp"
}  // namespace single_avx512
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
namespace single_avx2 {
#define FREERIDGE_LANES 8
#define FREERIDGE_SQRT(v) ((Vec)_mm256_sqrt_ps((__m256)(v)))
#define FREERIDGE_ADD_PRODUCT(sum, x, y) ((Vec)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum)))
#define FREERIDGE_FEW 8
#define FREERIDGE_ADD_FEW(sum, x, y) ((Few)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum)))
#include "libcore/kernel/single_loops_body.hpp"
}  // namespace single_avx2
FREERIDGE_END_TARGET

#define FREERIDGE_BASELINE_SQRT(v) ((Vec)_mm_sqrt_ps((__m128)(v)))

#else

#define FREERIDGE_BASELINE_SQRT(v) \
  (Vec{__builtin_sqrtf((v)[0]), __builtin_sqrtf((v)[1]), __builtin_sqrtf((v)[2]), __builtin_sqrtf((v)[3])})

#endif

namespace single_baseline {
#define FREERIDGE_LANES 4
#define FREERIDGE_SQRT(v) FREERIDGE_BASELINE_SQRT(v)
#define FREERIDGE_ADD_PRODUCT(sum, x, y) ((sum) + (x) * (y))
#define FREERIDGE_FEW 4
#define FREERIDGE_ADD_FEW(sum, x, y) ((sum) + (x) * (y))
#include "libcore/kernel/single_loops_body.hpp"
}  // namespace single_baseline

constexpr const SingleLoops* single_tables[] = {
#if FREERIDGE_X86
    &single_avx512::table, &single_avx2::table,
#endif
    &single_baseline::table};

}  // namespace

const SingleLoops& single_loops() {
  return *all_single_loops().front();
}

Span<const SingleLoops* const> all_single_loops() {
  return bodies_here(single_tables);
}

}  // namespace freeridge
