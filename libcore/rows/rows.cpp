#include "libcore/rows/rows.hpp"

#include <algorithm>

#include "libcore/base/checks.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

// "column 3 of x"
std::string line_name(const char* name, const SparseView& x, Index line) {
  return text(x.format == SparseFormat::csr ? "row " : "column ", line, " of ", name);
}

// The place of entry p of a line, as "x[i, j]".
std::string entry_name(const char* name, const SparseView& x, Index line, Index p) {
  const Index other = x.index[p];
  return text(name, "[", x.format == SparseFormat::csr ? line : other, ", ",
              x.format == SparseFormat::csr ? other : line, "]");
}

void fill_zeros(MatrixView tile) {
  for (Index k = 0; k < tile.cols; ++k) std::fill_n(tile.col(k), tile.rows, 0.0);
  worked(touched * static_cast<double>(tile.rows * tile.cols));
}

// The place of the first entry of a column that is in row `row` or below.
Index first_from(const SparseView& x, Index column, Index row) {
  const std::int32_t *const begin = x.index + x.start[column], *const end = x.index + x.start[column + 1];
  return std::lower_bound(begin, end, row) - x.index;
}

}  // namespace

void require_valid(const char* name, const SparseView& x) {
  if (x.start[0] != 0) fail(Status::invalid_argument, "start[0] is ", x.start[0], "; it must be 0");
  for (Index line = 0; line < x.lines(); ++line)  // before any entry is read
    if (x.start[line + 1] < x.start[line] || x.start[line + 1] - x.start[line] > x.length())
      fail(Status::invalid_argument, "start[", line + 1, "] is ", x.start[line + 1], " after ", x.start[line], "; ",
           line_name(name, x, line), " has from 0 to ", x.length(), " entries");
  for (Index line = 0; line < x.lines(); ++line) {
    const Index first = x.start[line], last = x.start[line + 1];
    for (Index p = first; p < last; ++p) {
      if (x.index[p] < 0 || x.index[p] >= x.length())
        fail(Status::invalid_argument, "index[", p, "] is ", x.index[p], "; it must be from 0 to ", x.length() - 1);
      if (p > first && x.index[p] <= x.index[p - 1])
        fail(Status::invalid_argument, "index[", p, "] is ", x.index[p], " after ", x.index[p - 1], "; the entries of ",
             line_name(name, x, line), " must ascend, each place once");
    }
    const Span values(x.value + first, last - first);
    if (const Index p = first_not_finite(values); p < last - first)
      fail(Status::not_finite, entry_name(name, x, line, first + p), " is ", x.value[first + p],
           "; every value must be finite");
    worked(2 * touched * static_cast<double>(last - first + 1));
  }
}

SparseMatrix::SparseMatrix(const SparseView& from)
    : start(from.start, from.start + from.lines() + 1),
      index(from.index, from.index + from.entries()),
      value(from.value, from.value + from.entries()) {}

double Rows::sparse_entry(Index i, Index j) const {
  const bool by_rows = sparse_.format == SparseFormat::csr;
  const Index line = by_rows ? i : j, place = by_rows ? j : i;
  const Index p = first_from(sparse_, line, place);
  return p < sparse_.start[line + 1] && sparse_.index[p] == place ? sparse_.value[p] : 0;
}

void require_finite(const char* name, const Rows& x) {
  if (x.is_sparse())
    require_valid(name, x.sparse());
  else
    require_finite(name, x.dense());
}

void take_rows(const SparseView& x, Index row, Index count, SparseTile& out) {
  out.start.assign(1, 0);
  if (x.format == SparseFormat::csr) {
    const Index first = x.start[row], last = x.start[row + count];
    for (Index i = 0; i < count; ++i) out.start.push_back(x.start[row + i + 1] - first);
    out.column.assign(x.index + first, x.index + last);
    out.value.assign(x.value + first, x.value + last);
    worked(touched * static_cast<double>(last - first + count));
    return;
  }
  out.start.resize(count + 1, 0);
  const auto each_entry = [&](const auto& use) {
    for (Index j = 0; j < x.cols; ++j) {
      for (Index p = first_from(x, j, row); p < x.start[j + 1] && x.index[p] < row + count; ++p)
        use(x.index[p] - row, j, p);
      worked(touched);
    }
  };
  each_entry([&](Index i, Index, Index) { ++out.start[i + 1]; });
  for (std::size_t i = 1; i < out.start.size(); ++i) out.start[i] += out.start[i - 1];
  out.column.resize(out.start.back());
  out.value.resize(out.column.size());
  Array<Index> next(out.start.begin(), out.start.end() - 1);
  each_entry([&](Index i, Index j, Index p) {
    const Index to = next[i]++;
    out.column[to] = static_cast<std::int32_t>(j);
    out.value[to] = x.value[p];
  });
}

SparseView by_columns(const SparseView& x, SparseMatrix& room) {
  if (x.format == SparseFormat::csc) return x;
  room.start.assign(x.cols + 1, 0);
  room.index.resize(x.entries());
  room.value.resize(x.entries());
  for (Index p = 0; p < x.entries(); ++p) ++room.start[x.index[p] + 1];
  for (Index k = 0; k < x.cols; ++k) room.start[k + 1] += room.start[k];
  Array<Index> next(room.start.begin(), room.start.end() - 1);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index p = x.start[i]; p < x.start[i + 1]; ++p) {
      const Index to = next[x.index[p]]++;
      room.index[to] = static_cast<std::int32_t>(i);
      room.value[to] = x.value[p];
    }
    worked(2 * touched * static_cast<double>(x.start[i + 1] - x.start[i] + 1));
  }
  return room.view(SparseFormat::csc, x.rows, x.cols);
}

void copy_rows(const Rows& x, Index row, MatrixView tile) {
  if (!x.is_sparse()) return copy_rows(x.dense(), row, tile);
  const SparseView& s = x.sparse();
  fill_zeros(tile);
  if (s.format == SparseFormat::csr) {
    for (Index i = 0; i < tile.rows; ++i)
      for (Index p = s.start[row + i]; p < s.start[row + i + 1]; ++p) tile(i, s.index[p]) = s.value[p];
    worked(touched * static_cast<double>(s.start[row + tile.rows] - s.start[row]));
    return;
  }
  for (Index k = 0; k < tile.cols; ++k)
    for (Index p = first_from(s, k, row); p < s.start[k + 1] && s.index[p] < row + tile.rows; ++p)
      tile(s.index[p] - row, k) = s.value[p];
  worked(touched * static_cast<double>(tile.cols));
}

void pack_rows(const Rows& x, Index row, Span<const double> shift, MatrixView tile) {
  const bool in_place = x.is_sparse() || x.dense().layout == Layout::row_major;
  if (shift.empty() || in_place) copy_rows(x, row, tile);
  for (Index k = 0; k < static_cast<Index>(shift.size()); ++k) {
    double* const to = tile.col(k);
    const double* const from = in_place ? to : x.dense().data + row + k * x.dense().ld;
    const double s = shift[k];
    // The processor's own prefetch ends with the page, which a column of a tile hardly fills.
    const double* const next = k + 2 < tile.cols && from != to ? from + 2 * x.dense().ld : from;
    Index i = 0;
    for (; i + 8 <= tile.rows; i += 8) {
      __builtin_prefetch(next + i);
      for (Index m = i; m < i + 8; ++m) to[m] = from[m] - s;
    }
    for (; i < tile.rows; ++i) to[i] = from[i] - s;
  }
}

}  // namespace freeridge
