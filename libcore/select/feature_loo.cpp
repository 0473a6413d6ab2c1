#include "libcore/select/feature_loo.hpp"

#include <algorithm>

namespace freeridge {

void loo_adjoint(const Problem& problem, Span<const double> alpha, const RowTile& tile, TileAdjoint& out) {
  const Index count = tile.count(), t = problem.t();
  if (out.rbar.rows() != count) out.rbar = Matrix(count, t);
  out.dbar.assign(count, 0.0);
  out.score.assign(t, 0.0);
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < count; ++i) {
      const double d = tile.d[i], e = tile.r(i, j) / d;
      out.rbar(i, j) = 2 * alpha[j] * e / d / problem.sum_w;
      out.dbar[i] -= out.rbar(i, j) * e;
      out.score[j] += alpha[j] * e * e / problem.sum_w;
    }
}

MendedRows each_loo_tile(const Factorization& factorization, double lambda, const FeatureRows& rows, int team,
                         Span<const double> alpha, const TakeAdjoint& take) {
  const Problem& problem = rows.problem();
  Array<Array<Index>> unsure(team);
  Array<TileAdjoint> adjoints(team);
  Stage stage(0, 0.9);
  rows.each(team, [&](RowTile& tile, int worker) {
    for (Index i = 0; i < tile.count(); ++i) {
      if (tile.d[i] >= sure_diagonal) continue;
      unsure[worker].push_back(tile.rows[i]);
      tile.d[i] = 1;
      for (Index j = 0; j < problem.t(); ++j) tile.r(i, j) = 0;
    }
    loo_adjoint(problem, alpha, tile, adjoints[worker]);
    take(tile, adjoints[worker], worker);
  });
  stage.next(1);
  Array<Index> all;
  for (const Array<Index>& some : unsure) all.insert(all.end(), some.begin(), some.end());
  MendedRows mended = mended_rows(factorization, lambda, std::move(all));
  const Index count = std::ssize(mended.rows), step = rows.tile_rows();
  RowTile tile;
  for (Index first = 0; first < count; first += step) {
    rows.make(Span<const Index>(mended.rows).subspan(first, std::min(step, count - first)), tile);
    mended.put_into(tile);
    loo_adjoint(problem, alpha, tile, adjoints[0]);
    take(tile, adjoints[0], 0);
  }
  return mended;
}

}  // namespace freeridge
