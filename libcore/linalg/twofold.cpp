#include "libcore/linalg/twofold.hpp"

#include "libcore/base/instruction_sets.hpp"

namespace freeridge {
namespace {

// The rounding errors of products and sums are small beside these: working precision is enough for them.
template <class AnyProduct>
[[gnu::always_inline]] inline void subtract_multiple_by(Index n, const double* x, DoubleDouble w, double* hi,
                                                        double* lo) {
  for (Index i = 0; i < n; ++i) {
    const DoubleDouble p = AnyProduct::of(-x[i], w.hi);
    const DoubleDouble s = two_sum(hi[i], p.hi);
    hi[i] = s.hi;
    lo[i] += s.lo + (p.lo - x[i] * w.lo);
  }
}

// Eight running sums: enough for the registers' width and for the latency of the additions, the same on every machine.
template <class AnyProduct>
[[gnu::always_inline]] inline DoubleDouble twofold_dot_by(Index n, const double* x, const double* hi,
                                                          const double* lo) {
  constexpr Index lanes = 8;
  double sum[lanes] = {}, error[lanes] = {};
  const auto add = [&](Index lane, Index i) {
    const DoubleDouble p = AnyProduct::of(x[i], hi[i]);
    const DoubleDouble s = two_sum(sum[lane], p.hi);
    sum[lane] = s.hi;
    error[lane] += s.lo + (p.lo + x[i] * lo[i]);
  };
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index lane = 0; lane < lanes; ++lane) add(lane, i + lane);
  for (; i < n; ++i) add(i % lanes, i);
  DoubleDouble total;
  for (Index lane = 0; lane < lanes; ++lane) total += two_sum(sum[lane], error[lane]);
  return total;
}

#if FREERIDGE_X86 && !defined(__FP_FAST_FMA)
#define FREERIDGE_FUSED_AT_RUN_TIME
[[gnu::target("avx2,fma")]] void subtract_multiple_fused(Index n, const double* x, DoubleDouble w, double* hi,
                                                         double* lo) {
  subtract_multiple_by<FusedProduct>(n, x, w, hi, lo);
}
[[gnu::target("avx2,fma")]] DoubleDouble twofold_dot_fused(Index n, const double* x, const double* hi,
                                                           const double* lo) {
  return twofold_dot_by<FusedProduct>(n, x, hi, lo);
}
#endif

}  // namespace

void subtract_multiple(Index n, const double* x, DoubleDouble w, double* hi, double* lo) {
#ifdef FREERIDGE_FUSED_AT_RUN_TIME
  if (runs_avx2()) return subtract_multiple_fused(n, x, w, hi, lo);
#endif
  subtract_multiple_by<ExactProduct>(n, x, w, hi, lo);
}

void twofold_normalize(Index n, double* hi, double* lo) {
  for (Index i = 0; i < n; ++i) {
    const DoubleDouble s = two_sum(hi[i], lo[i]);
    hi[i] = s.hi;
    lo[i] = s.lo;
  }
}

DoubleDouble twofold_dot(Index n, const double* x, const double* hi, const double* lo) {
#ifdef FREERIDGE_FUSED_AT_RUN_TIME
  if (runs_avx2()) return twofold_dot_fused(n, x, hi, lo);
#endif
  return twofold_dot_by<ExactProduct>(n, x, hi, lo);
}

}  // namespace freeridge
