// Linear kernels with as many features as points, in any units: what AUTO answers has the digits that X allows, whatever
// the condition of X X'. Against the augmented system in quadruple precision, which squares nothing,
//     [W^-1 X 1; X' -lambda I 0; 1' 0 0] [r; w; b] = [Y; 0; 0],   N the n x n block of the inverse for r:
//     e_i = r_i / N_ii,   df = n - sum_i N_ii / w_i
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/problems.hpp"
#include "support/quad.hpp"

namespace wide_test {

using namespace support;

// The largest number of a column: its units.
double column_size(const Matrix& x, std::int64_t k) {
  double largest = 0;
  for (std::int64_t i = 0; i < x.rows; ++i) largest = std::max(largest, std::abs(x(i, k)));
  return largest;
}

struct WideAnswers {
  Matrix loo, w;
  double df = 0;
};

WideAnswers exact(const oracle::Problem& problem, double lambda) {
  const std::int64_t n = problem.x.rows, d = problem.x.cols, size = n + d + (problem.intercept ? 1 : 0);
  QuadMatrix a(size, size), right(size, n + 1), loo(n, 1), w(d, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    a(i, i) = 1 / Quad(problem.weight(i));
    for (std::int64_t k = 0; k < d; ++k) a(i, n + k) = a(n + k, i) = problem.x(i, k) / column_size(problem.x, k);
    if (problem.intercept) a(i, n + d) = a(n + d, i) = 1;
    right(i, i) = 1;
    right(i, n) = problem.y(i, 0);
  }
  for (std::int64_t k = 0; k < d; ++k) {
    const Quad units = column_size(problem.x, k);
    a(n + k, n + k) = -Quad(lambda) / units / units;
  }
  const QuadMatrix z = solve(a, right);
  Quad df = n;
  for (std::int64_t i = 0; i < n; ++i) {
    loo(i, 0) = z(i, n) / z(i, i);
    df -= z(i, i) / problem.weight(i);
  }
  for (std::int64_t k = 0; k < d; ++k) w(k, 0) = z(n + k, n) / column_size(problem.x, k);
  return {to_double(loo), to_double(w), static_cast<double>(df)};
}

// Each weight in the units of its column: what it adds to the predictions.
Matrix in_units(Matrix w, const Matrix& x) {
  for (std::int64_t k = 0; k < w.rows; ++k) w(k, 0) *= column_size(x, k);
  return w;
}

void expect_exact(const oracle::Problem& problem, double lambda, double tolerance,
                  freeridge_route route = FREERIDGE_ROUTE_AUTO) {
  const WideAnswers expected = exact(problem, lambda);
  Model model = oracle::make_model(problem, route);
  model.factorize().lambda(lambda);
  EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_PRIMAL);
  EXPECT_CLOSE(model.loo(), expected.loo, tolerance);
  EXPECT_CLOSE(model.hyperplane(), expected.w, tolerance);
  EXPECT_NEAR(model.degrees_of_freedom()[0], expected.df, tolerance * expected.df);
  // w is within rounding of its norm; refined, each of it is within rounding of its own units.
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 3), "freeridge_set_parameter");
  model.lambda(lambda);
  EXPECT_CLOSE(in_units(model.hyperplane(), problem.x), in_units(expected.w, problem.x), tolerance);
}

TEST(Wide, OneColumnInOtherUnits) {
  Random random(501);
  for (const double units : {1e-8, 1.0, 1e6, 1e8, 1e12})
    for (const bool intercept : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "units " << units << ", intercept " << intercept);
      oracle::Problem problem = random_problem(random, oracle::KernelSpec::linear(), 10, 12, 1, false, intercept);
      for (std::int64_t i = 0; i < 10; ++i) problem.x(i, 0) *= units;
      expect_exact(problem, 1, 1e-12);
    }
}

// Twelve decades, d = m, a few more, and many; with weights and kernels that scale the columns or add them up.
TEST(Wide, UnitsOverTwelveDecades) {
  Random random(502);
  for (const std::int64_t d : {14, 15, 18, 60})
    for (const bool weighted : {false, true})
      for (const double lambda : {1e-8, 1e-3, 1.0, 1e4, 1e9}) {
        SCOPED_TRACE(::testing::Message() << "d = " << d << ", weighted " << weighted << ", lambda " << lambda);
        oracle::Problem problem = random_problem(random, oracle::KernelSpec::linear(), 15, d, 1, weighted, d != 15);
        for (std::int64_t k = 0; k < d; ++k) {
          const double units = std::pow(10.0, random.uniform(-6, 6));
          for (std::int64_t i = 0; i < 15; ++i) problem.x(i, k) *= units;
        }
        expect_exact(problem, lambda, 1e-11);
      }
}

}  // namespace wide_test
