// Random numbers that are the same on every machine: the standard fixes the engine, but not its distributions.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/matrix.hpp"

namespace support {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1.0p-53;
  }

  // Standard normal (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(0.0, 1.0)));
    return radius * std::cos(6.283185307179586 * uniform(0.0, 1.0));
  }

  // Uniform in 0, ..., count - 1.
  std::int64_t index(std::int64_t count) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(count));
  }

  Matrix uniform_matrix(std::int64_t rows, std::int64_t cols, double low, double high) {
    Matrix out(rows, cols);
    for (double& value : out.values) value = uniform(low, high);
    return out;
  }

  Vector uniform_vector(std::int64_t count, double low, double high) {
    return uniform_matrix(count, 1, low, high).values;
  }

  std::vector<std::int64_t> permutation(std::int64_t count) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = i;
    for (std::int64_t i = count - 1; i > 0; --i)
      std::swap(out[static_cast<std::size_t>(i)], out[static_cast<std::size_t>(index(i + 1))]);
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace support
