#include "libcore/linalg/jacobi_rotations.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "libcore/base/constants.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/merge_columns.hpp"

namespace freeridge {
namespace {

constexpr Index block = 16;      // columns: two blocks of some thousand rows stay in the L2 cache
constexpr int most_sweeps = 40;  // some 6 are needed

class Rotations {
 public:
  explicit Rotations(MatrixView x)
      : x_(x), n_(x.cols), tolerance_(std::sqrt(static_cast<double>(x.rows)) * eps), length_(n_) {}

  // All pairs once. Were there any to rotate?
  bool sweep() {
    rotated_ = false;
    for (Index j = 0; j < n_; ++j) measure(j);
    worked(touched * static_cast<double>(x_.rows) * static_cast<double>(n_));
    const Index blocks = pieces(n_, block), places = (blocks + 1) / 2 * 2;
    each_task(blocks, block * block / 2, [&](Index b) { within(b); });
    // A tournament: the block in the first place stays, the others go around.
    Array<Index> place = consecutive(0, places);
    for (Index round = 1; round < places; ++round) {
      each_task(places / 2, block * block, [&](Index i) {
        const Index b = place[i], c = place[places - 1 - i];
        if (std::max(b, c) < blocks) between(std::min(b, c), std::max(b, c));
      });
      std::rotate(place.begin() + 1, place.end() - 1, place.end());
    }
    return rotated_;
  }

 private:
  template <class Body>
  void each_task(Index tasks, Index pairs, const Body& body) {
    parallel_stretches(tasks, 4 * pairs * x_.rows, [&](Index first, Index count) {
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
    const double square = dot(x_.rows, x_.col(j), x_.col(j));
    length_[j] = square > 0x1p-900 ? std::sqrt(square) : norm2(x_.rows, x_.col(j));  // the latter takes its time
  }

  // Makes the columns i and j orthogonal, and i the longer one.
  void rotate(Index i, Index j) {
    if (length_[j] > length_[i]) {
      std::swap_ranges(x_.col(i), x_.col(i) + x_.rows, x_.col(j));
      std::swap(length_[i], length_[j]);
    }
    const double p = length_[i], q = length_[j];
    if (q == 0) return;
    const double product = dot(x_.rows, x_.col(i), x_.col(j)), cosine_between = product / p / q;
    if (std::abs(cosine_between) > tolerance_)
      rotated_ = true;
    else if (!(std::abs(product) > tolerance_ * size_of_product(i, j)))  // these angles need one sweep
      return;
    // tan 2 theta = 2 x_i'x_j / (|x_i|^2 - |x_j|^2)
    const double ratio = q / p, zeta = (1 - ratio) * (1 + ratio) / (2 * cosine_between * ratio);
    const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
    const double c = 1 / std::hypot(1, t), s = c * t;
    double *const first = x_.col(i), *const second = x_.col(j);
    for (Index k = 0; k < x_.rows; ++k) {
      const double a = first[k], b = second[k];
      first[k] = c * a + s * b;
      second[k] = c * b - s * a;
    }
    measure(i);
    measure(j);
  }

  // sum_k |x_ki x_kj|
  double size_of_product(Index i, Index j) const {
    const double *const first = x_.col(i), *const second = x_.col(j);
    double sum = 0;
    for (Index k = 0; k < x_.rows; ++k) sum += std::abs(first[k] * second[k]);
    return sum;
  }

  MatrixView x_;
  Index n_;
  double tolerance_;
  Array<double> length_;  // |x_j|
  std::atomic<bool> rotated_ = false;
};

}  // namespace

void orthogonalise_columns(MatrixView x) {
  Rotations rotations(x);
  const auto done = [](int sweeps) { return 1 - std::pow(0.7, sweeps); };
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    const Stage stage(done(sweep), done(sweep + 1));
    if (!rotations.sweep()) break;
  }
}

}  // namespace freeridge
