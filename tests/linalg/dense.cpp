#include "linalg/dense.hpp"

#include <random>

namespace dense {

using freeridge::MatrixView;

Matrix random(Index rows, Index cols, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Matrix out(rows, cols);
  for (double& value : out.values()) value = normal(engine);
  return out;
}

Matrix product(ConstMatrixView a, ConstMatrixView b, bool transposed_b) {
  const Index inner = a.cols, cols = transposed_b ? b.rows : b.cols;
  Matrix out(a.rows, cols);
  std::vector<long double> sums(static_cast<std::size_t>(a.rows));
  for (Index j = 0; j < cols; ++j) {
    sums.assign(sums.size(), 0);
    for (Index k = 0; k < inner; ++k) {
      const long double factor = transposed_b ? b(j, k) : b(k, j);
      const double* const column = a.col(k);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += column[i] * factor;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) out(static_cast<Index>(i), j) = static_cast<double>(sums[i]);
  }
  return out;
}

double norm(ConstMatrixView a) {
  double out = 0;
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) out = std::hypot(out, a(i, j));
  return out;
}

double difference(ConstMatrixView a, ConstMatrixView b) {
  double out = 0;
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) {
      const double gap = std::abs(a(i, j) - b(i, j));
      out = std::isnan(gap) ? INFINITY : std::max(out, gap);
    }
  return out;
}

EigenErrors eigen_errors(ConstMatrixView a, const std::vector<double>& w, ConstMatrixView v) {
  const Index n = a.rows;
  double largest = 0;
  for (const double value : w) largest = std::max(largest, std::abs(value));
  const long double scale = largest > 0 ? largest : 1;
  long double residual = 0, angle = 0;
  std::vector<long double> rows(static_cast<std::size_t>(n * n)), scaled(rows.size());  // V', diag(w) V' / |w|
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < n; ++k) {
      rows[static_cast<std::size_t>(i * n + k)] = v(i, k);
      scaled[static_cast<std::size_t>(i * n + k)] = v(i, k) * (w[static_cast<std::size_t>(k)] / scale);
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      long double product = a(i, j) / scale, inner = i == j ? -1 : 0;
      const long double *const left = rows.data() + i * n, *const right = scaled.data() + j * n;
      const double *const one = v.col(i), *const other = v.col(j);
      for (Index k = 0; k < n; ++k) {
        product -= left[k] * right[k];
        inner += static_cast<long double>(one[k]) * other[k];
      }
      residual += (i == j ? 1 : 2) * product * product;
      angle += (i == j ? 1 : 2) * inner * inner;
    }
  return {static_cast<double>(std::sqrt(residual)), static_cast<double>(std::sqrt(angle))};
}

}  // namespace dense
