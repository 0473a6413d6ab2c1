#include "libcore/linalg/tridiagonal_merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

template <class T>
decltype(auto) at(T&& values, Index i) {
  return values[static_cast<std::size_t>(i)];
}

// The column j = columns[from[j]], in place.
void permute_columns(std::vector<std::size_t>& from, MatrixView v) {
  std::vector<double> held(static_cast<std::size_t>(v.rows));
  const auto col = [&](std::size_t j) { return v.col(static_cast<Index>(j)); };
  for (std::size_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    std::copy_n(col(start), v.rows, held.data());
    std::size_t j = start;
    for (; from[j] != start; j = std::exchange(from[j], j)) {
      std::copy_n(col(from[j]), v.rows, col(j));
      worked(2 * touched * static_cast<double>(v.rows));
    }
    std::copy_n(held.data(), v.rows, col(j));
    from[j] = j;
    worked(2 * touched * static_cast<double>(v.rows));
  }
}

// body(first, count) for stretches of 0 ... total - 1, each element taking `cost` operations.
template <class Body>
void parallel_stretches(Index total, Index cost, const Body& body) {
  const Index size = std::max<Index>(total / 16, 16);
  parallel_for((total + size - 1) / size, Progress(),
               [&](Index i) { body(i * size, std::min(size, total - i * size)); },
               static_cast<double>(total) * static_cast<double>(cost));
}

// Columns multiplied at once: enough of them for products at full speed.
Index panel_width(Index n) {
  return std::clamp<Index>(n / 12, 128, 512);
}

class Merge {
 public:
  Merge(std::span<double> d, Index k, double e, MatrixView v, double* room)
      : d_(d),
        n_(v.rows),
        k_(k),
        rho_(2 * std::abs(e)),
        v_(v),
        z1_{room, k, k, k},
        z2_{room + k * k, n_ - k, n_ - k, n_ - k},
        panel_(z2_.data + z2_.rows * z2_.cols),
        z_(d.size()),
        mixed_(d.size(), false) {
    const double first = std::sqrt(0.5), second = e < 0 ? -first : first;
    for (Index i = 0; i < n_; ++i) at(z_, i) = i < k ? first * v(k - 1, i) : second * v(k, i);
  }

  void run() {
    deflate();
    order_halves();
    solve_secular();
    const Index moved = roots() + std::ssize(linked_);
    const Index width = panel_width(n_), rows = std::ssize(top_) + std::ssize(bottom_);
    for (Index j = 0; j < moved; j += width) multiply(j, {panel_, rows, std::min(width, moved - j), rows});
    for (std::size_t j = 0; j < loose_.size(); ++j) copy_back(loose_[j], moved + static_cast<Index>(j));
    take_eigenvalues();
  }

 private:
  struct Rotation {  // of the columns i and j: [q_i q_j] [c -s; s c]
    Index i, j;
    double c, s;
  };

  Index roots() const { return std::ssize(kept_); }
  bool in_top(Index i) const { return i < k_; }

  void deflate() {
    std::vector<Index> order(d_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::inplace_merge(order.begin(), order.begin() + k_, order.end(),
                       [&](Index a, Index b) { return at(d_, a) < at(d_, b); });
    const auto larger = [](double a, double b) { return std::max(a, std::abs(b)); };
    const double largest = std::max(std::accumulate(d_.begin(), d_.end(), 0.0, larger),
                                    std::accumulate(z_.begin(), z_.end(), 0.0, larger));
    const double tolerance = 4 * std::numeric_limits<double>::epsilon() * largest;  // LAPACK's eps is half of this one
    std::vector<Index> deflated;
    Index before = -1;
    for (const Index i : order) {
      if (rho_ * std::abs(at(z_, i)) <= tolerance) {
        deflated.push_back(i);
        continue;
      }
      if (before >= 0) {
        if (separate(before, i, tolerance))
          kept_.push_back(before);
        else
          deflated.push_back(before);
      }
      before = i;
    }
    if (before >= 0) kept_.push_back(before);
    for (const Index i : deflated) (at(mixed_, i) ? linked_ : loose_).push_back(i);
  }

  // False when a rotation of the neighbours i and j, which turns z_i into zero, leaves nothing between them.
  bool separate(Index i, Index j, double tolerance) {
    const double length = std::hypot(at(z_, i), at(z_, j)), c = at(z_, j) / length, s = -at(z_, i) / length;
    const double d_i = at(d_, i), d_j = at(d_, j);
    if (std::abs((d_j - d_i) * c * s) > tolerance) return true;
    at(z_, j) = length;
    at(z_, i) = 0;
    at(d_, i) = d_i * (c * c) + d_j * (s * s);
    at(d_, j) = d_i * (s * s) + d_j * (c * c);
    if (in_top(i) == in_top(j) && !at(mixed_, i) && !at(mixed_, j)) {
      double *q_i = v_.col(i), *q_j = v_.col(j);
      for (Index row = in_top(i) ? 0 : k_; row < (in_top(i) ? k_ : n_); ++row) {
        const double x = q_i[row], y = q_j[row];
        q_i[row] = c * x + s * y;
        q_j[row] = c * y - s * x;
      }
      worked(4 * touched * static_cast<double>(k_));
    } else {  // the columns of Z1 and Z2 stay apart: it is the coordinates that are rotated, later
      at(mixed_, i) = at(mixed_, j) = true;
      rotations_.push_back({i, j, c, s});
    }
    return false;
  }

  // Z1 and Z2 out of v, the columns that eigenvectors are combinations of before the others.
  void order_halves() {
    for (const auto* list : {&kept_, &linked_})
      for (const Index i : *list) (in_top(i) ? top_ : bottom_).push_back(i);
    place_.assign(d_.size(), -1);
    for (std::size_t r = 0; r < top_.size(); ++r) at(place_, top_[r]) = static_cast<Index>(r);
    for (std::size_t r = 0; r < bottom_.size(); ++r) at(place_, bottom_[r]) = static_cast<Index>(top_.size() + r);
    std::vector<Index> first = top_, second = bottom_;
    for (const Index i : loose_) {
      at(place_, i) = std::ssize(in_top(i) ? first : second);
      (in_top(i) ? first : second).push_back(i);
    }
    for (Index j = 0; j < k_; ++j) std::copy_n(v_.col(at(first, j)), k_, z1_.col(j));
    worked(touched * static_cast<double>(k_ * k_));
    for (Index j = 0; j < n_ - k_; ++j) std::copy_n(v_.col(at(second, j)) + k_, n_ - k_, z2_.col(j));
    worked(touched * static_cast<double>((n_ - k_) * (n_ - k_)));
  }

  // Roots, and in the column j of v the differences d_i - x_j; then z^.
  void solve_secular() {
    const Index count = roots();
    std::vector<double> d(kept_.size()), z(kept_.size());
    for (Index i = 0; i < count; ++i) {
      at(d, i) = at(d_, at(kept_, i));
      at(z, i) = at(z_, at(kept_, i));
    }
    root_.resize(kept_.size());
    parallel_stretches(count, 30 * count, [&](Index first, Index size) {
      for (Index j = first; j < first + size; ++j) at(root_, j) = laed4(j, d, z, rho_, v_.col(j));
    });
    if (count <= 2) return;
    numerator_.resize(kept_.size());
    parallel_stretches(count, 4 * count, [&](Index first, Index size) {
      std::vector<double> product(static_cast<std::size_t>(size));
      for (Index i = 0; i < size; ++i) at(product, i) = v_(first + i, first + i);
      for (Index j = 0; j < count; ++j) {
        const double *difference = v_.col(j) + first, *pole = d.data() + first, d_j = at(d, j);
        const auto multiply_up = [&](Index from, Index to) {
          for (Index i = from; i < to; ++i) product[static_cast<std::size_t>(i)] *= difference[i] / (pole[i] - d_j);
        };
        multiply_up(0, std::clamp<Index>(j - first, 0, size));
        multiply_up(std::clamp<Index>(j - first + 1, 0, size), size);
      }
      for (Index i = 0; i < size; ++i)
        at(numerator_, first + i) = std::copysign(std::sqrt(-at(product, i)), at(z, first + i));
    });
  }

  // The coordinates of eigenvector j: in the order of the columns of Z1 and Z2.
  void coordinates(Index j, double* s) const {
    if (!linked_.empty()) std::fill_n(s, top_.size() + bottom_.size(), 0.0);
    if (j >= roots()) {
      s[at(place_, at(linked_, j - roots()))] = 1;
    } else {
      const double* const difference = v_.col(j);
      double sum = 0;
      for (Index i = 0; i < roots(); ++i) {
        const double value = roots() <= 2 ? difference[i] : at(numerator_, i) / difference[i];
        s[at(place_, at(kept_, i))] = value;
        sum += value * value;
      }
      const double factor = 1 / std::sqrt(sum);
      for (const Index i : kept_) s[at(place_, i)] *= factor;
    }
    for (auto rotation = rotations_.rbegin(); rotation != rotations_.rend(); ++rotation) {
      double &s_i = s[at(place_, rotation->i)], &s_j = s[at(place_, rotation->j)];
      const double x = s_i, y = s_j;
      s_i = rotation->c * x - rotation->s * y;
      s_j = rotation->s * x + rotation->c * y;
    }
  }

  // Eigenvectors first, first + 1, ... in their columns of v, where the differences have been.
  void multiply(Index first, MatrixView s) {
    parallel_stretches(s.cols, 4 * s.rows, [&](Index from, Index size) {
      for (Index j = from; j < from + size; ++j) coordinates(first + j, s.col(j));
    });
    const Index above = std::ssize(top_), below = std::ssize(bottom_);
    gemm(Op::none, Op::none, 1, z1_.columns(0, above), s.row_range(0, above), 0, v_.block(0, first, k_, s.cols));
    gemm(Op::none, Op::none, 1, z2_.columns(0, below), s.row_range(above, below), 0,
         v_.block(k_, first, n_ - k_, s.cols));
  }

  // The column i of Z1 or Z2, which is an eigenvector as it is.
  void copy_back(Index i, Index to) {
    const bool top = in_top(i);
    double* const column = v_.col(to);
    std::copy_n((top ? z1_ : z2_).col(at(place_, i)), top ? k_ : n_ - k_, column + (top ? 0 : k_));
    std::fill_n(column + (top ? k_ : 0), top ? n_ - k_ : k_, 0.0);
    worked(touched * static_cast<double>(n_));
  }

  void take_eigenvalues() {
    std::vector<double> all = root_;
    for (const auto* list : {&linked_, &loose_})
      for (const Index i : *list) all.push_back(at(d_, i));
    std::ranges::copy(all, d_.begin());
    sort_eigenpairs(d_, v_);
  }

  std::span<double> d_;
  Index n_, k_;
  double rho_;
  MatrixView v_, z1_, z2_;
  double* panel_;
  std::vector<double> z_;
  std::vector<bool> mixed_;                   // taken part in a rotation of Z1 with Z2
  std::vector<Rotation> rotations_;           // of Z1 with Z2
  std::vector<Index> kept_, linked_, loose_;  // not deflated, d ascending; deflated: mixed, and eigenvectors already
  std::vector<Index> top_, bottom_;           // which of kept_ and linked_ are columns of Z1, of Z2, in their order
  std::vector<Index> place_;                  // of top_ and bottom_ in a vector of coordinates; of loose_ in Z1 or Z2
  std::vector<double> root_, numerator_;      // x, z^
};

}  // namespace

void merge_tridiagonal(std::span<double> d, Index k, double e, MatrixView v, std::span<double> room) {
  Merge(d, k, e, v, room.data()).run();
}

Index merge_room(Index n) {
  const Index half = n - n / 2;
  return checked_doubles(2 * half, half) + checked_doubles(n, panel_width(n));
}

void sort_eigenpairs(std::span<double> d, MatrixView v) {
  std::vector<std::size_t> order(d.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::is_sorted(d)) return;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return d[i]; });
  std::vector<double> sorted(d.size());
  std::ranges::transform(order, sorted.begin(), [&](std::size_t i) { return d[i]; });
  std::ranges::copy(sorted, d.begin());
  permute_columns(order, v);
}

}  // namespace freeridge
