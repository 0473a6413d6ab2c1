// Which route, how much memory, and why.
#pragma once

#include <string>

#include "libcore/factor/routes.hpp"

namespace freeridge {

struct Request {
  Index n, d, t;
  bool linear;
  Route route;             // automatic: the plan chooses
  Index expected_lambdas;  // how many will be looked at
  Index landmarks;         // how many; 0: none
  Reduction reduction;
  bool chooses_landmarks;  // by pivoted Cholesky
  bool precomputed;        // the kernel
};

struct Plan {
  Route route;
  Index bytes;  // at most allocated by the factorization and one lambda with LOO, beside the data
};

// Throws INVALID_ARGUMENT for PRIMAL with a kernel that is not linear and for landmarks with a route that has none,
// INVALID_STATE for LANDMARK without landmarks.
Plan make_plan(const Request& request);

const char* route_name(Route route);

// Throws OUT_OF_MEMORY with the bytes and a way out when the plan cannot fit into the machine's memory, and
// INVALID_ARGUMENT when its route cannot take so many points.
void require_possible(const Request& request, const Plan& plan);

FactorizationPtr factorize(Route route, ProblemPtr problem, const Landmarks& landmarks, Reduction reduction,
                           const Progress& progress);

}  // namespace freeridge
