#include "libcore/linalg/compact_wy.hpp"

#include <algorithm>

#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {
constexpr Index columns_at_once = 64;
}

Matrix reflectors_below(ConstMatrixView a) {
  Matrix v(a.rows, a.cols, 0.0);
  for (Index j = 0; j < a.cols; ++j) {
    v(j, j) = 1;
    std::copy(a.col(j) + j + 1, a.col(j) + a.rows, v.col(j) + j + 1);
  }
  return v;
}

// T(:i, i) = -tau_i T(:i, :i) V(:, :i)'v_i  (LAPACK's dlarft, with the inner products as one matrix product)
Matrix compact_wy(ConstMatrixView v, const double* tau) {
  const Index k = v.cols;
  Matrix gram(k, k), t(k, k, 0.0);
  // By columns, one piece to a thread: next to loops with threads of their own, those of the BLAS would be in the way.
  parallel_for(
      pieces(k, columns_at_once),
      [&](Index piece) {
        const Index first = piece * columns_at_once, count = std::min(columns_at_once, k - first);
        gemm(Op::transpose, Op::none, 1, v.columns(first, k - first), v.columns(first, count), 0,
             gram.view().block(first, first, k - first, count));
      },
      static_cast<double>(v.rows * k * k));
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double factor = -tau[i] * gram(i, j);
      for (Index row = 0; row <= j; ++row) t(row, i) += factor * t(row, j);
    }
    t(i, i) = tau[i];
  }
  return t;
}

void multiply_compact_wy(Op op, ConstMatrixView v, ConstMatrixView t, MatrixView c) {
  Matrix inner(v.cols, c.cols), scaled(v.cols, c.cols);
  gemm(Op::transpose, Op::none, 1, v, c, 0, inner.view());
  gemm(op, Op::none, 1, t, inner.view(), 0, scaled.view());
  gemm(Op::none, Op::none, -1, v, scaled.view(), 1, c);
}

}  // namespace freeridge
