#include "libcore/factor/left_out_rows.hpp"

#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {

bool LeftOutSystem::factor(MatrixView p, Span<const double> noise) {
  const Index s = p.rows;
  root_.resize(s);
  // An error E of P with |E_ij| <= (noise_i noise_j)^1/2 moves the eigenvalues of D^-1/2 P D^-1/2 by sum noise_i /
  // P_ii.
  double limit = static_cast<double>(s) * std::numeric_limits<double>::epsilon();
  for (Index i = 0; i < s; ++i) {
    if (!(p(i, i) > 0)) return false;
    if (!noise.empty()) limit += noise[i] / p(i, i);
    root_[i] = std::sqrt(p(i, i));
  }
  for (Index j = 0; j < s; ++j) {
    for (Index i = j; i < s; ++i) p(i, j) /= root_[i] * root_[j];
    worked(touched * static_cast<double>(s - j));
  }
  const double norm = symmetric_norm1(p);
  l_ = p;
  return potrf(p) && reciprocal_condition(p, norm) > limit;
}

void LeftOutSystem::solve(MatrixView v) const {
  const auto scale = [&] {
    for (Index j = 0; j < v.cols; ++j)
      for (Index i = 0; i < v.rows; ++i) v(i, j) /= root_[i];
  };
  scale();
  trsm(Op::none, l_, v);
  trsm(Op::transpose, l_, v);
  scale();
}

bool solve_left_out(MatrixView p, MatrixView v, Span<const double> noise) {
  LeftOutSystem system;
  if (!system.factor(p, noise)) return false;
  system.solve(v);
  return true;
}

}  // namespace freeridge
