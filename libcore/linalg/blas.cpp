// Each call reports its work (worked, progress.hpp). A call of more than `grain` units is cut in two, and so are the
// halves that are too large. A product of 2 to 3 grains is cut in three at once, as the BLAS copies the operands of
// each piece.
#include "libcore/linalg/blas.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/lapack_calls.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

Index half_of(Index size) {
  return size > 128 ? (size / 2 + 63) / 64 * 64 : size / 2;
}

double count_of(Index a, Index b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

// A side of a product of so many units is cut after this many rows or columns.
Index first_part(Index size, double units) {
  return size > 192 && units > 2 * grain && units <= 3 * grain ? (size / 3 + 63) / 64 * 64 : half_of(size);
}

// Rows [i, i + rows) and columns [j, j + cols) of op(A).
ConstMatrixView block_of(Op op, ConstMatrixView a, Index i, Index j, Index rows, Index cols) {
  return op == Op::none ? a.block(i, j, rows, cols) : a.block(j, i, cols, rows);
}

// The grain of calls that read each number of A once: they take the time of reading it.
constexpr double memory_grain = grain / 6;
// The grain of a symmetric product: larger, as cutting it means that half of A is read twice.
constexpr double symv_grain = 8 * grain / 3;
constexpr Index cached_rows = 128;  // of A in a symmetric product
// OpenBLAS's kernels for old processors, and for those it does not know, read as many numbers behind y.
constexpr std::size_t behind_y = 4;

}  // namespace

const char* product_name() {
  return FREERIDGE_PRODUCT_NAME;
}
void* product_address() {
  return reinterpret_cast<void*>(&FREERIDGE_PRODUCT);
}

void gemm(Op op_a, Op op_b, double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c) {
  if (c.rows == 0 || c.cols == 0) return;
  const Index inner = op_a == Op::none ? a.cols : a.rows;
  if (c.cols == 1 && op_b == Op::none) return gemv(op_a, alpha, a, b.data, beta, c.data);  // half the memory traffic
  const double units =
      std::max(2 * flop() * count_of(c.rows, c.cols) * static_cast<double>(inner),
               touched * (count_of(c.rows, inner) + count_of(inner, c.cols) + count_of(c.rows, c.cols)));
  if (units <= grain || std::max({c.rows, c.cols, inner}) < 128) {
    const TeamIfWorth team(units);
    FREERIDGE_BLAS(dgemm, name_of(op_a), name_of(op_b), blas_int(c.rows), blas_int(c.cols), blas_int(inner), alpha,
                   a.data, blas_int(a.ld), b.data, blas_int(b.ld), beta, c.data, blas_int(c.ld));
    return worked(units);
  }
  if (inner > 4 * std::max(c.rows, c.cols)) {
    const Index part = first_part(inner, units), rest = inner - part;
    gemm(op_a, op_b, alpha, block_of(op_a, a, 0, 0, c.rows, part), block_of(op_b, b, 0, 0, part, c.cols), beta, c);
    gemm(op_a, op_b, alpha, block_of(op_a, a, 0, part, c.rows, rest), block_of(op_b, b, part, 0, rest, c.cols), 1, c);
  } else if (c.cols >= c.rows) {
    const Index part = first_part(c.cols, units), rest = c.cols - part;
    gemm(op_a, op_b, alpha, a, block_of(op_b, b, 0, 0, inner, part), beta, c.columns(0, part));
    gemm(op_a, op_b, alpha, a, block_of(op_b, b, 0, part, inner, rest), beta, c.columns(part, rest));
  } else {
    const Index part = first_part(c.rows, units), rest = c.rows - part;
    gemm(op_a, op_b, alpha, block_of(op_a, a, 0, 0, part, inner), b, beta, c.row_range(0, part));
    gemm(op_a, op_b, alpha, block_of(op_a, a, part, 0, rest, inner), b, beta, c.row_range(part, rest));
  }
}

void syrk(Op op, double alpha, ConstMatrixView a, double beta, MatrixView c, Triangle triangle) {
  const Index inner = op == Op::none ? a.cols : a.rows, n = c.rows;
  if (n == 0) return;
  const double units = std::max(flop() * count_of(n, n) * static_cast<double>(inner),
                                touched * (count_of(n, inner) + count_of(n, n) / 2));
  if (units <= grain || std::max(n, inner) < 128) {
    const TeamIfWorth team(units);
    FREERIDGE_BLAS(dsyrk, name_of(triangle), name_of(op), blas_int(n), blas_int(inner), alpha, a.data, blas_int(a.ld),
                   beta, c.data, blas_int(c.ld));
    return worked(units);
  }
  if (inner > 4 * n) {
    const Index half = half_of(inner);
    syrk(op, alpha, block_of(op, a, 0, 0, n, half), beta, c, triangle);
    syrk(op, alpha, block_of(op, a, 0, half, n, inner - half), 1, c, triangle);
    return;
  }
  const Index half = half_of(n), rest = n - half;
  const ConstMatrixView first = block_of(op, a, 0, 0, half, inner), second = block_of(op, a, half, 0, rest, inner);
  const Op other = op == Op::none ? Op::transpose : Op::none;
  syrk(op, alpha, first, beta, c.block(0, 0, half, half), triangle);
  if (triangle == Triangle::lower)
    gemm(op, other, alpha, second, first, beta, c.block(half, 0, rest, half));
  else
    gemm(op, other, alpha, first, second, beta, c.block(0, half, half, rest));
  syrk(op, alpha, second, beta, c.block(half, half, rest, rest), triangle);
}

void syr2k(double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c) {
  const Index n = c.rows, inner = a.cols;
  if (n == 0) return;
  const double units = std::max(2 * flop() * count_of(n, n) * static_cast<double>(inner),
                                touched * (2 * count_of(n, inner) + count_of(n, n) / 2));
  if (units <= grain || n < 128) {
    const TeamIfWorth team(units);
    FREERIDGE_BLAS(dsyr2k, name_of(Triangle::lower), name_of(Op::none), blas_int(n), blas_int(inner), alpha, a.data,
                   blas_int(a.ld), b.data, blas_int(b.ld), beta, c.data, blas_int(c.ld));
    return worked(units);
  }
  const Index half = half_of(n), rest = n - half;
  const MatrixView below = c.block(half, 0, rest, half);
  syr2k(alpha, a.row_range(0, half), b.row_range(0, half), beta, c.block(0, 0, half, half));
  gemm(Op::none, Op::transpose, alpha, a.row_range(half, rest), b.row_range(0, half), beta, below);
  gemm(Op::none, Op::transpose, alpha, b.row_range(half, rest), a.row_range(0, half), 1, below);
  syr2k(alpha, a.row_range(half, rest), b.row_range(half, rest), beta, c.block(half, half, rest, rest));
}

void gemv(Op op, double alpha, ConstMatrixView a, const double* x, double beta, double* y) {
  if (a.rows == 0 || a.cols == 0) {  // BLAS leaves y as it is then
    const Index length = op == Op::none ? a.rows : a.cols;
    for (Index i = 0; i < length; ++i) y[i] = beta == 0 ? 0 : beta * y[i];
    return;
  }
  const double units = touched * count_of(a.rows, a.cols);
  if (units <= memory_grain) {
    FREERIDGE_BLAS(dgemv, name_of(op), blas_int(a.rows), blas_int(a.cols), alpha, a.data, blas_int(a.ld), x, 1, beta, y,
                   1);
    return worked(units);
  }
  const bool by_columns = a.cols > 1;
  const Index half = half_of(by_columns ? a.cols : a.rows), rest = (by_columns ? a.cols : a.rows) - half;
  const ConstMatrixView first = by_columns ? a.columns(0, half) : a.row_range(0, half);
  const ConstMatrixView second = by_columns ? a.columns(half, rest) : a.row_range(half, rest);
  const bool sums = by_columns == (op == Op::none);  // into the same y
  gemv(op, alpha, first, x, beta, y);
  gemv(op, alpha, second, sums ? x + half : x, sums ? 1 : beta, sums ? y : y + half);
}

void ger(double alpha, const double* x, const double* y, MatrixView a) {
  if (a.rows == 0 || a.cols == 0) return;
  const double units = touched * count_of(a.rows, a.cols);
  if (units <= memory_grain || a.cols == 1) {
    FREERIDGE_BLAS(dger, blas_int(a.rows), blas_int(a.cols), alpha, x, 1, y, 1, a.data, blas_int(a.ld));
    return worked(units);
  }
  const Index half = half_of(a.cols);
  ger(alpha, x, y, a.columns(0, half));
  ger(alpha, x, y + half, a.columns(half, a.cols - half));
}

void symv(ConstMatrixView a, const double* x, double* y) {
  const double units = touched * count_of(a.rows, a.rows) / 2;
  if (units <= symv_grain) {
    Array<double> product(static_cast<std::size_t>(a.rows) + behind_y, 0.0);
    FREERIDGE_BLAS(dsymv, name_of(Triangle::lower), blas_int(a.rows), 1.0, a.data, blas_int(a.ld), x, 1, 0.0,
                   product.data(), 1);
    std::copy_n(product.data(), a.rows, y);
    return worked(units);
  }
  const Index half = half_of(a.rows), rest = a.rows - half;
  const ConstMatrixView below = a.block(half, 0, rest, half);
  symv(a.block(0, 0, half, half), x, y);
  symv(a.block(half, half, rest, rest), x + half, y + half);
  gemv(Op::none, 1, below, x, 1, y + half);
  gemv(Op::transpose, 1, below, x + half, 1, y);
}

void symm(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  const Index n = a.rows;
  if (b.cols == 1 || n < 128) {
    for (Index j = 0; j < b.cols; ++j) symv(a, b.col(j), c.col(j));
    return;
  }
  const Index half = half_of(n), rest = n - half;
  const ConstMatrixView below = a.block(half, 0, rest, half);
  const MatrixView upper = c.row_range(0, half), lower = c.row_range(half, rest);
  symm(a.block(0, 0, half, half), b.row_range(0, half), upper);
  symm(a.block(half, half, rest, rest), b.row_range(half, rest), lower);
  for (Index i = 0; i < rest; i += cached_rows) {  // each number of A goes into both products while it is in the cache
    const Index count = std::min(cached_rows, rest - i);
    const ConstMatrixView piece = below.row_range(i, count);
    gemm(Op::transpose, Op::none, 1, piece, b.row_range(half + i, count), 1, upper);
    gemm(Op::none, Op::none, 1, piece, b.row_range(0, half), 1, lower.row_range(i, count));
  }
}

void syr2(double alpha, const double* x, const double* y, MatrixView a) {
  const double units = touched * count_of(a.rows, a.rows) / 2;
  if (units <= memory_grain) {
    FREERIDGE_BLAS(dsyr2, name_of(Triangle::lower), blas_int(a.rows), alpha, x, 1, y, 1, a.data, blas_int(a.ld));
    return worked(units);
  }
  const Index half = half_of(a.rows), rest = a.rows - half;
  syr2(alpha, x, y, a.block(0, 0, half, half));
  Matrix left(rest, 2), right(half, 2);  // in one pass over A
  std::copy_n(x + half, rest, left.col(0));
  std::copy_n(y + half, rest, left.col(1));
  std::copy_n(y, half, right.col(0));
  std::copy_n(x, half, right.col(1));
  gemm(Op::none, Op::transpose, alpha, left.view(), right.view(), 1, a.block(half, 0, rest, half));
  syr2(alpha, x + half, y + half, a.block(half, half, rest, rest));
}

void trsm(Op op, ConstMatrixView l, MatrixView b, Triangle triangle) {
  if (b.rows == 0 || b.cols == 0) return;
  const double units = std::max(flop() * count_of(b.rows, b.rows) * static_cast<double>(b.cols),
                                touched * (count_of(b.rows, b.rows) / 2 + count_of(b.rows, b.cols)));
  if (units <= grain || std::max(b.rows, b.cols) < 128) {
    const TeamIfWorth team(units);
    FREERIDGE_BLAS(dtrsm, left_side, name_of(triangle), name_of(op), not_unit, blas_int(b.rows), blas_int(b.cols), 1.0,
                   l.data, blas_int(l.ld), b.data, blas_int(b.ld));
    return worked(units);
  }
  if (b.cols > b.rows) {
    const Index half = half_of(b.cols);
    trsm(op, l, b.columns(0, half), triangle);
    trsm(op, l, b.columns(half, b.cols - half), triangle);
    return;
  }
  const Index half = half_of(b.rows), rest = b.rows - half;
  const ConstMatrixView first = l.block(0, 0, half, half), second = l.block(half, half, rest, rest);
  const ConstMatrixView beside =
      triangle == Triangle::lower ? l.block(half, 0, rest, half) : l.block(0, half, half, rest);
  const MatrixView top = b.row_range(0, half), bottom = b.row_range(half, rest);
  if ((triangle == Triangle::lower) == (op == Op::none)) {  // from the top down
    trsm(op, first, top, triangle);
    gemm(op, Op::none, -1, beside, top, 1, bottom);
    trsm(op, second, bottom, triangle);
  } else {
    trsm(op, second, bottom, triangle);
    gemm(op, Op::none, -1, beside, bottom, 1, top);
    trsm(op, first, top, triangle);
  }
}

void trsm_right(Op op, ConstMatrixView l, MatrixView b) {
  if (b.rows == 0 || b.cols == 0) return;
  const double units = std::max(flop() * count_of(b.rows, b.cols) * static_cast<double>(b.cols),
                                touched * (count_of(b.cols, b.cols) / 2 + count_of(b.rows, b.cols)));
  if (units <= grain || std::max(b.rows, b.cols) < 128) {
    const TeamIfWorth team(units);
    FREERIDGE_BLAS(dtrsm, right_side, name_of(Triangle::lower), name_of(op), not_unit, blas_int(b.rows),
                   blas_int(b.cols), 1.0, l.data, blas_int(l.ld), b.data, blas_int(b.ld));
    return worked(units);
  }
  if (b.rows > b.cols) {
    const Index half = half_of(b.rows);
    trsm_right(op, l, b.row_range(0, half));
    trsm_right(op, l, b.row_range(half, b.rows - half));
    return;
  }
  const Index half = half_of(b.cols), rest = b.cols - half;
  const ConstMatrixView first = l.block(0, 0, half, half), second = l.block(half, half, rest, rest);
  const ConstMatrixView below = l.block(half, 0, rest, half);
  const MatrixView left = b.columns(0, half), right = b.columns(half, rest);
  if (op == Op::transpose) {  // B = X L': X1 first
    trsm_right(op, first, left);
    gemm(Op::none, Op::transpose, -1, left, below, 1, right);
    trsm_right(op, second, right);
  } else {
    trsm_right(op, second, right);
    gemm(Op::none, Op::none, -1, right, below, 1, left);
    trsm_right(op, first, left);
  }
}

double dot(Index n, const double* x, const double* y) {
  return FREERIDGE_BLAS_OF_VECTORS(ddot, blas_int(n), x, 1, y, 1);
}

double norm2(Index n, const double* x) {
  return FREERIDGE_BLAS_OF_VECTORS(dnrm2, blas_int(n), x, 1);
}

double matrix_product_rate() {
  constexpr Index n = 384;
  const Matrix a(n, n, 0.5), b(n, n, 0.25);
  Matrix c(n, n);
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    gemm(Op::none, Op::none, 1, a.view(), b.view(), 0, c.view());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2.0 * n * n * n / std::max(best, 1e-9);
}

}  // namespace freeridge
