// Which route, how much memory, and why.
#pragma once

#include <string>

#include "libcore/routes/cost.hpp"

namespace freeridge {

struct Plan {
  Route route;
  Index bytes;       // required_bytes
  Index bandwidth;   // BAND's
  bool forms_basis;  // at once: BAND
  std::string reason;
};

// The route that was asked for, or for AUTO
//     LANDMARK    with landmarks
//     ITERATIVE   for linear kernels with sparse x, where the routes below do not fit into memory or take far longer:
//                 minutes; seconds where one lambda is expected, and GCV as criterion
//     PRIMAL      for linear kernels with d < n, or where it fits into memory
//     else the dual route with the least work of those that fit
// Throws INVALID_ARGUMENT for PRIMAL with a kernel that is not linear, for ITERATIVE with one that is linear unless x
// is sparse, for landmarks with a route that takes none, and on a device for all routes but SPECTRAL and CHOLESKY;
// INVALID_STATE for LANDMARK without landmarks.
Plan make_plan(const Request& request);
// Throws OUT_OF_MEMORY, with the bytes and advice, when the plan does not fit into memory.
void require_possible(const Request& request, const Plan& plan);
// The plan and what the other routes would cost, as a table. Measures a matrix product, which takes some milliseconds.
std::string explain(const Request& request, const std::string& kernel);

// accuracy: of the solutions of ITERATIVE. engine: that of the request.
FactorizationPtr factorize(const Plan& plan, ProblemPtr problem, const Landmarks& landmarks, Reduction reduction,
                           double accuracy, const EnginePtr& engine);

}  // namespace freeridge
