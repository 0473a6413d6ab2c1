// Sums over a tile of Q, p x q, and the points a (p x d) and b (q x d), for each feature k. Derivatives by the divisors
// of features are made of these sums (LogGradient, kernel.hpp).
//     products_by_feature    sum_ij Q_ij a_ik b_jk           = sum_i a_ik (Q b_k)_i
//     squares_by_feature     sum_ij Q_ij (a_ik - b_jk)^2
//                            = sum_i (Q 1)_i a_ik^2 + sum_j (Q'1)_j b_jk^2 - 2 sum_i a_ik (Q b_k)_i
// All features take one product, 2 p q d flops. Squares are of points less the middle of the tile, and the few pairs
// that are much nearer one another than the tile is wide are summed one by one: nothing cancels in them.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

// <q, values>; where a value is infinite, of the other pairs with q != 0.
double sum_of_products(ConstMatrixView q, ConstMatrixView values);
// to_k = to_k + factor values_k
void add_scaled(double factor, Span<const double> values, Span<double> to);

Array<double> products_by_feature(ConstMatrixView a, ConstMatrixView b, ConstMatrixView q);
// r2: the squared distances of the points. Q of near pairs is zero afterwards.
Array<double> squares_by_feature(ConstMatrixView a, ConstMatrixView b, ConstMatrixView r2, MatrixView q);

}  // namespace freeridge
