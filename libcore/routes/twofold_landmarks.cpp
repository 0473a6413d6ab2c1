#include "libcore/routes/twofold_landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/twofold_functions.hpp"

namespace freeridge {
namespace {

constexpr double each_value = 300 * nanosecond, each_product = 2 * nanosecond;

Array<DoubleDouble> point_of(const Rows& x, Index row) {
  Array<DoubleDouble> out;
  for (Index k = 0; k < x.cols; ++k) out.emplace_back(x(row, k));
  return out;
}

TwofoldMatrix kernel_values(const Kernel& kernel, const Rows& x, Span<const Index> landmarks) {
  const Index count = std::ssize(landmarks);
  TwofoldMatrix out(count, count);
  Array<Array<DoubleDouble>> points;
  for (const Index row : landmarks)
    if (!kernel.precomputed()) points.push_back(point_of(x, row));
  for (Index j = 0; j < count; ++j) {
    for (Index i = j; i < count; ++i) {
      const DoubleDouble value = kernel.precomputed()
                                     ? DoubleDouble(given_value(kernel, x.dense(), landmarks[i], landmarks[j]))
                                     : kernel.twofold(points[i], points[j]);
      out.set(i, j, value);
    }
    worked(each_value * static_cast<double>(count - j));
  }
  return out;
}

// The columns a_k (k > j, rows k and below) less l_j l_kj.
void subtract_column(TwofoldMatrix& a, Index j) {
  const Index count = a.rows();
  for (Index k = j + 1; k < count; ++k) {
    const DoubleDouble factor = a(k, j);
    double* const hi = a.hi.col(k) + k;
    double* const lo = a.lo.col(k) + k;
    const double* const low = a.lo.col(j) + k;
    subtract_multiple(count - k, a.hi.col(j) + k, factor, hi, lo);
    for (Index i = 0; i < count - k; ++i) lo[i] -= low[i] * factor.hi;
    twofold_normalize(count - k, hi, lo);
    worked(each_product * static_cast<double>(count - k));
  }
}

}  // namespace

TwofoldCholesky twofold_cholesky(const Kernel& kernel, const Rows& x, Span<const Index> landmarks, double tolerance) {
  TwofoldMatrix a = kernel_values(kernel, x, landmarks);
  const Index count = a.rows();
  Array<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  double largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, a.hi(i, i));
  Index rank = 0;
  for (; rank < count; ++rank) {
    Index best = rank;
    for (Index i = rank; i < count; ++i)
      if (a.hi(i, i) > a.hi(best, best)) best = i;
    if (!(a.hi(best, best) > tolerance * largest)) break;
    if (best != rank) {
      for (Index k = 0; k < rank; ++k) {  // of the columns that are done the rows alone
        std::swap(a.hi(best, k), a.hi(rank, k));
        std::swap(a.lo(best, k), a.lo(rank, k));
      }
      // The trailing matrix is kept by its lower triangle.
      for (Matrix* const part : {&a.hi, &a.lo}) {
        for (Index k = rank + 1; k < best; ++k) std::swap((*part)(k, rank), (*part)(best, k));
        for (Index k = best + 1; k < count; ++k) std::swap((*part)(k, rank), (*part)(k, best));
        std::swap((*part)(rank, rank), (*part)(best, best));
      }
      std::swap(order[rank], order[best]);
    }
    const DoubleDouble pivot = twofold_sqrt(a(rank, rank));
    a.set(rank, rank, pivot);
    for (Index i = rank + 1; i < count; ++i) a.set(i, rank, a(i, rank) / pivot);
    subtract_column(a, rank);
  }
  TwofoldCholesky out{Matrix(rank, rank, 0.0), {}};
  for (Index j = 0; j < rank; ++j)
    for (Index i = j; i < rank; ++i) out.l(i, j) = a.hi(i, j);
  out.kept.assign(order.begin(), order.begin() + rank);
  return out;
}

TwofoldSupport::TwofoldSupport(KernelPtr kernel, const Rows& x, Span<const Index> rows) : kernel_(std::move(kernel)) {
  for (const Index row : rows) points_.push_back(point_of(x, row));
}

void TwofoldSupport::features(const Rows& points, Index row, ConstMatrixView l, MatrixView out) const {
  const Index count = out.rows, rank = out.cols;
  TwofoldMatrix phi(count, rank);
  for (Index i = 0; i < count; ++i) {
    const Array<DoubleDouble> point = point_of(points, row + i);
    for (Index k = 0; k < rank; ++k) {
      const DoubleDouble value = kernel_->twofold(point, points_[k]);
      if (!std::isfinite(value.hi)) fail(Status::not_finite, "the kernel of row ", row + i, " overflows; rescale x");
      phi.set(i, k, value);
    }
    worked(each_value * static_cast<double>(rank));
  }
  for (Index k = 0; k < rank; ++k) {
    double* const hi = phi.hi.col(k);
    double* const lo = phi.lo.col(k);
    for (Index j = 0; j < k; ++j) {
      const double factor = l(k, j);
      const double* const low = phi.lo.col(j);
      subtract_multiple(count, phi.hi.col(j), DoubleDouble(factor), hi, lo);
      for (Index i = 0; i < count; ++i) lo[i] -= low[i] * factor;
    }
    for (Index i = 0; i < count; ++i) {
      const DoubleDouble value = two_sum(hi[i], lo[i]) / DoubleDouble(l(k, k));
      phi.set(i, k, value);
      out(i, k) = value.hi;
    }
    worked(each_product * static_cast<double>(count * (k + 1)));
  }
}

}  // namespace freeridge
