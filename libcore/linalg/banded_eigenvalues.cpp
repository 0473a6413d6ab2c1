#include "libcore/linalg/banded_eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr int most_steps = 60;      // of QL for one eigenvalue; two are usual
constexpr double step_units = 600;  // of worked, for a reflector of b rows: times b^2
constexpr double rotation_units = 20 * nanosecond;

// The band on its way to a tridiagonal matrix: reflectors fill b - 1 more diagonals below it.
class Chase {
 public:
  Chase(const BandMatrix& b, int exponent)
      : width_(b.bandwidth()), m_(b.size()), a_(2 * width_, m_, 0.0), v_(width_), w_(width_) {
    for (Index j = 0; j < m_; ++j)
      for (Index i = j; i < std::min(j + width_ + 1, m_); ++i)
        *column(i, j) = std::ldexp(b.values(i - j, j), -exponent);
  }

  // Column j becomes zero below the first subdiagonal.
  void clear(Index j) {
    Index col = j;
    for (Index first = j + 1; first + 1 < m_;) {
      size_ = std::min(width_, m_ - first);
      reflect(col, first);
      worked(step_units * static_cast<double>(size_ * size_));
      col = first;
      first += size_;
    }
  }

  double diagonal(Index j) const { return a_(0, j); }
  double beside(Index j) const { return a_(1, j); }

 private:
  // The elements (i, j), (i + 1, j), ... of the lower triangle lie side by side.
  double* column(Index i, Index j) { return a_.col(j) + (i - j); }

  // A = H A H with the H that clears rows first + 1, ... of column `col`; H acts on size_ rows from `first` on.
  void reflect(Index col, Index first) {
    double* const x = column(first, col);
    const double tau = larfg({x, size_});
    v_[0] = 1;
    std::copy(x + 1, x + size_, v_.begin() + 1);
    std::fill(x + 1, x + size_, 0.0);
    if (tau == 0) return;
    for (Index k = col + 1; k < first; ++k) {
      double* const y = column(first, k);
      add(-tau * dot(size_, v_.data(), y), v_.data(), size_, y);
    }
    both_sides(first, tau);
    below(first, tau);
  }

  // S = H S H for the symmetric block: S - v w' - w v', w = tau S v - (tau^2 v'S v / 2) v.
  void both_sides(Index first, double tau) {
    std::fill(w_.begin(), w_.end(), 0.0);
    for (Index k = 0; k < size_; ++k) {
      const double* const s = column(first + k, first + k);
      const Index rest = size_ - k - 1;
      w_[k] += s[0] * v_[k] + dot(rest, s + 1, v_.data() + k + 1);
      add(v_[k], s + 1, rest, w_.data() + k + 1);
    }
    for (double& value : w_) value *= tau;
    add(-tau / 2 * dot(size_, v_.data(), w_.data()), v_.data(), size_, w_.data());
    for (Index k = 0; k < size_; ++k) {
      double* const s = column(first + k, first + k);
      add(-w_[k], v_.data() + k, size_ - k, s);
      add(-v_[k], w_.data() + k, size_ - k, s);
    }
  }

  // C = C H for the rows of the band below the block.
  void below(Index first, double tau) {
    const Index row = first + size_, rows = std::min(width_, m_ - row);
    if (rows <= 0) return;
    std::fill(w_.begin(), w_.end(), 0.0);
    for (Index k = 0; k < size_; ++k) add(v_[k], column(row, first + k), rows, w_.data());
    for (Index k = 0; k < size_; ++k) add(-tau * v_[k], w_.data(), rows, column(row, first + k));
  }

  static void add(double factor, const double* x, Index count, double* y) {
    for (Index i = 0; i < count; ++i) y[i] += factor * x[i];
  }

  Index width_, m_, size_ = 0;
  Matrix a_;  // element (i, j) in a_(i - j, j)
  Array<double> v_, w_;
};

// The first place from `from` on behind which T falls into two parts.
Index end_of_part(Span<const double> d, Span<const double> e, Index from) {
  const Index last = std::ssize(d) - 1;
  Index end = from;
  while (end < last &&
         std::abs(e[end]) > std::numeric_limits<double>::epsilon() * (std::abs(d[end]) + std::abs(d[end + 1])))
    ++end;
  return end;
}

// A QL step on the rows first ... last with the shift that the 2 x 2 matrix in front gives.
void ql_step(Span<double> d, Span<double> e, Index first, Index last) {
  double g = (d[first + 1] - d[first]) / (2 * e[first]);
  g = d[last] - d[first] + e[first] / (g + std::copysign(std::hypot(g, 1.0), g));
  double sine = 1, cosine = 1, shift = 0;
  for (Index i = last - 1; i >= first; --i) {
    const double f = sine * e[i], b = cosine * e[i], r = std::sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r == 0) {  // T falls into two parts here
      d[i + 1] -= shift;
      e[last] = 0;
      return;
    }
    sine = f / r;
    cosine = g / r;
    g = d[i + 1] - shift;
    const double s = (d[i] - g) * sine + 2 * cosine * b;
    shift = sine * s;
    d[i + 1] = g + shift;
    g = cosine * s - b;
  }
  d[first] -= shift;
  e[first] = g;
  e[last] = 0;
}

}  // namespace

void tridiagonal_eigenvalues(Span<double> d, Span<double> e) {
  for (Index first = 0; first < std::ssize(d); ++first) {
    Index last = end_of_part(d, e, first);
    for (int step = 0; last > first; last = end_of_part(d, e, first)) {
      if (++step > most_steps) fail(Status::not_converged, "the eigenvalues of a tridiagonal matrix did not converge");
      ql_step(d, e, first, last);
      worked(rotation_units * static_cast<double>(last - first));
    }
  }
}

Array<double> banded_eigenvalues(const BandMatrix& b) {
  const Index m = b.size();
  const int exponent = exponent_of(largest_magnitude(b.values.values()));
  Chase chase(b, exponent);
  for (Index j = 0; j + 2 < m; ++j) chase.clear(j);
  Array<double> d(m), e(m, 0.0);
  for (Index j = 0; j < m; ++j) {
    d[j] = chase.diagonal(j);
    if (j + 1 < m) e[j] = chase.beside(j);
  }
  tridiagonal_eigenvalues(d, e);
  scale(d, exponent);
  std::ranges::sort(d, std::greater<>());
  return d;
}

}  // namespace freeridge
