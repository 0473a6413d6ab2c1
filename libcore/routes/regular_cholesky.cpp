#include "libcore/routes/regular_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"

namespace freeridge {
namespace {

constexpr double beyond_doubt = 1000;

// The exponent of x among those of ordinary numbers, also of 0.
int exponent_within(double x) {
  return std::clamp(std::ilogb(x), -1022, 1022);
}

// f(the element of the triangle with the indices i <= j, i, j)
template <class F>
void each_element(MatrixView a, Triangle triangle, const F& f) {
  for (Index j = 0; j < a.rows; ++j)
    for (Index i = 0; i <= j; ++i) f(triangle == Triangle::upper ? a(i, j) : a(j, i), i, j);
}

}  // namespace

double cholesky_unit(double mean_eigenvalue, double lambda) {
  const double x = std::max(mean_eigenvalue, lambda);
  if (!(x > 0)) return 1;
  const int exponent = exponent_within(x);
  return std::ldexp(1.0, exponent - exponent % 2);
}

Array<int> row_units(const RegularMatrix& about) {
  Array<int> out;
  for (const double size : about.sizes)
    out.push_back(exponent_within(std::sqrt(size / about.s * size + about.lambda / about.s)));
  return out;
}

// A factor whose condition is at the limit of rounding is of no use, even when no pivot happened to fail. The errors are
// those of K_w before its constant part was removed (as in ReducedKernel::noise).
double regular_from(const RegularMatrix& about, Index rows, double norm) {
  const double m = static_cast<double>(rows), constant = about.sizes.empty() ? about.constant_part / about.s : 1;
  return eps * std::max(m, 4 * std::sqrt(m) * (constant / norm));
}

double regular_eigenvalue(const RegularMatrix& about, Index m, double norm, double rcond, double limit) {
  if (m > 0 && !(rcond > limit))
    fail(Status::not_positive_definite, "K + lambda I is numerically singular at lambda = ", about.lambda,
         " (reciprocal condition ", rcond, "); use a larger lambda or the SPECTRAL route");
  return m > 0 ? rcond * norm * about.s : 0;
}

double regular_cholesky(MatrixView a, Triangle triangle, const RegularMatrix& about, RegularMatrix::Wanted wanted) {
  const Array<int> units = row_units(about);
  if (!units.empty())
    each_element(a, triangle,
                 [&](double& value, Index i, Index j) { value = std::ldexp(std::ldexp(value, -units[i]), -units[j]); });
  const double norm = symmetric_norm1(a, triangle);
  const double limit = regular_from(about, a.rows, norm);
  const bool factored = potrf(a, triangle);
  // |A^-1|_1 <= sqrt(m) / (smallest eigenvalue), which is lambda / s or more, but for rounding.
  if (wanted == RegularMatrix::Wanted::factor && factored && units.empty() &&
      about.lambda / about.s > beyond_doubt * limit * norm * std::sqrt(static_cast<double>(a.rows)))
    return 0;
  const double rcond = factored ? reciprocal_condition(a, norm, triangle) : 0;
  if (!units.empty())
    each_element(a, triangle, [&](double& value, Index, Index j) { value = std::ldexp(value, units[j]); });
  return regular_eigenvalue(about, a.rows, norm, rcond, limit);
}

}  // namespace freeridge
