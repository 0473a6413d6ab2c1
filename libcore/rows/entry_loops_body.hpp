// Included by entry_loops.cpp once for each instruction set, inside a namespace of its own, with LANES (doubles a
// register) set. No function of another file is called here: an inline one, compiled for this instruction set, might
// become the one for the whole library.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): numbers of registers and lanes

#include "libcore/linalg/pack_body.hpp"

// `packs` registers of sums.
template <int packs>
inline void combine_packs(Index entries, const std::int32_t* column, const double* value, const double* a, Index ld,
                          double* out, Index stride) {
  Pack sum[packs] = {};
  for (Index p = 0; p < entries; ++p) {
    const double* const from = a + column[p] * ld;
    const Pack factor = value[p] - Pack{};
    UNROLL
    for (int k = 0; k < packs; ++k) sum[k] += factor * load(from + k * LANES);
  }
  UNROLL
  for (int k = 0; k < packs; ++k)
    for (int lane = 0; lane < LANES; ++lane) out[(k * LANES + lane) * stride] = sum[k][lane];
}

void combine(Index entries, const std::int32_t* column, const double* value, const double* a, Index ld, Index width,
             double* out, Index stride) {
  constexpr Index widest = 4 * LANES;
  Index k = 0;
  for (; k + widest <= width; k += widest)
    combine_packs<4>(entries, column, value, a + k, ld, out + k * stride, stride);
  for (; k + LANES <= width; k += LANES) combine_packs<1>(entries, column, value, a + k, ld, out + k * stride, stride);
  for (; k < width; ++k) {
    double sum = 0;
    for (Index p = 0; p < entries; ++p) sum += value[p] * a[k + column[p] * ld];
    out[k * stride] = sum;
  }
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
