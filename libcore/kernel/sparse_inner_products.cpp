#include "libcore/kernel/sparse_inner_products.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index least_width = 8, most_width = 128;  // of a strip of columns
constexpr Index width_doubles = 1 << 20;            // of its rows of x: 8 MiB a thread
constexpr Index rows_at_once = 512;                 // between two words of progress

}  // namespace

void weighted_inner_products(Span<const double> scale, const Rows& x, Span<const double> shift,
                             Span<const double> sqrt_w, MatrixView out) {
  const Index n = x.rows, d = x.cols, width = std::clamp(width_doubles / d, least_width, most_width);
  SparseTile all;
  take_rows(x.sparse(), 0, n, all);
  parallel_for((n + width - 1) / width, [&](Index strip) {
    const Index first = strip * width, count = std::min(width, n - first);
    Matrix a(count, d);
    pack_rows(x, first, shift, a.view());
    for (Index k = 0; k < d; ++k)
      for (Index q = 0; q < count; ++q) a(q, k) = a(q, k) / scale[k] / scale[k];
    Array<double> at_shift(count, 0.0);
    if (!shift.empty()) gemv(Op::none, 1, a.view(), shift.data(), 0, at_shift.data());
    for (Index row = first; row < n; row += rows_at_once) {
      const MatrixView to = out.block(row, first, std::min(rows_at_once, n - row), count);
      multiply_columns(all, row, a.view(), to);
      for (Index q = 0; q < count; ++q)
        for (Index i = 0; i < to.rows; ++i) {
          to(i, q) = sqrt_w[row + i] * (to(i, q) - at_shift[q]) * sqrt_w[first + q];
          if (!std::isfinite(to(i, q)))
            fail(Status::not_finite, "the kernel of rows ", row + i, " and ", first + q, " is ", to(i, q),
                 "; x is too large for this kernel");
        }
    }
  });
}

}  // namespace freeridge
