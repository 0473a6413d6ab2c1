// Small dense helpers for the tests of linalg: matrices of the core, made and compared in the plainest way.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "libcore/base/matrix.hpp"
#include "libcore/linalg/band_reduction.hpp"

namespace dense {

using freeridge::ConstMatrixView;
using freeridge::Index;
using freeridge::Matrix;

inline Matrix random(Index rows, Index cols, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Matrix out(rows, cols);
  for (double& value : out.values()) value = normal(engine);
  return out;
}

inline Matrix copy(const Matrix& a) {
  Matrix out(a.rows(), a.cols());
  std::copy(a.values().begin(), a.values().end(), out.values().begin());
  return out;
}

// op(A) op(B), each sum in long double.
inline Matrix product(ConstMatrixView a, ConstMatrixView b, bool transposed_b = false) {
  const Index inner = a.cols, cols = transposed_b ? b.rows : b.cols;
  Matrix out(a.rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < a.rows; ++i) {
      long double sum = 0;
      for (Index k = 0; k < inner; ++k) sum += static_cast<long double>(a(i, k)) * (transposed_b ? b(j, k) : b(k, j));
      out(i, j) = static_cast<double>(sum);
    }
  return out;
}

// The Frobenius norm.
inline double norm(ConstMatrixView a) {
  double out = 0;
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) out = std::hypot(out, a(i, j));
  return out;
}

inline double difference(ConstMatrixView a, ConstMatrixView b) {
  double out = 0;
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) {
      const double gap = std::abs(a(i, j) - b(i, j));
      out = std::isnan(gap) ? INFINITY : std::max(out, gap);
    }
  return out;
}

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
