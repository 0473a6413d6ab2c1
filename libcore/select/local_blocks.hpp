// The rows of a search in blocks of points that are near one another, in units of a kernel's lengths: a box of points
// is cut at the median along its longest side until it has few enough (a k-d tree). A sample of as few rows is thin, and
// does not show that lengths are short; each block has the density of all rows. Each half of a cut has two different
// values of every output, as REML of a constant has no value: where no side is such, the box is a block. Equal points
// stay together, as REML counts copies of rows once (data/repeated_rows.hpp), if they are less than a quarter of a box.
// The blocks do not depend on the order of the rows, but for equal points.
// Source of the tree: J. Bentley, Multidimensional binary search trees used for associative searching, Comm. ACM 18
// (1975). Cost: O(n d + n log n) for each level of the tree.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// The rows of each block, ascending. length: d numbers.
Array<Array<Index>> local_blocks(const LayoutView& x, Span<const double> length, const LayoutView& y, Index most);

}  // namespace freeridge
