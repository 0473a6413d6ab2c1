// The weighted mean of numbers q_i with weights v_i, and root^2 = sum_i v_i (q_i - mean)^2, for standard errors. Two
// parts a and b are joined by
//     root^2 = root_a^2 + root_b^2 + (mean_a - mean_b)^2 v_a v_b / (v_a + v_b)
// (T. Chan, G. Golub, R. LeVeque, Algorithms for computing the sample variance, The American Statistician 37 (1983)):
// sum v q^2 - v mean^2 would cancel. root is kept instead of root^2, as the q are squares themselves, whose squares
// might overflow.
#pragma once

#include <algorithm>
#include <cmath>

#include "libcore/base/array.hpp"

namespace freeridge {

struct Spread {
  double v = 0, mean = 0, root = 0;

  void join(const Spread& part) {
    if (part.v == 0) return;  // nothing beside the other weights, to the last bit
    if (v == 0) return void(*this = part);
    const double all = v + part.v, difference = part.mean - mean;
    root = std::hypot(root, part.root, difference * std::sqrt(v / all * part.v));
    mean += difference * (part.v / all);
    v = all;
  }
};

// The spread of the squares e_i^2, in two passes. They are computed in units of the largest |e|: errors of rows with
// tiny weights may be so large that e_i^2 overflows where v_i e_i^2 does not. Leaves the squares, in these units, in
// the place of e. At least one number.
inline Spread spread_of_squares(Span<double> e, const double* v) {
  constexpr std::size_t lanes = 4;  // sums side by side: one addition need not wait for the one before it
  const std::size_t count = e.size(), even = count - count % lanes;
  double top[lanes] = {}, weight[lanes] = {}, sum[lanes] = {}, squares[lanes] = {};
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < even; i += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) use(i + lane, lane);
    for (std::size_t i = even; i < count; ++i) use(i, 0);
  };
  const auto total = [](const double* lane) { return (lane[0] + lane[1]) + (lane[2] + lane[3]); };
  each([&](std::size_t i, std::size_t lane) { top[lane] = std::max(top[lane], std::abs(e[i])); });
  const double largest = std::max({top[0], top[1], top[2], top[3]});
  const double unit = largest > 0 ? std::ldexp(1.0, std::max(std::ilogb(largest), -1000)) : 1, inverse = 1 / unit;
  each([&](std::size_t i, std::size_t lane) {
    const double scaled = e[i] * inverse;
    e[i] = scaled * scaled;
    weight[lane] += v[i];
    sum[lane] += v[i] * e[i];
  });
  Spread part;
  part.v = total(weight);
  const double mean = total(sum) / part.v;
  each([&](std::size_t i, std::size_t lane) { squares[lane] += v[i] * ((e[i] - mean) * (e[i] - mean)); });
  part.mean = mean * unit * unit;
  part.root = std::sqrt(total(squares)) * unit * unit;
  return part;
}

}  // namespace freeridge
