// Which route, how much memory, and why.
#pragma once

#include <string>

#include "libcore/factor/factorization.hpp"

namespace freeridge {

struct Request {
  Index n, d, t;
  bool linear;
  Route route;             // automatic: the plan chooses
  Index expected_lambdas;  // how many will be looked at
};

struct Plan {
  Route route;
  Index bytes;         // at most allocated by the factorization and one lambda with LOO, beside the data
  std::string advice;  // what to do when that is too much
};

// Throws INVALID_ARGUMENT for PRIMAL with a kernel that is not linear.
Plan make_plan(const Request& request);

const char* route_name(Route route);

FactorizationPtr factorize(Route route, ProblemPtr problem, const Progress& progress);

}  // namespace freeridge
