// Labels for leaving groups out: at random, the same on every machine for a seed (random.hpp); and blocks of rows next
// to each other, with gaps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libcore/base/matrix.hpp"

namespace freeridge {

// One label 0, ..., folds - 1 a row: dealt in turn, 0, 1, ..., folds - 1, 0, 1, ..., and shuffled. Sizes differ by one
// at most. 2 <= folds <= n, else INVALID_ARGUMENT.
void make_folds(std::int32_t folds, std::int64_t seed, Span<std::int32_t> group);

// round(fraction n) rows, at least 1 and at most n - 1, get the label 0, the others -1. 0 < fraction < 1, n >= 2.
void make_holdout(double fraction, std::int64_t seed, Span<std::int32_t> group);

// Contiguous blocks for rows in order of time: `folds` blocks of n / folds rows, rounded down, and one more in each of
// the first n mod folds. The gap of a block: the `before` rows before it and the `after` rows after it, as far as there
// are. With b(i) the block of row i, the row is in the gaps of the blocks b(i - after), ..., b(i + before) but its own,
// each in a layer of its own.
class Blocks {
 public:
  // 2 <= folds <= n, before, after >= 0, else INVALID_ARGUMENT. O(n).
  Blocks(Index n, std::int32_t folds, Index before, Index after);
  Index layers() const { return layers_; }    // the most blocks in whose gaps one row is
  void labels(Span<std::int32_t> out) const;  // n
  void gaps(Span<std::int32_t> out) const;    // n layers, -1 where there is none

 private:
  Index block_of(Index row) const;
  // The blocks in whose gaps a row is, its own among them.
  Index first_block(Index row) const { return block_of(std::max<Index>(row - after_, 0)); }
  Index last_block(Index row) const { return block_of(std::min(row + before_, n_ - 1)); }

  Index n_, folds_, before_, after_, layers_ = 0;
};

}  // namespace freeridge
