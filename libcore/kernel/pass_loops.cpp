#include "libcore/kernel/pass_loops.hpp"

#include <bit>

#include "libcore/base/instruction_sets.hpp"

namespace freeridge {
namespace {

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f,avx2,fma")
namespace pass_avx512 {
#define FREERIDGE_REGISTER 64
#define FREERIDGE_SQRT_FLOATS(v) \
  ((Floats)_mm512_maskz_sqrt_ps(0xffff, (__m512)(v)))  // GCC 12 warns of that without mask
#define FREERIDGE_SQRT_DOUBLES(v) ((Doubles)_mm512_maskz_sqrt_pd(0xff, (__m512d)(v)))
#define FREERIDGE_ADD_FLOATS(sum, x, y) ((Floats)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(sum)))
#define FREERIDGE_ADD_DOUBLES(sum, x, y) ((Doubles)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(sum)))
#include "libcore/kernel/pass_loops_body.hpp"
}  // namespace pass_avx512
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
namespace pass_avx2 {
#define FREERIDGE_REGISTER 32
#define FREERIDGE_SQRT_FLOATS(v) ((Floats)_mm256_sqrt_ps((__m256)(v)))
#define FREERIDGE_SQRT_DOUBLES(v) ((Doubles)_mm256_sqrt_pd((__m256d)(v)))
#define FREERIDGE_ADD_FLOATS(sum, x, y) ((Floats)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum)))
#define FREERIDGE_ADD_DOUBLES(sum, x, y) ((Doubles)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(sum)))
#include "libcore/kernel/pass_loops_body.hpp"
}  // namespace pass_avx2
FREERIDGE_END_TARGET

#endif

namespace pass_baseline {
#define FREERIDGE_REGISTER 16
#if FREERIDGE_X86
#define FREERIDGE_SQRT_FLOATS(v) ((Floats)_mm_sqrt_ps((__m128)(v)))
#define FREERIDGE_SQRT_DOUBLES(v) ((Doubles)_mm_sqrt_pd((__m128d)(v)))
#else
#define FREERIDGE_SQRT_FLOATS(v) \
  (Floats{__builtin_sqrtf((v)[0]), __builtin_sqrtf((v)[1]), __builtin_sqrtf((v)[2]), __builtin_sqrtf((v)[3])})
#define FREERIDGE_SQRT_DOUBLES(v) (Doubles{__builtin_sqrt((v)[0]), __builtin_sqrt((v)[1])})
#endif
#define FREERIDGE_ADD_FLOATS(sum, x, y) ((sum) + (x) * (y))
#define FREERIDGE_ADD_DOUBLES(sum, x, y) ((sum) + (x) * (y))
#include "libcore/kernel/pass_loops_body.hpp"
}  // namespace pass_baseline

constexpr const PassLoops* pass_tables[] = {
#if FREERIDGE_X86
    &pass_avx512::table, &pass_avx2::table,
#endif
    &pass_baseline::table};

}  // namespace

const PassLoops& pass_loops() {
  return *all_pass_loops().front();
}

Span<const PassLoops* const> all_pass_loops() {
  return bodies_here(pass_tables);
}

}  // namespace freeridge
