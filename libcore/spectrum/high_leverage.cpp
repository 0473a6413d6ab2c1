#include "libcore/spectrum/high_leverage.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

// The x < 1/2 with x - x^2 = q; q beyond 1/4 is rounding.
double from_its_square(double q) {
  return 2 * q / (1 + std::sqrt(std::max(1 - 4 * q, 0.0)));
}

}  // namespace

void finish_projection(ConstMatrixView q1, ConstMatrixView constant, MatrixView z) {
  if (q1.cols > 0) gemm(Op::none, Op::transpose, 1, q1, constant, 1, z);
  for (Index k = 0; k < z.cols; ++k)
    for (Index i = 0; i < z.rows; ++i) z(i, k) = -z(i, k);
}

SmallResiduals small_residuals(Array<Index> rows, ConstMatrixView basis, ConstMatrixView q1, Index t, double noise,
                               const EachProjectedTile& each_tile) {
  const auto count = static_cast<Index>(rows.size());
  Matrix directions(basis.cols, count), sums(count, t, 0.0);
  transpose(basis, directions.view());
  Array<double> q(rows.size(), 0.0);
  each_tile(directions.view(), q1, [&](Index row, MatrixView z, ConstMatrixView rest) {
    for (Index k = 0; k < count; ++k) {
      double* const column = z.col(k);
      if (const Index own = rows[k] - row; own >= 0 && own < z.rows) column[own] = 0;
      double sum = 0;
      for (Index i = 0; i < z.rows; ++i) sum += column[i] * column[i];
      q[k] += sum;
      worked(touched * static_cast<double>(z.rows));
    }
    gemm(Op::transpose, Op::none, 1, z, rest, 1, sums.view());
  });

  SmallResiduals out{std::move(rows), {}, std::move(sums)};
  for (Index k = 0; k < count; ++k) {
    const double here = q[k];
    const bool zero = std::sqrt(here) <= noise;
    const double x = zero ? 0 : from_its_square(here);
    out.diagonal.push_back(x);
    for (Index j = 0; j < t; ++j) out.rest(k, j) = zero ? 0 : out.rest(k, j) / (1 - x);
  }
  return out;
}

}  // namespace freeridge
