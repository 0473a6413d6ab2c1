#include "support/gauss.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace support {

namespace {

// Moves the largest entry of column k at or below the diagonal onto it, and answers with it.
Real pivot(Dense& a, Dense* b, std::int64_t k) {
  std::int64_t best = k;
  for (std::int64_t i = k + 1; i < a.rows; ++i)
    if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
  if (best != k) {
    for (std::int64_t j = 0; j < a.cols; ++j) std::swap(a(k, j), a(best, j));
    for (std::int64_t j = 0; b != nullptr && j < b->cols; ++j) std::swap((*b)(k, j), (*b)(best, j));
  }
  return a(k, k);
}

}  // namespace

Dense solve(Dense a, Dense b) {
  if (a.rows != a.cols || a.rows != b.rows) throw std::invalid_argument("solve: shapes");
  const std::int64_t n = a.rows;
  for (std::int64_t k = 0; k < n; ++k) {
    const Real p = pivot(a, &b, k);
    if (p == 0) throw std::domain_error("solve: the matrix is singular");
    for (std::int64_t i = k + 1; i < n; ++i) {
      const Real factor = a(i, k) / p;
      if (factor == 0) continue;
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

Real log_determinant(Dense a) {
  Real sum = 0;
  for (std::int64_t k = 0; k < a.rows; ++k) {
    const Real p = pivot(a, nullptr, k);
    sum += std::log(std::abs(p));
    if (p == 0) return sum;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      const Real factor = a(i, k) / p;
      for (std::int64_t j = k; j < a.rows; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return sum;
}

Dense multiply(const Dense& a, const Dense& b) {
  if (a.cols != b.rows) throw std::invalid_argument("multiply: shapes");
  Dense out(a.rows, b.cols);
  for (std::int64_t j = 0; j < b.cols; ++j)
    for (std::int64_t k = 0; k < a.cols; ++k)
      for (std::int64_t i = 0; i < a.rows; ++i) out(i, j) += a(i, k) * b(k, j);
  return out;
}

Dense transpose(const Dense& a) {
  Dense out(a.cols, a.rows);
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = 0; i < a.rows; ++i) out(j, i) = a(i, j);
  return out;
}

Dense identity(std::int64_t n) {
  Dense out(n, n);
  for (std::int64_t i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}

}  // namespace support
