// An accumulator answers as a model of all its rows does, on every route, and as the dense refits in long double do.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/problems.hpp"

namespace agreement_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

const Vector lambda_values = {1e-3, 0.1, 1.0, 1e3};

// body(problem) for weights or none, intercept or none, and n above, next to and below d, with one and two outputs.
template <class Body>
void for_each_problem(Body body) {
  struct Shape {
    std::int64_t n, d, t;
  };
  Random random(2024);
  for (const Shape shape : {Shape{18, 3, 2}, {40, 6, 1}, {9, 7, 2}, {8, 7, 2}, {7, 7, 1}, {8, 25, 2}, {2, 3, 2}})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "n = " << shape.n << ", d = " << shape.d << (weighted ? ", weights" : "")
                                          << (intercept ? ", intercept" : ""));
        body(random_problem(random, KernelSpec::linear(), shape.n, shape.d, shape.t, weighted, intercept));
      }
}

// Columns l t, ..., l t + t - 1.
Matrix at_lambda(const Matrix& all, std::int64_t l, std::int64_t t) {
  Matrix out(all.rows, t);
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t i = 0; i < all.rows; ++i) out(i, j) = all(i, l * t + j);
  return out;
}

TEST(StreamAgreement, EqualsRefitsInLongDouble) {
  for_each_problem([](const Problem& problem) {
    const std::int64_t t = problem.y.cols;
    const Accumulator accumulator(problem, 3);
    const Planes planes = accumulator.solve(lambda_values);
    const Matrix loo = accumulator.loo(problem, lambda_values);
    for (std::size_t l = 0; l < lambda_values.size(); ++l) {
      SCOPED_TRACE(lambda_values[l]);
      const auto at = static_cast<std::int64_t>(l);
      const oracle::Fit fit = oracle::fit(problem, lambda_values[l]);
      EXPECT_CLOSE(at_lambda(planes.w, at, t), oracle::hyperplane(problem, fit), 1e-11);
      EXPECT_CLOSE(column(planes.b, at).values, to_double(fit.b).values, 1e-11);
      EXPECT_CLOSE(at_lambda(loo, at, t), oracle::loo(problem, lambda_values[l]), 1e-11);
    }
  });
}

TEST(StreamAgreement, EqualsTheModelOnEveryRoute) {
  for_each_problem([](const Problem& problem) {
    const std::int64_t t = problem.y.cols;
    const Accumulator accumulator(problem, 5);
    const Planes planes = accumulator.solve(lambda_values);
    const Matrix loo = accumulator.loo(problem, lambda_values);
    for (const freeridge_route route :
         {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL}) {
      SCOPED_TRACE(route_name(route));
      Model model = oracle::make_model(problem, route);
      model.factorize();
      EXPECT_CLOSE(accumulator.score(FREERIDGE_GCV, lambda_values), model.score(FREERIDGE_GCV, lambda_values), 1e-9);
      EXPECT_CLOSE(accumulator.score(FREERIDGE_REML, lambda_values), model.score(FREERIDGE_REML, lambda_values), 1e-9);
      for (std::size_t l = 0; l < lambda_values.size(); ++l) {
        SCOPED_TRACE(lambda_values[l]);
        const auto at = static_cast<std::int64_t>(l);
        model.lambda(lambda_values[l]);
        EXPECT_CLOSE(at_lambda(planes.w, at, t), model.hyperplane(), 1e-9);
        EXPECT_CLOSE(column(planes.b, at).values, model.intercepts(), 1e-9);
        EXPECT_CLOSE(at_lambda(loo, at, t), model.loo(), 1e-9);
      }
    }
  });
}

// Down to lambda = 0, with every answer that the PRIMAL route has there, n > d or not.
TEST(StreamAgreement, EqualsThePrimalRouteFromZeroToHuge) {
  const Vector lambdas = {0.0, 1e-300, 1e-30, 1e-12, 1e300};
  for_each_problem([&](const Problem& problem) {
    const std::int64_t t = problem.y.cols;
    const Accumulator accumulator(problem);
    const Planes planes = accumulator.solve(lambdas);
    freeridge_status status = FREERIDGE_OK, expected_status = FREERIDGE_OK;
    const Matrix loo = accumulator.loo(problem, lambdas, &status);
    bool undefined = false;
    for (const double error : loo.values) undefined = undefined || std::isnan(error);
    EXPECT_EQ(status, undefined ? FREERIDGE_UNDEFINED : FREERIDGE_OK);
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
    model.factorize();
    const Matrix gcv = accumulator.score(FREERIDGE_GCV, lambdas, &status);
    EXPECT_CLOSE(gcv, model.score(FREERIDGE_GCV, lambdas, &expected_status), 1e-9);
    EXPECT_EQ(status, expected_status);
    const Matrix reml = accumulator.score(FREERIDGE_REML, lambdas, &status);
    EXPECT_CLOSE(reml, model.score(FREERIDGE_REML, lambdas, &expected_status), 1e-9);
    EXPECT_EQ(status, expected_status);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      SCOPED_TRACE(lambdas[l]);
      const auto at = static_cast<std::int64_t>(l);
      model.lambda(lambdas[l]);
      EXPECT_CLOSE(at_lambda(planes.w, at, t), model.hyperplane(), 1e-10);
      EXPECT_CLOSE(column(planes.b, at).values, model.intercepts(), 1e-10);
      EXPECT_CLOSE(at_lambda(loo, at, t), model.loo(&expected_status), 1e-9);
    }
  });
}

TEST(StreamAgreement, TheGridIsTheModels) {
  for_each_problem([](const Problem& problem) {
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
    model.factorize();
    const Accumulator accumulator(problem, 2);
    for (const std::int64_t count : {1, 2, 17}) {
      const Vector grid = accumulator.lambda_grid(count), expected = model.lambda_grid(count);
      for (std::size_t l = 0; l < grid.size(); ++l) EXPECT_NEAR(grid[l] / expected[l], 1.0, 1e-11);
    }
  });
}

// What the header says of the second pass: its weighted mean square is the criterion LOO.
TEST(StreamAgreement, TheSecondPassGivesTheCriterionLoo) {
  Random random(2025);
  const Problem problem = random_problem(random, KernelSpec::linear(), 1300, 5, 2, true, true);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
  const Matrix expected = model.factorize().score(FREERIDGE_LOO, lambda_values);
  const Accumulator accumulator(problem, 100);
  Matrix scores(4, 2);
  for (std::int64_t first = 0; first < 1300; first += 650) {  // chunks other than those that were added
    const Problem chunk = slice(problem, first, 650);
    const Matrix errors = accumulator.loo(chunk, lambda_values);
    for (std::int64_t c = 0; c < 8; ++c)
      for (std::int64_t i = 0; i < 650; ++i)
        scores(c / 2, c % 2) += chunk.weight(i) * errors(i, c) * errors(i, c) / accumulator.sum_w();
  }
  EXPECT_CLOSE(scores, expected, 1e-12);
}

// More lambdas and outputs than one sweep takes, more rows than a tile has.
TEST(StreamAgreement, ManyLambdasAtOnce) {
  Random random(2026);
  const Problem problem = random_problem(random, KernelSpec::linear(), 1100, 4, 3, true, true);
  const Accumulator accumulator(problem);
  const Vector lambdas = accumulator.lambda_grid(400);
  const Matrix all = accumulator.loo(problem, lambdas), w = accumulator.solve(lambdas).w;
  for (const std::int64_t l : {0, 169, 170, 171, 399}) {
    const Vector one = {lambdas[static_cast<std::size_t>(l)]};
    EXPECT_CLOSE(at_lambda(all, l, 3), accumulator.loo(problem, one), 1e-13);
    EXPECT_CLOSE(at_lambda(w, l, 3), accumulator.solve(one).w, 1e-13);
  }
}

TEST(StreamAgreement, BothLayoutsWithPadding) {
  Random random(2027);
  const Problem problem = random_problem(random, KernelSpec::linear(), 45, 33, 2, true, true);
  const Accumulator expected(problem);
  for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
    for (const std::int64_t padding : {0, 3}) {
      Accumulator actual(33, 2, true);
      actual.add(problem, layout, padding);
      EXPECT_EQ(actual.save(), expected.save());
      EXPECT_TRUE(bit_equal(actual.loo(problem, lambda_values, nullptr, layout, padding),
                            expected.loo(problem, lambda_values)));
    }
}

}  // namespace agreement_test
