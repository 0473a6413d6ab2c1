#include "libcore/linalg/row_qr.hpp"

#include <algorithm>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr Index block_columns = 32;

}  // namespace

RowQr::RowQr(Index p) : r_(p, p, 0.0), t_(std::min(p, block_columns), p), work_(std::min(p, block_columns), p) {}

RowQr::RowQr(Matrix r) : RowQr(r.cols()) {
  r_ = std::move(r);
}

// 512 rows of a panel and of the columns that it meets stay in the L2 cache; of many columns fewer rows, so that a call
// is no longer than `grain`.
Index RowQr::rows_at_once() const {
  const double row = 2 * flop() * static_cast<double>(p() * p());
  return std::clamp<Index>(static_cast<Index>(grain / std::max(row, 1.0)), 64, 512);
}

void RowQr::add(ConstMatrixView rows) {
  const Index step = std::min(rows_at_once(), rows.rows);
  if (block_.rows() < step) block_ = Matrix(step, p());
  for (Index row = 0; row < rows.rows; row += step) {
    const MatrixView part = block_.view().row_range(0, std::min(step, rows.rows - row));
    copy(rows.row_range(row, part.rows), part);
    absorb(part);
  }
}

void RowQr::absorb(MatrixView rows) {
  const Index step = rows_at_once();
  for (Index row = 0; row < rows.rows; row += step)
    tpqrt(r_.view(), rows.row_range(row, std::min(step, rows.rows - row)), t_.view(), work_.view());
}

}  // namespace freeridge
