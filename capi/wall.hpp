// The exception wall: no exception leaves a call of the C API. Also all checks that do not read the numbers: of
// pointers, sizes, leading dimensions and enum values. The core relies on these checks.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <new>
#include <string>
#include <utility>

#include "freeridge.h"
#include "libcore/base/error.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/linalg/blas_buffer.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge::capi {

// Writes "<call>: <message>" to `room`, `size` bytes with the 0 at the end. What is too long is cut, and never within a
// character of UTF-8: a file's name may have any length and any bytes.
inline void write_message(char* room, std::size_t size, const char* call, const char* message) noexcept {
  const int length = std::snprintf(room, size, "%s: %s", call, message);
  if (length >= 0 && static_cast<std::size_t>(length) < size) return;
  std::size_t end = std::strlen(room), rest = 0;  // the bytes of the last character after its first
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(room[i]); };
  while (rest < 3 && rest + 1 < end && (byte(end - 1 - rest) & 0xC0) == 0x80) ++rest;
  if (end == 0) return;
  const unsigned char first = byte(end - 1 - rest);
  const std::size_t wanted = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (wanted > rest) room[end - 1 - rest] = 0;
}

// Keeps "<call>: <message>" as this thread's last error; never throws.
void remember(const char* call, const char* message) noexcept;

// Runs body(); whatever it throws becomes a status and this thread's last error.
template <class Body>
freeridge_status guarded(const char* call, const Body& body) noexcept {
  try {
    require_buffer_of_blas();
    adopt_thread_count();  // a BLAS may count threads for each calling thread: sets the process's number
    body();
    return FREERIDGE_OK;
  } catch (const Error& error) {
    remember(call, error.what());
    return static_cast<freeridge_status>(error.status());
  } catch (const std::bad_alloc&) {
    remember(call, "out of memory");
    return FREERIDGE_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    remember(call, error.what());
    return FREERIDGE_INTERNAL;
  } catch (...) {
    remember(call, "an unknown exception");
    return FREERIDGE_INTERNAL;
  }
}

constexpr std::int64_t largest_size = 2147483647;  // BLAS counts in 32 bits

template <class T>
T& required(const char* name, T* pointer) {
  if (pointer == nullptr) fail(Status::invalid_argument, name, " is NULL");
  return *pointer;
}

inline void require_size(const char* name, std::int64_t value) {
  if (value < 1 || value > largest_size)
    fail(Status::invalid_argument, name, " is ", value, "; it must be from 1 to ", largest_size);
}

// The caller's struct, which begins with its size in bytes. One of an older header is shorter, and its other fields
// count as zero. first: the size that the struct had in the first header.
template <class T>
T checked_struct(const char* name, const T* given, std::size_t first) {
  const std::int64_t size = required(name, given).size, known = sizeof(T);
  if (size < static_cast<std::int64_t>(first) || size > known)
    fail(Status::invalid_argument, name, ".size is ", size, "; it must be sizeof of the struct, which is ", known,
         " in this library");
  T out{};
  std::memcpy(static_cast<void*>(&out), given, static_cast<std::size_t>(size));
  return out;
}

// Writes the text that make() returns to `text` (room for `size` bytes, 0-terminated), and its length without the 0 to
// *length. size = 0: *length alone.
template <class Make>
void hand_out(std::int64_t size, char* text, std::int64_t* length, const Make& make) {
  if (size < 0) fail(Status::invalid_argument, "size is ", size, "; it must not be negative");
  if (size > 0) required("text", text);
  required("length", length);
  const std::string made = make();
  *length = static_cast<std::int64_t>(made.size());
  if (size == 0) return;
  if (size <= *length)
    fail(Status::invalid_argument, "size is ", size, "; the text and its final 0 need ", *length + 1);
  made.copy(text, made.size());
  text[made.size()] = 0;
}

inline void require_product(const char* name_a, std::int64_t a, const char* name_b, std::int64_t b) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(a, b, &bytes) || __builtin_mul_overflow(bytes, std::int64_t{8}, &bytes))
    fail(Status::invalid_argument, name_a, " is ", a, " and ", name_b, " is ", b, "; their product overflows");
}

inline void require_ld(const char* name, std::int64_t ld, const char* length_name, std::int64_t length,
                       std::int64_t lines) {
  if (ld < length)
    fail(Status::invalid_argument, name, " is ", ld, "; it must be at least ", length_name, " = ", length);
  if (ld > largest_size) fail(Status::invalid_argument, name, " is ", ld, "; it must be at most ", largest_size);
  require_product(name, ld, "the number of rows or columns", lines);
}

inline void require_one_of(const char* name, std::int32_t value, std::initializer_list<std::int32_t> known) {
  for (const std::int32_t candidate : known)
    if (value == candidate) return;
  fail(Status::invalid_argument, name, " is ", value, ", which is no known value");
}

inline Layout checked_layout(freeridge_layout layout) {
  require_one_of("layout", layout, {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR});
  return static_cast<Layout>(layout);
}

// The user's rows x cols matrix; the sizes have been checked.
inline LayoutView checked_matrix(const char* name, const double* data, Layout layout, const char* rows_name,
                                 std::int64_t rows, const char* cols_name, std::int64_t cols, const char* ld_name,
                                 std::int64_t ld) {
  required(name, data);
  require_product(rows_name, rows, cols_name, cols);
  if (layout == Layout::col_major)
    require_ld(ld_name, ld, rows_name, rows, cols);
  else
    require_ld(ld_name, ld, cols_name, cols, rows);
  return {data, rows, cols, ld, layout};
}

// A column-major output of rows x cols.
inline MatrixView checked_output(const char* name, double* data, const char* rows_name, std::int64_t rows,
                                 std::int64_t cols, std::int64_t ld) {
  required(name, data);
  require_ld("ld", ld, rows_name, rows, cols);
  return {data, rows, cols, ld};
}

// The user's points, n x d.
inline LayoutView checked_points(freeridge_layout layout, std::int64_t n, std::int64_t d, const double* x,
                                 std::int64_t ldx) {
  const Layout order = checked_layout(layout);
  require_size("n", n);
  require_size("d", d);
  return checked_matrix("x", x, order, "n", n, "d", d, "ldx", ldx);
}

// New points of a model, m of them, as far as they can be checked without it.
inline Layout checked_new_points(freeridge_layout layout, std::int64_t m, const double* x) {
  const Layout order = checked_layout(layout);
  require_size("m", m);
  required("x", x);
  return order;
}

inline Span<const double> checked_lambdas(std::int64_t count, const double* lambdas) {
  require_size("count", count);
  return {&required("lambdas", lambdas), count};
}

// out may be NULL.
template <class Values, class T>
void copy_to(const Values& values, T* out) {
  if (out != nullptr) std::ranges::copy(values, out);
}

// Called after the outputs are written, some of them NaN: throws UNDEFINED with the reason. The text is moved, not
// copied, because no allocation may fail once an output is written.
inline void report_undefined(std::string&& reason) {
  if (!reason.empty()) throw Error(Status::undefined, std::move(reason));
}

// A view without data where the caller does not want the output. Its ld has been checked.
inline MatrixView optional_output(double* data, Index rows, Index cols, Index ld) {
  return data == nullptr ? MatrixView{} : MatrixView{data, rows, cols, ld};
}

}  // namespace freeridge::capi
