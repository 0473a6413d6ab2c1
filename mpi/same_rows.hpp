// Whether the rows of a second pass are those that were added to an accumulator. With A = W^(1/2) [1, X - s, Y - u] of
// the rows of all ranks, and what the accumulator has of them, R with R'R = A'A,
//     |A v|^2 = |R v|^2          for four vectors v of random signs, divided by the norms of the columns of A
// up to rounding: 1e-12 of (sum_j |v_j| |A_j|)^2 = p^2. One changed row among n changes the left side by about p / n.
#pragma once

#include "capi/accumulators.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {

// `of` is compact; rows: this rank's, of which there may be none. Throws DIMENSION_MISMATCH, also for more or fewer
// rows. Cost: one pass: the features of the rows, and 8 p flops a row. Collective.
void require_same_rows(const Team& team, const Accumulator& of, const capi::GivenRows& rows);

}  // namespace freeridge::mpi
