#include "libcore/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "libcore/linalg/column_order.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/tridiagonal.hpp"
#include "libcore/linalg/tridiagonal_merge.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index small_size = 200;  // up to here dsyevd as a whole
constexpr Index leaf = 64;         // a tridiagonal matrix of up to this size is LAPACK's

Span<double> part(Span<double> values, Index first, Index size) {
  return values.subspan(first, size);
}

// A tridiagonal matrix that does not fall apart: torn into leaves, which are put together again pair by pair.
class DivideAndConquer {
 public:
  DivideAndConquer(Span<double> d, Span<double> e, MatrixView z, Span<double> room)
      : d_(d), e_(e), z_(z), room_(room) {}

  void run() {
    tear({0, z_.rows});
    {
      const Stage still(0, 0);
      parallel_for(std::ssize(leaves_), [&](Index i) {
        const auto [first, size] = leaves_[i];
        stedc(part(d_, first, size), part(e_, first, size - 1), z_.block(first, first, size, size));
      });
    }
    merge({0, z_.rows});
  }

 private:
  struct Range {
    Index first, size;
  };
  static double work(Range range) { return cube(range.size); }

  // T = [T1 0; 0 T2] + |e| u u', u zero but for 1 and +-1 where they meet.
  void tear(Range range) {
    const auto [first, size] = range;
    if (size <= leaf) return leaves_.push_back(range);
    const Index middle = first + size / 2;
    const double torn = std::abs(e_[middle - 1]);
    d_[middle - 1] -= torn;
    d_[middle] -= torn;
    tear({first, size / 2});
    tear({middle, size - size / 2});
    total_work_ += work(range);
  }

  void merge(Range range) {
    const auto [first, size] = range;
    if (size <= leaf) return;
    const Index half = size / 2;
    merge({first, half});
    merge({first + half, size - half});
    merge_tridiagonal(part(d_, first, size), half, e_[first + half - 1], z_.block(first, first, size, size), room_);
    work_done_ += work(range);
    report(work_done_ / total_work_);
  }

  Span<double> d_, e_;
  MatrixView z_;
  Span<double> room_;
  Array<Range> leaves_;
  double total_work_ = 0, work_done_ = 0;
};

}  // namespace

void tridiagonal_eigen(Span<double> d, Span<double> e, MatrixView z) {
  const Index n = z.rows;
  set_zero(z);
  const auto falls_apart = [&](Index i) {  // between i and i + 1; as in LAPACK's dstedc
    constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
    return std::abs(e[i]) <= unit * std::sqrt(std::abs(d[i])) * std::sqrt(std::abs(d[i + 1]));
  };
  Array<Index> ends;  // of the parts that T falls apart into
  for (Index i = 1; i < n; ++i)
    if (falls_apart(i - 1)) ends.push_back(i);
  if (n > 0) ends.push_back(n);
  Index most = 0, first = 0;
  for (const Index end : ends) most = std::max(most, end - std::exchange(first, end));
  Matrix room(most > leaf ? merge_room(most) : 0, 1);
  first = 0;
  for (const Index end : ends) {
    const Index size = end - first;
    const auto part_d = part(d, first, size), part_e = part(e, first, size - 1);
    const int k = exponent_of(std::max(largest_magnitude(part_d), largest_magnitude(part_e)));
    scale(part_d, -k);
    scale(part_e, -k);
    const Stage stage(fraction(first, n), fraction(end, n));
    DivideAndConquer(part_d, part_e, z.block(first, first, size, size), room.values()).run();
    scale(part_d, k);
    first = end;
  }
  sort_with_columns(d, std::less<>(), {z});
  report(1);
}

void symmetric_eigen(MatrixView a, Span<double> w) {
  const Index n = a.rows;
  double largest = 0;
  bool finite = true;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      finite = finite && std::isfinite(a(i, j));
      largest = std::max(largest, std::abs(a(i, j)));
    }
    worked(touched * static_cast<double>(n - j));
  }
  if (!finite) {
    std::ranges::fill(w, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (n <= small_size) {
    syevd(a, w);
    report(1);
    return;
  }

  const int k = exponent_for_squares(largest);
  if (k != 0)
    for (Index j = 0; j < n; ++j) scale({a.col(j) + j, n - j}, -k);
  Array<double> e(n - 1);
  Stage stage(0, 0.5);
  const TridiagonalBasis basis(a, w, e);
  stage.next(0.7);
  tridiagonal_eigen(w, e, a);
  stage.next(1);
  basis.multiply(a);
  scale(w, k);
}

}  // namespace freeridge
