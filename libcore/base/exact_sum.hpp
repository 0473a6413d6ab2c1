// Sums of doubles without any rounding, for questions that rounding would spoil: is this exactly half of that?
// The sum is kept in fixed point, in digits of 28 bits, the first of which begins at the last bit of the smallest
// double:
//     sum = sum_k digit_k 2^(28 k - 1074)
// A double touches at most three digits, and after 2^32 additions each digit is below 2^60: so no carry is needed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace freeridge {

class ExactSum {
 public:
  // value 2^doublings; value is finite, doublings 0 or 1
  void add(double value, int doublings = 0) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t mantissa = bits & ((std::uint64_t(1) << 52) - 1);  // value = mantissa 2^(place - 1074)
    if (exponent > 0) mantissa |= std::uint64_t(1) << 52;
    const int place = (exponent > 0 ? exponent - 1 : 0) + doublings, shift = place % width, room = width - shift;
    const std::int64_t sign = bits >> 63 != 0 ? -1 : 1;
    auto k = static_cast<std::size_t>(place / width);
    const auto low = mantissa & ((std::uint64_t(1) << room) - 1);
    digits_[k] += sign * static_cast<std::int64_t>(low << shift);
    for (mantissa >>= room; mantissa != 0; mantissa >>= width)
      digits_[++k] += sign * static_cast<std::int64_t>(mantissa & (base - 1));
    used_ = std::max(used_, k + 1);
  }

  // -1, 0 or 1. All digits below one digit together are less than 2^33 of its units, so the leading nonzero digits
  // decide.
  int sign() const {
    constexpr std::int64_t decided = std::int64_t(1) << 33;
    std::int64_t leading = 0;
    for (std::size_t k = used_; k-- > 0 && leading < decided && leading > -decided;)
      leading = leading * static_cast<std::int64_t>(base) + digits_[k];
    return (leading > 0) - (leading < 0);
  }

 private:
  static constexpr int width = 28;
  static constexpr std::uint64_t base = std::uint64_t(1) << width;
  std::array<std::int64_t, (2046 + width - 1) / width + 3> digits_{};
  std::size_t used_ = 0;  // the digits from here on are zero
};

}  // namespace freeridge
