#include "libcore/factor/feature_system.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

// C from the rows weight_k^(1/2) v_k' and, where there are fewer than p of them, top^(1/2) (I - V V').
Matrix triangle_of(ConstMatrixView vt, Span<const double> weight, double top) {
  const Index p = vt.cols, r = vt.rows, rest = r < p ? p : 0;
  Matrix rows(r + rest, p, 0.0), c(p, p, 0.0);
  for (Index j = 0; j < p; ++j) {
    for (Index k = 0; k < r; ++k) rows(k, j) = std::sqrt(weight[k]) * vt(k, j);
    worked(touched * static_cast<double>(r));
  }
  if (rest > 0) {
    const MatrixView others = rows.view().row_range(r, p);
    for (Index j = 0; j < p; ++j) others(j, j) = std::sqrt(top);
    gemm(Op::transpose, Op::none, -std::sqrt(top), vt, vt, 1, others);
  }
  Array<double> tau(p);
  geqrf(rows.view(), tau);
  transpose(rows.view().row_range(0, p), c.view());
  for (Index j = 0; j < p; ++j) std::fill_n(c.col(j), j, 0.0);
  return c;
}

}  // namespace

FeatureSystem make_feature_system(ConstMatrixView vt, Span<const double> s, Span<const double> noise,
                                  ConstMatrixView gamma, double lambda) {
  const Index p = vt.cols, r = vt.rows;
  double top = lambda;
  for (const double value : s) top = std::max(top, value * value + lambda);
  if (!(top > 0)) top = 1;
  FeatureSystem out;
  Array<double> weight;
  out.half = Matrix(p, r);
  for (Index k = 0; k < r; ++k) {
    const double square = s[k] * s[k];
    const bool counts = square > 0 && (square >= noise[k] || lambda >= noise[k]);
    weight.push_back(counts ? square + lambda : top);
    for (Index j = 0; j < p; ++j) out.half(j, k) = counts ? s[k] * vt(k, j) : 0;
    worked(touched * static_cast<double>(p));
  }
  out.c = triangle_of(vt, weight, top);
  out.weight = std::move(weight);
  out.products = Matrix(p, gamma.cols);
  gemm(Op::none, Op::none, 1, out.half.view(), gamma, 0, out.products.view());
  return out;
}

}  // namespace freeridge
