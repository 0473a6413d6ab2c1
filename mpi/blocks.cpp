#include "mpi/blocks.hpp"

#include <algorithm>

#include "mpi/scalapack.hpp"

namespace freeridge::mpi {
namespace {

constexpr Index largest_block = 64;

// The rows, of n, that belong to one row of the grid.
Array<Index> dealt(Index n, Index nb, Index place, Index places) {
  Array<Index> which;
  for (Index first = place * nb; first < n; first += places * nb)
    for (Index i = first; i < std::min(first + nb, n); ++i) which.push_back(i);
  return which;
}

}  // namespace

Grid::Grid(const Team& team) {
  int sides[2] = {0, 0};
  team.together([&] { require_success(MPI_Dims_create(team.size(), 2, sides), "MPI_Dims_create"); });
  handle_ = Csys2blacs_handle(team.comm());
  context = handle_;
  Cblacs_gridinit(&context, "R", sides[0], sides[1]);
  Cblacs_gridinfo(context, &rows, &cols, &row, &col);
}

Grid::~Grid() {
  if (mpi_is_over()) return;
  Cblacs_gridexit(context);
  Cfree_blacs_system_handle(handle_);
}

Dealing::Dealing(const Grid& grid, Index order) : n(order) {
  const Index share = n / (2 * std::max(grid.rows, grid.cols));
  nb = static_cast<int>(std::clamp(share, Index{1}, largest_block));
  row = dealt(n, nb, grid.row, grid.rows);
  col = dealt(n, nb, grid.col, grid.cols);
  const int size = static_cast<int>(n), ld = static_cast<int>(std::max<Index>(std::ssize(row), 1));
  descriptor = {1, grid.context, size, size, nb, nb, 0, 0, ld};
}

Index Dealing::first_from(const Array<Index>& which, Index from) {
  return std::lower_bound(which.begin(), which.end(), from) - which.begin();
}

Matrix part_of(ConstMatrixView from, const Array<Index>& which, Index end) {
  Matrix to(std::ssize(which), from.cols);
  for (Index j = 0; j < from.cols; ++j)
    for (Index k = 0; k < to.rows(); ++k) to(k, j) = which[k] < end ? from(which[k], j) : 0;
  return to;
}

void add_part(ConstMatrixView part, const Array<Index>& which, MatrixView sum) {
  for (Index j = 0; j < part.cols; ++j)
    for (Index k = 0; k < part.rows; ++k) sum(which[k], j) += part(k, j);
}

}  // namespace freeridge::mpi
