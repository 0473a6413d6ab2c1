#include "libcore/linalg/triangle_divisor.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/matrix.hpp"

namespace freeridge {

TriangleDivisor::TriangleDivisor(Matrix l)
    : l_(std::move(l)), inverse_(l_.rows(), std::min(divided_columns, l_.rows()), 0.0) {
  for (Index first = 0; first < l_.rows(); first += divided_columns) {
    const Index count = std::min(divided_columns, l_.rows() - first);
    const MatrixView inverse = inverse_.view().block(first, 0, count, count);
    for (Index k = 0; k < count; ++k) inverse(k, k) = 1;
    trsm(Op::none, l_.view().block(first, first, count, count), inverse);
  }
}

void TriangleDivisor::divide(Op op, MatrixView b) const {
  Matrix room(b.rows, inverse_.cols());
  divide(op, 0, b, room);
}

// b: the columns from `first` on.
void TriangleDivisor::divide(Op op, Index first, MatrixView b, Matrix& room) const {
  const Index cols = b.cols, half = (cols / 2 + divided_columns - 1) / divided_columns * divided_columns;
  if (cols <= divided_columns) {
    const MatrixView from = room.view().columns(0, cols);
    copy(b, from);
    return gemm(Op::none, op, 1, from, inverse_.view().block(first, 0, cols, cols), 0, b);
  }
  const ConstMatrixView below = l_.view().block(first + half, first, cols - half, half);
  const MatrixView left = b.columns(0, half), right = b.columns(half, cols - half);
  if (op == Op::transpose) {
    divide(op, first, left, room);
    gemm(Op::none, op, -1, left, below, 1, right);
    divide(op, first + half, right, room);
  } else {
    divide(op, first + half, right, room);
    gemm(Op::none, op, -1, right, below, 1, left);
    divide(op, first, left, room);
  }
}

}  // namespace freeridge
