// All routes give the same answers, to 1e-10 relative, where cond(K_w + lambda I) < 1e6; and AUTO chooses as
// documented.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace routes_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

// The lambda that keeps the condition number below `bound`: the largest eigenvalue of K_w is at most its trace.
double lambda_for(const Problem& problem, double bound) {
  double trace = 0;
  for (std::int64_t i = 0; i < problem.x.rows; ++i) {
    const Matrix row = select_rows(problem.x, {i});
    trace += problem.weight(i) * static_cast<double>(oracle::kernel_matrix(problem.kernel, row, row)(0, 0));
  }
  return trace / (bound - 1.0);
}

// A model without intercept is for outputs around zero; far from it the fit is small beside the residuals, and so are
// its correct digits in any route that gets it as their difference.
Matrix without_means(Matrix y) {
  for (std::int64_t j = 0; j < y.cols; ++j) {
    double mean = 0;
    for (std::int64_t i = 0; i < y.rows; ++i) mean += y(i, j) / static_cast<double>(y.rows);
    for (std::int64_t i = 0; i < y.rows; ++i) y(i, j) -= mean;
  }
  return y;
}

// 1 - H_ii = lambda P_ii / W_ii, the diagonal of the residual maker: what the condition number bounds relative to
// itself.
Matrix residual_leverage(const Model& model) {
  return shifted(scaled(model.leverage(), -1.0), 1.0);
}

struct Shape {
  const char* name;
  Family family;
  bool scaled_columns;
  std::int64_t n, d;
};

std::ostream& operator<<(std::ostream& out, const Shape& c) {
  return out << c.name;
}

class Routes : public ::testing::TestWithParam<Shape> {
 protected:
  // body(reference, other, problem): two factorized models that differ in their route alone.
  template <class Body>
  void for_each_pair(Body body) {
    const Shape shape = GetParam();
    Random random(77);
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message() << (weighted ? "weights " : "") << (intercept ? "intercept" : ""));
        Problem problem = random_problem(random, kernel_of(shape.family, shape.d, shape.scaled_columns), shape.n,
                                         shape.d, 2, weighted, intercept);
        if (!intercept) problem.y = without_means(problem.y);
        Model reference = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
        reference.factorize();
        for (const freeridge_route route :
             std::vector<freeridge_route>{FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL,
                                          FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device}) {
          if (route == FREERIDGE_ROUTE_PRIMAL && shape.family != Family::linear) continue;
          SCOPED_TRACE(route_name(route));
          Model other = oracle::make_model(problem, route);
          body(reference, other.factorize(), problem);
        }
      }
  }
};

TEST_P(Routes, AnswersAndScoresAgree) {
  for_each_pair([](Model& reference, Model& other, const Problem& problem) {
    const Labels tenths = modulo_groups(problem.x.rows, 10), sevenths = modulo_groups(problem.x.rows, 7);
    reference.groups(sevenths);
    other.groups(sevenths);
    for (const double condition : {1e6, 1e5, 1e3}) {
      // Zero eigenvalues of a linear kernel are rounding to BAND, which AUTO does not take for it.
      if (condition > 1e5 && problem.kernel.family == Family::linear && other.route_used() == FREERIDGE_ROUTE_BAND)
        continue;
      SCOPED_TRACE(::testing::Message() << "condition number below " << condition);
      const double lambda = lambda_for(problem, condition);
      constexpr double tolerance = 1e-10;
      // Coefficients, left-out errors and leverages are made of G^-1, which no route has to better than its backward error
      // times the condition number: sqrt(n) eps |G|, as n rounding errors add up. Fits and scores are better off.
      const double limit = std::max(tolerance, std::sqrt(static_cast<double>(problem.x.rows)) * condition *
                                                   std::numeric_limits<double>::epsilon());
      reference.lambda(lambda);
      other.lambda(lambda);
      EXPECT_CLOSE(other.loo(), reference.loo(), limit);
      EXPECT_CLOSE(other.fitted(), reference.fitted(), tolerance);
      EXPECT_CLOSE(residual_leverage(other), residual_leverage(reference), limit);
      EXPECT_CLOSE(other.intercepts(), reference.intercepts(), tolerance);
      EXPECT_CLOSE(other.coefficients(), reference.coefficients(), limit);
      if (problem.kernel.family == Family::linear) {
        EXPECT_CLOSE(other.hyperplane(), reference.hyperplane(), tolerance);
      }
      EXPECT_CLOSE(other.group_errors(tenths), reference.group_errors(tenths), limit);
      Random random(8);
      const Matrix points = random.uniform_matrix(50, problem.x.cols, -1.0, 1.0);
      EXPECT_CLOSE(other.predict(points), reference.predict(points), tolerance);
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
        SCOPED_TRACE(::testing::Message() << "criterion " << criterion);
        EXPECT_CLOSE(other.score(criterion, {lambda}), reference.score(criterion, {lambda}), tolerance);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Routes,
                         ::testing::Values(Shape{"LinearTall", Family::linear, false, 300, 6},
                                           Shape{"LinearWide", Family::linear, false, 200, 260},
                                           Shape{"ScaledLinear", Family::linear, true, 250, 8},
                                           Shape{"Polynomial", Family::polynomial, false, 200, 5},
                                           Shape{"Gaussian", Family::gaussian, false, 400, 5},
                                           Shape{"ScaledGaussian", Family::gaussian, true, 200, 7}),
                         ::testing::PrintToStringParamName());

freeridge_route chosen(Family family, std::int64_t n, std::int64_t d, std::int64_t expected_lambdas, bool scaled) {
  Random random(1);
  const Problem problem = random_problem(random, kernel_of(family, d, scaled), n, d, 1, false, true);
  Model model = oracle::make_model(problem);
  if (expected_lambdas > 0) model.expected_lambdas(expected_lambdas);
  return model.factorize().route_used();
}

TEST(AutoRoute, FollowsTheKernelTheShapeAndTheExpectedLambdas) {
  EXPECT_EQ(chosen(Family::linear, 30, 4, 0, false), FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(chosen(Family::linear, 30, 4, 1, false), FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(chosen(Family::linear, 30, 4, 0, true), FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(chosen(Family::linear, 20, 40, 0, false), FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(chosen(Family::linear, 20, 40, 1, false), FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(chosen(Family::gaussian, 30, 4, 0, false), FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(chosen(Family::gaussian, 30, 4, 1, false), FREERIDGE_ROUTE_CHOLESKY);
  EXPECT_EQ(chosen(Family::polynomial, 30, 4, 100, false), FREERIDGE_ROUTE_SPECTRAL);
}

TEST(AutoRoute, GivesTheChoiceBackAfterARouteWasSet) {
  Random random(2);
  const Problem problem = random_problem(random, oracle::KernelSpec::linear(), 30, 4, 1, false, true);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(model.factorize().route_used(), FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(model.route(FREERIDGE_ROUTE_AUTO).factorize().route_used(), FREERIDGE_ROUTE_PRIMAL);
}

}  // namespace routes_test
