// What a route costs: bytes beside the data, and work, counted in flops at the rate of a matrix product.
//   CHOLESKY   n^3/3 a lambda, 2/3 n^3 with rows left out                            n^2
//   SPECTRAL   9 n^3, half of it at the speed of memory; 4 n^2 a lambda              2.1 n^2
//              (weights over many decades: some 300 n r^2, r the rank that the kernel can have)
//   BAND       4/3 n^3, 8/3 n^3 with rows left out; 2 n^2 (b + 2) a lambda           n^2
//   PRIMAL     2 n d^2 (n d^2 by the Gram matrix), 2 n d^2 a pass; 4 n d a lambda    d^2 (n d for small x)
//     sparse   8/3 d^3; 2 n d (b + 2) a lambda for a few of them, b = 16           d^2
//   LANDMARK   2 n r^2, 2 n r^2 a pass; 4 n r a lambda                               6 r^2
// and n^2 / 2 (LANDMARK: 2 n r) kernel values. How much below the matrix product each part runs, and what calls of
// LAPACK cost on small matrices, was measured once (bench/): the same on machines that differ tenfold, to a factor that
// does not matter beside the factors between the routes.
#pragma once

#include <string>

#include "libcore/routes/routes.hpp"

namespace freeridge {

struct Request {
  Index n, d, t;
  bool linear;
  Index rank_bound;        // of the kernel matrix
  Route route;             // automatic: the plan chooses
  Index expected_lambdas;  // how many will be looked at
  bool leaves_out;         // by a criterion that leaves rows out
  Index landmarks;         // how many; 0: none
  Reduction reduction;
  bool chooses_landmarks;     // by pivoted Cholesky
  bool precomputed;           // the kernel
  bool wide_weights = false;  // over many decades (problem.hpp)
  Index memory_limit = 0;     // bytes that were allowed; 0: what the machine has
  bool sparse = false;        // x
  Index entries = 0;          // of a sparse x
};

// The bandwidth that is fastest for so many lambdas.
Index bandwidth_for(const Request& request);

// At most allocated by the factorization and one lambda with its LOO; saturates instead of overflowing.
Index required_bytes(Route route, const Request& request);

// At most allocated beside the factorization by a lambda with its LOO, or by a criterion at so many lambdas; for
// CHOLESKY another n^2 when `beside_another` lambda is in force.
Index lambda_bytes(Route route, const Request& request, bool beside_another, Index lambdas);
// At most allocated in addition by leaving out groups of at most so many rows, at so many lambdas.
Index group_bytes(Route route, const Request& request, Index rows, Index lambdas);
// At most allocated by landmark_trace (routes.hpp).
Index trace_bytes(const Request& request);

// For all expected lambdas together.
double required_work(Route route, const Request& request);

// "PRIMAL"
const char* route_name(Route route);

}  // namespace freeridge
