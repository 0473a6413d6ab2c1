// A square matrix in blocks of nb x nb, which are dealt out in turn to a near-square grid of ranks, as ScaLAPACK and
// ELPA expect: global row I is on grid row (I / nb) mod rows. Each rank keeps its rows and columns as one column-major
// matrix.
#pragma once

#include <array>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"
#include "mpi/team.hpp"

namespace freeridge::mpi {

// A BLACS context of all ranks of a team.
class Grid {
 public:
  explicit Grid(const Team& team);
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  int rows = 1, cols = 1, row = 0, col = 0;
  int context = 0;

 private:
  int handle_ = 0;
};

// How an n x n matrix is dealt out.
struct Dealing {
  Dealing(const Grid& grid, Index n);

  Index n;
  int nb;
  Array<Index> row, col;            // the global numbers of the local rows and columns, ascending
  std::array<int, 9> descriptor{};  // ScaLAPACK's
  Index numbers() const { return std::ssize(row) * std::ssize(col); }
  // The first local column (row) from global number `from` on.
  static Index first_from(const Array<Index>& which, Index from);
};

// This rank's rows of `from`: to(k, j) = from(which[k], j), and zero where which[k] >= end.
Matrix part_of(ConstMatrixView from, const Array<Index>& which, Index end);
// sum(which[k], j) += part(k, j)
void add_part(ConstMatrixView part, const Array<Index>& which, MatrixView sum);

}  // namespace freeridge::mpi
