// The criterion GROUPS: sum W_ii e_i^2 / sum W_ii over the rows left out, which is the mean of the group means q_g,
// weighted with v_g, the groups' sums of weights; of G groups, se^2 = sum_g v_g (q_g - mean)^2 / (sum_g v_g (G - 1)).
// Of several divisions of the rows it is the mean of their scores: the weighted mean of all G group means, where v_g is
// the group's part of what its division leaves out. A row is then in several groups, which are no independent samples,
//     se^2 = (1 / G + rho) s^2,   s^2 = G / (G - 1) sum_g v_g (q_g - mean)^2 / sum_g v_g
// rho: the mean over groups of the sum of weights of the group over that of the rows that stay. Source: C. Nadeau, Y.
// Bengio, Inference for the generalization error, Machine Learning 52, 2003. Rows of a gap are left out and count in no
// sum.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/select/groups.hpp"

namespace freeridge {

// The left-out errors of all groups for the outputs [first, first + out.cols), n x out.cols: NaN in rows that are never
// left out, and in groups that have no errors. Answers with the reason of the first such group, empty when there is
// none.
std::string group_errors(const Factorization& factorization, const ResidualMaker& residual_maker, const Groups& groups,
                         Index first, MatrixView out);

// scores and errors: lambdas x outputs, NaN where there is no value; errors without data: not wanted. Answers with the
// reason for the first NaN, empty when there is none.
std::string group_scores(const Factorization& factorization, const Groups& groups, Span<const double> lambdas,
                         Index first, MatrixView scores, MatrixView errors);

}  // namespace freeridge
