#include "libcore/spectrum/small_svd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/jacobi_svd.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {

double rounding_of_rows(Index n, Index p) {
  const double rows = 10 + 2 * std::sqrt(static_cast<double>(n));
  return std::max(rows, static_cast<double>(p)) * std::numeric_limits<double>::epsilon();
}

Array<double> column_norms(ConstMatrixView a) {
  Array<double> out(a.cols);
  for (Index j = 0; j < a.cols; ++j) {
    out[j] = norm2(a.rows, a.col(j));
    worked(2 * touched * static_cast<double>(a.rows));
  }
  return out;
}

Array<double> with_parts(Array<double> norms, Span<const double> parts) {
  for (std::size_t k = 0; k < parts.size(); ++k) norms[k] = std::hypot(norms[k], parts[k]);
  return norms;
}

void require_finite_squares(Span<const double> values, const char* what) {
  for (const double value : values)
    if (!std::isfinite(value * value))
      fail(Status::not_finite, "the squared singular values of ", what, " overflow; rescale x");
}

Array<double> direction_noise(Span<const double> norms, ConstMatrixView vt, Index n) {
  Array<double> out;
  const double factor = rounding_of_rows(n, static_cast<Index>(norms.size()));
  for (Index k = 0; k < vt.rows; ++k) {
    double mixed = 0;
    for (Index j = 0; j < vt.cols; ++j) mixed = std::hypot(mixed, norms[j] * vt(k, j));
    worked(15 * nanosecond * static_cast<double>(vt.cols));
    out.push_back(factor * mixed * (factor * mixed));
  }
  return out;
}

void drop_noise(Span<double> s, Span<const double> noise) {
  for (std::size_t k = 0; k < s.size(); ++k)
    if (s[k] * s[k] < noise[k]) s[k] = 0;
}

void small_svd(MatrixView a, Span<double> s, MatrixView u, MatrixView vt) {
  const Index p = a.cols;
  const Array<double> norms = column_norms(a);
  const auto [low, high] = std::minmax_element(norms.begin(), norms.end());
  const bool scales_differ = p > 0 && a.rows == p && *low < 1e-4 * *high;
  if (!scales_differ) return gesdd(a, s, u, vt);
  Matrix copy(p, p);
  for (Index j = 0; j < p; ++j) {
    std::copy_n(a.col(j), p, copy.col(j));
    worked(2 * touched * static_cast<double>(p));
  }
  gesdd(a, s, u, vt);
  if (s.back() < 1e-8 * s.front()) jacobi_svd(copy.view(), s, u, vt);
}

}  // namespace freeridge
