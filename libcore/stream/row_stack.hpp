// Rows that come in chunks, kept as few rows with the same inner products. With an intercept (p = 1 + d + t)
//     A = W^(1/2) [1, X - 1 s', Y - 1 u'],      without (p = d + t)      A = W^(1/2) [X, Y]
// and the stack holds rows R with R'R = A'A. New rows are appended to it; when it is full, R = Q R' by Householder
// reflections and the triangle R' takes the place of R (Golub & Van Loan, Matrix Computations, section 5.1). Backward
// stable: R'R = (A + E)'(A + E) with each column of E within rounding of that of A. No row of R is special: a row of
// data, a row of a triangle and a row of another accumulator are appended and reduced alike.
//
// The answers do not depend on the shifts s, u; shifts near the means keep the columns of A, and so rounding errors,
// small. At first they are the first row, then each row (or other accumulator's mean) that weighs 16 times as much as all
// before it, and before each reduction they become the weighted mean of all rows. A change
// of the shifts by delta, also from those of another accumulator to those of this one, is a column operation on the
// stack:
//     A_k <- A_k - delta_k A_0,      s_k <- s_k + delta_k
// A column of x that is constant stays exactly zero.
//
// With the reduction by Gram matrix the stack holds up to 768 rows; when it is full, R'R is added to a sum, and the
// stack begins anew. The shifts are then the weighted mean of the first rows. The shifts of another sum G are changed
// by
//     G_kl <- G_kl - delta_k G_0l - delta_l G_k0 + delta_k delta_l G_00
//
// With the reduction by QR the stack has room for p + max(512, 4 p) rows, so that a reduction costs at most a quarter
// more than its new rows alone; it grows as rows come. Its numbers depend on the rows and their order, not on the
// chunks they came in.
#pragma once

#include <functional>
#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/routes/gram_sum.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// tile = the rows row, row + 1, ... of A with these shifts (empty: no intercept). weights: NULL: all one. Throws
// NOT_FINITE where a number of A exceeds 1e300, so that no later step overflows.
void pack_weighted(const Rows& x, const LayoutView& y, const double* weights, Index row, Span<const double> shift,
                   MatrixView tile);

// The same of rows that are in the tile, d + t numbers each.
void weigh_rows(const double* weights, Index row, Span<const double> shift, Index d, MatrixView tile);

// A_k <- A_k - delta_k A_0 for k = 1, ..., p - 1. No delta: nothing.
void move_shift(Span<const double> delta, MatrixView rows);

// The largest magnitude in a stack.
constexpr double largest_entry = 1e300;

class RowStack {
 public:
  RowStack(Index d, Index t, bool intercept, bool by_gram = false);
  RowStack(RowStack&&) = default;
  RowStack& operator=(RowStack&&) = default;
  RowStack copy() const;

  Index d() const { return d_; }
  Index t() const { return t_; }
  bool intercept() const { return intercept_; }
  Index ones() const { return intercept_ ? 1 : 0; }
  Index p() const { return ones() + d_ + t_; }
  bool by_gram() const { return by_gram_; }
  Index capacity() const;

  Index n() const { return n_; }
  double sum_w() const { return sum_w_; }
  double sum_log_w() const { return sum_log_w_; }
  // Over landmarks: sum_i W_ii k(x_i, x_i), the trace of W K; else 0. Infinite where it is beyond all numbers, or was not
  // saved.
  double trace() const { return trace_; }
  void set_trace(double trace) { trace_ = trace; }
  Span<const double> shift() const { return shift_; }  // s, u: d + t numbers; empty without intercept or rows
  ConstMatrixView rows() const { return stack_.view().row_range(0, filled_); }  // R

  // Throws OUT_OF_MEMORY when there is no memory for `count` more rows.
  void require_memory_for(Index count) const;
  // Whether `count` rows fit without a reduction: then `add` changes nothing if it fails.
  bool has_room(Index count) const { return count <= capacity() - filled_; }
  void add(const Rows& x, const LayoutView& y, const double* weights);
  // Adds n rows: fill(row, x, y) writes the rows from `row` on to x and y, as many as these have room for.
  using FillRows = std::function<void(Index row, MatrixView x, MatrixView y)>;
  void add(Index n, const double* weights, const FillRows& fill);
  // Adds the rows of another stack of the same d, t and intercept.
  void add(const RowStack& other);
  // Reduces the stack to a triangle of min(n, p) rows, or to the Gram matrix alone; it stays so until rows are added.
  void reduce();
  const GramSum& sum() const { return sum_; }
  bool reduced() const { return reduced_; }

  // A saved stack, whose sizes and numbers have been checked. reduced: the rows are a triangle of min(n, p) rows. sum:
  // for the reduction by Gram matrix.
  RowStack(Index d, Index t, bool intercept, Index n, double sum_w, double sum_log_w, Array<double> shift, Matrix rows,
           bool reduced, std::optional<GramSum> sum = std::nullopt);

 private:
  Index wanted_height(Index rows) const;
  void reserve(Index rows);
  void count(Index rows, double sum_w, double sum_log_w);
  bool begins_anew(double weight, double before) const;
  static Array<double> delta_of(Span<const double> from, Span<const double> to, double weight);
  Array<Array<double>> weigh_tile(const double* weights, Index row, MatrixView tile, Array<double>& shift) const;
  void centre(MatrixView rows);
  void flush();
  void add_sum(const RowStack& other);

  Index d_, t_;
  bool intercept_;
  Index n_ = 0;
  double sum_w_ = 0, sum_log_w_ = 0, trace_ = 0;
  Array<double> shift_;
  Matrix stack_;
  Index filled_ = 0;
  bool reduced_ = false;
  bool by_gram_ = false;
  GramSum sum_;
};

}  // namespace freeridge
