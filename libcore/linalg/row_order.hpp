// Rows in another order, in place; order[i] is the row that comes to place i.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

void take_rows(Span<const Index> order, MatrixView a);
// Back again.
void restore_rows(Span<const Index> order, MatrixView a);
// The columns of a matrix whose columns were taken in that order, each in its own place.
Matrix restored_columns(Span<const Index> order, ConstMatrixView a);

}  // namespace freeridge
