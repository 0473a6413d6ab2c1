// The leave-one-out error from the augmented system of Rifkin and Lippert, section 3.2. Write G = K + lambda I. Leaving
// point i out equals replacing Y_i by the left-out prediction f, which the new fit then meets exactly there:
//     G c = Y - e_i (Y_i - f),     f = e_i' K c.
// With v = Y_i - f, the leave-one-out error, both are one linear system of n + 1 unknowns:
//     [ G       e_i ] [c]   [ Y   ]
//     [ e_i' K   1  ] [v] = [ Y_i ]
// Its row i less its last row says lambda c_i = 0: the point left out carries no coefficient.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/problems.hpp"

namespace augmented_system_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

Matrix loo_by_augmented_systems(const Problem& problem, double lambda) {
  const std::int64_t n = problem.x.rows, t = problem.y.cols;
  const Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  Matrix errors(n, t);
  for (std::int64_t left_out = 0; left_out < n; ++left_out) {
    Dense a(n + 1, n + 1), rhs(n + 1, t);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) a(i, j) = k(i, j) + (i == j ? static_cast<Real>(lambda) : 0);
      a(n, j) = k(left_out, j);
    }
    a(left_out, n) = a(n, n) = 1;
    for (std::int64_t j = 0; j < t; ++j) {
      for (std::int64_t i = 0; i < n; ++i) rhs(i, j) = problem.y(i, j);
      rhs(n, j) = problem.y(left_out, j);
    }
    const Dense solution = solve(a, rhs);
    for (std::int64_t j = 0; j < t; ++j) errors(left_out, j) = static_cast<double>(solution(n, j));
  }
  return errors;
}

TEST(AugmentedSystem, GivesTheSameLeaveOneOutErrors) {
  Random random(32);
  for (const Family family : {Family::linear, Family::polynomial, Family::gaussian})
    for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL}) {
      if (route == FREERIDGE_ROUTE_PRIMAL && family != Family::linear) continue;
      SCOPED_TRACE(::testing::Message() << family_name(family) << " " << route_name(route));
      const Problem problem = random_problem(random, kernel_of(family, 4), 18, 4, 2, false, false);
      Model model = oracle::make_model(problem, route);
      model.factorize();
      for (const double lambda : {1e-3, 1.0, 1e3}) {
        SCOPED_TRACE(lambda);
        EXPECT_CLOSE(model.lambda(lambda).loo(), loo_by_augmented_systems(problem, lambda), 1e-9);
      }
    }
}

}  // namespace augmented_system_test
