// What a route costs: bytes beside the data, and work, counted in flops at the rate of a matrix product.
//   CHOLESKY   n^3/3 a lambda, 2/3 n^3 with rows left out                            n^2
//   SPECTRAL   9 n^3, half of it at the speed of memory; 4 n^2 a lambda              2.1 n^2
//              (weights over many decades: some 300 n r^2, r the rank that the kernel can have)
//   BAND       4/3 n^3, 8/3 n^3 with rows left out; 2 n^2 (b + 2) a lambda           n^2
//   PRIMAL     2 n d^2 (n d^2 by the Gram matrix), 2 n d^2 a pass; 4 n d a lambda    d^2 (n d for small x)
//     sparse   8/3 d^3; 2 n d (b + 2) a lambda for a few of them, b = 16           d^2
//   LANDMARK   2 n r^2, 2 n r^2 a pass; 4 n r a lambda                               6 r^2
//   ITERATIVE  5 n r^2, r^2 = 32 n; some 30 passes of n^2 / 2 kernel values a lambda   n r
//     sparse   some 10 to 500 steps a lambda, of the entries for each column      3/2 entries + (n + 13 d) (t + 8)
// and n^2 / 2 (LANDMARK: 2 n r) kernel values. The speed of each part beside the matrix product, and the cost of
// LAPACK's calls on small matrices, were measured once (bench/). They differ between machines, but by less than the
// routes do. On a device SPECTRAL takes n^2 of the host's memory and CHOLESKY a few columns of n numbers; there n^2 and
// what its eigenvectors need, and 2 n^2. Work is counted at the rate of a matrix product there.
#pragma once

#include "libcore/routes/routes.hpp"

namespace freeridge {

struct Request {
  Index n, d, t;
  bool linear;
  Index rank_bound;        // of the kernel matrix
  Route route;             // automatic: the plan chooses
  Index expected_lambdas;  // how many lambdas will be tried
  bool leaves_out;         // whether the criterion leaves rows out
  bool by_gcv = false;     // whether it is GCV
  Index landmarks;         // how many; 0: none
  Reduction reduction;
  bool chooses_landmarks;      // by pivoted Cholesky
  bool precomputed;            // whether x is K
  bool wide_weights = false;   // whether weights span many decades (problem.hpp)
  Index memory_limit = 0;      // bytes that the user allows; 0: what the machine has
  bool sparse = false;         // whether x is sparse
  Index entries = 0;           // of a sparse x
  Index fixed = 0;             // fixed effects
  EnginePtr engine = nullptr;  // the device that the route runs on; NULL: the CPU
  Index device_columns = 0;    // of the points there
};

// BAND's fastest bandwidth for the expected lambdas.
Index bandwidth_for(const Request& request);

// The most bytes that the factorization and one lambda with its LOO allocate; saturates instead of overflowing.
Index required_bytes(Route route, const Request& request);

// The most bytes of the device that the factorization and one lambda with its LOO take; 0 without a device. Asks the
// device for its workspaces.
Index device_bytes(Route route, const Request& request);

// The most bytes beside the factorization for a lambda with its LOO, or for a criterion at `lambdas` lambdas; for
// CHOLESKY another n^2 when `beside_another` lambda is in force.
Index lambda_bytes(Route route, const Request& request, bool beside_another, Index lambdas);
// The most bytes in addition for leaving out groups of at most `rows` rows, at `lambdas` lambdas.
Index group_bytes(Route route, const Request& request, Index rows, Index lambdas);
// The most bytes for estimates with so many probes at `lambdas` lambdas on the ITERATIVE route.
Index estimate_bytes(const Request& request, Index probes, Index lambdas);
// The most bytes that landmark_trace (routes.hpp) allocates.
Index trace_bytes(const Request& request);

// For all expected lambdas together.
double required_work(Route route, const Request& request);

// "PRIMAL"
const char* route_name(Route route);

}  // namespace freeridge
