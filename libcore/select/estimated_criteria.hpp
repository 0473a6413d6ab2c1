// LOO and GCV on routes that estimate the diagonal of P~ (spectrum/estimating.hpp). Each has the standard error of the
// estimate, beside the standard error of the mean over points:
//     LOO   sum_i v_i q_i,  v_i = W_ii / sum(W),  q_i = (c_i / (b_i sqrt(W_ii)))^2,  c = P~Y~,  b_i the guess of P~_ii
//           error of the estimate     from the probes (estimated_residual_diagonal.hpp)
//           error of the mean         (sum_i v_i (q_i - mean)^2 / (n - 1))^(1/2)
// Other criteria need single rows of P~ or its determinant, and are refused.
#pragma once

#include <string>

#include "libcore/factor/factorization.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

constexpr Index most_probes = 10000;

// scores, errors (of the mean) and uncertainty (the error of the estimate): lambdas x outputs each, NaN where there is
// none; the last two without data: not wanted. probes 0: usual_probes. Answers with the reason for the first NaN, empty
// when there is none.
std::string estimated_scores(const Factorization& factorization, Criterion criterion, Span<const double> lambdas,
                             Index first, MatrixView scores, MatrixView errors, MatrixView uncertainty = {},
                             Index probes = 0);

}  // namespace freeridge
