#include "libcore/factor/eigenvalues.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/constants.hpp"

namespace freeridge {

Index Eigenvalues::rank() const {
  Index count = 0;
  for (Index k = 0; k < std::ssize(value); ++k) count += counts(k) ? 1 : 0;
  return count;
}

Array<Index> descending_order(Span<const double> value) {
  Array<Index> order = consecutive(0, std::ssize(value));
  std::ranges::stable_sort(order, [&](Index a, Index b) { return value[a] > value[b]; });
  return order;
}

Eigenvalues descending(Span<const double> value, Span<const double> noise) {
  Eigenvalues out;
  for (const Index k : descending_order(value)) {
    out.value.push_back(value[k]);
    out.noise.push_back(noise[k]);
  }
  return out;
}

Conditioning conditioning(const Eigenvalues& eigenvalues, Index degrees, double lambda) {
  double largest = 0, smallest = std::numeric_limits<double>::infinity(), rank = 0;
  Index zeros = degrees - std::ssize(eigenvalues.value);
  for (Index k = 0; k < std::ssize(eigenvalues.value); ++k) {
    const double value = eigenvalues.value[k];
    if (!(value > 0) || (lambda < eigenvalues.noise[k] && value < eigenvalues.noise[k])) {
      ++zeros;
      continue;
    }
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
    rank += value / (value + lambda);
  }
  if (zeros > 0 && lambda > 0) smallest = 0;
  const bool defined = degrees > 0 && (lambda > 0 || largest > 0);
  // not a quotient of sums, which may overflow
  return {defined ? largest / (smallest + lambda) + lambda / (smallest + lambda) : nan, rank};
}

}  // namespace freeridge
