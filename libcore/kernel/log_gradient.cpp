#include "libcore/kernel/log_gradient.hpp"

#include <algorithm>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/kernel/parts.hpp"
#include "libcore/kernel/value_loops.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index tile_side = log_gradient_tile;

// In units of progress.hpp: a value and a derivative of each kernel, and the products with the features.
double gradient_work(const Kernel& kernel, Index rows, Index cols, Index d) {
  return (120 + 4 * static_cast<double>(d)) * static_cast<double>(rows * cols) *
         static_cast<double>(kernel.extent().kernels);
}

void add_tile(const Kernel& kernel, ConstMatrixView a, ConstMatrixView b, MatrixView s, double weight,
              Span<double> out) {
  kernel.add_log_gradient(a, b, s, {weight, out, {}});
  worked(gradient_work(kernel, s.rows, s.cols, a.cols));
}

// The same for a tile on the diagonal, whose pairs stand there twice: strips of columns from the diagonal down, each entry
// for two. The square at the head of a strip has its own pairs twice, too, and so counts half.
void add_diagonal_tile(const Kernel& kernel, ConstMatrixView a, MatrixView s, Span<double> out) {
  for (Index col = 0; col < s.cols; col += diagonal_strip) {
    const Index width = std::min(diagonal_strip, s.cols - col), rows = s.rows - col;
    for (Index j = col; j < col + width; ++j)
      for (Index i = col; i < col + width; ++i) s(i, j) /= 2;
    add_tile(kernel, a.row_range(col, rows), a.row_range(col, width), s.block(col, col, rows, width), 2, out);
  }
}

// What a worker holds: a tile of S, the points of its rows and columns, and what the tile adds.
struct GradientRoom {
  GradientRoom(const Kernel& kernel, Index rows, Index cols, Index d)
      : s(std::min(tile_side, rows), std::min(tile_side, cols)),
        a(s.rows(), d),
        b(s.cols(), d),
        own(hyperparameter_count(kernel), 0.0) {}
  Matrix s, a, b;
  Array<double> own;
};

// make(item, room) adds a tile to room.own; the tiles are added up in their order.
template <class Make>
Array<double> sum_of_tiles(const Kernel& kernel, Index count, Index rows, Index cols, Index d, const Make& make) {
  const int team = team_size(count);
  Array<GradientRoom> rooms;
  for (int worker = 0; worker < team; ++worker) rooms.emplace_back(kernel, rows, cols, d);
  Array<double> out(hyperparameter_count(kernel), 0.0);
  parallel_in_order(
      count, team,
      [&](Index item, int worker) {
        std::fill(rooms[worker].own.begin(), rooms[worker].own.end(), 0.0);
        make(item, rooms[worker]);
      },
      [&](Index, int worker) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += rooms[worker].own[i];
      });
  require_finite_gradient(kernel, out);
  return out;
}

MatrixView tile_in(Matrix& space, Index rows, Index cols) {
  return {space.data(), rows, cols, rows};  // contiguous
}

}  // namespace

Array<double> log_gradient(const Kernel& kernel, const Rows& x, Span<const double> shift, Span<const double> sqrt_w,
                           const FillTile& fill) {
  if (hyperparameter_count(kernel) == 0) return {};
  const bool given = kernel.precomputed();
  const Index n = x.rows, d = given ? 0 : x.cols, blocks = pieces(n, tile_side);
  return sum_of_tiles(kernel, blocks * (blocks + 1) / 2, n, n, d, [&](Index p, GradientRoom& room) {
    const BlockPair pair = block_pair(p);
    const Index row = pair.i * tile_side, col = pair.j * tile_side;
    const Index rows = std::min(tile_side, n - row), cols = std::min(tile_side, n - col);
    const MatrixView s = tile_in(room.s, rows, cols), a = tile_in(room.a, rows, d), b = tile_in(room.b, cols, d);
    fill(row, col, s);
    for (Index j = 0; j < cols; ++j) passes().weighted(s.col(j), rows, &sqrt_w[row], sqrt_w[col + j], s.col(j));
    if (given) return add_given_gradient(kernel, x.dense(), row, col, s, row == col ? 1 : 2, room.own);
    pack_rows(x, row, shift, a);
    if (row == col) return add_diagonal_tile(kernel, a, s, room.own);
    pack_rows(x, col, shift, b);
    add_tile(kernel, a, b, s, 2, room.own);
  });
}

Array<double> cross_log_gradient(const Kernel& kernel, const Rows& x, Span<const double> shift, ConstMatrixView z,
                                 const FillTile& fill) {
  if (hyperparameter_count(kernel) == 0) return {};
  const Index n = x.rows, d = x.cols;
  return sum_of_tiles(kernel, pieces(n, tile_side), n, z.rows, d, [&](Index block, GradientRoom& room) {
    const Index row = block * tile_side, rows = std::min(tile_side, n - row);
    const MatrixView a = tile_in(room.a, rows, d);
    pack_rows(x, row, shift, a);
    for (Index col = 0; col < z.rows; col += tile_side) {
      const MatrixView s = tile_in(room.s, rows, std::min(tile_side, z.rows - col));
      fill(row, col, s);
      add_tile(kernel, a, z.row_range(col, s.cols), s, 1, room.own);
    }
  });
}

void add_log_gradient(const Kernel& kernel, ConstMatrixView a, ConstMatrixView b, MatrixView s, Span<double> out) {
  if (hyperparameter_count(kernel) == 0) return;
  if (kernel.precomputed())
    return add_given_gradient(kernel, {a.data, a.rows, a.cols, a.ld, Layout::col_major}, 0, 0, s, 1, out);
  for (Index col = 0; col < s.cols; col += tile_side)
    for (Index row = 0; row < s.rows; row += tile_side) {
      const Index rows = std::min(tile_side, s.rows - row), cols = std::min(tile_side, s.cols - col);
      add_tile(kernel, a.row_range(row, rows), b.row_range(col, cols), s.block(row, col, rows, cols), 1, out);
    }
}

void require_finite_gradient(const Kernel& kernel, Span<const double> gradient) {
  if (const Index i = first_not_finite(gradient); i < std::ssize(gradient))
    fail(Status::not_finite, "the derivative by the logarithm of ", hyperparameter_name(kernel, i),
         " overflows; rescale x or y");
}

Index log_gradient_bytes(const Kernel& kernel, Index d) {
  if (hyperparameter_count(kernel) == 0) return 0;
  return Index{8} * thread_count() * (doubles_of_gradient(kernel, tile_side, d) + 2 * hyperparameter_count(kernel));
}

}  // namespace freeridge
