#include "libcore/kernel/kernel_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/kernel/parts.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index gradient_rows = 256;

double slope_work(Index rows, Index cols, Index d, const Kernel& kernel) {
  return (60 + 2 * static_cast<double>(d)) * static_cast<double>(rows * cols * kernel.extent().kernels);
}

// Rows of x as a matrix.
class RowTile {
 public:
  explicit RowTile(const Rows& x) : x_(x), space_(std::min(gradient_rows, x.rows), x.cols) {}
  MatrixView rows(Index row) {
    const MatrixView out = space_.view().row_range(0, std::min(gradient_rows, x_.rows - row));
    copy_rows(x_, row, out);
    return out;
  }

 private:
  const Rows& x_;
  Matrix space_;
};

// m
Array<double> mean_of(const Rows& x) {
  Array<double> out(x.cols, 0.0);
  RowTile tile(x);
  for (Index row = 0; row < x.rows; row += gradient_rows) {
    const MatrixView part = tile.rows(row);
    for (Index k = 0; k < part.cols; ++k)
      for (Index i = 0; i < part.rows; ++i) out[k] += part(i, k) / static_cast<double>(x.rows);
    worked(touched * static_cast<double>(part.rows * part.cols));
  }
  return out;
}

// The columns of x that a term depends on.
Array<Index> columns_of(const SlopeTerm& term, Index d) {
  Array<Index> out;
  for (Index k = 0; k < d; ++k)
    if (term.divisor.empty() || term.divisor[k] < infinity) out.push_back(k);
  return out;
}

// The terms of the points a and b, with ones for the factor.
void each_term(const Kernel& kernel, ConstMatrixView a, ConstMatrixView b, const TakeSlope& take) {
  Matrix ones(a.rows, b.rows, 1.0);
  kernel.slopes(a, b, {ones.view(), 1, {}}, take);
  worked(slope_work(a.rows, b.rows, a.cols, kernel));
}

// The gradient of a tile of points by the tiles of x, one after another.
class GradientTile {
 public:
  GradientTile(const Kernel& kernel, Span<const double> mean, ConstMatrixView points, MatrixView out)
      : kernel_(kernel), mean_(mean), points_(points), out_(out), products_(points.rows, points.cols + 1) {}

  // z: some of the x_l, c: their coefficients.
  void add(ConstMatrixView z, ConstMatrixView c) {
    each_term(kernel_, points_, z, [&](const SlopeTerm& term) {
      const bool difference = term.form == SlopeTerm::Form::difference;
      const Array<Index> columns = columns_of(term, z.cols);
      const Index count = std::ssize(columns);
      for (Index j = 0; j < c.cols; ++j) {
        multiply(term, columns, z, {c.col(j), c.rows});
        for (Index p = 0; p < count; ++p) {
          const Index k = columns[p];
          const double s = term.scale(k), factor = term.weight / s;
          double* const to = out_.col(k + z.cols * j);
          for (Index i = 0; i < out_.rows; ++i)
            to[i] += factor * (difference ? (points_(i, k) - mean_[k]) / s * products_(i, count) - products_(i, p)
                                          : products_(i, p));
        }
      }
    });
  }

 private:
  // Q [c o (Z - m) / s, c] for the columns of the term, without m where it has no difference.
  void multiply(const SlopeTerm& term, Span<const Index> columns, ConstMatrixView z, Span<const double> c) {
    const bool difference = term.form == SlopeTerm::Form::difference;
    const Index count = std::ssize(columns);
    if (right_.rows() < z.rows) right_ = Matrix(z.rows, z.cols + 1);
    const MatrixView right = right_.view().block(0, 0, z.rows, count + 1);
    for (Index p = 0; p < count; ++p) {
      const Index k = columns[p];
      const double s = term.scale(k);
      for (Index l = 0; l < z.rows; ++l) right(l, p) = c[l] * ((z(l, k) - (difference ? mean_[k] : 0)) / s);
    }
    for (Index l = 0; l < z.rows; ++l) right(l, count) = c[l];
    gemm(Op::none, Op::none, 1, term.q, right, 0, products_.view().columns(0, count + 1));
  }

  const Kernel& kernel_;
  Span<const double> mean_;
  ConstMatrixView points_;
  MatrixView out_;
  Matrix products_, right_;
};

// Q'[a o (P - m), a] for these columns; weighted: [a o (P - m), a] for all columns.
void multiply_transposed(const SlopeTerm& term, Span<const Index> columns, ConstMatrixView weighted, MatrixView out) {
  const Index count = std::ssize(columns);
  if (count + 1 == weighted.cols) return gemm(Op::transpose, Op::none, 1, term.q, weighted, 0, out);
  Matrix own(weighted.rows, count + 1);
  for (Index c = 0; c <= count; ++c)
    std::copy_n(weighted.col(c < count ? columns[c] : weighted.cols - 1), weighted.rows, own.col(c));
  gemm(Op::transpose, Op::none, 1, term.q, own.view(), 0, out.columns(0, count + 1));
}

}  // namespace

void expansion_gradient(const Kernel& kernel, const Rows& points, Index first, const Rows& x, ConstMatrixView c,
                        MatrixView out) {
  const Array<double> mean = mean_of(x);
  parallel_for(pieces(out.rows, gradient_rows), [&](Index block) {
    const Index row = block * gradient_rows, rows = std::min(gradient_rows, out.rows - row);
    Matrix p(rows, x.cols);
    copy_rows(points, first + row, p.view());
    const MatrixView part = out.row_range(row, rows);
    for (Index k = 0; k < part.cols; ++k) std::fill_n(part.col(k), rows, 0.0);
    GradientTile gradient(kernel, mean, p.view(), part);
    RowTile tile(x);
    for (Index at = 0; at < x.rows; at += gradient_rows) {
      const MatrixView z = tile.rows(at);
      gradient.add(z, c.row_range(at, z.rows));
    }
    for (Index k = 0; k < part.cols; ++k)
      for (Index i = 0; i < rows; ++i)
        if (!std::isfinite(part(i, k)))
          fail(Status::not_finite, "the derivative at row ", first + row + i, " of x by column ", k % x.cols,
               " overflows");
  });
}

void gradient_functional(const Kernel& kernel, const Rows& points, Span<const double> a, const Rows& x,
                         MatrixView delta) {
  const Array<double> mean = mean_of(x);
  const Index d = x.cols;
  parallel_for(pieces(x.rows, gradient_rows), [&](Index block) {
    RowTile of_x(x), of_points(points);
    const MatrixView z = of_x.rows(block * gradient_rows), part = delta.row_range(block * gradient_rows, z.rows);
    for (Index k = 0; k < d; ++k) std::fill_n(part.col(k), z.rows, 0.0);
    Matrix left(std::min(gradient_rows, points.rows), d + 1), products(z.rows, d + 1);
    for (Index row = 0; row < points.rows; row += gradient_rows) {
      const MatrixView p = of_points.rows(row), weighted = left.view().row_range(0, p.rows);
      for (Index k = 0; k < d; ++k)
        for (Index i = 0; i < p.rows; ++i) weighted(i, k) = a[row + i] * (p(i, k) - mean[k]);
      for (Index i = 0; i < p.rows; ++i) weighted(i, d) = a[row + i];
      each_term(kernel, p, z, [&](const SlopeTerm& term) {
        const bool difference = term.form == SlopeTerm::Form::difference;
        const Array<Index> columns = columns_of(term, d);
        const Index count = std::ssize(columns);
        multiply_transposed(term, columns, weighted, products.view());
        for (Index c = 0; c < count; ++c) {
          const Index k = columns[c];
          const double s = term.scale(k), factor = term.weight / s;
          for (Index l = 0; l < z.rows; ++l)
            part(l, k) += factor * (difference ? products(l, c) / s - (z(l, k) - mean[k]) / s * products(l, count)
                                               : z(l, k) / s * products(l, count));
        }
      });
    }
  });
}

void add_value_functional(const Kernel& kernel, const Rows& points, Span<const double> a, const Rows& x,
                          Span<double> delta) {
  parallel_for(pieces(x.rows, gradient_rows), [&](Index block) {
    RowTile of_x(x), of_points(points);
    const MatrixView z = of_x.rows(block * gradient_rows);
    Matrix values(std::min(gradient_rows, points.rows), z.rows);
    for (Index row = 0; row < points.rows; row += gradient_rows) {
      const MatrixView p = of_points.rows(row), k = values.view().row_range(0, p.rows);
      kernel.evaluate(p, z, k);
      gemv(Op::transpose, 1, k, a.data() + row, 1, delta.data() + block * gradient_rows);
      worked(slope_work(p.rows, z.rows, x.cols, kernel));
    }
  });
}

Array<double> average_slope_variances(const Kernel& kernel, const Rows& points, Span<const double> a) {
  const Index d = points.cols, tiles = pieces(points.rows, gradient_rows);
  Matrix sums(d, tiles, 0.0);  // of the pairs of a tile with itself and the tiles below it
  parallel_for(tiles, [&](Index block) {
    RowTile of_left(points), of_right(points);
    const MatrixView left = of_left.rows(block * gradient_rows);
    for (Index other = block; other < tiles; ++other) {
      const Index row = other * gradient_rows;
      const MatrixView right = of_right.rows(row);
      Matrix mixed(left.rows, right.rows);
      Array<double> half(left.rows);
      for (Index k = 0; k < d; ++k) {
        kernel.along(left, right, k, {{}, {}, {}, mixed.view()});
        gemv(Op::none, other == block ? 1 : 2, mixed.view(), a.data() + row, 0, half.data());
        sums(k, block) += dot(left.rows, half.data(), a.data() + block * gradient_rows);
        worked(slope_work(left.rows, right.rows, 1, kernel));
      }
    }
  });
  Array<double> out(d, 0.0);
  for (Index block = 0; block < tiles; ++block)
    for (Index k = 0; k < d; ++k) out[k] += sums(k, block);
  return out;
}

Index gradient_bytes(const Kernel& kernel, Index d) {
  return Index{8} * thread_count() * doubles_of_gradient(kernel, gradient_rows, d);
}

}  // namespace freeridge
