// Derivatives of expansions over points x_l by the point p at which they are taken. Each kernel is a sum of terms
// weight Q(p, x) (p - x) / s^2 or weight Q(p, x) x / s^2 (slopes, kernel.hpp), so that sums over l are products of
// matrices:
//     g_ik     = sum_l c_l d k(p_i, x_l) / d p_k
//              = sum over terms  weight ((p_ik - m_k) / s_k (Q c)_i - (Q (c o (X_k - m_k) / s_k))_i) / s_k
//                            or  weight (Q (c o X_k / s_k))_i / s_k
//     delta_lk = sum_i a_i d k(p_i, x_l) / d p_k
//              = sum over terms  weight ((Q'(a o (P_k - m_k) / s_k))_l - (x_lk - m_k) / s_k (Q'a)_l) / s_k
//                            or  weight x_lk / s_k (Q'a)_l / s_k
// m is the mean of the x_l: points that are near one another and far from zero keep their digits. Nothing is divided by
// s_k^2, which may be out of range where the derivative is not.
// Cost of the first three: as many kernel values as there are pairs (twice for products of kernels), 2 pairs (d + 1) flops a term. Of
// average_slope_variances: d / 2 times that of the kernel values of all pairs of points.
// Memory: tiles of 256 x 256 for each kernel in the tree, and of 256 rows of d numbers.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

// out(i, k + d j) = g_ik of the column j of c, for the points first, first + 1, ... (out.rows of them). c: x.rows x t.
// Throws NOT_FINITE where a number overflows.
void expansion_gradient(const Kernel& kernel, const Rows& points, Index first, const Rows& x, ConstMatrixView c,
                        MatrixView out);

// delta (x.rows x d) for the weights a of all points.
void gradient_functional(const Kernel& kernel, const Rows& points, Span<const double> a, const Rows& x,
                         MatrixView delta);

// delta_l = sum_i a_i k(p_i, x_l), x.rows numbers, added to what is there.
void add_value_functional(const Kernel& kernel, const Rows& points, Span<const double> a, const Rows& x,
                          Span<double> delta);

// sum_ij a_i a_j d^2 k(p_i, p_j) / (d p_ik d p_jk) for each column k: the variance of the average derivative of a random
// function with the covariance k.
Array<double> average_slope_variances(const Kernel& kernel, const Rows& points, Span<const double> a);

// The bytes that these functions take beside their outputs.
Index gradient_bytes(const Kernel& kernel, Index d);

}  // namespace freeridge
