// A penalised offset (data/offset.hpp): the problem without an offset in which k + 1 stands in the place of k.
//     linear kernels   x~ = (x, 1), one column more:   w~ = (w, b)
//     given matrices   x~ = K + 1
//     other kernels    x, and k + 1 by plus_one:       b = sum_i c_i
// Routes and criteria work with the changed kernel and rows. New points are changed before they reach a route, and
// solutions are changed back.
#pragma once

#include <memory>

#include "libcore/data/offset.hpp"
#include "libcore/factor/solution.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// The rows of a problem, and the owner of their numbers (NULL: they are the user's own).
struct OffsetRows {
  Rows x;
  std::shared_ptr<const void> numbers;
};

// k + 1, as a kernel of the changed rows; d: of the rows as they were.
KernelPtr offset_kernel(const KernelPtr& kernel, Index d);
// The changed rows. Copies n d numbers (sparse: the entries) for linear and given kernels, else nothing.
OffsetRows offset_rows(const Kernel& kernel, const Rows& x);
// The doubles that such a copy takes.
Index offset_doubles(const Kernel& kernel, const Rows& x);
// b from the solution with the changed kernel, and w of the columns that x has.
void take_offset(Solution& solution);

}  // namespace freeridge
