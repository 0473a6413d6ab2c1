#include "libcore/linalg/tridiagonal.hpp"

#include <algorithm>

#include "libcore/linalg/compact_wy.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index reduced_together = 32;  // columns reduced before A is updated

}  // namespace

TridiagonalBasis::TridiagonalBasis(MatrixView a, Span<double> d, Span<double> e) {
  const Index n = a.rows, reflectors = std::max<Index>(n - 2, 0);
  const Index together = n < 2000 ? 64 : 128;  // reflectors in a block, a multiple of the panel
  // P = [v_c w_c v_(c+1) w_(c+1) ...] for the panel from column c on; row 0 of P is row c + 1 of A. With the S that
  // swaps neighbours V W' + W V' = P S P', so that products with P take the place of those with V and W.
  Matrix p(n, 2 * reduced_together);
  Array<double> projected(2 * reduced_together), swapped(2 * reduced_together);
  const auto swap_neighbours = [&](Index count) {
    for (Index k = 0; k < count; ++k) swapped[k ^ 1] = projected[k];
  };

  for (Index c = 0; c < reflectors; c += reduced_together) {
    const Index count = std::min(reduced_together, reflectors - c);
    if (c % together == 0) {
      const Index in_block = std::min(together, reflectors - c);
      blocks_.push_back({c + 1, Matrix(n - c - 1, in_block), Array<double>(in_block)});
    }
    Block& block = blocks_.back();
    for (Index i = 0; i < count; ++i) {
      const Index j = c + i, below = n - j - 1, in_block = j - block.origin + 1;
      if (i > 0) {  // column j of A - V W' - W V'
        for (Index k = 0; k < 2 * i; ++k) projected[k] = p(i - 1, k);
        swap_neighbours(2 * i);
        gemv(Op::none, -1, p.view().block(i - 1, 0, below + 1, 2 * i), swapped.data(), 1, a.col(j) + j);
      }
      d[j] = a(j, j);
      double* const v = p.col(2 * i) + i;
      double* const w = p.col(2 * i + 1) + i;
      std::copy_n(a.col(j) + j + 1, below, v);
      const double tau = larfg({v, below});
      e[j] = v[0];
      v[0] = 1;
      block.tau[in_block] = tau;
      std::fill_n(block.v.col(in_block), in_block, 0.0);
      std::copy_n(v, below, block.v.col(in_block) + in_block);

      if (tau == 0) {  // nothing to reduce
        std::fill_n(w, below, 0.0);
        continue;
      }
      symv(a.block(j + 1, j + 1, below, below), v, w);
      const ConstMatrixView before = p.view().block(i, 0, below, 2 * i);
      gemv(Op::transpose, 1, before, v, 0, projected.data());
      swap_neighbours(2 * i);
      gemv(Op::none, -1, before, swapped.data(), 1, w);
      const double half = tau * dot(below, v, w) / 2;
      for (Index k = 0; k < below; ++k) w[k] = tau * (w[k] - half * v[k]);
    }
    const Index next = c + count, rest = n - next;
    const ConstMatrixView v{p.col(0) + count - 1, rest, count, 2 * n}, w{p.col(1) + count - 1, rest, count, 2 * n};
    syr2k(-1, v, w, 1, a.block(next, next, rest, rest));
    report(work_done(rest, n));
  }
  for (Index j = reflectors; j < n; ++j) d[j] = a(j, j);
  if (n > 1) e[n - 2] = a(n - 1, n - 2);
  report(1);
}

void TridiagonalBasis::multiply(MatrixView c) const {
  const auto count = static_cast<double>(blocks_.size());
  for (std::size_t k = blocks_.size(); k-- > 0;) {
    const Block& block = blocks_[k];
    const Matrix t = compact_wy(block.v.view(), block.tau.data());
    multiply_compact_wy(Op::none, block.v.view(), t.view(), c.row_range(block.origin, block.v.rows()));
    const double left = static_cast<double>(k) / count;
    report(1 - left * (2 - left));
  }
  report(1);
}

}  // namespace freeridge
