// Labels for leaving groups out at random, the same on every machine for a seed (random.hpp).
#pragma once

#include <cstdint>

#include "libcore/base/array.hpp"

namespace freeridge {

// One label 0, ..., folds - 1 a row: dealt in turn, 0, 1, ..., folds - 1, 0, 1, ..., and shuffled. Sizes differ by one
// at most. 2 <= folds <= n, else INVALID_ARGUMENT.
void make_folds(std::int32_t folds, std::int64_t seed, Span<std::int32_t> group);

// round(fraction n) rows, at least 1 and at most n - 1, get the label 0, the others -1. 0 < fraction < 1, n >= 2.
void make_holdout(double fraction, std::int64_t seed, Span<std::int32_t> group);

}  // namespace freeridge
