// A sum of many tiles' Gram matrices, in two levels: a few tiles, then the sums of a few. Rounding: gram_rounding.
#pragma once

#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"

namespace freeridge {

constexpr Index gram_tiles = 24;  // (T / 2)^(2/3) is best for T of them

inline void add_to(Matrix& sum, const Matrix& other) {
  for (std::size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += other.values()[i];
  worked(3 * touched * static_cast<double>(sum.values().size()));
}

class GramSum {
 public:
  void add(ConstMatrixView tile) {
    if (tiles_ == gram_tiles) add_up();
    if (few_.cols() == 0) few_ = Matrix(tile.cols, tile.cols, 0.0);
    syrk(Op::transpose, 1, tile, tiles_ == 0 ? 0 : 1, few_.view());
    ++tiles_;
  }
  // Adds another sum, which is given by its lower triangle.
  void add_sum(const Matrix& other) {
    if (all_.cols() == 0)
      all_ = copy_of(other.view());
    else
      add_to(all_, other);
  }
  bool empty() const { return tiles_ == 0 && all_.cols() == 0; }
  Matrix take() {
    add_up();
    few_ = Matrix();
    return std::move(all_);
  }
  GramSum copy() const {
    GramSum out;
    if (all_.cols() > 0) out.all_ = copy_of(all_.view());
    if (tiles_ > 0) out.few_ = copy_of(few_.view());
    out.tiles_ = tiles_;
    return out;
  }

  // As it was saved: tiles() of them in few().
  Index tiles() const { return tiles_; }
  const Matrix& few() const { return few_; }
  const Matrix& all() const { return all_; }
  static GramSum of(Matrix all, Matrix few, Index tiles) {
    GramSum out;
    out.all_ = std::move(all);
    out.few_ = std::move(few);
    out.tiles_ = tiles;
    return out;
  }

 private:
  void add_up() {
    if (tiles_ == 0) return;
    if (all_.cols() == 0)
      all_ = std::exchange(few_, Matrix());
    else
      add_to(all_, few_);
    tiles_ = 0;
  }

  Matrix all_, few_;
  Index tiles_ = 0;  // in few_
};

}  // namespace freeridge
