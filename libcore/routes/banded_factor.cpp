#include "libcore/routes/banded_factor.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/linalg/blas.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {

double BandedFactor::log_determinant() const {
  return l.log_determinant() + static_cast<double>(l.size()) * std::log(unit);
}

double BandedFactor::inverse_trace() const {
  const BandMatrix inverse = l.inverse_band();
  double sum = 0;
  for (Index j = 0; j < inverse.size(); ++j) sum += inverse.values(0, j);
  return sum;
}

double BandedFactor::fitted_trace(const BandMatrix& b) const {
  return band_inner_product(b, l.inverse_band()) / unit;
}

double BandedFactor::quadratic_form(Index j) const {
  return dot(half.rows(), half.col(j), half.col(j)) / unit;
}

double banded_unit(double largest, double lambda) {
  const double most = std::max(largest, lambda);
  return most > 0 ? std::exp2(std::ilogb(most)) : 1;
}

std::optional<BandedFactor> banded_factor(const BandMatrix& b, double unit, double lambda, ConstMatrixView gamma) {
  std::optional<BandedCholesky> l = BandedCholesky::factor(b, lambda / unit, unit);
  if (!l) return std::nullopt;
  Matrix half = copy_of(gamma);
  l->half_solve(half.view());
  Matrix full = copy_of(half.view());
  l->other_half_solve(full.view());
  return BandedFactor{std::move(*l), std::move(half), std::move(full), unit};
}

EigenvalueRange range_above(double tolerance, const EigenvalueBounds& bounds) {
  if (!(bounds.largest > tolerance)) return {0, 0};
  return {std::min(bounds.smallest > 0 ? bounds.smallest : tolerance, bounds.largest), bounds.largest};
}

void save_band_matrix(const BandMatrix& b, ByteWriter& out) {
  for (Index j = 0; j < b.size(); ++j) out.numbers({b.values.col(j), std::min(b.values.rows(), b.size() - j)});
}

BandMatrix load_band_matrix(ByteReader& in, Index bandwidth, Index m) {
  BandMatrix b{Matrix(bandwidth + 1, m, 0.0)};
  for (Index j = 0; j < m; ++j) in.numbers("the band", any_finite, {b.values.col(j), std::min(bandwidth + 1, m - j)});
  return b;
}

}  // namespace freeridge
