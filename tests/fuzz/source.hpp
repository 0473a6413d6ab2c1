// The bytes of the fuzzer as a source of choices and numbers. What comes after the last byte is 0, so that any bytes
// are an input, and a cut one is the beginning of the longer one.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace fuzz {

class Source {
 public:
  Source(const std::uint8_t* bytes, std::size_t size) : at_(bytes), end_(bytes + size) {}

  bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  bool one_in(int count) { return byte() % count == count - 1; }
  std::int64_t below(std::int64_t count) { return byte() % count; }
  std::int64_t from(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }

  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int k = 0; k < 8; ++k) value |= static_cast<std::uint64_t>(byte()) << (8 * k);
    return value;
  }

  template <class T, std::size_t N>
  T among(const T (&values)[N]) {
    return values[static_cast<std::size_t>(byte()) % N];
  }

  // A number of moderate size: multiples of 1/16 in [-8, 8).
  double tame() { return static_cast<double>(static_cast<std::int8_t>(byte())) / 16.0; }

  // Any number there is, the awkward ones more often: powers of two far out, the ends of the range, subnormal numbers,
  // neighbours and repetitions of the one before. NaN and Inf only if they are wanted, as nothing lies behind them.
  double wild(bool finite) {
    using Limits = std::numeric_limits<double>;
    static constexpr double ends[] = {0.0,   -0.0,  1.0,    -1.0,   1e-300, 1e300,     1e154, 1e-154,
                                      1e-16, 1e100, 1e-100, 1e-310, 5e-324, 0x1p-1022, 1e308, Limits::max()};
    static constexpr double none[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()};
    double value = 0;
    switch (byte() % 16) {
      case 0:
        value = 0;
        break;
      case 1:
        value = 1;
        break;
      case 2:
        value = last_;
        break;
      case 3:
        value = -last_;
        break;
      case 4:
        value = std::nextafter(last_, Limits::max());
        break;
      case 5:
        value = 2 * last_;
        break;
      case 6:
        value = std::ldexp(tame(), 8 * static_cast<std::int8_t>(byte()));
        break;
      case 7:
        value = std::ldexp(tame(), static_cast<std::int8_t>(byte()));
        break;
      case 8:
        value = among(ends);
        break;
      case 9:
        value = -among(ends);
        break;
      case 10:
        value = std::bit_cast<double>(word());
        break;
      case 11:
        value = finite ? tame() : among(none);
        break;
      default:
        value = tame();
        break;
    }
    if (finite && !std::isfinite(value)) value = std::copysign(Limits::max(), value);
    return last_ = value;
  }

  std::vector<double> tame(std::int64_t count) {
    std::vector<double> out;
    for (std::int64_t k = 0; k < count; ++k) out.push_back(tame());
    return out;
  }
  std::vector<double> wild(std::int64_t count, bool finite) {
    std::vector<double> out;
    for (std::int64_t k = 0; k < count; ++k) out.push_back(wild(finite));
    return out;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  double last_ = 1;
};

}  // namespace fuzz
