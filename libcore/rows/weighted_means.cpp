#include "libcore/rows/weighted_means.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index columns_at_once = 16;  // of a row-major matrix: two cache lines

// sum[k] += sum_i v_i (a(i, first + k) - shift[k]), rows in order. Column-major: several sums a column, so that no
// addition waits for another; row-major: all columns of a row at once.
void add_weighted(const LayoutView& a, Index first, Span<const double> v, Span<const double> shift, Span<double> sum) {
  if (a.layout == Layout::row_major) {
    for (Index i = 0; i < a.rows; ++i) {
      const double* const row = a.data + i * a.ld + first;
      const double weight = v[i];
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * (row[k] - shift[k]);
    }
    return;
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const Span<const double> column(a.data + (first + static_cast<Index>(k)) * a.ld, v.size());
    std::array<double, 8> parts{};
    std::size_t i = 0;
    for (; i + parts.size() <= v.size(); i += parts.size())
      for (std::size_t m = 0; m < parts.size(); ++m) parts[m] += v[i + m] * (column[i + m] - shift[k]);
    for (; i < v.size(); ++i) parts[0] += v[i] * (column[i] - shift[k]);
    for (const double part : parts) sum[k] += part;
  }
}

void require_finite_mean(double mean, Index column, const char* name) {
  if (!std::isfinite(mean)) fail(Status::not_finite, "the mean of column ", column, " of ", name, " overflows");
}

Means dense_means(const LayoutView& a, Span<const double> v, const char* name) {
  Array<double> mean(a.cols, 0.0), rest = mean;
  const Index step = a.layout == Layout::row_major ? columns_at_once : 1;  // a column may stay in the cache
  const auto part = [&](Index item) {
    const Index first = item * step, count = std::min(step, a.cols - first);
    const Span<double> means(mean.data() + first, count);
    std::array<double, columns_at_once> shift{}, sum{};
    const Span<double> sums(sum.data(), means.size());
    add_weighted(a, first, v, shift, sums);
    for (std::size_t k = 0; k < means.size(); ++k) {
      require_finite_mean(sum[k], first + static_cast<Index>(k), name);
      means[k] = shift[k] = sum[k];
    }
    // A second pass removes the rounding error of the first, which matters when the mean is large beside the spread.
    sum.fill(0);
    add_weighted(a, first, v, shift, sums);
    for (std::size_t k = 0; k < means.size(); ++k) {
      const Index j = first + static_cast<Index>(k);
      double& left = rest[j];
      if (std::isfinite(sum[k])) {
        means[k] += sum[k];
        left = (shift[k] - means[k]) + sum[k];
      }
      bool constant = true;
      for (Index i = 1; i < a.rows && constant; ++i) constant = a(i, j) == a(0, j);
      if (constant) means[k] = a(0, j), left = 0;
    }
  };
  parallel_for(pieces(a.cols, step), part, 4.0 * static_cast<double>(a.rows * a.cols));  // two passes
  return {std::move(mean), std::move(rest)};
}

// f(column, row, value) for all entries.
template <class F>
void each_entry(const SparseView& x, const F& f) {
  for (Index line = 0; line < x.lines(); ++line) {
    for (Index p = x.start[line]; p < x.start[line + 1]; ++p)
      x.format == SparseFormat::csr ? f(x.index[p], line, x.value[p]) : f(line, x.index[p], x.value[p]);
    worked(touched * static_cast<double>(x.start[line + 1] - x.start[line] + 1));
  }
}

Means sparse_means(const SparseView& x, Span<const double> v, const char* name) {
  const Index columns = x.cols;
  Array<double> mean(columns, 0.0), rest(columns, 0.0), weight(columns, 0.0), first(columns, 0.0);
  Array<Index> equal(columns, 0);  // how many entries equal the column's first one
  each_entry(x, [&](Index k, Index i, double value) {
    mean[k] += v[i] * value;
    if (equal[k] == 0) first[k] = value;
    if (value == first[k]) ++equal[k];
  });
  for (Index k = 0; k < x.cols; ++k) require_finite_mean(mean[k], k, name);
  each_entry(x, [&](Index k, Index i, double value) {
    rest[k] += v[i] * (value - mean[k]);
    weight[k] += v[i];
  });
  for (Index k = 0; k < x.cols; ++k) {
    const double left = rest[k] - (1 - weight[k]) * mean[k], centre = mean[k] + left;
    const bool constant = equal[k] == x.rows;
    rest[k] = constant || !std::isfinite(left) ? 0 : (mean[k] - centre) + left;
    mean[k] = constant ? first[k] : std::isfinite(left) ? centre : mean[k];
  }
  return {std::move(mean), std::move(rest)};
}

}  // namespace

Means weighted_means(const Rows& x, Span<const double> sqrt_w, double sum_w, const char* name) {
  Array<double> v(sqrt_w.begin(), sqrt_w.end());
  for (double& value : v) value = value * value / sum_w;
  return x.is_sparse() ? sparse_means(x.sparse(), v, name) : dense_means(x.dense(), v, name);
}

}  // namespace freeridge
