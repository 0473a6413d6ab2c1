// Criteria of outputs that are not observed in some rows (factor/observed_rows.hpp). The sums, degrees and weights of
// an output are taken over the rows in which it is observed. At each lambda P~ of all rows is made once for all parts.
// LOO and its standard error, from the errors e_i of the n rows in which the output is observed:
//     LOO = sum v_i e_i^2,   se^2 = sum v_i (e_i^2 - LOO)^2 / (n - 1),   v_i = W_ii / sum W_ii
#pragma once

#include "libcore/select/criteria.hpp"

namespace freeridge {

// scores (criteria.hpp) of a problem with missing outputs: LOO, GCV, REML, GROUPS.
std::string observed_scores(const Factorization& factorization, Criterion criterion, const Groups* groups,
                            Span<const double> lambdas, Index first, MatrixView out, MatrixView errors);

}  // namespace freeridge
