#include "libcore/select/lambda_convention.hpp"

#include <cmath>

namespace freeridge {
namespace {

struct Form {
  int twos, points, power, deviations;  // h, a, p, b of the header
};

Form form_of(Convention c) {
  switch (c) {
    case Convention::mean:
    case Convention::gurls:
    case Convention::tikhonov_squared:
      return {0, 1, 1, 0};
    case Convention::glmnet:
      return {0, 1, 1, 1};
    case Convention::tikhonov_half:
    case Convention::tikhonov_logistic:
    case Convention::tikhonov_hinge:
      return {1, 1, 1, 0};
    case Convention::cost:
      return {0, 0, -1, 0};
    case Convention::cost_mean:
      return {0, 1, -1, 0};
    case Convention::cost_mean_norm:
      return {1, 1, -1, 0};
    default:  // total, sklearn, lm_ridge, krls
      return {0, 0, 1, 0};
  }
}

}  // namespace

double convert_lambda(Convention from, Convention to, Index n, double sd_y, double lambda) {
  const Form source = form_of(from), target = form_of(to);
  if (!std::isfinite(sd_y)) fail(Status::not_finite, "sd_y is ", sd_y, "; it must be finite");
  if (!std::isfinite(lambda)) fail(Status::not_finite, "lambda is ", lambda, "; it must be finite");
  if ((source.deviations != 0 || target.deviations != 0) && sd_y <= 0)
    fail(Status::invalid_argument, "sd_y is ", sd_y, "; it must be positive for GLMNET");
  if (lambda < 0) fail(Status::invalid_argument, "lambda is ", lambda, "; it must not be negative");
  if ((source.power < 0 || target.power < 0) && lambda == 0)
    fail(Status::invalid_argument,
         "lambda is 0; it must be positive for COST, which is a multiple of 1 / lambda_total");

  // L_to = (2^h n^a / sd_y^b)^p' L^(p p'), where h, a and b are the differences between the two conventions. Common
  // factors cancel first: a conversion there and back has one rounding error each way.
  const auto factor = [&](int exponent, double base, double& multiply, double& divide) {
    if (exponent * target.power > 0) multiply *= base;
    if (exponent * target.power < 0) divide *= base;
  };
  double multiply = 1, divide = 1;
  factor(source.twos - target.twos, 2, multiply, divide);
  factor(source.points - target.points, static_cast<double>(n), multiply, divide);
  factor(target.deviations - source.deviations, sd_y, multiply, divide);
  double out = 0;
  if (source.power == target.power)  // in this order nothing overflows or vanishes on the way that would not in the end
    out = lambda > 1 ? lambda / divide * multiply : lambda * multiply / divide;
  else
    out = lambda > 1 ? multiply / lambda / divide : multiply / divide / lambda;
  if (!std::isfinite(out))
    fail(Status::not_finite, "the converted lambda overflows: ", lambda, source.power == target.power ? "" : "^-1",
         " * ", multiply, " / ", divide);
  return out;
}

}  // namespace freeridge
