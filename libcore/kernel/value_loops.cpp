#include "libcore/kernel/value_loops.hpp"

#include "libcore/base/instruction_sets.hpp"

#define FREERIDGE_PASSES(name)                                  \
  constexpr Passes table = {name,                               \
                            exp_minus,                          \
                            gaussian,                           \
                            rooted<Half>,                       \
                            rooted<ThreeHalves>,                \
                            rooted<FiveHalves>,                 \
                            power,                              \
                            distances,                          \
                            divide,                             \
                            add,                                \
                            multiply,                           \
                            weighted,                           \
                            finite,                             \
                            feature_passes<GaussianFeature>,    \
                            feature_passes<HalfFeature>,        \
                            feature_passes<ThreeHalvesFeature>, \
                            feature_passes<FiveHalvesFeature>};

namespace freeridge {
namespace {

#if FREERIDGE_X86

FREERIDGE_BEGIN_TARGET("avx512f")
namespace avx512 {
#define FREERIDGE_LANES 8
#define FREERIDGE_SQRT(v) ((Vec)_mm512_maskz_sqrt_pd(0xff, (__m512d)(v)))  // GCC 12 warns of the one without mask
#define FREERIDGE_ADD_PRODUCT(sum, x, y) ((Vec)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(sum)))
#include "libcore/kernel/value_loops_body.hpp"
FREERIDGE_PASSES("AVX-512")
#undef FREERIDGE_LANES
#undef FREERIDGE_SQRT
#undef FREERIDGE_ADD_PRODUCT
}  // namespace avx512
FREERIDGE_END_TARGET

FREERIDGE_BEGIN_TARGET("avx2,fma")
namespace avx2 {
#define FREERIDGE_LANES 4
#define FREERIDGE_SQRT(v) ((Vec)_mm256_sqrt_pd((__m256d)(v)))
#define FREERIDGE_ADD_PRODUCT(sum, x, y) ((Vec)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(sum)))
#include "libcore/kernel/value_loops_body.hpp"
FREERIDGE_PASSES("AVX2")
#undef FREERIDGE_LANES
#undef FREERIDGE_SQRT
#undef FREERIDGE_ADD_PRODUCT
}  // namespace avx2
FREERIDGE_END_TARGET

namespace baseline {
#define FREERIDGE_LANES 2
#define FREERIDGE_SQRT(v) ((Vec)_mm_sqrt_pd((__m128d)(v)))
#define FREERIDGE_ADD_PRODUCT(sum, x, y) ((sum) + (x) * (y))
#include "libcore/kernel/value_loops_body.hpp"
FREERIDGE_PASSES("SSE2")
}  // namespace baseline

constexpr const Passes* tables[] = {&avx512::table, &avx2::table, &baseline::table};

#else

namespace baseline {
#define FREERIDGE_LANES 2
#define FREERIDGE_SQRT(v) (Vec{__builtin_sqrt((v)[0]), __builtin_sqrt((v)[1])})
#if defined(__FP_FAST_FMA)  // an instruction of this processor
#define FREERIDGE_ADD_PRODUCT(sum, x, y) \
  (Vec{__builtin_fma((x)[0], (y)[0], (sum)[0]), __builtin_fma((x)[1], (y)[1], (sum)[1])})
#else
#define FREERIDGE_ADD_PRODUCT(sum, x, y) ((sum) + (x) * (y))
#endif
#include "libcore/kernel/value_loops_body.hpp"
FREERIDGE_PASSES("two lanes")
}  // namespace baseline

constexpr const Passes* tables[] = {&baseline::table};

#endif

}  // namespace

const Passes& passes() {
  return *all_passes().front();
}

Span<const Passes* const> all_passes() {
  return bodies_here(tables);
}

}  // namespace freeridge
