// The objective that a fit minimises, and its two parts, at many lambdas (notation of factorization.hpp;
// r = Y - fitted):
//     J         = sum_i W_ii r_i^2 + lambda |f|_K^2
//     training  = sum_i W_ii r_i^2 / sum_i W_ii = |rho P~Y~|^2 / sum(w),   the training error
//     |f|_K^2   = c'K c,   the penalty: the squared norm of f in the space of the kernel; |w|^2 for linear kernels
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {

// The numbers of one output at one lambda.
struct Objective {
  double training, norm2, value;
};

// The objective from rho, |P~Y~|^2 and |f|_K^2.
inline Objective objective_at(double rho, double squared_norm, double norm2, double lambda, double sum_w) {
  const double residual = rho * squared_norm * rho;
  return {residual / sum_w, norm2, residual + (norm2 > 0 ? lambda * norm2 : 0)};
}

// The places of the answers, lambdas x outputs each; a view without data: not wanted.
struct ObjectiveViews {
  MatrixView training, norm2, value;
};

// Tables of lambdas x outputs, NaN where a number has no value.
class ObjectiveTables {
 public:
  ObjectiveTables(Span<const double> lambdas, Index outputs)
      : lambdas_(lambdas),
        training_(std::ssize(lambdas), outputs, nan),
        norm2_(std::ssize(lambdas), outputs, nan),
        value_(std::ssize(lambdas), outputs, nan) {}

  // Sets the numbers at lambdas[l].
  void set(Index l, Index output, const Objective& objective);
  // Records that there is no objective at lambdas[l], with the cause.
  void undefined(Index l, const std::string& cause);
  // Copies the tables into the views. Answers with the reason for the first NaN, empty when there is none.
  std::string give(const ObjectiveViews& out);

 private:
  Span<const double> lambdas_;
  Matrix training_, norm2_, value_;
  std::string reason_;
};

// The tables at `lambdas` for all outputs. each(lambda, set, undefined) calls set(fit, output, sum_w) for each output
// that has an objective, where `fit` has shrinkage(), squared_norm(output) and function_norm2(output) at this lambda,
// or undefined(cause) where there is none.
template <class Each>
ObjectiveTables objectives(Span<const double> lambdas, Index outputs, const Each& each) {
  ObjectiveTables tables(lambdas, outputs);
  Stage stage(0, 0);
  for (Index l = 0; l < std::ssize(lambdas); ++l) {
    const double lambda = lambdas[l];
    stage.next(fraction(l + 1, std::ssize(lambdas)));
    each(
        lambda,
        [&](const auto& fit, Index j, double sum_w) {
          tables.set(l, j, objective_at(fit.shrinkage(), fit.squared_norm(j), fit.function_norm2(j), lambda, sum_w));
        },
        [&](const std::string& cause) { tables.undefined(l, cause); });
    report(1);
  }
  return tables;
}

}  // namespace freeridge
