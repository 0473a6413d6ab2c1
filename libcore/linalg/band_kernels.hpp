// The inner loops of the band route, which decide its speed; the rest is BLAS. The loops are compiled for AVX-512, for
// AVX2 with FMA and for the compiler's default; band_kernels() gives those that this processor can run.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

constexpr Index symmetric_tile_width = 16;

struct BandKernels {
  const char* instruction_set;

  // Both products of a tile A (rows x cols) of a symmetric matrix, strictly below the diagonal:
  //     y_rows += A v_cols,   y_cols += A'v_rows
  // v and y are stored by rows of symmetric_tile_width numbers; the two y do not overlap. Each element of A is read
  // once, for 64 flops: BLAS, for products with so few columns, copies A first.
  void (*symmetric_tile)(ConstMatrixView a, const double* v_rows, const double* v_cols, double* y_rows, double* y_cols);

  // T L' = Q for `strip` rows of Q, L banded (bandwidth b, a multiple of 4), by columns:
  //     t_j = r_j q_j + sum_(k = 1..b) l_jk t_(j-k),    r_j = 1 / L_jj,  l_jk = -L_(j, j-k) / L_jj
  // with the rows side by side in the vector registers and the last b columns of T in the L1 cache.
  // m: padded(size). q: m x strip by columns. coefficients: m rows of stride(b): r_j, l_j1 ... l_jb, zeros. Both are
  // zero beyond the size.
  static constexpr Index pad = 4;     // columns solved at once
  static constexpr Index strip = 32;  // rows
  static constexpr Index stride(Index b) { return b + pad; }
  static constexpr Index padded(Index size) { return (size + pad - 1) / pad * pad; }
  // sums[i] += sum_j t_ij^2, strip numbers, for a block of columns of T. last: in, the b columns of T before the block
  // (b x strip, zeros for the first block); out, the last b columns. room: room_columns(b) x strip, in the L1 cache.
  static constexpr Index room_columns(Index b) { return b + 64; }
  void (*squared_norms)(Index m, Index b, const double* q, const double* coefficients, double* last, double* room,
                        double* sums);
  // The same with T kept: t has (b + m) x strip numbers, of which the first b x strip are the columns before.
  void (*solve)(Index m, Index b, const double* q, const double* coefficients, double* t, double* sums);
};

// Those that run on this processor, the fastest first.
Span<const BandKernels> band_kernels();

}  // namespace freeridge
