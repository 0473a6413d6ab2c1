// Small dense helpers for the tests of linalg: matrices of the core, made and compared in the plainest way
// (dense.cpp, which is optimised: its loops over n^3 numbers take longer than what is tested).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/matrix.hpp"
#include "libcore/linalg/band_reduction.hpp"

namespace dense {

using freeridge::ConstMatrixView;
using freeridge::Index;
using freeridge::Matrix;

Matrix random(Index rows, Index cols, unsigned seed);  // normal

inline Matrix copy(const Matrix& a) {
  Matrix out(a.rows(), a.cols());
  std::copy(a.values().begin(), a.values().end(), out.values().begin());
  return out;
}

// A B or A B', each sum in long double.
Matrix product(ConstMatrixView a, ConstMatrixView b, bool transposed_b = false);

// The Frobenius norm.
double norm(ConstMatrixView a);

// The largest |a_ij - b_ij|; infinite where one is no number.
double difference(ConstMatrixView a, ConstMatrixView b);

// |A - V diag(w) V'| / max |w| and |V'V - I| (Frobenius), A symmetric, the sums in long double.
struct EigenErrors {
  double residual, angle;
};
EigenErrors eigen_errors(ConstMatrixView a, const std::vector<double>& w, ConstMatrixView v);

inline Matrix identity(Index n) {
  Matrix out(n, n, 0.0);
  for (Index i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}

// The whole of a banded matrix.
inline Matrix full(const freeridge::BandMatrix& b) {
  Matrix out(b.size(), b.size(), 0.0);
  for (Index j = 0; j < b.size(); ++j)
    for (Index d = 0; d <= b.bandwidth() && j + d < b.size(); ++d) out(j + d, j) = out(j, j + d) = b.values(d, j);
  return out;
}

// A banded matrix with random elements and `diagonal` added on its diagonal.
inline freeridge::BandMatrix random_band(Index m, Index b, double diagonal, unsigned seed) {
  freeridge::BandMatrix out{random(b + 1, m, seed)};
  for (Index j = 0; j < m; ++j) {
    out.values(0, j) += diagonal;
    for (Index d = std::max<Index>(m - j, 1); d <= b; ++d) out.values(d, j) = 0;
  }
  return out;
}

}  // namespace dense
