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
#include "libcore/linalg/pivoted_qr.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Index block = 16;      // columns: two blocks of X and W of some thousand rows stay in the L2 cache
constexpr int most_sweeps = 40;  // some 6 are needed
constexpr int scaled_to = 400;   // the exponent of the largest number, so that squares of small ones do not vanish

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
