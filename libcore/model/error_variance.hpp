// The variance of the errors, sigma2 = sum_i W_ii r_i^2 / (n - df) = rho |P~Y~|^2 / tr(P~) (diagnostics.cpp). With
// `absent` rows more (problem.hpp) n - df = rho tr(P~) + absent. Weights that are made from the errors themselves, as
// Huber's, leave a share of the squares of normal errors (Model::kept_share), by which sigma2 and tau^2 are divided.
#pragma once

#include <string>

#include "libcore/base/constants.hpp"
#include "libcore/factor/factorization.hpp"

namespace freeridge {

// From |P~Y~|^2 and tr(P~); NaN when n - df is not positive.
inline double error_variance(const ResidualMaker& residual_maker, double squared_norm, double trace, Index absent = 0) {
  const double rho = residual_maker.shrinkage();
  if (!(rho > 0)) return nan;
  if (absent != 0) trace += static_cast<double>(absent) / rho;
  return trace > 0 ? squared_norm / trace * rho : nan;
}

inline std::string no_error_variance(Index output) {
  return text("sigma2 of output ", output, " is undefined: no degrees of freedom are left for the errors");
}

}  // namespace freeridge
