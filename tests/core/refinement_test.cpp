// Iterative refinement: w, b and c are then those of the problem as it stands, to their last bits. The condition is
// such that long double knows these.
#include <gtest/gtest.h>

#include <limits>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace refinement_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double last_bits = 4 * std::numeric_limits<double>::epsilon();
const Vector lambda_values = {0.5, 20.0};  // one an output

Model& refined(Model& model, std::int32_t steps) {
  check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, steps), "freeridge_set_parameter");
  return model;
}

TEST(Refinement, OfAHyperplane) {
  Random random(400);
  const KernelSpec kernel = KernelSpec::linear().with_columns({0.3, 4.0, 1.0});
  for (const bool weighted : {false, true})
    for (const bool intercept : {false, true})
      for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
        SCOPED_TRACE(::testing::Message() << weighted << intercept << layout);
        const Problem problem = random_problem(random, kernel, 60, 3, 2, weighted, intercept);
        Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL, layout, 2);
        refined(model, 10).factorize().lambdas(lambda_values);
        const auto plane = [&](double lambda) { return oracle::hyperplane(problem, oracle::fit(problem, lambda)); };
        const auto b = [&](double lambda) { return to_double(oracle::fit(problem, lambda).b); };
        EXPECT_CLOSE(model.hyperplane(), oracle::per_output(lambda_values, plane), last_bits);
        EXPECT_CLOSE(model.intercepts(), oracle::per_output(lambda_values, b).values, last_bits);
      }
}

// A precomputed K, which is known exactly; most of its eigenvalues are rounding, and some of these are negative. Of 270
// points, more than a tile has, long double knows c to n eps times the condition, 540.
TEST(Refinement, OfAnExpansion) {
  Random random(401);
  for (const std::int64_t n : {60, 270})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        const double tolerance = n == 60 ? last_bits : 8e-15;
        const Problem problem = random_problem(random, KernelSpec::gaussian(1.5), n, 2, 2, weighted, intercept);
        const Matrix k = to_double(oracle::kernel_matrix(problem.kernel, problem.x, problem.x));
        const std::vector<char> all(static_cast<std::size_t>(n), 1);
        const auto fit = [&](double lambda) {
          return oracle::fit_with(problem, to_real(k), to_real(problem.y), all, static_cast<Real>(lambda));
        };
        const Matrix c = oracle::per_output(lambda_values, [&](double lambda) { return to_double(fit(lambda).c); });
        const Matrix b = oracle::per_output(lambda_values, [&](double lambda) { return to_double(fit(lambda).b); });
        for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND}) {
          SCOPED_TRACE(::testing::Message() << route_name(route) << n << weighted << intercept);
          Model model(Kernel::precomputed());
          model.data(k, problem.y).weights(problem.weights).intercept(intercept).route(route);
          refined(model, 10).factorize().lambdas(lambda_values);
          EXPECT_CLOSE(model.coefficients(), c, tolerance);
          EXPECT_CLOSE(model.intercepts(), b.values, tolerance);
        }
      }
}

// Where K is zero, c = W (Y - b) / lambda: it is no function, but c all the same. From 1 / lambda that overflows, too.
TEST(Refinement, OfWhatHasNoFunction) {
  Random random(404);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 12, 2, 2, true, true);
  const Matrix zero(12, 12, 0.0);
  for (const double lambda : {0.25, 1e-9, 0x1p-1030}) {
    const double scale = lambda < 1e-300 ? 0x1p-40 : 1;  // c must not overflow
    Matrix y = problem.y;
    for (double& value : y.values) value *= scale;
    Model model(Kernel::precomputed());
    model.data(zero, y).weights(problem.weights).route(FREERIDGE_ROUTE_SPECTRAL);
    refined(model, 1).factorize().lambda(lambda);
    Real sum_w = 0;
    for (const double w : problem.weights) sum_w += w;
    Matrix c(12, 2);
    for (std::int64_t j = 0; j < 2; ++j) {
      Real b = 0;
      for (std::int64_t i = 0; i < 12; ++i) b += problem.weights[static_cast<std::size_t>(i)] * Real{y(i, j)} / sum_w;
      for (std::int64_t i = 0; i < 12; ++i)
        c(i, j) = static_cast<double>(problem.weights[static_cast<std::size_t>(i)] * (Real{y(i, j)} - b) / lambda);
    }
    SCOPED_TRACE(lambda);
    EXPECT_CLOSE(model.coefficients(), c, last_bits);
    EXPECT_CLOSE(model.lambda(0).coefficients(), Matrix(12, 2, 0.0), 0.0);  // the minimum-norm solution
  }
}

// More points than the kernel has functions: c has a part that is no function. Predictions go without it: at a small
// lambda they would drown in its rounding.
TEST(Refinement, OfMorePointsThanFunctions) {
  Random random(405);
  for (const bool weighted : {false, true})
    for (const bool intercept : {false, true}) {
      SCOPED_TRACE(::testing::Message() << weighted << intercept);
      Problem problem = random_problem(random, KernelSpec::polynomial(2, 0.5, 0.0), 40, 2, 2, weighted, intercept);
      for (double& value : problem.x.values) value = std::round(value * 64) / 64;  // kernel values without rounding
      Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
      refined(model, 10).factorize().lambdas(lambda_values);
      const auto c = [&](double lambda) { return to_double(oracle::fit(problem, lambda).c); };
      EXPECT_CLOSE(model.coefficients(), oracle::per_output(lambda_values, c), last_bits);
      model.lambda(1e-9);
      EXPECT_CLOSE(model.predict(problem.x), model.fitted(), 1e-12);
    }
}

TEST(Refinement, ChangesTheSolutionAlone) {
  Random random(402);
  const Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 30, 2, 2, true, true);
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND}) {
    SCOPED_TRACE(route_name(route));
    Model plain = oracle::make_model(problem, route), model = oracle::make_model(problem, route);
    plain.factorize().lambda(0.1);
    refined(model, 3).factorize().lambda(0.1);
    EXPECT_TRUE(bit_equal(model.loo(), plain.loo()));
    EXPECT_TRUE(bit_equal(model.fitted(), plain.fitted()));
    EXPECT_TRUE(bit_equal(model.leverage(), plain.leverage()));
    // ... until it is turned off
    refined(model, 0).lambda(0.1);
    EXPECT_TRUE(bit_equal(model.coefficients(), plain.coefficients()));
  }
}

TEST(Refinement, IsRefusedWhereThereIsNone) {
  Random random(403);
  const Problem problem = random_problem(random, KernelSpec::linear(), 20, 3, 1, false, true);
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_LANDMARK}) {
    Model model = oracle::make_model(problem);
    if (route == FREERIDGE_ROUTE_LANDMARK)
      check(freeridge_set_landmarks(model.get(), 3, nullptr), "freeridge_set_landmarks");
    refined(model.route(route), 1).factorize();
    EXPECT_EQ(freeridge_set_lambda(model.get(), 0.5), FREERIDGE_INVALID_STATE) << route;
  }
}

}  // namespace refinement_test
