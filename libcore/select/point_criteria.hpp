// The criteria that are means over the points left out one at a time, v_i = W_ii / sum W:
//   LOO         sum_i v_i q_i,  q_i = e_i^2
//   ERROR_RATE  sum_i v_i q_i,  q_i = 1 where the left-out value f_i = Y_i - e_i classifies point i wrongly, else 0:
//               one output:  Y_i f_i <= 0;   t outputs:  another output's f_i is not below that of the class of point i
//   LOG_LOSS    log_loss.hpp, of each output
// and their standard errors   se^2 = sum_i v_i (q_i - mean)^2 / (n - 1).
// The sums are made tile by tile during a sweep; nothing of size n x lambdas is kept, but for LOG_LOSS, which
// needs all f_i at once, and sweeps over a few lambdas at a time.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

// scores and errors: lambdas x outputs, NaN where there is no value; errors without data: not wanted. Each answers with
// the reason for the first NaN, empty when there is none.
std::string loo_scores(const Factorization& factorization, Span<const double> lambdas, Index first, MatrixView scores,
                       MatrixView errors);
// All t outputs together have one error rate, which stands in each column. Y must have passed require_classes.
std::string error_rates(const Factorization& factorization, Span<const double> lambdas, MatrixView scores,
                        MatrixView errors);
std::string log_losses(const Factorization& factorization, Span<const double> lambdas, Index first, MatrixView scores,
                       MatrixView errors);

// Y is -1 or +1 where it is observed; else INVALID_ARGUMENT with the place.
void require_labels(Criterion criterion, const LayoutView& y, const MissingOutputs* missing);
// Y is -1 or +1, with one +1 in each row when there are several outputs; else INVALID_ARGUMENT with the row.
void require_classes(const LayoutView& y);

}  // namespace freeridge
