// Leave-one-out and its derivatives by r and d (feature_rows.hpp), in tiles of rows: with e_i = r_i / d_i, sw = sum w
//     J = sum_j alpha_j sum_i e_ij^2 / sw
//     rbar_ij = dJ / dr_ij = 2 alpha_j e_ij / (d_i sw),    dbar_i = dJ / dd_i = -2 sum_j alpha_j e_ij^2 / (d_i sw) <= 0
// GCV has such derivatives, too: by r they are in proportion to r, and by d they are constant.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/select/feature_rows.hpp"

namespace freeridge {

struct TileAdjoint {
  Matrix rbar;          // rows x t
  Array<double> dbar;   // rows
  Array<double> score;  // of the tile's rows, t
};

// The derivatives for the rows of this tile.
void loo_adjoint(const Problem& problem, Span<const double> alpha, const RowTile& tile, TileAdjoint& out);

// take(tile, adjoint, worker) for tiles that cover each row once. Rows with a small d_i have zeros in their first tile,
// and come in tiles of their own after all others. Answers with these rows.
using TakeAdjoint = std::function<void(RowTile&, const TileAdjoint&, int)>;
MendedRows each_loo_tile(const Factorization& factorization, double lambda, const FeatureRows& rows, int team,
                         Span<const double> alpha, const TakeAdjoint& take);

}  // namespace freeridge
