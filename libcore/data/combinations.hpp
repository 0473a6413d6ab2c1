// Linear combinations of the values at m points: combination g is the sum of a_i times the value at point i over the
// points i of group g. Averages, and their differences, are such.
#pragma once

#include <cmath>
#include <cstdint>

#include "libcore/base/array.hpp"
#include "libcore/base/error.hpp"

namespace freeridge {

class Combinations {
 public:
  // group: that of each point, NULL: all are of group 0. factors: a, NULL: 1 over the size of the group. Throws
  // INVALID_ARGUMENT where a group is not from 0 to count - 1 or has no point, NOT_FINITE.
  Combinations(Index m, Index count, const std::int64_t* group, const double* factors) : a_(m), start_(count + 1, 0) {
    const auto of = [&](Index i) { return group == nullptr ? 0 : group[i]; };
    for (Index i = 0; i < m; ++i) {
      if (of(i) < 0 || of(i) >= count)
        fail(Status::invalid_argument, "group[", i, "] is ", of(i), "; it must be from 0 to groups - 1 = ", count - 1);
      ++start_[of(i) + 1];
    }
    for (Index q = 0; q < count; ++q) {
      if (start_[q + 1] == 0) fail(Status::invalid_argument, "no point is of group ", q, " (groups is ", count, ")");
      start_[q + 1] += start_[q];
    }
    Array<Index> next(start_.begin(), start_.end() - 1);
    for (Index i = 0; i < m; ++i) {
      const Index q = of(i), place = next[q]++;
      place_.push_back(place);
      group_.push_back(q);
      a_[place] = factors != nullptr ? factors[i] : 1 / static_cast<double>(start_[q + 1] - start_[q]);
      if (!std::isfinite(a_[place]))
        fail(Status::not_finite, "factors[", i, "] is ", factors[i], "; it must be finite");
    }
  }

  Index points() const { return std::ssize(group_); }
  Index count() const { return std::ssize(start_) - 1; }
  Index group(Index i) const { return group_[i]; }
  double factor(Index i) const { return a_[place_[i]]; }
  // The points in the order of their groups: where point i stands, where group q begins, and the factors from there on.
  Index place(Index i) const { return place_[i]; }
  Index start(Index q) const { return start_[q]; }
  Span<const double> factors_from(Index q) const { return Span<const double>(a_).subspan(start_[q]); }

 private:
  Array<Index> group_, place_;
  Array<double> a_;
  Array<Index> start_;
};

}  // namespace freeridge
