// Linear algebra in quadruple precision (113 bits), for oracles where long double is not enough: elimination and a
// one-sided Jacobi SVD. Nothing here is shared with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/matrix.hpp"

namespace support {

__extension__ typedef __float128 Quad;
using QuadMatrix = Table<Quad>;

inline Quad absolute(Quad a) {
  return a < 0 ? -a : a;
}

inline Quad square_root(Quad a) {
  if (!(a > 0)) return 0;
  // Out of the range of double a power of four is taken off first.
  Quad scale = 1;
  while (a > Quad(1e200)) a *= Quad(0x1p-400), scale *= Quad(0x1p200);
  while (a < Quad(1e-200)) a *= Quad(0x1p400), scale *= Quad(0x1p-200);
  Quad root = std::sqrt(static_cast<double>(a));
  for (int step = 0; step < 3; ++step) root = (root + a / root) / 2;
  return root * scale;
}

// exp(a) of a <= 0: the series at a / 2^k, squared k times.
inline Quad exponential(Quad a) {
  int halvings = 0;
  for (; a < Quad(-0.01); a /= 2) ++halvings;
  Quad sum = 1, term = 1;
  for (int k = 1; k < 24; ++k) sum += term = term * a / k;
  for (int k = 0; k < halvings; ++k) sum *= sum;
  return sum;
}

inline QuadMatrix to_quad(const Matrix& a) {
  QuadMatrix out(a.rows, a.cols);
  for (std::size_t k = 0; k < a.values.size(); ++k) out.values[k] = a.values[k];
  return out;
}

inline Matrix to_double(const QuadMatrix& a) {
  Matrix out(a.rows, a.cols);
  for (std::size_t k = 0; k < a.values.size(); ++k) out.values[k] = static_cast<double>(a.values[k]);
  return out;
}

inline QuadMatrix transpose(const QuadMatrix& a) {
  QuadMatrix out(a.cols, a.rows);
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = 0; i < a.rows; ++i) out(j, i) = a(i, j);
  return out;
}

inline QuadMatrix multiply(const QuadMatrix& a, const QuadMatrix& b) {
  QuadMatrix out(a.rows, b.cols);
  for (std::int64_t j = 0; j < b.cols; ++j)
    for (std::int64_t k = 0; k < a.cols; ++k)
      for (std::int64_t i = 0; i < a.rows; ++i) out(i, j) += a(i, k) * b(k, j);
  return out;
}

inline QuadMatrix subtract(QuadMatrix a, const QuadMatrix& b) {
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] -= b.values[k];
  return a;
}

// The columns less their means, which are kept.
inline QuadMatrix centred(QuadMatrix a, std::vector<Quad>& mean) {
  mean.assign(static_cast<std::size_t>(a.cols), 0);
  for (std::int64_t j = 0; j < a.cols; ++j) {
    Quad& m = mean[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < a.rows; ++i) m += a(i, j) / Quad(a.rows);
    for (std::int64_t i = 0; i < a.rows; ++i) a(i, j) -= m;
  }
  return a;
}

// z of a z = b, by elimination with partial pivoting of rows that were scaled to a largest entry of one.
inline QuadMatrix solve(QuadMatrix a, QuadMatrix b) {
  const std::int64_t n = a.rows;
  for (std::int64_t i = 0; i < n; ++i) {
    Quad largest = 0;
    for (std::int64_t j = 0; j < n; ++j) largest = std::max(largest, absolute(a(i, j)));
    if (largest == 0) throw std::domain_error("solve: a row of zeros");
    for (std::int64_t j = 0; j < n; ++j) a(i, j) /= largest;
    for (std::int64_t j = 0; j < b.cols; ++j) b(i, j) /= largest;
  }
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < n; ++i)
      if (absolute(a(i, k)) > absolute(a(best, k))) best = i;
    if (a(best, k) == 0) throw std::domain_error("solve: the matrix is singular");
    for (std::int64_t j = 0; j < n; ++j) std::swap(a(k, j), a(best, j));
    for (std::int64_t j = 0; j < b.cols; ++j) std::swap(b(k, j), b(best, j));
    for (std::int64_t i = k + 1; i < n; ++i) {
      const Quad factor = a(i, k) / a(k, k);
      for (std::int64_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      for (std::int64_t j = 0; j < b.cols; ++j) b(i, j) -= factor * b(k, j);
    }
  }
  for (std::int64_t j = 0; j < b.cols; ++j)
    for (std::int64_t i = n - 1; i >= 0; --i) {
      for (std::int64_t k = i + 1; k < n; ++k) b(i, j) -= a(i, k) * b(k, j);
      b(i, j) /= a(i, i);
    }
  return b;
}

// a = u diag(s) v', s descending, u rows x p (columns of s_k = 0 are zero), v p x p, p = columns; any shape. One-sided
// Jacobi: rotations of pairs of columns of [a; I] until all columns of a v are orthogonal.
struct QuadSvd {
  QuadMatrix u, v;
  std::vector<Quad> s;
};

inline QuadSvd jacobi_svd(QuadMatrix a) {
  const std::int64_t p = a.cols;
  QuadMatrix v(p, p);
  for (std::int64_t k = 0; k < p; ++k) v(k, k) = 1;
  const auto rotate = [](QuadMatrix& x, std::int64_t i, std::int64_t j, Quad c, Quad s) {
    for (std::int64_t k = 0; k < x.rows; ++k) {
      const Quad xi = x(k, i), xj = x(k, j);
      x(k, i) = c * xi - s * xj;
      x(k, j) = s * xi + c * xj;
    }
  };
  Quad total = 0;
  for (const Quad value : a.values) total += value * value;
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (std::int64_t i = 0; i < p; ++i)
      for (std::int64_t j = i + 1; j < p; ++j) {
        Quad ii = 0, jj = 0, ij = 0;
        for (std::int64_t k = 0; k < a.rows; ++k) {
          ii += a(k, i) * a(k, i);
          jj += a(k, j) * a(k, j);
          ij += a(k, i) * a(k, j);
        }
        if (absolute(ij) <= Quad(0x1p-108) * square_root(ii) * square_root(jj) ||
            absolute(ij) <= Quad(0x1p-225) * total)
          continue;
        rotated = true;
        const Quad zeta = (jj - ii) / (2 * ij);
        const Quad t = (zeta < 0 ? Quad(-1) : Quad(1)) / (absolute(zeta) + square_root(1 + zeta * zeta));
        const Quad c = 1 / square_root(1 + t * t);
        rotate(a, i, j, c, c * t);
        rotate(v, i, j, c, c * t);
      }
    if (!rotated) break;
    if (sweep == 59) throw std::runtime_error("jacobi_svd: no convergence");
  }
  std::vector<std::pair<Quad, std::int64_t>> order;
  for (std::int64_t k = 0; k < p; ++k) {
    Quad square = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) square += a(i, k) * a(i, k);
    order.push_back({square_root(square), k});
  }
  std::sort(order.begin(), order.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  QuadSvd out{QuadMatrix(a.rows, p), QuadMatrix(p, p), {}};
  for (std::int64_t k = 0; k < p; ++k) {
    const auto [s, from] = order[static_cast<std::size_t>(k)];
    out.s.push_back(s);
    for (std::int64_t i = 0; i < p; ++i) out.v(i, k) = v(i, from);
    for (std::int64_t i = 0; i < a.rows && s > 0; ++i) out.u(i, k) = a(i, from) / s;
  }
  return out;
}

}  // namespace support
