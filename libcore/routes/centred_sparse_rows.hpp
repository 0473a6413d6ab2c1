// Products with the weighted, centred and scaled columns of sparse rows (data/problem.hpp). The zeros of x are never
// stored:
//     X~ = S - U B',   S = W^(1/2) X diag(scale)^-1,   U = q1 diag(nu)  (n x q),
//     B (d x q): the coefficients of U in each column of S
//     X~ w,   X~'c,   X~'X~ w,      several columns at once, O(entries + (n + d) q) each
// x lies by rows and by columns, so that all sums run over the entries of a line, in the same order with any number of
// threads. Blocks that are read hold the numbers of all their columns for one line side by side (rows/entry_loops.hpp).
// Memory: x once more (12 bytes an entry), and a block n (X~'X~ w) beside the arguments.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/data/problem.hpp"

namespace freeridge {

class CentredSparseRows {
 public:
  // A linear problem with sparse x, which must outlive it.
  explicit CentredSparseRows(const Problem& problem);

  Index n() const { return by_rows_.rows; }
  Index d() const { return by_rows_.cols; }
  // D_j, the sum of squares of column j of X~.
  Span<const double> squares() const { return squares_; }

  void multiply(ConstMatrixView w, MatrixView out) const;            // X~ w
  void transpose_multiply(ConstMatrixView c, MatrixView out) const;  // X~'c
  void normal_multiply(ConstMatrixView w, MatrixView out) const;     // X~'X~ w

  // For row i of P~ = I - q1 q1' - X~ (X~'X~ + lambda I)^-1 X~', from the columns by themselves; g = 1 - |q1_i|^2:
  //     guess   g^2 / (g + k),  k = sum_j x~_ij^2 / (D_j - x~_ij^2 / g + lambda): P~_ii if the columns without row i
  //             were orthogonal
  //     low     g^2 / (g + |x~_i|^2 / lambda) <= P~_ii
  //     high    g - max_j x~_ij^2 / (D_j + lambda) >= P~_ii
  // The share of the zeros of x in k is that of D_j alone. n numbers each. O(entries q + (n + d) q^2).
  struct Bounds {
    Array<double> guess, low, high;
  };
  Bounds bounds(double lambda) const;

 private:
  using Lines = std::function<void(Index first, Index last)>;
  // f for runs of lines, in parallel; columns: of the block.
  void each_run(Index lines, Index columns, const Lines& f) const;
  // w'diag(scale)^-1, columns side by side.
  Matrix scaled(ConstMatrixView w) const;
  void set_squares();
  // out = X~'c from W^(1/2) c, columns side by side, and U'c (q x k).
  void gather_columns(const Matrix& weighted, ConstMatrixView along, MatrixView out) const;

  const Problem& problem_;
  SparseMatrix turned_;
  SparseView by_rows_, by_columns_;
  Matrix u_;  // U', q x n
  Matrix b_;  // B', q x d
  Array<double> squares_;
};

}  // namespace freeridge
