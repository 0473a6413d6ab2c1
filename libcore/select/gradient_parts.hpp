// Parts that the gradients of all criteria have in common. The criterion is one number for all outputs (combined_score,
// bandwidth.hpp):
//     J = sum_j alpha_j J_j,    alpha_j = 1 / weighted variance of output j;  1 for REML, and for a single output
//     GROUPS  J_j = sum_g beta_g |e~_g|^2,  e~ = W^(1/2) e,
//             beta_g = 1 / (the weights that the group's division leaves out times the number of divisions)
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

// alpha
Array<double> output_shares(const Problem& problem, Criterion criterion);
// beta, in the order of groups.all()
Array<double> group_shares(const Problem& problem, const Groups& groups);
// J at lambda, by `scores`. Throws UNDEFINED where it has no value.
double combined_score(const Factorization& factorization, Criterion criterion, const Groups* groups, double lambda);
// P~ at lambda; throws UNDEFINED where there is none.
std::unique_ptr<ResidualMaker> residual_maker_at(const Factorization& factorization, double lambda);

[[noreturn]] void fail_no_value(const std::string& reason);

}  // namespace freeridge
