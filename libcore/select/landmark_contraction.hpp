// The last pass of a gradient with landmarks (landmark_gradient.hpp). K-bar_TR is made in tiles of rows, each of which
// is contracted with the derivatives of k (log_gradient.hpp) and dropped. K-bar_RR is contracted as one matrix.
#pragma once

#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/select/feature_rows.hpp"

namespace freeridge {

// Adds <K-bar_RR, dK_RR> for K-bar_RR = L^-T h L^-1; h symmetric, destroyed.
void add_landmark_pairs(const Problem& problem, const FeatureSystem& system, MatrixView h, Span<double> out);

// The landmarks' points, p x d.
Matrix landmark_points(const Problem& problem, const FeatureSystem& system);

// Sums of <K-bar_TR, dK_TR>, one for each worker.
class LandmarkContraction {
 public:
  LandmarkContraction(const FeatureRows& rows, int team);
  // Adds K-bar_TR = -2 W^(1/2) g (L C)^-1 in the rows of the tile; g is destroyed.
  void add(const RowTile& tile, MatrixView g, int worker);
  // The same, where g (L C)^-1 is given in the place of g.
  void add_solved(const RowTile& tile, MatrixView g, int worker);
  void add_to(Span<double> out) const;

 private:
  const FeatureRows& rows_;
  Matrix landmarks_;
  Array<Array<double>> sums_;
};

// K-bar_TR = -2 W^(1/2) (D Psi - Psi inner + left right') (L C)^-1
struct LastPass {
  Matrix inner;  // p x p, both triangles; empty: none
  Matrix right;  // p x k
  // Fills left (rows x k) and the diagonal of D, which has zeros before.
  std::function<void(RowTile&, MatrixView left, Span<double> d)> fill;
};
void run_last_pass(const FeatureRows& rows, const LastPass& pass, Span<double> out);

}  // namespace freeridge
