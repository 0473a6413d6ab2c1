#include "libcore/linalg/bidiagonal_svd.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "libcore/linalg/bidiagonal_merge.hpp"
#include "libcore/linalg/column_order.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/merge_columns.hpp"
#include "libcore/linalg/scaling.hpp"

namespace freeridge {
namespace {

constexpr Index largest_leaf = 64;  // up to this size it is LAPACK's

struct Range {  // rows; columns, and one more
  Index first, size;
  Index middle() const { return (size - 1) / 2; }
  Range above() const { return {first, middle()}; }
  Range below() const { return {first + middle() + 1, size - middle() - 1}; }
};

Span<double> part(Span<double> values, Range range) {
  return values.subspan(range.first, range.size);
}

// B G = [L 0],  L = U diag(s) W',  V = G [W 0; 0 1] for a leaf B, n x (n + 1): G are rotations of columns, L is lower
// bidiagonal. e_n is the last number of B.
void decompose_leaf(Span<double> d, Span<double> e, MatrixView u, MatrixView v) {
  const Index n = u.rows;
  Array<double> below(d.size()), c(d.size()), s(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double length = std::hypot(d[i], e[i]);
    c[i] = length > 0 ? d[i] / length : 1;
    s[i] = length > 0 ? e[i] / length : 0;
    d[i] = length;
    if (i + 1 == d.size()) continue;
    below[i] = s[i] * d[i + 1];
    d[i + 1] *= c[i];
  }
  Matrix wt(n, n);
  bdsdc('L', d, below, u, wt.view());
  for (Index j = 0; j <= n; ++j) {
    double* const column = v.col(j);
    for (Index i = 0; i < n; ++i) column[i] = j < n ? wt(j, i) : 0;
    column[n] = j < n ? 0 : 1;
    for (Index i = n; i-- > 0;) {
      const double x = column[i], y = column[i + 1];
      column[i] = c[i] * x - s[i] * y;
      column[i + 1] = s[i] * x + c[i] * y;
    }
  }
}

class BidiagonalHalves {
 public:
  BidiagonalHalves(Span<double> d, Span<double> e, MatrixView u, MatrixView v)
      : d_(d), e_(e), u_(u), v_(v), room_(u.rows > largest_leaf ? bidiagonal_room(u.rows) : 0, 1) {}

  void run() {
    tear({0, u_.rows});
    parallel_for(std::ssize(leaves_), [&](Index i) {
      const Range range = leaves_[i];
      decompose_leaf(part(d_, range), part(e_, range), of_u(range), of_v(range));
    });
    merge({0, u_.rows});
  }

 private:
  MatrixView of_u(Range range) const { return u_.block(range.first, range.first, range.size, range.size); }
  MatrixView of_v(Range range) const { return v_.block(range.first, range.first, range.size + 1, range.size + 1); }

  void tear(Range range) {
    if (range.size <= largest_leaf) return leaves_.push_back(range);
    tear(range.above());
    tear(range.below());
  }

  void merge(Range range) {
    if (range.size <= largest_leaf) return;
    merge(range.above());
    merge(range.below());
    const Index row = range.first + range.middle();
    merge_bidiagonal(part(d_, range), range.middle(), d_[row], e_[row], of_u(range), of_v(range), room_.values());
  }

  Span<double> d_, e_;
  MatrixView u_, v_;
  Matrix room_;
  Array<Range> leaves_;
};

}  // namespace

void bidiagonal_svd(Span<double> d, Span<double> e, MatrixView u, MatrixView v) {
  const Index n = u.rows;
  set_zero(u);
  set_zero(v);
  v(n, n) = 1;
  const double largest = std::max(largest_magnitude(d), largest_magnitude(e));
  const int exponent = exponent_of(largest);
  scale(d, -exponent);
  Array<double> beside(d.size(), 0.0);  // with the column of zeros
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  for (std::size_t i = 0; i < e.size(); ++i)  // rounding of the largest is zero; as in LAPACK's dbdsdc
    if (std::abs(e[i]) > unit * largest) beside[i] = std::ldexp(e[i], -exponent);
  BidiagonalHalves(d, beside, u, v).run();
  sort_with_columns(d, std::greater<>(), {u, v.columns(0, n)});
  scale(d, exponent);
}

}  // namespace freeridge
