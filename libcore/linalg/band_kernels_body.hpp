// Included by band_kernels.cpp once for each instruction set, inside a namespace of its own, with LANES (doubles a
// register) and COLUMNS (how many columns of A, or twice that of T, are in registers at once) set. No function of
// another file is called here: an inline one, compiled for this instruction set, might become the one for the whole
// library.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): numbers of registers and lanes

// From and to any address. A type that is aligned to 8 keeps the loop of banded_columns in registers, where memcpy
// makes GCC 12 keep the rows of T on the stack, and take half as long again; clang does not heed the 8 at every use.
#ifdef __clang__
#include "libcore/linalg/pack_body.hpp"
#else
using Pack = double __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

inline Pack load(const double* from) {
  return *reinterpret_cast<const Pack*>(from);
}
inline void store(double* to, Pack value) {
  *reinterpret_cast<Pack*>(to) = value;
}
#endif
inline Pack all(double value) {
  return value - Pack{};
}
// a b + c, fused where the instruction set has it
inline Pack multiply_add(Pack a, Pack b, Pack c) {
#if LANES == 8
  return Pack(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
#elif LANES == 4
  return Pack(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
#else
  return a * b + c;
#endif
}

// `count` columns of A and 2 LANES columns of v and y: the y_cols stay in registers down the columns of A.
template <int count>
inline void tile_columns(Index rows, const double* a, Index ld, const double* v_rows, const double* v_cols,
                         double* y_rows, double* y_cols) {
  constexpr Index width = symmetric_tile_width;
  Pack low[count], high[count];
  UNROLL
  for (int j = 0; j < count; ++j) {
    low[j] = load(y_cols + j * width);
    high[j] = load(y_cols + j * width + LANES);
  }
  for (Index i = 0; i < rows; ++i) {
    const Pack v_low = load(v_rows + i * width), v_high = load(v_rows + i * width + LANES);
    Pack y_low = load(y_rows + i * width), y_high = load(y_rows + i * width + LANES);
    UNROLL
    for (int j = 0; j < count; ++j) {
      const Pack element = all(a[i + j * ld]);
      low[j] = multiply_add(element, v_low, low[j]);
      high[j] = multiply_add(element, v_high, high[j]);
      y_low = multiply_add(element, load(v_cols + j * width), y_low);
      y_high = multiply_add(element, load(v_cols + j * width + LANES), y_high);
    }
    store(y_rows + i * width, y_low);
    store(y_rows + i * width + LANES, y_high);
  }
  UNROLL
  for (int j = 0; j < count; ++j) {
    store(y_cols + j * width, low[j]);
    store(y_cols + j * width + LANES, high[j]);
  }
}

void symmetric_tile(ConstMatrixView a, const double* v_rows, const double* v_cols, double* y_rows, double* y_cols) {
  constexpr Index width = symmetric_tile_width;
  for (Index c = 0; c < width; c += 2 * LANES) {
    Index j = 0;
    for (; j + COLUMNS <= a.cols; j += COLUMNS)
      tile_columns<COLUMNS>(a.rows, a.data + j * a.ld, a.ld, v_rows + c, v_cols + j * width + c, y_rows + c,
                            y_cols + j * width + c);
    for (; j < a.cols; ++j)
      tile_columns<1>(a.rows, a.data + j * a.ld, a.ld, v_rows + c, v_cols + j * width + c, y_rows + c,
                      y_cols + j * width + c);
  }
}

// Four registers of rows and COLUMNS / 2 columns at once: the part of the sum that needs none of them, then the
// triangle between them.
inline __attribute__((always_inline)) void banded_columns(Index columns, Index b, const double* q,
                                                          const double* coefficients, double* t, Pack (&sums)[4]) {
  constexpr int at_once = COLUMNS / 2;
  constexpr Index strip = BandKernels::strip;
  const Index stride = BandKernels::stride(b);
  for (Index j = 0; j < columns; j += at_once) {
    const double* const l = coefficients + j * stride;
    double* const now = t + j * strip;
    Pack sum[at_once][4];
    UNROLL
    for (int c = 0; c < at_once; ++c) UNROLL
    for (int v = 0; v < 4; ++v) sum[c][v] = all(l[c * stride]) * load(q + (j + c) * strip + v * LANES);
    for (Index k = b; k > 0; --k) {
      Pack before[4];
      UNROLL
      for (int v = 0; v < 4; ++v) before[v] = load(now - k * strip + v * LANES);
      UNROLL
      for (int c = 0; c < at_once; ++c) {
        const Pack factor = all(l[c * stride + k + c]);
        UNROLL
        for (int v = 0; v < 4; ++v) sum[c][v] = multiply_add(factor, before[v], sum[c][v]);
      }
    }
    UNROLL
    for (int c = 0; c < at_once; ++c) {
      UNROLL
      for (int v = 0; v < 4; ++v) {
        store(now + c * strip + v * LANES, sum[c][v]);
        sums[v] = multiply_add(sum[c][v], sum[c][v], sums[v]);
      }
      UNROLL
      for (int after = c + 1; after < at_once; ++after) {
        const Pack factor = all(l[after * stride + after - c]);
        UNROLL
        for (int v = 0; v < 4; ++v) sum[after][v] = multiply_add(factor, sum[c][v], sum[after][v]);
      }
    }
  }
}

// to = from, `columns` columns of four registers of rows.
inline void copy_columns(Index columns, const double* from, double* to) {
  constexpr Index strip = BandKernels::strip;
  for (Index k = 0; k < columns * strip; k += strip) {
    UNROLL
    for (int v = 0; v < 4; ++v) store(to + k + v * LANES, load(from + k + v * LANES));
  }
}

void squared_norms(Index m, Index b, const double* q, const double* coefficients, double* last, double* room,
                   double* out) {
  constexpr Index strip = BandKernels::strip;
  const Index together = BandKernels::room_columns(b) - b;
  for (Index part = 0; part < strip; part += 4 * LANES) {
    Pack sums[4];
    UNROLL
    for (int v = 0; v < 4; ++v) sums[v] = load(out + part + v * LANES);
    copy_columns(b, last + part, room + part);
    for (Index j = 0; j < m; j += together) {
      const Index columns = together < m - j ? together : m - j;
      banded_columns(columns, b, q + j * strip + part, coefficients + j * BandKernels::stride(b),
                     room + b * strip + part, sums);
      copy_columns(b, room + columns * strip + part, room + part);
    }
    copy_columns(b, room + part, last + part);
    UNROLL
    for (int v = 0; v < 4; ++v) store(out + part + v * LANES, sums[v]);
  }
}

void solve(Index m, Index b, const double* q, const double* coefficients, double* t, double* out) {
  constexpr Index strip = BandKernels::strip;
  for (Index part = 0; part < strip; part += 4 * LANES) {
    Pack sums[4] = {};
    banded_columns(m, b, q + part, coefficients, t + b * strip + part, sums);
    UNROLL
    for (int v = 0; v < 4; ++v) store(out + part + v * LANES, sums[v]);
  }
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
