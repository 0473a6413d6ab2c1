// Columns of the n x n matrices that ResidualMaker::columns makes. `first`: the column of the whole matrix with which a
// view of some of its columns begins.
#pragma once

#include <functional>

#include "libcore/factor/factorization.hpp"

namespace freeridge {

// a = (I - a) / divisor
void remainder_over(double divisor, Index first, MatrixView a);

// Makes the columns for the routes that apply P to a matrix, apply(v): v = P v. inverse = P,  hat = I - lambda P.
// `faint`: lambda is so far above the eigenvalues that the difference I - lambda P has few digits; then hat is made of
// the smoother rows a(x_q) of the data instead, H_qi = a_i(x_q).
void columns_by_product(const ResidualMaker& maker, const Problem& problem, double lambda, bool faint, Index first,
                        MatrixView hat, MatrixView inverse, const std::function<void(MatrixView v)>& apply);

}  // namespace freeridge
