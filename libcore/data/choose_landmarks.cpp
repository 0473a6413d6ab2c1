#include "libcore/data/choose_landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/random.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr Index factor_doubles = 1 << 25;  // 256 MiB
constexpr Index block_size = 64;           // pivots proposed at a time

Array<Index> random_rows(Index n, Index count, Random& random) {
  Array<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  random.shuffle(Span(rows), count);
  rows.resize(count);
  return rows;
}

double sum_of(Span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// k(x_i, x_s), n numbers.
void kernel_column(const Kernel& kernel, const Rows& x, Index s, double* out) {
  cross_kernel(kernel, x, {}, x, s, {out, x.rows, 1, x.rows});
}

Array<Index> kmeans_rows(const Kernel& kernel, const Rows& x, Index count, Random& random) {
  const Index n = x.rows;
  Array<double> diagonal(n), column(n), distance(n, std::numeric_limits<double>::infinity());
  own_diagonal(kernel, x, diagonal);
  Array<Index> rows{random.uniform_index(x.rows)};
  while (true) {
    const Index s = rows.back();
    kernel_column(kernel, x, rows.back(), column.data());
    for (Index i = 0; i < n; ++i)
      distance[i] = std::min(distance[i], std::max(diagonal[i] + diagonal[s] - 2 * column[i], 0.0));
    distance[s] = 0;
    report(fraction(std::ssize(rows), count));
    if (static_cast<Index>(rows.size()) == count) return rows;
    if (sum_of(distance) > 0) {
      rows.push_back(random.weighted_index(distance));
    } else {  // all others coincide with landmarks: any will do
      Array<char> taken(n, 0);
      for (const Index row : rows) taken[row] = 1;
      for (std::size_t i = 0; static_cast<Index>(rows.size()) < count; ++i)
        if (taken[i] == 0) rows.push_back(static_cast<Index>(i));
      return rows;
    }
  }
}

// Pivots of one block: `core`, what is left of K at the proposed pivots, becomes L of the accepted ones, whose numbers
// are returned. Each is accepted with the probability that the exact method would have given it after those before it.
Array<Index> accepted_pivots(Span<const Index> proposed, Span<const double> left, MatrixView core, Random& random) {
  Array<Index> accepted;
  for (Index b = 0; b < core.cols; ++b) {
    const double before = left[proposed[b]], now = core(b, b);
    if (!(random.uniform() * before < now)) continue;
    accepted.push_back(b);
    const double root = std::sqrt(now);
    for (Index i = b; i < core.rows; ++i) core(i, b) /= root;
    for (Index j = b + 1; j < core.cols; ++j)
      for (Index i = j; i < core.rows; ++i) core(i, j) -= core(i, b) * core(j, b);
  }
  return accepted;
}

// F (n x r) with F F' = K_TR K_RR^-1 K_RT grows by the pivots accepted out of each block proposed.
Array<Index> pivoted_rows(const Kernel& kernel, const Rows& x, Index count, Random& random) {
  const Index n = x.rows;
  Array<double> left(n);
  own_diagonal(kernel, x, left);
  if (!std::isfinite(sum_of(left))) fail(Status::not_finite, "the trace of the kernel matrix overflows; rescale x");
  const double enough = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * sum_of(left);
  Matrix factor(n, count), columns(n, std::min(block_size, count));
  Array<Index> rows;

  while (static_cast<Index>(rows.size()) < count && sum_of(left) > enough) {
    const Index done = static_cast<Index>(rows.size()), block = std::min(block_size, count - done);
    Array<Index> proposed;
    for (Index b = 0; b < block; ++b) {
      const Index s = random.weighted_index(left);
      if (std::find(proposed.begin(), proposed.end(), s) == proposed.end()) proposed.push_back(s);
    }
    // What is left of K at the proposed pivots, column by column.
    const Index size = static_cast<Index>(proposed.size());
    const MatrixView residual = columns.view().columns(0, size);
    for (Index b = 0; b < size; ++b) kernel_column(kernel, x, proposed[b], residual.col(b));
    Matrix at_proposed(size, done);
    for (Index j = 0; j < done; ++j)
      for (Index b = 0; b < size; ++b) at_proposed(b, j) = factor(proposed[b], j);
    gemm(Op::none, Op::transpose, -1, factor.view().columns(0, done), at_proposed.view(), 1, residual);

    Matrix core(size, size);
    for (Index j = 0; j < size; ++j)
      for (Index i = 0; i < size; ++i) core(i, j) = residual(proposed[i], j);
    const Array<Index> accepted = accepted_pivots(proposed, left, core.view(), random);
    // The new columns of F: those accepted, times L^-T of what was eliminated.
    const Index gained = static_cast<Index>(accepted.size());
    Matrix l(gained, gained, 0.0);
    const MatrixView fresh = factor.view().columns(done, gained);
    for (Index j = 0; j < gained; ++j) {
      const Index b = accepted[j];
      for (Index i = j; i < gained; ++i) l(i, j) = core(accepted[i], b);
      std::copy_n(residual.col(b), n, fresh.col(j));
      rows.push_back(proposed[b]);
    }
    trsm_right(Op::transpose, l.view(), fresh);
    for (Index j = 0; j < gained; ++j)
      for (Index i = 0; i < n; ++i) {
        double& value = left[i];
        value = std::max(value - fresh(i, j) * fresh(i, j), 0.0);
      }
    for (const Index row : rows) left[row] = 0;
    report(fraction(std::ssize(rows), count));
  }
  return rows;
}

}  // namespace

Index pivoted_candidates(Index count) {
  return std::max(count, factor_doubles / count);
}

Array<Index> choose_landmarks(const Kernel& kernel, const Rows& x, const Landmarks& landmarks) {
  if (!landmarks.rows.empty()) return landmarks.rows;
  const Index n = x.rows, count = landmarks.count;
  Random random(landmarks.seed);
  if (landmarks.method == LandmarkMethod::random) return random_rows(n, count, random);
  if (landmarks.method == LandmarkMethod::kmeans) return kmeans_rows(kernel, x, count, random);

  const Index candidates = pivoted_candidates(count);
  if (candidates >= n || kernel.precomputed()) return pivoted_rows(kernel, x, count, random);
  const Array<Index> chosen = random_rows(n, candidates, random);
  Matrix points(candidates, x.cols);
  for (Index i = 0; i < candidates; ++i) pack_rows(x, chosen[i], {}, points.view().row_range(i, 1));
  const LayoutView view{points.data(), candidates, x.cols, candidates, Layout::col_major};
  Array<Index> rows = pivoted_rows(kernel, view, count, random);
  for (Index& row : rows) row = chosen[row];
  return rows;
}

}  // namespace freeridge
