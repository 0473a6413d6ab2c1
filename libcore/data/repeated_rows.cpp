#include "libcore/data/repeated_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "libcore/base/progress.hpp"
#include "libcore/data/problem.hpp"

namespace freeridge {
namespace {

constexpr Index dense_rows = 256;  // read at a time

// A number that depends on a row's numbers that are not 0, and on their columns (FNV-1a over words, mixed).
class Hash {
 public:
  void add(Index column, double value) {
    if (value == 0) return;
    word(static_cast<std::uint64_t>(column));
    word(std::bit_cast<std::uint64_t>(value));
  }
  std::uint64_t value() const { return hash_; }

 private:
  void word(std::uint64_t bits) {
    hash_ = (hash_ ^ bits) * 0x9E3779B97F4A7C15U;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

Array<Hash> hashes(const Problem& problem) {
  const Rows& x = problem.x;
  Array<Hash> out(x.rows);
  const auto dense = [&](const Rows& rows, Index first_column) {
    Matrix tile(std::min(dense_rows, rows.rows), rows.cols);
    for (Index row = 0; row < rows.rows; row += dense_rows) {
      const MatrixView part = tile.view().row_range(0, std::min(dense_rows, rows.rows - row));
      copy_rows(rows, row, part);
      for (Index k = 0; k < part.cols; ++k)
        for (Index i = 0; i < part.rows; ++i) out[row + i].add(first_column + k, part(i, k));
    }
  };
  if (x.is_sparse()) {
    SparseTile tile;
    for (Index row = 0; row < x.rows; row += dense_rows) {
      take_rows(x.sparse(), row, std::min(dense_rows, x.rows - row), tile);
      for (Index i = 0; i < tile.rows(); ++i)
        for (Index p = tile.start[i]; p < tile.start[i + 1]; ++p) out[row + i].add(tile.column[p], tile.value[p]);
    }
  } else {
    dense(x, 0);
  }
  if (problem.fixed.cols > 0) dense(problem.fixed, x.cols);
  worked(touched * static_cast<double>(x.entries()));
  return out;
}

bool same_row(const Problem& problem, Index a, Index b) {
  const auto equal = [&](const Rows& rows) {
    Matrix pair(2, rows.cols);
    copy_rows(rows, a, pair.view().row_range(0, 1));
    copy_rows(rows, b, pair.view().row_range(1, 1));
    for (Index k = 0; k < rows.cols; ++k)
      if (pair(0, k) != pair(1, k)) return false;
    return true;
  };
  return equal(problem.x) && (problem.fixed.cols == 0 || equal(problem.fixed));
}

// One output's rows ordered by (y, group): whether some number stands at two different x.
bool rounded(Span<const Index> rows, const LayoutView& y, Index output, Span<const Index> group) {
  Array<Index> order(rows.begin(), rows.end());
  std::ranges::sort(order, {}, [&](Index i) { return y(i, output); });
  for (std::size_t k = 1; k < order.size(); ++k)
    if (y(order[k], output) == y(order[k - 1], output) && group[order[k]] != group[order[k - 1]]) return true;
  return false;
}

Copies copies_in(const Problem& problem, Index output, const EqualRows& equal) {
  Array<char> observed(problem.n(), 1);
  for (const Index i : problem.missing_rows(output)) observed[i] = 0;
  Array<Index> rows;
  for (Index i = 0; i < problem.n(); ++i)
    if (observed[i] != 0) rows.push_back(i);
  const LayoutView& y = problem.y;
  const bool by_chance = rounded(rows, y, output, equal.group);
  std::ranges::sort(rows, [&](Index a, Index b) {
    if (equal.group[a] != equal.group[b]) return equal.group[a] < equal.group[b];
    return y(a, output) != y(b, output) ? y(a, output) < y(b, output) : a < b;
  });
  Copies out;
  const auto join = [&](std::span<const Index> same) {
    if (same.size() < 2) return;
    double sum = 0, logs = 0;
    for (const Index i : same) {
      sum += problem.weight(i);
      logs += std::log(problem.weight(i));
    }
    out.count += std::ssize(same) - 1;
    out.log_weights += std::log(sum) - logs;
  };
  const auto end_of = [&](std::size_t from, const auto& same) {
    std::size_t end = from + 1;
    while (end < rows.size() && same(rows[end], rows[from])) ++end;
    return end;
  };
  const auto at_one_x = [&](Index a, Index b) { return equal.group[a] == equal.group[b]; };
  const auto one_y = [&](Index a, Index b) { return at_one_x(a, b) && y(a, output) == y(b, output); };
  for (std::size_t first = 0, end; first < rows.size(); first = end) {
    end = end_of(first, one_y);
    const std::size_t end_of_x = end_of(first, at_one_x);
    if (by_chance && end != end_of_x)
      end = end_of_x;
    else
      join(std::span(rows).subspan(first, end - first));
  }
  return out;
}

}  // namespace

EqualRows equal_rows(const Problem& problem) {
  const Array<Hash> hash = hashes(problem);
  const Index n = problem.n();
  Array<Index> order = consecutive(0, n), first(n);
  std::ranges::stable_sort(order, {}, [&](Index i) { return hash[i].value(); });
  for (Index k = 0; k < n; ++k) {
    const Index i = order[k];
    first[i] = i;
    // Different rows may have one hash: they are compared with each row before them that has it.
    for (Index l = k - 1; l >= 0 && hash[order[l]].value() == hash[i].value(); --l)
      if (same_row(problem, order[l], i)) {
        first[i] = first[order[l]];
        break;
      }
  }
  EqualRows out{Array<Index>(n, 0), 0};
  for (Index i = 0; i < n; ++i) out.group[i] = first[i] == i ? out.groups++ : out.group[first[i]];
  return out;
}

Array<Copies> copies_of(const Problem& problem) {
  Array<Copies> out(problem.t());
  if (problem.linear() && problem.d() < problem.n()) return out;
  const EqualRows equal = equal_rows(problem);
  if (equal.groups == problem.n()) return out;
  for (Index j = 0; j < problem.t(); ++j) out[j] = copies_in(problem, j, equal);
  return out;
}

}  // namespace freeridge
