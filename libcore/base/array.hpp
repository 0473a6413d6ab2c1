// Array and Span: std::vector and std::span that take an Index, the signed type of all sizes here, where the standard's
// take a std::size_t. Any integer may be an index, a count or an offset.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace freeridge {

template <class T>
class Array : public std::vector<T> {
  using Base = std::vector<T>;

 public:
  using Base::assign;
  using Base::Base;
  using Base::resize;
  Array() = default;
  Array(const Base& values) : Base(values) {}
  Array(Base&& values) noexcept : Base(std::move(values)) {}
  explicit Array(std::integral auto count) : Base(static_cast<std::size_t>(count)) {}
  Array(std::integral auto count, const T& value) : Base(static_cast<std::size_t>(count), value) {}

  T& operator[](std::integral auto i) { return Base::operator[](static_cast<std::size_t>(i)); }
  const T& operator[](std::integral auto i) const { return Base::operator[](static_cast<std::size_t>(i)); }
  void assign(std::integral auto count, const T& value) { Base::assign(static_cast<std::size_t>(count), value); }
  void resize(std::integral auto count) { Base::resize(static_cast<std::size_t>(count)); }
  void resize(std::integral auto count, const T& value) { Base::resize(static_cast<std::size_t>(count), value); }
  void reserve(std::integral auto count) { Base::reserve(static_cast<std::size_t>(count)); }
};
template <std::input_iterator It>
Array(It, It) -> Array<typename std::iterator_traits<It>::value_type>;

template <class T>
class Span : public std::span<T> {
  using Base = std::span<T>;

 public:
  Span() = default;
  Span(T* data, std::integral auto count) : Base(data, static_cast<std::size_t>(count)) {}
  template <class Range>
  requires(std::is_constructible_v<Base, Range> && !std::is_same_v<std::remove_cvref_t<Range>, Span>)
      Span(Range&& values)  // NOLINT(bugprone-forwarding-reference-overload): clang-tidy 14 reads no `requires`
      : Base(std::forward<Range>(values)) {}
  Span(std::initializer_list<std::remove_const_t<T>> values) requires std::is_const_v<T>
      : Base(values.begin(), values.size()) {}

  T& operator[](std::integral auto i) const { return Base::operator[](static_cast<std::size_t>(i)); }
  Span first(std::integral auto count) const { return Base::first(static_cast<std::size_t>(count)); }
  Span last(std::integral auto count) const { return Base::last(static_cast<std::size_t>(count)); }
  Span subspan(std::integral auto offset) const { return Base::subspan(static_cast<std::size_t>(offset)); }
  Span subspan(std::integral auto offset, std::integral auto count) const {
    return Base::subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
  }
};
template <class T>
Span(T*, std::integral auto) -> Span<T>;
template <class Range>
Span(Range&&) -> Span<std::remove_reference_t<decltype(*std::data(std::declval<Range&>()))>>;

}  // namespace freeridge

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<freeridge::Span<T>> = true;
