#include "libcore/linalg/bidiagonal_merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/merge_columns.hpp"

namespace freeridge {
namespace {

// Column middle_ of v is q_1, column n_ is q_2. Column middle_ of u belongs to the row in the middle of B, and
// d[middle_] = 0 is d_0.
class BidiagonalMerge {
 public:
  BidiagonalMerge(Span<double> d, Index middle, double alpha, double beta, MatrixView u, MatrixView v, double* room)
      : d_(d), n_(u.rows), middle_(middle), u_(u), v_(v), room_(room), z_(d.size()) {
    const auto larger = [](double a, double b) { return std::max(a, std::abs(b)); };
    d_[middle_] = 0;
    const double largest = std::accumulate(d_.begin(), d_.end(), std::max(std::abs(alpha), std::abs(beta)), larger);
    if (largest > 0) exponent_ = std::ilogb(largest);  // scaled to about one no square underflows
    scale(-exponent_);
    tolerance_ = 4 * std::numeric_limits<double>::epsilon() * std::ldexp(largest, -exponent_);
    join(std::ldexp(alpha, -exponent_), std::ldexp(beta, -exponent_));
  }

  void run() {
    deflate_columns();
    const Index above = middle_ + 1;
    const HalvedBasis left(u_, above, deflation_, {}, room_);
    double* const right_room = room_ + HalvedBasis::room(n_, above);
    const HalvedBasis right(v_, above, deflation_, {&n_, 1}, right_room);
    double* const panels = right_room + HalvedBasis::room(n_ + 1, above);
    solve_secular();
    const Index moved = roots() + std::ssize(deflation_.linked), width = panel_width(n_);
    for (Index first = 0; first < moved; first += width) {
      const Index count = std::min(width, moved - first);
      const MatrixView s{panels, left.size(), count, left.size()},
          t{panels + left.size() * count, right.size(), count, right.size()};
      parallel_stretches(count, 16 * n_, [&](Index from, Index size) {
        for (Index j = from; j < from + size; ++j) coordinates(first + j, left, s.col(j), right, t.col(j));
      });
      left.multiply(first, s);
      right.multiply(first, t);
    }
    for (std::size_t j = 0; j < deflation_.loose.size(); ++j)
      for (const HalvedBasis* basis : {&left, &right})
        basis->copy_back(deflation_.loose[j], moved + static_cast<Index>(j));
    const MatrixView t{panels, right.size(), 1, right.size()};
    std::fill_n(t.data, t.rows, 0.0);
    t.data[right.place(middle_)] = -sine_;
    t.data[right.place(n_)] = cosine_;
    right.multiply(n_, t);
    take_singular_values();
  }

 private:
  Index roots() const { return std::ssize(deflation_.kept); }

  void scale(int exponent) {
    for (double& value : d_) value = std::ldexp(value, exponent);
  }

  void join(double alpha, double beta) {
    for (Index i = 0; i < middle_; ++i) z_[i] = alpha * v_(middle_, i);
    for (Index i = middle_ + 1; i < n_; ++i) z_[i] = beta * v_(middle_ + 1, i);
    const double a = alpha * v_(middle_, middle_), b = beta * v_(middle_ + 1, n_), length = std::hypot(a, b);
    if (length > tolerance_) {
      cosine_ = a / length;
      sine_ = b / length;
    }
    z_[middle_] = std::max(length, tolerance_);
  }

  void deflate_columns() {
    Array<Index> order = consecutive(0, std::ssize(d_));
    order.erase(order.begin() + middle_);
    std::ranges::stable_sort(order, {}, [&](Index i) { return d_[i]; });
    const MatrixView bases[] = {u_, v_};
    deflation_ = deflate(order, middle_ + 1, bases, d_, z_, 1, tolerance_);
    Array<Index>& kept = deflation_.kept;
    if (!kept.empty()) d_[kept.front()] = std::max(d_[kept.front()], tolerance_ / 2);  // apart from zero
    kept.insert(kept.begin(), middle_);
    u_(middle_, middle_) = 1;
  }

  // The roots s_j, with the differences d_i - s_j in column j of u and the sums d_i + s_j in column j of v; then z^.
  void solve_secular() {
    const Index count = roots();
    for (const Index i : deflation_.kept) {
      pole_.push_back(d_[i]);
      numerator_.push_back(z_[i]);
    }
    root_.resize(pole_.size());
    if (count == 1) {
      root_[0] = numerator_[0];
      return;
    }
    Array<double> z = numerator_;
    const double length = norm2(count, z.data());
    for (double& value : z) value /= length;
    parallel_stretches(count, 60 * count, [&](Index first, Index size) {
      for (Index j = first; j < first + size; ++j) root_[j] = lasd4(j, pole_, z, length * length, u_.col(j), v_.col(j));
    });
    parallel_stretches(count, 6 * count, [&](Index first, Index size) {
      Array<double> product(size);
      for (Index i = first; i < first + size; ++i) product[i - first] = u_(i, i) * v_(i, i);
      for (Index j = 0; j < count; ++j) {
        const double *difference = u_.col(j) + first, *sum = v_.col(j) + first, *pole = pole_.data() + first;
        const double d_j = pole_[j];
        const auto multiply_up = [&](Index from, Index to) {
          for (Index i = from; i < to; ++i) product[i] *= difference[i] * sum[i] / ((pole[i] - d_j) * (pole[i] + d_j));
        };
        multiply_up(0, std::clamp<Index>(j - first, 0, size));
        multiply_up(std::clamp<Index>(j - first + 1, 0, size), size);
      }
      for (Index i = 0; i < size; ++i) numerator_[first + i] = std::copysign(std::sqrt(-product[i]), z[first + i]);
    });
  }

  // Of the singular vectors j on the left and on the right.
  void coordinates(Index j, const HalvedBasis& left, double* s, const HalvedBasis& right, double* t) const {
    std::fill_n(s, left.size(), 0.0);
    std::fill_n(t, right.size(), 0.0);
    if (j >= roots()) {
      const Index i = deflation_.linked[j - roots()];
      s[left.place(i)] = t[right.place(i)] = 1;
    } else if (roots() == 1) {
      s[left.place(middle_)] = t[right.place(middle_)] = 1;
    } else {
      const double *const difference = u_.col(j), *const sum = v_.col(j);
      double left_squares = 0, right_squares = 0;
      for (Index i = 0; i < roots(); ++i) {
        const Index column = deflation_.kept[i];
        const double on_right = numerator_[i] / difference[i] / sum[i];
        const double on_left = i == 0 ? -1 : pole_[i] * on_right;
        s[left.place(column)] = on_left;
        t[right.place(column)] = on_right;
        left_squares += on_left * on_left;
        right_squares += on_right * on_right;
      }
      const double left_factor = 1 / std::sqrt(left_squares), right_factor = 1 / std::sqrt(right_squares);
      for (Index i = 0; i < left.size(); ++i) s[i] *= left_factor;
      for (Index i = 0; i < right.size(); ++i) t[i] *= right_factor;
    }
    left.rotate_back(s);
    right.rotate_back(t);
    double& of_q = t[right.place(middle_)];
    t[right.place(n_)] = sine_ * of_q;
    of_q *= cosine_;
  }

  void take_singular_values() {
    Array<double> all = root_;
    for (const auto* list : {&deflation_.linked, &deflation_.loose})
      for (const Index i : *list) all.push_back(d_[i]);
    std::ranges::copy(all, d_.begin());
    scale(exponent_);
  }

  Span<double> d_;
  Index n_, middle_;
  MatrixView u_, v_;
  double* room_;
  Array<double> z_;
  int exponent_ = 0;
  double tolerance_ = 0, cosine_ = 1, sine_ = 0;  // q = cosine q_1 + sine q_2
  Deflation deflation_;
  Array<double> pole_, root_, numerator_;  // d of kept columns, s, z^
};

}  // namespace

void merge_bidiagonal(Span<double> d, Index k, double alpha, double beta, MatrixView u, MatrixView v,
                      Span<double> room) {
  BidiagonalMerge(d, k, alpha, beta, u, v, room.data()).run();
}

Index bidiagonal_room(Index n) {
  const Index half = n / 2 + 1;
  return checked_doubles(4 * half, half) + checked_doubles(2 * (n + 1), panel_width(n));
}

}  // namespace freeridge
