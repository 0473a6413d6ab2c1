#include "libcore/linalg/tridiagonal_merge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "libcore/linalg/column_order.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/merge_columns.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

class TridiagonalMerge {
 public:
  TridiagonalMerge(Span<double> d, Index k, double e, MatrixView v, double* room)
      : d_(d), n_(v.rows), k_(k), rho_(2 * std::abs(e)), v_(v), z_(d.size()) {
    const double first = std::sqrt(0.5), second = e < 0 ? -first : first;
    for (Index i = 0; i < n_; ++i) z_[i] = i < k ? first * v(k - 1, i) : second * v(k, i);
    deflate_columns();
    basis_.emplace(v, k, deflation_, Span<const Index>(), room);
    panel_ = room + HalvedBasis::room(n_, k);
  }

  void run() {
    solve_secular();
    const Index moved = roots() + std::ssize(deflation_.linked);
    const Index width = panel_width(n_), rows = basis_->size();
    for (Index j = 0; j < moved; j += width) multiply(j, {panel_, rows, std::min(width, moved - j), rows});
    for (std::size_t j = 0; j < deflation_.loose.size(); ++j)
      basis_->copy_back(deflation_.loose[j], moved + static_cast<Index>(j));
    take_eigenvalues();
  }

 private:
  Index roots() const { return std::ssize(deflation_.kept); }

  void deflate_columns() {
    Array<Index> order = consecutive(0, std::ssize(d_));
    std::inplace_merge(order.begin(), order.begin() + k_, order.end(), [&](Index a, Index b) { return d_[a] < d_[b]; });
    const double largest = std::max(largest_magnitude(d_), largest_magnitude(z_));
    const double tolerance = 4 * std::numeric_limits<double>::epsilon() * largest;  // LAPACK's eps is half of this one
    deflation_ = deflate(order, k_, {&v_, 1}, d_, z_, rho_, tolerance);
  }

  // The roots x_j, with the differences d_i - x_j in column j of v; then z^.
  void solve_secular() {
    const Index count = roots();
    Array<double> d(deflation_.kept.size()), z(deflation_.kept.size());
    for (Index i = 0; i < count; ++i) {
      d[i] = d_[deflation_.kept[i]];
      z[i] = z_[deflation_.kept[i]];
    }
    root_.resize(deflation_.kept.size());
    parallel_stretches(count, 30 * count, [&](Index first, Index size) {
      for (Index j = first; j < first + size; ++j) root_[j] = laed4(j, d, z, rho_, v_.col(j));
    });
    if (count <= 2) return;
    numerator_.resize(deflation_.kept.size());
    parallel_stretches(count, 4 * count, [&](Index first, Index size) {
      Array<double> product(size);
      for (Index i = 0; i < size; ++i) product[i] = v_(first + i, first + i);
      for (Index j = 0; j < count; ++j) {
        const double *difference = v_.col(j) + first, *pole = d.data() + first, d_j = d[j];
        const auto multiply_up = [&](Index from, Index to) {
          for (Index i = from; i < to; ++i) product[i] *= difference[i] / (pole[i] - d_j);
        };
        multiply_up(0, std::clamp<Index>(j - first, 0, size));
        multiply_up(std::clamp<Index>(j - first + 1, 0, size), size);
      }
      for (Index i = 0; i < size; ++i) numerator_[first + i] = std::copysign(std::sqrt(-product[i]), z[first + i]);
    });
  }

  // The coordinates of eigenvector j.
  void coordinates(Index j, double* s) const {
    if (!deflation_.linked.empty()) std::fill_n(s, basis_->size(), 0.0);
    if (j >= roots()) {
      s[basis_->place(deflation_.linked[j - roots()])] = 1;
    } else {
      const double* const difference = v_.col(j);
      double sum = 0;
      for (Index i = 0; i < roots(); ++i) {
        const double value = roots() <= 2 ? difference[i] : numerator_[i] / difference[i];
        s[basis_->place(deflation_.kept[i])] = value;
        sum += value * value;
      }
      const double factor = 1 / std::sqrt(sum);
      for (const Index i : deflation_.kept) s[basis_->place(i)] *= factor;
    }
    basis_->rotate_back(s);
  }

  // The eigenvectors first, first + 1, ... in the place of the differences in v.
  void multiply(Index first, MatrixView s) {
    parallel_stretches(s.cols, 4 * s.rows, [&](Index from, Index size) {
      for (Index j = from; j < from + size; ++j) coordinates(first + j, s.col(j));
    });
    basis_->multiply(first, s);
  }

  void take_eigenvalues() {
    Array<double> all = root_;
    for (const auto* list : {&deflation_.linked, &deflation_.loose})
      for (const Index i : *list) all.push_back(d_[i]);
    std::ranges::copy(all, d_.begin());
    sort_with_columns(d_, std::less<>(), {v_});
  }

  Span<double> d_;
  Index n_, k_;
  double rho_;
  MatrixView v_;
  double* panel_ = nullptr;
  Array<double> z_;
  Deflation deflation_;
  std::optional<HalvedBasis> basis_;
  Array<double> root_, numerator_;  // x, z^
};

}  // namespace

void merge_tridiagonal(Span<double> d, Index k, double e, MatrixView v, Span<double> room) {
  TridiagonalMerge(d, k, e, v, room.data()).run();
}

Index merge_room(Index n) {
  const Index half = n - n / 2;
  return checked_doubles(2 * half, half) + checked_doubles(n, panel_width(n));
}

}  // namespace freeridge
