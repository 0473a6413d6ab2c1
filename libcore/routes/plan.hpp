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

// AUTO: LANDMARK with landmarks, PRIMAL for linear kernels with d < n or where it fits into memory, else the dual route
// with the least work of those that fit. ITERATIVE for linear kernels with sparse x alone, where those do not fit or take far longer. Throws INVALID_ARGUMENT for PRIMAL with a kernel that is not
// linear, for ITERATIVE with one that is, and for landmarks with a route that has none, INVALID_STATE for LANDMARK without landmarks.
Plan make_plan(const Request& request);
// Throws OUT_OF_MEMORY, with the bytes and advice, when the plan does not fit into memory; INVALID_ARGUMENT when the
// route cannot take so many points.
void require_possible(const Request& request, const Plan& plan);
// The plan, and what the other routes would cost, as a table; takes some milliseconds to measure a matrix product.
std::string explain(const Request& request, const std::string& kernel);

// accuracy: of the solutions of ITERATIVE.
FactorizationPtr factorize(const Plan& plan, ProblemPtr problem, const Landmarks& landmarks, Reduction reduction,
                           double accuracy);

}  // namespace freeridge
