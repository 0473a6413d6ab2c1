#include "libcore/kernel/feature_sums.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr double near2 = 1e-6;  // of the squared width of a tile: the product would take six of a near pair's digits

// The middle of the range of each feature, so that a constant feature is exactly zero without it; and the sum of the
// squared half ranges.
struct Middle {
  Array<double> centre;
  double width2 = 0;
};

Middle middle_of(ConstMatrixView a, ConstMatrixView b) {
  Middle out;
  for (Index k = 0; k < a.cols; ++k) {
    const auto [a_low, a_high] = std::minmax_element(a.col(k), a.col(k) + a.rows);
    const auto [b_low, b_high] = std::minmax_element(b.col(k), b.col(k) + b.rows);
    const double low = std::min(*a_low, *b_low), high = std::max(*a_high, *b_high);
    out.centre.push_back(low / 2 + high / 2);
    const double half = high / 2 - low / 2;
    out.width2 += half * half;
  }
  return out;
}

// The terms of one pair.
void add_pair(ConstMatrixView a, ConstMatrixView b, Index i, Index j, double q, Span<double> sums) {
  for (Index k = 0; k < a.cols; ++k) {
    const double difference = a(i, k) - b(j, k);
    sums[k] += q * difference * difference;
  }
}

// z = points - centre, and a last column of ones.
Matrix centred(ConstMatrixView points, Span<const double> centre) {
  Matrix z(points.rows, points.cols + 1, 1.0);
  for (Index k = 0; k < points.cols; ++k)
    for (Index i = 0; i < points.rows; ++i) z(i, k) = points(i, k) - centre[k];
  return z;
}

}  // namespace

double sum_of_products(ConstMatrixView q, ConstMatrixView values) {
  double sum = 0;
  for (Index j = 0; j < q.cols; ++j) sum += dot(q.rows, q.col(j), values.col(j));
  if (std::isfinite(sum)) return sum;
  sum = 0;
  for (Index j = 0; j < q.cols; ++j)
    for (Index i = 0; i < q.rows; ++i)
      if (q(i, j) != 0) sum += q(i, j) * values(i, j);
  return sum;
}

void add_scaled(double factor, Span<const double> values, Span<double> to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * values[k];
}

Array<double> products_by_feature(ConstMatrixView a, ConstMatrixView b, ConstMatrixView q) {
  Matrix product(a.rows, a.cols);
  gemm(Op::none, Op::none, 1, q, b, 0, product.view());
  Array<double> sums;
  for (Index k = 0; k < a.cols; ++k) sums.push_back(dot(a.rows, a.col(k), product.col(k)));
  return sums;
}

Array<double> squares_by_feature(ConstMatrixView a, ConstMatrixView b, ConstMatrixView r2, MatrixView q) {
  const Index d = a.cols;
  const Middle middle = middle_of(a, b);
  const double limit = near2 * middle.width2;
  Array<double> sums(d, 0.0);
  for (Index j = 0; j < q.cols; ++j)
    for (Index i = 0; i < q.rows; ++i) {
      if (r2(i, j) > limit) continue;
      if (r2(i, j) > 0 && q(i, j) != 0) add_pair(a, b, i, j, q(i, j), sums);
      q(i, j) = 0;
    }

  const Matrix left = centred(a, middle.centre), right = centred(b, middle.centre);
  Matrix product(a.rows, d + 1);
  gemm(Op::none, Op::none, 1, q, right.view(), 0, product.view());
  Array<double> column_sums(b.rows);
  gemv(Op::transpose, 1, q, left.col(d), 0, column_sums.data());
  for (Index k = 0; k < d; ++k) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) sum += left(i, k) * (product(i, d) * left(i, k) - 2 * product(i, k));
    for (Index j = 0; j < b.rows; ++j) sum += column_sums[j] * right(j, k) * right(j, k);
    sums[k] += sum;
  }
  return sums;
}

}  // namespace freeridge
