// What the calls on accumulators share: the handle, and a chunk of rows.
#pragma once

#include <memory>

#include "capi/handles.hpp"

namespace freeridge::capi {

template <class Handle>
auto& accumulator_of(Handle* accumulator) {
  return required("accumulator", accumulator).accumulator;
}

struct Chunk {
  Rows x;
  LayoutView y;
};

// Whether a chunk may be without rows, like that of a process that has none; its arrays are then not read.
enum class Empty { refused, allowed };

inline Chunk no_rows(const Accumulator& accumulator) {
  const auto none = [](Index columns) { return LayoutView{nullptr, 0, columns, 1, Layout::col_major}; };
  return {none(accumulator.d()), none(accumulator.rows().t())};
}

inline Chunk checked_rows(const Accumulator& accumulator, freeridge_layout layout, std::int64_t n, const double* x,
                          std::int64_t ldx, const double* y, std::int64_t ldy, Empty empty = Empty::refused) {
  const Layout order = checked_layout(layout);
  if (n == 0 && empty == Empty::allowed) return no_rows(accumulator);
  require_size("n", n);
  return {checked_matrix("x", x, order, "n", n, "d", accumulator.d(), "ldx", ldx),
          checked_matrix("y", y, order, "n", n, "t", accumulator.rows().t(), "ldy", ldy)};
}

inline Chunk checked_sparse_rows(const Accumulator& accumulator, freeridge_sparse_format format, std::int64_t n,
                                 const std::int64_t* start, const std::int32_t* index, const double* value,
                                 freeridge_layout layout, const double* y, std::int64_t ldy,
                                 Empty empty = Empty::refused) {
  if (n == 0 && empty == Empty::allowed) return no_rows(accumulator);
  require_size("n", n);
  return {checked_sparse(format, n, accumulator.d(), start, index, value),
          checked_matrix("y", y, checked_layout(layout), "n", n, "t", accumulator.rows().t(), "ldy", ldy)};
}

// The reduced problem, for a call that reports progress: making it is the first half of the call.
inline std::shared_ptr<const ReducedProblem> reduced(const Accumulator& accumulator) {
  const Stage stage(0, 0.5);
  return accumulator.reduced();
}

}  // namespace freeridge::capi
