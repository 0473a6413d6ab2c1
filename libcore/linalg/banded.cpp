#include "libcore/linalg/banded.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/band_kernels.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {

std::optional<BandedCholesky> BandedCholesky::factor(const BandMatrix& b, double shift, double unit) {
  Matrix l(b.values.rows(), b.size());
  std::ranges::transform(b.values.values(), l.values().begin(), [&](double value) { return value / unit; });
  for (Index j = 0; j < b.size(); ++j) l(0, j) += shift;
  if (!pbtrf(l.view())) return std::nullopt;
  for (Index j = 0; j < b.size(); ++j)  // LAPACK lets a NaN pass
    if (!(l(0, j) > 0) || !std::isfinite(l(0, j))) return std::nullopt;
  return BandedCholesky(std::move(l));
}

void BandedCholesky::solve(MatrixView c) const {
  half_solve(c);
  other_half_solve(c);
}

void BandedCholesky::half_solve(MatrixView c) const {
  tbtrs(Op::none, l_.view(), c);
}

void BandedCholesky::other_half_solve(MatrixView c) const {
  tbtrs(Op::transpose, l_.view(), c);
}

double BandedCholesky::log_determinant() const {
  double sum = 0;
  for (Index j = 0; j < size(); ++j) sum += 2 * std::log(l_(0, j));
  return sum;
}

BandMatrix BandedCholesky::inverse_band() const {
  const Index m = size(), b = l_.rows() - 1;
  BandMatrix z{Matrix(b + 1, m, 0.0)};
  for (Index i = m - 1; i >= 0; --i) {
    const double* const l = l_.col(i);
    const Index last = std::min(b, m - 1 - i);
    for (Index d = last; d > 0; --d) {  // j = i + d
      double sum = 0;
      for (Index k = 1; k <= last; ++k) sum += l[k] * (k >= d ? z.values(k - d, i + d) : z.values(d - k, i + k));
      z.values(d, i) = -sum / l[0];
    }
    double sum = 0;
    for (Index k = 1; k <= last; ++k) sum += l[k] * z.values(k, i);
    z.values(0, i) = (1 / l[0] - sum) / l[0];
  }
  return z;
}

Array<double> BandedCholesky::row_coefficients() const {
  const Index m = size(), b = l_.rows() - 1, stride = BandKernels::stride(b);
  Array<double> out(BandKernels::padded(m) * stride, 0.0);
  for (Index i = 0; i < m; ++i) {
    double* const row = out.data() + i * stride;
    row[0] = 1 / l_(0, i);
    for (Index k = 1; k <= std::min(b, i); ++k) row[k] = -l_(k, i - k) / l_(0, i);
  }
  return out;
}

EigenvalueBounds eigenvalue_bounds(const BandMatrix& b, double relative_floor, int steps) {
  const Index m = b.size();
  Array<double> row_sum(m, 0.0);  // of |B_ij|: Gershgorin's bound
  double least = 0, most = 0;     // the smallest and the largest diagonal element
  for (Index j = 0; j < m; ++j) {
    least = j == 0 ? b.values(0, j) : std::min(least, b.values(0, j));
    most = std::max(most, b.values(0, j));
    for (Index d = 0; d < b.values.rows() && j + d < m; ++d) {
      row_sum[j + d] += std::abs(b.values(d, j));
      if (d > 0) row_sum[j] += std::abs(b.values(d, j));
    }
  }
  double above = largest_magnitude(row_sum);
  if (!(above > 0) || !std::isfinite(above)) return {0, above};

  BandMatrix negative{Matrix(b.values.rows(), m)};
  for (std::size_t k = 0; k < b.values.values().size(); ++k) negative.values.values()[k] = -b.values.values()[k];
  double below = std::max(most, above / static_cast<double>(4 * b.values.rows()));
  for (int step = 0; step < steps && below < above; ++step) {
    const double middle = std::sqrt(below) * std::sqrt(above);
    (BandedCholesky::factor(negative, middle) ? above : below) = middle;
  }
  const double largest = above, floor = relative_floor * largest;
  if (!(least > floor) || !BandedCholesky::factor(b, -floor)) return {0, largest};
  double inside = floor, outside = least;
  for (int step = 0; step < steps && inside < outside; ++step) {
    const double middle = std::sqrt(inside) * std::sqrt(outside);
    (BandedCholesky::factor(b, -middle) ? inside : outside) = middle;
  }
  return {inside, largest};
}

Index positive_pivots(const BandMatrix& b, double level) {
  Matrix left = copy_of(b.values.view());
  Index count = 0;
  for (Index j = 0; j < b.size(); ++j) {
    const double pivot = left(0, j) - level;
    count += pivot > 0 ? 1 : 0;
    const Index below = std::min(b.bandwidth(), b.size() - 1 - j);
    if (pivot == 0) continue;
    for (Index k = 1; k <= below; ++k)
      for (Index i = k; i <= below; ++i) left(i - k, j + k) -= left(i, j) * (left(k, j) / pivot);
  }
  return count;
}

double band_inner_product(const BandMatrix& x, const BandMatrix& y) {
  double sum = 0;
  for (Index j = 0; j < x.size(); ++j) {
    sum += x.values(0, j) * y.values(0, j);
    for (Index d = 1; d < x.values.rows() && j + d < x.size(); ++d) sum += 2 * x.values(d, j) * y.values(d, j);
  }
  return sum;
}

double band_quadratic_form(const BandMatrix& b, const double* x) {
  double sum = 0;
  for (Index j = 0; j < b.size(); ++j) {
    double below = 0;
    for (Index d = 1; d < b.values.rows() && j + d < b.size(); ++d) below += b.values(d, j) * x[j + d];
    sum += x[j] * (b.values(0, j) * x[j] + 2 * below);
  }
  return sum;
}

Array<double> banded_eigenvalues(const BandMatrix& b) {
  Matrix ab = copy_of(b.values.view());
  const int exponent = exponent_of(largest_magnitude(ab.values()));
  scale(ab.values(), -exponent);
  Array<double> out(b.size());
  sbev(ab.view(), out);
  scale(out, exponent);
  std::ranges::reverse(out);
  return out;
}

}  // namespace freeridge
