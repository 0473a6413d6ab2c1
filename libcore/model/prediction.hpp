// Prediction, and the numbers that it needs:
//     f(x) + b = (x - origin)'w + level               linear kernels; origin: the mean of the data, so that large means
//                                                     cost no digits
//     f(x) + b = sum_i c_i k(x_i, x) + b              other kernels; x_i are the data, or the landmarks
//     and with fixed effects a, of points whose values of them are given, f(x) + b + fixed'a
// A predictor is a fit that was saved for prediction only. Its payload:
//     n, d, t, the form (1 hyperplane, 2 expansion over the data, 3 expansion over landmarks), the kernel's text,
//     lambda (t numbers), b (t)
//     form 1   origin (d), level (t), w (d x t, column by column, as all that follow); version 1: w alone, f = w'x + b
//     form 2   x (n x d; nothing for a precomputed kernel), c (n x t)
//     form 3   r, the rows of the landmarks (r), their x (r x d), c (r x t)
//     after b, from version 5 on: q, the fixed effects (q x t)
#pragma once

#include <algorithm>

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/base/saved_values.hpp"
#include "libcore/data/problem.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// The numbers of a fit that predictions need; all are borrowed.
struct Prediction {
  const Kernel& kernel;
  Index n, d, t;
  Span<const double> lambdas, b;  // t each
  ConstMatrixView w;              // d x t; linear kernels, else without rows
  Span<const double> origin;      // d, or empty: 0
  Span<const double> level;       // t; linear kernels
  Rows support;                   // r x d: the data or the landmarks
  ConstMatrixView c;              // r x t
  Span<const Index> landmarks;    // the rows of the data in `support`; empty: all rows
  ConstMatrixView fixed;          // q x t; without rows: none
};

// The rows of a tile of m new points; columns: the numbers of a point, its predictions and for linear kernels its x.
Index predicted_rows(Index columns, Index m);
// The same where each new point has a smoother row of n numbers.
Index smoother_rows(Index n, Index m);
// tile(row, rows) for the new points [0, m), as many at once.
template <class Tile>
void each_smoother_tile(Index n, Index m, const Tile& tile) {
  const Index height = smoother_rows(n, m);
  Stage stage(0, 0);
  for (Index row = 0; row < m; row += height) {
    const Index rows = std::min(height, m - row);
    stage.next(fraction(row + rows, m));
    report(0);
    tile(row, rows);
    report(1);
  }
}
// f(x) + b at the points, in the user's layout. Throws NOT_FINITE when one overflows.
void predict(const Prediction& prediction, const Points& points, Layout layout, double* out, Index ldout);
// The same at the points [row, row + f.rows).
void predict_rows(const Prediction& prediction, const Points& points, Index row, MatrixView f);
// Throws INVALID_STATE unless the points have as many fixed effects as the model, NOT_FINITE where one is no number.
void require_fixed(Index q, const LayoutView& fixed);

// d f / d x_k at the points: m x (d t), column k + d j of output j, in the user's layout. Throws
// INVALID_ARGUMENT for a kernel without derivatives, NOT_FINITE when one overflows.
void predict_gradient(const Prediction& prediction, const Rows& points, Layout layout, double* out, Index ldout);
// Throws INVALID_ARGUMENT where the kernel has no derivative at every point.
void require_derivative(const Kernel& kernel);

void save_prediction(const Prediction& prediction, ByteWriter& out);

class Predictor {
 public:
  // A copy of these numbers; kernel: that of the prediction.
  Predictor(KernelPtr kernel, const Prediction& from);
  // Throws CORRUPT.
  explicit Predictor(ByteReader& in);
  // Reads no further than x. Throws CORRUPT.
  static SavedX locate_x(ByteReader& in);

  Index n() const { return n_; }
  Index d() const { return d_; }
  Index t() const { return t_; }
  const KernelPtr& kernel() const { return kernel_; }
  Span<const double> lambdas() const { return lambdas_; }
  Span<const double> intercept() const { return b_; }
  const Matrix& fixed() const { return fixed_; }

  Prediction prediction() const;
  // coefficients throws INVALID_STATE for linear kernels, hyperplane for others.
  void coefficients(MatrixView c) const;
  void hyperplane(MatrixView w) const;

 private:
  Predictor() = default;
  std::int64_t load_head(ByteReader& in);  // all before the numbers that depend on the form, which it returns
  bool has_x(std::int64_t form) const;

  KernelPtr kernel_;
  Index n_ = 0, d_ = 0, t_ = 0;
  Array<double> lambdas_, b_, origin_, level_;
  Matrix w_, support_, c_, fixed_;
  Array<Index> landmarks_;
};

}  // namespace freeridge
