// Householder QR with column pivoting, heard between its columns (progress.hpp), for small matrices: LAPACK's dgeqp3 is
// twice as fast, and not heard.
#pragma once

#include <span>
#include <vector>

#include "libcore/base/matrix.hpp"

namespace freeridge {

// A P = Q R, A with at least as many rows as columns: R and the reflectors in A, tau (cols); answers with the order of
// the columns, order[j] the one that came to place j. 2 rows cols^2.
std::vector<Index> pivoted_qr(MatrixView a, std::span<double> tau);

}  // namespace freeridge
