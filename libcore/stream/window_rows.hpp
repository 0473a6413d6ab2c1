// The rows that are in a window, from the oldest to the newest, as they came: x, y, a weight, and what the window's
// features make of x (p numbers; none where these are x itself). A row is contiguous. The oldest row goes at the cost of
// O(1), as there is room behind the newest for as many rows again, into which those that stay are moved when it is full;
// another row goes at the cost of moving the younger ones.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/rows/rows.hpp"
#include "libcore/stream/row_triangle.hpp"

namespace freeridge {

class WindowRows {
 public:
  // most: how many rows there will be at most.
  WindowRows(Index d, Index features, Index t, Index most) : d_(d), features_(features), t_(t), most_(most) {}
  WindowRows copy() const;

  Index n() const { return n_; }
  Index d() const { return d_; }
  Index t() const { return t_; }
  bool weighted() const { return weighted_; }
  double sum_w() const;
  // Makes room for `count` more rows, so that push does not fail.
  void reserve(Index count);
  // x: d numbers, of_x: features_ numbers, y: t numbers
  void push(const double* x, const double* of_x, const double* y, double weight);
  void erase(Index position);
  // Those of these positions, ascending: O(n).
  void erase(Span<const Index> positions);

  LayoutView x() const { return view(0, d_); }
  // What the features make of x, or x.
  LayoutView features() const { return features_ > 0 ? view(d_, features_) : x(); }
  LayoutView y() const { return view(d_ + features_, t_); }
  const double* weights() const { return weights_.data() + first_; }
  GivenRow operator[](Index i) const;

 private:
  Index width() const { return d_ + features_ + t_; }
  LayoutView view(Index column, Index columns) const {
    return {n_ == 0 ? nullptr : values_.col(first_) + column, n_, columns, width(), Layout::row_major};
  }

  Index d_, features_, t_, most_;
  Index first_ = 0, n_ = 0;
  bool weighted_ = false;  // whether a weight was ever not 1
  Matrix values_;          // width x room: row i in column first_ + i
  Array<double> weights_;
};

}  // namespace freeridge
