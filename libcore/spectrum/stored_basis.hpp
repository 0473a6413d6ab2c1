// B in storage: n r doubles, and n (t + 1) for E and diag N; notation of spectrum_factorization.hpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {

class StoredBasis : public SpectrumFactorization {
 protected:
  // storage holds B in its last r = eigenvalues.size() columns. sure: digits.hpp.
  StoredBasis(ProblemPtr problem, Matrix storage, Array<double> eigenvalues, Array<double> noise, double sure);

  Tile tile(Index row, Index count, Room& room) const override;
  Tile gather(Span<const Index> which, Room& room) const override;
  Index tile_rows() const override { return problem().n(); }
  EachProjectedTile projected_tiles() const override;

  ConstMatrixView basis() const { return storage_.view().columns(storage_.cols() - r(), r()); }

 private:
  void orthogonalise_rest(ConstMatrixView b);

  Matrix storage_;
  Matrix rest_;                  // E, n x t; empty without complement
  Array<double> rest_diagonal_;  // diag N, n; empty without complement
};

}  // namespace freeridge
