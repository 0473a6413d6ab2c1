// Random numbers that are the same on every machine for a seed: 64-bit integer arithmetic and exact scalings, no
// distribution of the standard library (those differ between its implementations).
//   xoshiro256** (D. Blackman, S. Vigna, Scrambled linear pseudorandom number generators, ACM Trans. Math. Softw. 47
//   (2021)), its state filled by splitmix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number
//   generators, OOPSLA 2014)
// What is drawn from a seed is part of the contract (folds, hold-outs, landmarks): changing it changes answers.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

class Random {
 public:
  explicit Random(std::int64_t seed) {
    auto z = static_cast<std::uint64_t>(seed);
    for (std::uint64_t& word : state_) {
      z += 0x9e3779b97f4a7c15u;
      std::uint64_t mixed = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
      word = mixed ^ (mixed >> 31);
    }
  }

  // 64 random bits.
  std::uint64_t next() {
    const std::uint64_t out = std::rotl(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return out;
  }

  // Uniform on 0, ..., bound - 1, without bias: the 2^64 mod bound smallest values are drawn again. bound >= 1.
  Index uniform_index(Index bound) {
    const auto b = static_cast<std::uint64_t>(bound);
    const std::uint64_t too_small = (0 - b) % b;
    std::uint64_t value = next();
    while (value < too_small) value = next();
    return static_cast<Index>(value % b);
  }

  // Uniform in [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // i with probability weights[i] / sum(weights); the weights are >= 0 and their sum is finite and positive. O(n).
  // A weight of 0 is never drawn. The sum is taken in order, so that rounding is the same everywhere, too.
  Index weighted_index(Span<const double> weights) {
    const double target = uniform() * sum_of(weights);
    double up_to = 0;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      chosen = i;
      up_to += weights[i];
      if (target < up_to) break;
    }
    return static_cast<Index>(chosen);
  }

  // A random order, each equally likely (Fisher and Yates). Stopped after `count` places, the first `count` values are
  // a random choice of so many, in random order.
  template <class T>
  void shuffle(Span<T> values, Index count) {
    const auto n = static_cast<Index>(values.size());
    for (Index i = 0; i < count && i + 1 < n; ++i) std::swap(values[i], values[i + uniform_index(n - i)]);
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace freeridge
