#include "libcore/factor/residual_diagonal.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index block_columns = 128;  // of L^-1 at once

double square(double x) {
  return x * x;
}

}  // namespace

void residual_diagonal(const Contrast& contrast, const std::function<void(MatrixView b, Index from)>& solve,
                       Span<double> out) {
  const Index m = contrast.m(), offset = contrast.n() - m;
  const auto factor = [&](Index place) { return contrast.active() ? contrast.row_factor(place) : 0.0; };
  Array<double> z;  // L^-1 v[1:]; empty without intercept
  if (contrast.active()) {
    z.assign(contrast.tail().begin(), contrast.tail().end());
    solve({z.data(), m, 1, std::max<Index>(m, 1)}, 0);
  }
  Array<double> above(z.size() + 1, 0.0);  // sums of z_k^2 over the rows that a block leaves out
  for (std::size_t k = 0; k < z.size(); ++k) above[k + 1] = above[k] + z[k] * z[k];
  for (Index i = 0; i < offset; ++i) out[i] = square(factor(i)) * above.back();

  const Stage stage(0, 1, flop() * cube(static_cast<double>(m)) / 3);
  Matrix columns(m, std::min(block_columns, m));
  for (Index from = 0; from < m; from += block_columns) {
    const Index count = std::min(block_columns, m - from), height = m - from;
    const MatrixView u = columns.view().block(0, 0, height, count);
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < height; ++i) u(i, j) = i == j ? 1 : 0;
    solve(u, from);
    for (Index j = 0; j < count; ++j) {
      const Index place = offset + from + j;
      const double f = factor(place);
      double sum = z.empty() ? 0 : square(f) * above[from];
      for (Index i = 0; i < height; ++i) sum += square(z.empty() ? u(i, j) : u(i, j) - f * z[from + i]);
      out[place] = sum;
    }
    worked(touched * static_cast<double>(height * count));
  }
  if (contrast.active()) std::swap(out[0], out[contrast.pivot()]);
}

}  // namespace freeridge
