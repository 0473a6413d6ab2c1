// The monomials of d features up to a degree, by degree, and within a degree lexicographically as products of features
// in ascending order:   1;   x1, x2;   x1 x1, x1 x2, x2 x2;   ...
// Each is a monomial one degree lower, its parent, times one feature. So powers are made by repeated multiplication.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// C(d + degree, degree), less one without bias. INVALID_ARGUMENT: degree < 1, or more than 2147483647.
Index polynomial_feature_count(Index d, std::int32_t degree, bool bias);

class Monomials {
 public:
  Monomials(Index d, std::int32_t degree, bool bias);

  Index count() const { return static_cast<Index>(parent_.size()) - first_; }
  // count x d, column-major, ld = count
  void exponents(std::int32_t* out) const;
  // out (rows of x x count, in `layout`) = the monomials of each row of x. NOT_FINITE, out untouched: one overflows.
  void evaluate(const LayoutView& x, Layout layout, double* out, Index ld) const;
  // factors_j^2 = degree! / (prod_k e_k! (degree - |e|)!) scale^|e| offset^(degree - |e|), e the exponents of monomial
  // j. NOT_FINITE: a factor overflows.
  void kernel_factors(double scale, double offset, Span<double> factors) const;

 private:
  Index d_;
  std::int32_t degree_;
  Index first_;  // 1 when the constant is not asked for; monomial 0 is kept in any case, as the parent of others
  Array<std::int32_t> parent_, feature_, degree_of_;
};

}  // namespace freeridge
