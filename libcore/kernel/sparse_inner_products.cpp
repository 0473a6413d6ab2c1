#include "libcore/kernel/sparse_inner_products.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr double filled_from = 0.15;      // entries over n from which the product of filled columns is faster
constexpr Index panel_doubles = 1 << 19;  // of filled columns: 4 MiB, or least_panel of them
constexpr Index least_panel = 16;
constexpr Index columns_at_once = 8;  // of K
constexpr double product_units = 10;  // of work (progress.hpp): an entry times another, added where it belongs

Index panel_columns(Index n) {
  return std::max(panel_doubles / n, least_panel);
}

// x by columns, the entries of the sparse ones by rows too: those of row i are the places place[q] in the columns
// column[q], start[i] <= q < start[i + 1].
struct BothWays {
  explicit BothWays(const SparseView& x) : columns(by_columns(x, own)), start(x.rows + 1, 0) {
    const double many = filled_from * static_cast<double>(x.rows);
    sparse.reserve(x.cols);
    for (Index k = 0; k < x.cols; ++k) {
      const Index first = columns.start[k], last = columns.start[k + 1];
      if (static_cast<double>(last - first) > many) {
        filled.push_back(k);
        continue;
      }
      sparse.push_back(k);
      for (Index p = first; p < last; ++p) ++start[columns.index[p] + 1];
      worked(touched * static_cast<double>(last - first + 1));
    }
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    column.resize(start.back());
    place.resize(start.back());
    Array<Index> next(start.begin(), start.end() - 1);
    for (const Index k : sparse) {
      for (Index p = columns.start[k]; p < columns.start[k + 1]; ++p) {
        const Index to = next[columns.index[p]]++;
        column[to] = static_cast<std::int32_t>(k);
        place[to] = p;
      }
      worked(touched * static_cast<double>(columns.start[k + 1] - columns.start[k] + 1));
    }
  }

  SparseMatrix own;
  SparseView columns;
  Array<Index> filled, sparse;  // the columns with many entries, and the others, ascending
  Array<Index> start, place;
  Array<std::int32_t> column;
};

// (X_F - 1 s_F') D_F^2 (X_F - 1 s_F')' for the filled columns F; nothing where there are none.
void add_filled(const BothWays& x, Span<const double> scale, Span<const double> shift, MatrixView out) {
  const Index n = out.rows, all = std::ssize(x.filled), most = std::min(panel_columns(n), all);
  Matrix part_of_x(all > 0 ? n : 0, most);
  for (Index first = 0; first < all; first += most) {
    const Index count = std::min(most, all - first);
    for (Index j = 0; j < count; ++j) {
      const Index k = x.filled[first + j];
      const double s = shift.empty() ? 0 : shift[k];
      double* const to = part_of_x.col(j);
      std::fill_n(to, n, -s / scale[k]);
      for (Index p = x.columns.start[k]; p < x.columns.start[k + 1]; ++p)
        to[x.columns.index[p]] = (x.columns.value[p] - s) / scale[k];
      worked(touched * static_cast<double>(n));
    }
    syrk(Op::none, 1, part_of_x.view().columns(0, count), first == 0 ? 0 : 1, out);
  }
}

// u = X D^2 s and s'D^2 s of the sparse columns.
struct Centre {
  Centre(const BothWays& x, Span<const double> scale, Span<const double> shift) : at(x.start.size() - 1, 0.0) {
    if (shift.empty()) return;
    for (const Index k : x.sparse) {
      const double s = shift[k] / scale[k];
      square += s * s;
      for (Index p = x.columns.start[k]; p < x.columns.start[k + 1]; ++p)
        at[x.columns.index[p]] += x.columns.value[p] / scale[k] * s;
      worked(touched * static_cast<double>(x.columns.start[k + 1] - x.columns.start[k] + 1));
    }
  }

  Array<double> at;  // n
  double square = 0;
};

}  // namespace

void weighted_inner_products(Span<const double> scale, const Rows& points, Span<const double> shift,
                             Span<const double> sqrt_w, MatrixView out) {
  const Index n = points.rows;
  const BothWays x(points.sparse());
  const Centre centre(x, scale, shift);
  add_filled(x, scale, shift, out);
  parallel_for(pieces(n, columns_at_once), [&](Index item) {
    for (Index j = item * columns_at_once; j < std::min(n, (item + 1) * columns_at_once); ++j) {
      double* const to = out.col(j);
      if (x.filled.empty()) std::fill(to + j, to + n, 0.0);
      Index products = n;
      for (Index q = x.start[j]; q < x.start[j + 1]; ++q) {
        const Index k = x.column[q], end = x.columns.start[k + 1];
        const double factor = x.columns.value[x.place[q]] / scale[k] / scale[k];
        for (Index p = x.place[q]; p < end; ++p) to[x.columns.index[p]] += factor * x.columns.value[p];
        products += end - x.place[q];
      }
      for (Index i = j; i < n; ++i) {
        if (!shift.empty()) to[i] = to[i] - centre.at[i] - centre.at[j] + centre.square;
        to[i] = sqrt_w[i] * to[i] * sqrt_w[j];
        if (!std::isfinite(to[i]))
          fail(Status::not_finite, "the kernel of rows ", i, " and ", j, " is ", to[i],
               "; x is too large for this kernel");
      }
      worked(product_units * static_cast<double>(products));
    }
  });
}

Index inner_products_doubles(Index n, Index d, Index entries) {
  return 3 * entries + 2 * d + 4 * n + n * std::min(panel_columns(n), d);
}

}  // namespace freeridge
