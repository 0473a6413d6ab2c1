#include "libcore/data/choose_landmarks.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/random.hpp"
#include "libcore/data/pivoted_cholesky.hpp"
#include "libcore/kernel/kernel_matrix.hpp"

namespace freeridge {
namespace {

constexpr Index factor_doubles = 1 << 25;  // 256 MiB

Array<Index> random_rows(Index n, Index count, Random& random) {
  Array<Index> rows = consecutive(0, n);
  random.shuffle(Span(rows), count);
  rows.resize(count);
  return rows;
}

Array<Index> kmeans_rows(const Kernel& kernel, const Rows& x, Index count, Random& random) {
  const Index n = x.rows;
  Matrix column(n, 1);
  Array<double> diagonal(n), distance(n, std::numeric_limits<double>::infinity());
  own_diagonal(kernel, x, diagonal);
  Array<Index> rows{random.uniform_index(x.rows)};
  while (true) {
    const Index s = rows.back();
    cross_kernel(kernel, x, {}, x, s, column.view());
    for (Index i = 0; i < n; ++i)
      distance[i] = std::min(distance[i], std::max(diagonal[i] + diagonal[s] - 2 * column(i, 0), 0.0));
    distance[s] = 0;
    report(fraction(std::ssize(rows), count));
    if (static_cast<Index>(rows.size()) == count) return rows;
    if (sum_of(distance) > 0) {
      rows.push_back(random.weighted_index(distance));
    } else {  // all others coincide with landmarks: any will do
      const Array<Index> others = other_indices(rows, n);
      rows.insert(rows.end(), others.begin(), others.begin() + (count - std::ssize(rows)));
      return rows;
    }
  }
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
  if (candidates >= n || kernel.precomputed()) return pivoted_cholesky(kernel, x, {}, count, random).rows;
  const Array<Index> chosen = random_rows(n, candidates, random);
  Matrix points(candidates, x.cols);
  for (Index i = 0; i < candidates; ++i) pack_rows(x, chosen[i], {}, points.view().row_range(i, 1));
  Array<Index> rows = pivoted_cholesky(kernel, layout_view(points), {}, count, random).rows;
  for (Index& row : rows) row = chosen[row];
  return rows;
}

}  // namespace freeridge
