// Routes that can multiply with P~ but do not know its diagonal estimate it with probes, whose columns share the passes of
// the solutions (estimated_residual_diagonal.hpp). Such a route is a Factorization and Estimating.
#pragma once

#include <string>

#include "libcore/spectrum/estimated_residual_diagonal.hpp"

namespace freeridge {

// Takes what is known at each of some lambdas, once each, in any order.
class EstimateSink {
 public:
  virtual ~EstimateSink() = default;
  // residual: P~Y~ of the outputs that were asked for. What is handed over lives as long as the call.
  virtual void at(Index lambda, ConstMatrixView residual, const DiagonalEvidence& evidence) = 0;
  // There is no solution at this lambda, and why.
  virtual void undefined(Index lambda, const std::string& reason) = 0;
};

class Estimating {
 public:
  virtual ~Estimating() = default;
  // So many lambdas share so much work that a search tries them together.
  virtual Index lambdas_together() const { return 4; }
  // The outputs [first, first + outputs) and so many probes, the same for every lambda and every call.
  virtual void estimate(Span<const double> lambdas, Index first, Index outputs, Index probes,
                        EstimateSink& sink) const = 0;
};

}  // namespace freeridge
