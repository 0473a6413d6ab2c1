#include "libcore/linalg/jacobi_svd.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/column_order.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/merge_columns.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Index block = 16;      // columns: two blocks of X and W of some thousand rows stay in the L2 cache
constexpr int most_sweeps = 40;  // some 6 are needed
constexpr int scaled_to = 400;   // the exponent of the largest number, so that squares of small ones do not vanish

// A P = Q R: R and the reflectors in A, order[j] the column that came to place j. The norms of what is left of the
// columns are reduced by the number that leaves them, and taken anew where too few digits would be left.
std::vector<Index> pivoted_qr(MatrixView a, std::span<double> tau) {
  const Index n = a.cols;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<double> norm(order.size()), exact(order.size()), product(order.size());
  for (Index j = 0; j < n; ++j) at(norm, j) = at(exact, j) = norm2(n, a.col(j));
  worked(2 * touched * static_cast<double>(n) * static_cast<double>(n));
  for (Index k = 0; k < n; ++k) {
    const Index pivot = std::max_element(norm.begin() + k, norm.end()) - norm.begin(), rows = n - k, right = n - k - 1;
    if (pivot != k) {
      std::swap_ranges(a.col(k), a.col(k) + n, a.col(pivot));
      std::swap(at(order, k), at(order, pivot));
      at(norm, pivot) = at(norm, k);
      at(exact, pivot) = at(exact, k);
    }
    double* const column = a.col(k) + k;
    at(tau, k) = larfg({column, static_cast<std::size_t>(rows)});
    const double beta = std::exchange(column[0], 1.0);
    const MatrixView rest = a.block(k, k + 1, rows, right);
    gemv(Op::transpose, 1, rest, column, 0, product.data());
    ger(-at(tau, k), column, product.data(), rest);
    column[0] = beta;
    for (Index j = k + 1; j < n; ++j) {
      double& value = at(norm, j);
      if (value == 0) continue;
      const double part = std::abs(a(k, j)) / value, left = std::max((1 - part) * (1 + part), 0.0);
      const double since = value / at(exact, j);
      if (left * since * since <= std::sqrt(eps)) {
        value = at(exact, j) = norm2(rows - 1, a.col(j) + k + 1);
        worked(2 * touched * static_cast<double>(rows));
      } else {
        value *= std::sqrt(left);
      }
    }
    worked(nanosecond * 5 * static_cast<double>(right + 1));
  }
  return order;
}

class Rotations {
 public:
  Rotations(MatrixView x, MatrixView w)
      : x_(x),
        w_(w),
        n_(x.rows),
        tolerance_(std::sqrt(static_cast<double>(n_)) * eps),
        length_(static_cast<std::size_t>(n_)) {}

  // All pairs once. Were there any to rotate?
  bool sweep() {
    rotated_ = false;
    for (Index j = 0; j < n_; ++j) measure(j);
    worked(touched * static_cast<double>(n_) * static_cast<double>(n_));
    const Index blocks = (n_ + block - 1) / block, places = (blocks + 1) / 2 * 2;
    each_task(blocks, block * block / 2, [&](Index b) { within(b); });
    // A tournament: the block in the first place stays, the others go around.
    std::vector<Index> place(static_cast<std::size_t>(places));
    std::iota(place.begin(), place.end(), Index{0});
    for (Index round = 1; round < places; ++round) {
      each_task(places / 2, block * block, [&](Index i) {
        const Index b = at(place, i), c = at(place, places - 1 - i);
        if (std::max(b, c) < blocks) between(std::min(b, c), std::max(b, c));
      });
      std::rotate(place.begin() + 1, place.end() - 1, place.end());
    }
    return rotated_;
  }

 private:
  template <class Body>
  void each_task(Index tasks, Index pairs, const Body& body) {
    parallel_stretches(tasks, 4 * pairs * n_, [&](Index first, Index count) {
      for (Index i = first; i < first + count; ++i) body(i);
    });
  }

  Index end(Index b) const { return std::min((b + 1) * block, n_); }
  void within(Index b) {
    for (Index i = b * block; i < end(b); ++i)
      for (Index j = i + 1; j < end(b); ++j) rotate(i, j);
  }
  void between(Index b, Index c) {
    for (Index i = b * block; i < end(b); ++i)
      for (Index j = c * block; j < end(c); ++j) rotate(i, j);
  }

  void measure(Index j) {
    const double square = dot(n_, x_.col(j), x_.col(j));
    at(length_, j) = square > 0x1p-900 ? std::sqrt(square) : norm2(n_, x_.col(j));  // the latter takes its time
  }

  // Makes the columns i and j orthogonal, and i the longer one.
  void rotate(Index i, Index j) {
    if (at(length_, j) > at(length_, i)) {
      std::swap_ranges(x_.col(i), x_.col(i) + n_, x_.col(j));
      std::swap_ranges(w_.col(i), w_.col(i) + n_, w_.col(j));
      std::swap(at(length_, i), at(length_, j));
    }
    const double p = at(length_, i), q = at(length_, j);
    if (q == 0) return;
    const double cosine_between = dot(n_, x_.col(i), x_.col(j)) / p / q;
    if (!(std::abs(cosine_between) > tolerance_)) return;
    rotated_ = true;
    // tan 2 theta = 2 x_i'x_j / (|x_i|^2 - |x_j|^2)
    const double ratio = q / p, zeta = (1 - ratio) * (1 + ratio) / (2 * cosine_between * ratio);
    const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
    const double c = 1 / std::hypot(1, t), s = c * t;
    for (const MatrixView& m : {x_, w_}) {
      double *const first = m.col(i), *const second = m.col(j);
      for (Index k = 0; k < n_; ++k) {
        const double a = first[k], b = second[k];
        first[k] = c * a + s * b;
        second[k] = c * b - s * a;
      }
    }
    measure(i);
    measure(j);
  }

  MatrixView x_, w_;
  Index n_;
  double tolerance_;
  std::vector<double> length_;  // |x_j|
  std::atomic<bool> rotated_ = false;
};

// The columns from `rank` on: an orthonormal basis of what is orthogonal to those before.
void complete_basis(MatrixView v, Index rank) {
  const Index n = v.rows, missing = n - rank;
  if (missing == 0) return;
  Matrix qr(n, rank);
  for (Index j = 0; j < rank; ++j) std::copy_n(v.col(j), n, qr.col(j));
  std::vector<double> tau(static_cast<std::size_t>(rank));
  geqrf(qr.view(), tau);
  const MatrixView rest = v.columns(rank, missing);
  for (Index j = 0; j < missing; ++j) {
    std::fill_n(rest.col(j), n, 0.0);
    rest(rank + j, j) = 1;
  }
  ormqr(qr.view(), tau, rest);
}

}  // namespace

void jacobi_svd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  const Index n = a.rows;
  if (n == 0) return;
  const auto size = static_cast<std::size_t>(n);
  Matrix x(n, n, 0.0), v(n, n);
  double largest = 0;
  for (Index j = 0; j < n; ++j) {
    largest = std::max(largest, largest_magnitude({a.col(j), size}));
    worked(touched * static_cast<double>(n));
  }
  const int exponent = scaled_to - exponent_of(largest);
  for (Index j = 0; j < n; ++j) {
    scale({a.col(j), size}, exponent);
    std::fill_n(u.col(j), n, 0.0);
    u(j, j) = 1;
    worked(4 * touched * static_cast<double>(n));
  }
  std::vector<double> tau(size);
  const std::vector<Index> order = pivoted_qr(a, tau);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) x(j, i) = a(i, j);
    worked(4 * touched * static_cast<double>(n));
  }

  Rotations rotations(x.view(), u);
  for (int sweep = 0; sweep < most_sweeps && rotations.sweep(); ++sweep) {
  }

  for (Index j = 0; j < n; ++j) at(s, j) = norm2(n, x.col(j));
  sort_with_columns(s, std::greater<>(), {x.view(), u});
  Index rank = 0;
  for (Index k = 0; k < n; ++k) {
    const double value = at(s, k);
    if (value > 0) rank = k + 1;
    for (Index i = 0; i < n; ++i) v(at(order, i), k) = value > 0 ? x(i, k) / value : 0;
    worked(4 * touched * static_cast<double>(n));
  }
  scale(s, -exponent);
  x = Matrix();
  complete_basis(v.view(), rank);
  transpose(v.view(), vt);
  ormqr(a, tau, u);
}

}  // namespace freeridge
