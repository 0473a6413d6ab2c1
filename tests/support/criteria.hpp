// The criteria by their definitions, with explicit matrices, hat matrices and refits in long double.
#pragma once

#include "support/oracle.hpp"

namespace oracle {

// sum W e^2 / sum W over the rows whose error is a number.
Real mean_square(const Problem& problem, const Matrix& errors, std::int64_t output);

Real gcv(const Problem& problem, double lambda, std::int64_t output);

// 1/2 (m log(2 pi s2) + Y'PY/s2 + log|M| + log(1'M^-1 1)), s2 = Y'PY/m, or sigma2/lambda where that is known, P = M^-1 - M^-1 1 1'M^-1 / (1'M^-1 1).
Real reml(const Problem& problem, double lambda, std::int64_t output);

// The weighted fraction of points that a fit without them classifies wrongly; *margin: how near the nearest one comes
// to a tie.
Real error_rate(const Problem& problem, double lambda, Real* margin = nullptr);

// The log loss of left-out values by the slope and offset at which it is least, found by bisection; *error: its standard
// error.
Real log_loss(const Problem& problem, double lambda, std::int64_t output, Real* error = nullptr);

// Any of them; group: for GROUPS.
Real score(const Problem& problem, freeridge_criterion criterion, const Labels& group, double lambda,
           std::int64_t output);

// Of the weighted mean of the terms: sqrt(sum w (q - mean)^2 / (sum w (G - 1))).
Real standard_error(const std::vector<Real>& weights, const std::vector<Real>& terms);

}  // namespace oracle
