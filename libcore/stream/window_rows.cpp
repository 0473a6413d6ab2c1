#include "libcore/stream/window_rows.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/memory.hpp"

namespace freeridge {

WindowRows WindowRows::copy() const {
  WindowRows out(d_, features_, t_, most_);
  out.reserve(n_);
  for (Index i = 0; i < n_; ++i) {
    const double* const row = values_.col(first_ + i);
    out.push(row, row + d_, row + d_ + features_, weights_[first_ + i]);
  }
  out.weighted_ = weighted_;
  return out;
}

double WindowRows::sum_w() const {
  return sum_of({weights(), n_});
}

GivenRow WindowRows::operator[](Index i) const {
  const double* const row = values_.col(first_ + i);
  return {row + (features_ > 0 ? d_ : 0), row + d_ + features_, std::sqrt(weights_[first_ + i])};
}

void WindowRows::reserve(Index count) {
  const Index room = values_.cols(), wanted = n_ + count;
  if (first_ + wanted <= room) return;
  if (wanted <= room && first_ >= n_) {  // the rows that left have at least as much room as those that stay
    std::copy_n(values_.col(first_), width() * n_, values_.data());
    std::copy_n(weights(), n_, weights_.begin());
    first_ = 0;
    return;
  }
  const Index grown = std::max(wanted, std::min(2 * wanted, 2 * (most_ + 1)));
  require_memory(8 * checked_doubles(grown, width() + 1), "the rows of the window",
                 "make it with a smaller capacity, or remove rows");
  Matrix values(width(), grown);
  Array<double> weights_of(grown);
  if (n_ > 0) {
    std::copy_n(values_.col(first_), width() * n_, values.data());
    std::copy_n(weights(), n_, weights_of.begin());
  }
  values_ = std::move(values);
  weights_ = std::move(weights_of);
  first_ = 0;
}

void WindowRows::push(const double* x, const double* of_x, const double* y, double weight) {
  double* const to = values_.col(first_ + n_);
  std::copy_n(x, d_, to);
  std::copy_n(of_x, features_, to + d_);
  std::copy_n(y, t_, to + d_ + features_);
  weights_[first_ + n_++] = weight;
  weighted_ |= weight != 1;
}

void WindowRows::erase(Index position) {
  if (position == 0)
    ++first_;
  else {
    std::copy(values_.col(first_ + position + 1), values_.col(first_ + n_), values_.col(first_ + position));
    std::copy(weights() + position + 1, weights() + n_, weights_.begin() + first_ + position);
  }
  if (--n_ == 0) first_ = 0;
}

void WindowRows::erase(Span<const Index> positions) {
  Index kept = 0, next = 0;
  for (Index i = 0; i < n_; ++i) {
    if (next < std::ssize(positions) && positions[next] == i) {
      ++next;
      continue;
    }
    if (kept != i) {
      std::copy_n(values_.col(first_ + i), width(), values_.col(first_ + kept));
      weights_[first_ + kept] = weights_[first_ + i];
    }
    ++kept;
  }
  n_ = kept;
  if (n_ == 0) first_ = 0;
}

}  // namespace freeridge
