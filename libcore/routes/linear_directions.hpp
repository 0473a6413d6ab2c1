// The directions of a linear problem, whatever route solves it: with the weighted, centred columns over the kernel's
// scales (data/problem.hpp)
//     X~ = W^(1/2) (X - 1 shift') diag(root) = U diag(S) V',    w = diag(root) v,   root = 1 / scale
// from which every covariance of the coefficients follows. With landmarks R the slopes are combinations of their rows:
// v = E e with E (d x q) an orthonormal basis of the span of the rows of X_R diag(root), and the SVD is that of X~ E.
//     more rows than columns   QR of blocks of rows, SVD of its triangle: 2 n p^2 + O(p^3), memory O(p^2), p = d or q
//     fewer                    QR of X~' (scaled_qr.hpp), SVD of its triangle: 2 n^2 p, memory n p
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/data/problem.hpp"

namespace freeridge {

struct LinearDirections {
  Array<double> root;   // d
  Array<double> s;      // S, r <= min(n, p)
  Array<double> noise;  // of S^2 (spectrum/small_svd.hpp)
  Matrix v;             // d x r: V, or E V
  Matrix space;         // E, where `restricted`: d x q
  bool restricted = false;

  Index dimension() const { return restricted ? space.cols() : v.rows(); }
  // The number of S that are above rounding.
  Index rank() const;
};

// equal: root_k = 1 / the norm of column k of X~ and of what fixed effects explain of it, for lambda = 0 only: there
// any root gives the same slopes, and this one loses the fewest digits. landmarks: rows of x, or none.
LinearDirections linear_directions(const Problem& problem, Span<const Index> landmarks, bool equal);

// The bytes that it takes, the directions included.
Index linear_directions_bytes(Index n, Index d, Index landmarks);

}  // namespace freeridge
