#include "libcore/linalg/row_qr.hpp"

#include <algorithm>
#include <vector>

#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {
constexpr Index least_block = 512;
constexpr Index blocks_per_p = 8;  // R on top of 8 p rows: an eighth more work than the rows alone
}  // namespace

void RowQr::add(ConstMatrixView rows) {
  const Index n = p(), block = std::min(rows.rows, std::max(least_block, blocks_per_p * n));
  if (n == 0 || block == 0) return;
  if (stack_.rows() < n + block) stack_ = Matrix(n + block, n);
  std::vector<double> tau(static_cast<std::size_t>(n));
  for (Index row = 0; row < rows.rows; row += block) {
    const Index count = std::min(block, rows.rows - row);
    const MatrixView stack = stack_.view().row_range(0, n + count);
    for (Index j = 0; j < n; ++j) {
      std::copy_n(r_.col(j), n, stack.col(j));
      std::copy_n(rows.col(j) + row, count, stack.col(j) + n);
    }
    geqrf(stack, tau);
    for (Index j = 0; j < n; ++j) std::copy_n(stack.col(j), j + 1, r_.col(j));
  }
}

}  // namespace freeridge
