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

// `size` numbers and a guard behind them, all of them sentinels before the call.
template <class T>
struct Output {
  static constexpr std::size_t guard = 4;
  explicit Output(std::size_t size) : values(size + guard, sentinel<T>()) {}
  std::vector<T> values;
  bool null = false;
  T* get() { return null ? nullptr : values.data(); }
  bool untouched() const { return untouched_from(0); }
  bool guard_untouched() const { return untouched_from(values.size() - guard); }
  bool untouched_from(std::size_t first) const {
    return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(),
                       [](const T& value) { return value == sentinel<T>(); });
  }
};
