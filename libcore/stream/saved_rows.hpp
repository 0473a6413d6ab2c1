// The rows of an accumulator as they are saved:
//     d, t, intercept, n, sum_w, sum_log_w, h (the rows of the stack); d is the number of features, p = d + t, and
//     1 more with an intercept
//     from version 6 on: the form, 0 the stack, 1 compact, 2 compact and prepared; the features, 0 x itself, 1 those of
//     landmarks, 2 x with columns that are not penalised, 3 those of landmarks, with the trace; the reduction, 1 QR, 2
//     Gram
//     features 2: how many columns are not penalised, 1 to d - 1
//     features 3: the trace, sum_i W_ii k(x_i, x_i), or -1 where it is not known
//     landmarks: the d of x, and what row_features.hpp says
//     form 0   with an intercept and n > 0 the d + t shifts; the stack, h x p, column by column; Gram: the number of
//              tiles in the sum of a few, that sum where there are any, and a flag and the sum of all tiles before
//     form 1   with an intercept the d + t shifts (0 without rows); QR: the upper triangle of p x p, whose rows from h
//              on are 0; Gram: the lower triangle of the sum
//     form 2   as form 1, and what reduced_problem.hpp adds
// So the size of a compact accumulator depends on d, t, the intercept and the landmarks alone.
#pragma once

#include <memory>

#include "libcore/base/bytes.hpp"
#include "libcore/stream/row_features.hpp"
#include "libcore/stream/row_stack.hpp"

namespace freeridge {

void save_rows(const RowFeatures& features, const RowStack& rows, bool prepared, ByteWriter& out);

struct SavedRows {
  bool prepared;  // then the reduced problem follows
  std::shared_ptr<const RowFeatures> features;
  RowStack rows;
};
SavedRows load_rows(ByteReader& in);

}  // namespace freeridge
