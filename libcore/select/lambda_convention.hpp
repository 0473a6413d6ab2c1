// lambda in the conventions of other systems. With V the loss terms of this library (1/2 (y - f)^2, the logistic loss,
// the hinge loss), lambda_total is that of sum V + lambda_total/2 ||f||^2, and
//     lambda_total = 2^h n^a L^p / sd_y^b     for the L of                                             h   a   p   b
//   TOTAL, SKLEARN, LM_RIDGE, KRLS   sum V + L/2 ||f||^2                                               0   0   1   0
//   MEAN, GURLS                      1/n sum V + L/2 ||f||^2                                           0   1   1   0
//   TIKHONOV_SQUARED                 1/n sum (y - f)^2 + L ||f||^2, both terms of MEAN times two       0   1   1   0
//   TIKHONOV_HALF, _LOGISTIC, _HINGE 1/n sum V + L ||f||^2                                             1   1   1   0
//   COST                             L sum V + 1/2 ||f||^2                                             0   0  -1   0
//   COST_MEAN                        L/n sum V + 1/2 ||f||^2                                           0   1  -1   0
//   COST_MEAN_NORM                   L/n sum V + ||f||^2                                               1   1  -1   0
//   GLMNET                           as MEAN, but y, with L, is divided by its sd_y (with 1/n)         0   1   1   1
#pragma once

#include <cstdint>

#include "libcore/base/matrix.hpp"

namespace freeridge {

enum class Convention : std::int32_t {
  total = 1,
  mean = 2,
  glmnet = 3,
  sklearn = 4,
  lm_ridge = 5,
  krls = 6,
  gurls = 7,
  tikhonov_squared = 8,
  tikhonov_half = 9,
  tikhonov_logistic = 10,
  tikhonov_hinge = 11,
  cost = 12,
  cost_mean = 13,
  cost_mean_norm = 14
};

// lambda >= 0 of `from`, in `to`; positive where one of the two is a COST, whose L is infinite at lambda_total = 0.
// sd_y must be finite, and positive where GLMNET is one of the two. Throws NOT_FINITE when the result overflows.
double convert_lambda(Convention from, Convention to, Index n, double sd_y, double lambda);

}  // namespace freeridge
