#include "libcore/data/folds.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/random.hpp"

namespace freeridge {

namespace {

void require_folds(std::int32_t folds, Index n) {
  if (folds < 2 || folds > n) fail(Status::invalid_argument, "folds is ", folds, "; it must be from 2 to n = ", n);
}

}  // namespace

void make_folds(std::int32_t folds, std::int64_t seed, Span<std::int32_t> group) {
  const Index n = std::ssize(group);
  require_folds(folds, n);
  for (Index i = 0; i < n; ++i) group[i] = static_cast<std::int32_t>(i % folds);
  Random(seed).shuffle(group, n);
}

void make_holdout(double fraction, std::int64_t seed, Span<std::int32_t> group) {
  const auto n = static_cast<Index>(group.size());
  if (!std::isfinite(fraction)) fail(Status::not_finite, "fraction is ", fraction, "; it must be finite");
  if (!(fraction > 0 && fraction < 1))
    fail(Status::invalid_argument, "fraction is ", fraction, "; 0 < fraction < 1 must hold");
  if (n < 2) fail(Status::invalid_argument, "n is ", n, "; one row must be left out and one must be left: at least 2");
  const auto wanted = static_cast<Index>(std::round(fraction * static_cast<double>(n)));
  const Index count = std::clamp<Index>(wanted, 1, n - 1);
  std::fill(group.begin(), group.end(), -1);
  std::fill_n(group.begin(), count, 0);
  Random(seed).shuffle(group, n);
}

Blocks::Blocks(Index n, std::int32_t folds, Index before, Index after)
    : n_(n), folds_(folds), before_(before), after_(after) {
  require_folds(folds, n);
  if (before < 0) fail(Status::invalid_argument, "before is ", before, "; it must not be negative");
  if (after < 0) fail(Status::invalid_argument, "after is ", after, "; it must not be negative");
  before_ = std::min(before, n);
  after_ = std::min(after, n);
  for (Index i = 0; i < n; ++i) layers_ = std::max(layers_, last_block(i) - first_block(i));
}

Index Blocks::block_of(Index row) const {
  const Index size = n_ / folds_, larger = n_ % folds_, boundary = larger * (size + 1);
  return row < boundary ? row / (size + 1) : larger + (row - boundary) / size;
}

void Blocks::labels(Span<std::int32_t> out) const {
  for (Index i = 0; i < n_; ++i) out[i] = static_cast<std::int32_t>(block_of(i));
}

void Blocks::gaps(Span<std::int32_t> out) const {
  std::ranges::fill(out, -1);
  for (Index i = 0; i < n_; ++i) {
    Index layer = 0;
    for (Index f = first_block(i); f <= last_block(i); ++f)
      if (f != block_of(i)) out[n_ * layer++ + i] = static_cast<std::int32_t>(f);
  }
}

}  // namespace freeridge
