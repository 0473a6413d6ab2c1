// The inner loop of products with sparse rows, compiled for several instruction sets (base/instruction_sets.hpp):
//     out[k stride] = sum_p value_p a[k + column_p ld],      k = 0 ... width - 1
// The sums are in registers for all entries p of a row. Products and sums are not fused: the same bits with each set.
#pragma once

#include <cstdint>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

struct EntryLoops {
  const char* instruction_set;
  void (*combine)(Index entries, const std::int32_t* column, const double* value, const double* a, Index ld,
                  Index width, double* out, Index stride);
};

// Those that run on this processor, the fastest first.
Span<const EntryLoops> entry_loops();

}  // namespace freeridge
