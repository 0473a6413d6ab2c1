// lambda in the conventions of other systems: lambda_total = L n^a / sd_y^b for the L of
//   TOTAL, SKLEARN, LM_RIDGE, KRLS   a = 0, b = 0
//   MEAN, GURLS                      a = 1, b = 0        their loss is divided by n
//   GLMNET                           a = 1, b = 1        and y, with lambda, by its standard deviation sd_y (with 1/n)
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
  gurls = 7
};

// lambda >= 0 of `from`, in `to`; sd_y must be finite, and positive where GLMNET is one of the two. Throws NOT_FINITE
// when the result overflows.
double convert_lambda(Convention from, Convention to, Index n, double sd_y, double lambda);

}  // namespace freeridge
