// Arrays handed to a call: inputs that can be made NULL, outputs that know whether they were written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

template <class T>
struct Input {
  std::vector<T> values;
  bool null = false;
  const T* get() const { return null ? nullptr : values.data(); }
};

inline char sentinel_target;  // what untouched handles point at

template <class T>
T sentinel() {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(&sentinel_target);
  } else {
    return static_cast<T>(-1234567);
  }
}

// An output whatever its type is: numbers and a guard behind them, all of them sentinels before the call.
struct AnyOutput {
  static constexpr std::size_t guard = 4;
  bool null = false;
  virtual ~AnyOutput() = default;
  virtual std::size_t size() const = 0;  // with the guard
  virtual bool untouched_from(std::size_t first) const = 0;
  virtual std::vector<unsigned char> bytes() const = 0;
  virtual void reset() = 0;  // sentinels again
  bool untouched() const { return untouched_from(0); }
  bool guard_untouched() const { return untouched_from(size() - guard); }
};

// `size` numbers and the guard.
template <class T>
struct Output final : AnyOutput {
  explicit Output(std::size_t size) : values(size + guard, sentinel<T>()) {}
  std::vector<T> values;
  T* get() { return null ? nullptr : values.data(); }
  std::size_t size() const override { return values.size(); }
  bool untouched_from(std::size_t first) const override {
    return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(),
                       [](const T& value) { return value == sentinel<T>(); });
  }
  std::vector<unsigned char> bytes() const override {
    const auto* first = reinterpret_cast<const unsigned char*>(values.data());
    return {first, first + values.size() * sizeof(T)};
  }
  void reset() override { std::fill(values.begin(), values.end(), sentinel<T>()); }
};
