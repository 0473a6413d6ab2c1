// The whole matrix P~ = s P, and the other numbers that criteria need (notation of factorization.hpp). It serves
// derivatives of criteria, which need all of P; criteria themselves need less (cholesky_route.hpp). Cost: n^2 kernel
// values, n^3/3 for the factor L of Z'GZ / s, 2/3 n^3 for (L L')^-1, O(n^2) for Z on both sides. Memory: n^2, in which
// K_w, L and P~ follow one another.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/factor/reduced_kernel.hpp"

namespace freeridge {

struct ResidualMatrix {
  // Throws NOT_POSITIVE_DEFINITE as the CHOLESKY route does.
  ResidualMatrix(const Problem& problem, double lambda, bool with_p = true);

  Matrix p;                      // P~, n x n: the lower triangle, until the upper one is filled; without it empty
  Matrix c;                      // P~Y~, n x t
  double s = 1;                  // a power of two
  double log_determinant = 0;    // log|Z'GZ|
  Array<double> quadratic_form;  // Y~'P Y~, with P and not P~; t

  // P~ diag(factor) in the place of P~.
  void fill_upper_and_scale(Span<const double> factor);
};

}  // namespace freeridge
