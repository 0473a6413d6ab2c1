#include "libcore/kernel/twofold_functions.hpp"

#include <cmath>

namespace freeridge {
namespace {

constexpr int halvings = 9;
constexpr double least_exponent = -700;  // below it the low part of the value would be subnormal: 0 in doubles' terms

}  // namespace

DoubleDouble twofold_exp(DoubleDouble x) {
  if (!(x.hi > least_exponent)) return {};
  if (x.hi > -least_exponent) return DoubleDouble(std::exp(x.hi));
  const DoubleDouble log_two(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  const double k = std::nearbyint(x.hi / log_two.hi);
  DoubleDouble r = x - DoubleDouble(k) * log_two;
  r = {std::ldexp(r.hi, -halvings), std::ldexp(r.lo, -halvings)};
  const DoubleDouble square = r * r, sixth(1.0 / 6, 0x1.5555555555555p-57);
  const double rest = square.hi * square.hi / 24 * (1 + r.hi / 5 * (1 + r.hi / 6 * (1 + r.hi / 7)));
  DoubleDouble s = r + DoubleDouble(square.hi / 2, square.lo / 2) + square * r * sixth + DoubleDouble(rest);
  for (int step = 0; step < halvings; ++step) s = DoubleDouble(2) * s + s * s;
  s += DoubleDouble(1);
  const int power = static_cast<int>(k);
  return {std::ldexp(s.hi, power), std::ldexp(s.lo, power)};
}

DoubleDouble twofold_sqrt(DoubleDouble x) {
  const double q = std::sqrt(x.hi);
  if (!(q > 0)) return {};
  const DoubleDouble rest = x - two_product(q, q);
  return two_sum(q, (rest.hi + rest.lo) / (2 * q));
}

DoubleDouble twofold_half_sine(DoubleDouble u) {
  const DoubleDouble pi(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);
  const DoubleDouble v = pi * (u - DoubleDouble(std::nearbyint(u.hi))), square = v * v;
  DoubleDouble term = v, sum = v;
  for (int k = 2; std::abs(term.hi) > 0x1p-110 * std::abs(v.hi); k += 2) {
    term = -(term * square) / DoubleDouble(k * (k + 1));
    sum += term;
  }
  return sum;
}

DoubleDouble twofold_inner_product(Span<const DoubleDouble> x, Span<const DoubleDouble> z) {
  DoubleDouble sum;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * z[k];
  return sum;
}

}  // namespace freeridge
