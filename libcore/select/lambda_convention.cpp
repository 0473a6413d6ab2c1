#include "libcore/select/lambda_convention.hpp"

#include <cmath>

namespace freeridge {
namespace {

bool divides_by_n(Convention c) {
  return c == Convention::mean || c == Convention::glmnet || c == Convention::gurls;
}

}  // namespace

double convert_lambda(Convention from, Convention to, Index n, double sd_y, double lambda) {
  const bool uses_sd = from == Convention::glmnet || to == Convention::glmnet;
  if (!std::isfinite(sd_y)) fail(Status::not_finite, "sd_y is ", sd_y, "; it must be finite");
  if (!std::isfinite(lambda)) fail(Status::not_finite, "lambda is ", lambda, "; it must be finite");
  if (uses_sd && sd_y <= 0) fail(Status::invalid_argument, "sd_y is ", sd_y, "; it must be positive for GLMNET");
  if (lambda < 0) fail(Status::invalid_argument, "lambda is ", lambda, "; it must not be negative");

  // What both have in common cancels first: the way there and back is exact but for one rounding each.
  double multiply = 1, divide = 1;
  if (divides_by_n(from) && !divides_by_n(to)) multiply = static_cast<double>(n);
  if (!divides_by_n(from) && divides_by_n(to)) divide = static_cast<double>(n);
  if (from != to && from == Convention::glmnet) divide *= sd_y;
  if (from != to && to == Convention::glmnet) multiply *= sd_y;
  // In this order nothing overflows or vanishes on the way that would not in the end.
  const double out = lambda > 1 ? lambda / divide * multiply : lambda * multiply / divide;
  if (!std::isfinite(out))
    fail(Status::not_finite, "the converted lambda overflows: ", lambda, " * ", multiply, " / ", divide);
  return out;
}

}  // namespace freeridge
