// Rank deficiency, lambda = 0, leverage one, next to no rows, numbers that overflow: what the model answers, the
// accumulator answers, and where there is no answer it says so.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/accumulator.hpp"
#include "support/deep.hpp"
#include "support/problems.hpp"
#include "support/quad_refit.hpp"
#include "support/window.hpp"

namespace degenerate_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double tolerance = 1e-9;

// Multiples of 1/64, so that sums and doubles of columns are exact, and so is the rank.
Matrix dyadic(Random& random, std::int64_t rows, std::int64_t cols) {
  Matrix out = random.uniform_matrix(rows, cols, -64.0, 64.0);
  for (double& value : out.values) value = std::floor(value) / 64.0;
  return out;
}

template <class Body>
void for_each_setting(Body body) {
  for (const bool weighted : {false, true})
    for (const bool intercept : {false, true}) {
      SCOPED_TRACE(::testing::Message() << (weighted ? "weights" : "") << (intercept ? " intercept" : ""));
      body(weighted, intercept);
    }
}

Problem make(Random& random, const Matrix& x, bool weighted, bool intercept) {
  Problem out{KernelSpec::linear(), x, responses(random, x, 2, 0.3), {}, intercept};
  if (weighted) out.weights = random.uniform_vector(x.rows, 0.5, 2.0);
  return out;
}

// All answers at that lambda are those of the model on this route.
void expect_model(const Problem& problem, const Accumulator& accumulator, double lambda,
                  freeridge_route route = FREERIDGE_ROUTE_PRIMAL) {
  SCOPED_TRACE(::testing::Message() << "lambda = " << lambda << ", " << route_name(route));
  Model model = oracle::make_model(problem, route);
  model.factorize().lambda(lambda);
  freeridge_status actual = FREERIDGE_OK, expected = FREERIDGE_OK;
  const Planes planes = accumulator.solve({lambda});
  EXPECT_CLOSE(planes.w, model.hyperplane(), tolerance);
  EXPECT_CLOSE(planes.b.values, model.intercepts(), tolerance);
  const Matrix loo = accumulator.loo(problem, {lambda}, &actual);
  EXPECT_CLOSE(loo, model.loo(&expected), tolerance);
  EXPECT_EQ(actual, expected);
  const Matrix gcv = accumulator.score(FREERIDGE_GCV, {lambda}, &actual);
  EXPECT_CLOSE(gcv, model.score(FREERIDGE_GCV, {lambda}, &expected), tolerance);
  EXPECT_EQ(actual, expected);
}

TEST(StreamRank, ColumnsTwiceAndConstantColumns) {
  for_each_setting([](bool weighted, bool intercept) {
    Random random(20);
    const Matrix a = dyadic(random, 40, 3);
    Matrix x(40, 7);
    for (std::int64_t i = 0; i < 40; ++i) {
      for (std::int64_t k = 0; k < 3; ++k) x(i, k) = x(i, k + 3) = a(i, k);
      x(i, 6) = 0.1;  // with an intercept it adds nothing; its mean is not a binary fraction
    }
    const Problem problem = make(random, x, weighted, intercept);
    for (const std::int64_t chunk : {1, 13, 40}) {
      const Accumulator accumulator(problem, chunk);
      for (const freeridge_route route : {FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_SPECTRAL})
        for (const double lambda : {0.0, 1e-3, 1.0}) expect_model(problem, accumulator, lambda, route);
      const Matrix w = accumulator.solve({0.0}).w;
      for (std::int64_t j = 0; j < 2; ++j) {
        for (std::int64_t k = 0; k < 3; ++k) EXPECT_NEAR(w(k, j), w(k + 3, j), 1e-12);
        if (!intercept) continue;
        EXPECT_NEAR(w(6, j), 0.0, 1e-12);
      }
    }
  });
}

// Thousands of reductions must not make a direction out of rounding noise: min-norm weights of a doubled column are
// halves, and the answers those of the column once.
TEST(StreamRank, ColumnsTwiceInManyRows) {
  Random random(21);
  const std::int64_t n = 30000;
  Matrix x(n, 4);
  for (std::int64_t i = 0; i < n; ++i) {
    x(i, 0) = x(i, 2) = random.normal();
    x(i, 1) = random.normal();
    x(i, 3) = 2 * x(i, 1);
  }
  const Problem problem = make(random, x, true, true);
  Problem once = problem;
  once.x = Matrix(n, 2);
  for (std::int64_t i = 0; i < n; ++i) once.x(i, 0) = x(i, 0), once.x(i, 1) = x(i, 1);
  Accumulator accumulator(4, 2, true), expected(2, 2, true);
  for (std::int64_t first = 0; first < n; first += 500) {
    accumulator.merge(Accumulator(slice(problem, first, 500)));
    expected.add(slice(once, first, 500));
  }
  const Planes planes = accumulator.solve({0.0}), halves = expected.solve({0.0});
  for (std::int64_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(planes.w(0, j), halves.w(0, j) / 2, 1e-12);
    EXPECT_NEAR(planes.w(2, j), halves.w(0, j) / 2, 1e-12);
    EXPECT_NEAR(planes.w(1, j), halves.w(1, j) / 5, 1e-12);
    EXPECT_NEAR(planes.w(3, j), halves.w(1, j) * 2 / 5, 1e-12);
    EXPECT_NEAR(planes.b(j, 0), halves.b(j, 0), 1e-12);
  }
  const Problem some = slice(problem, 777, 100), some_once = slice(once, 777, 100);
  EXPECT_CLOSE(accumulator.loo(some, {0.0}), expected.loo(some_once, {0.0}), 1e-11);
  EXPECT_CLOSE(accumulator.score(FREERIDGE_GCV, {0.0}), expected.score(FREERIDGE_GCV, {0.0}), 1e-11);
}

TEST(StreamRank, MoreColumnsThanRows) {
  for_each_setting([](bool weighted, bool intercept) {
    Random random(22);
    const Problem full = make(random, dyadic(random, 9, 15), weighted, intercept);
    for (const std::int64_t chunk : {1, 4, 9})
      for (const double lambda : {0.0, 1e-14, 1e-6, 1.0}) expect_model(full, Accumulator(full, chunk), lambda);
    // Rows three times each: rank 9 of 27, d = 15.
    std::vector<std::int64_t> thrice;
    for (std::int64_t i = 0; i < 27; ++i) thrice.push_back(i % 9);
    Problem repeated = rows_of(full, thrice);
    repeated.y = responses(random, repeated.x, 2, 0.3);
    for (const double lambda : {0.0, 1e-3, 1.0}) expect_model(repeated, Accumulator(repeated, 5), lambda);
  });
}

// Merging pieces of fewer rows than columns: triangles cut short.
TEST(StreamRank, ShortTriangles) {
  for_each_setting([](bool weighted, bool intercept) {
    Random random(23);
    const Problem problem = random_problem(random, KernelSpec::linear(), 12, 7, 2, weighted, intercept);
    Accumulator whole(7, 2, intercept);
    for (std::int64_t first = 0; first < 12; first += 3) {
      Accumulator piece(slice(problem, first, 3));
      piece.solve({1.0});
      whole.merge(piece);
    }
    for (const double lambda : {0.0, 1e-3, 1.0}) expect_model(problem, whole, lambda);
  });
}

// Column 2 is there for row 5 alone (see MinimumNorm.AColumnForOneRowLeavesThatErrorUndefined). Where lambda is next to
// nothing beside that column the sums do not tell its leverage from one.
TEST(StreamLeverage, OneHasNoErrorAndLessThanOneHas) {
  for_each_setting([](bool weighted, bool intercept) {
    Random random(24);
    for (const double size : {1.0, 1e-4, 1e2}) {
      SCOPED_TRACE(size);
      Matrix x = dyadic(random, 30, 4);
      for (std::int64_t i = 0; i < 30; ++i) x(i, 2) = i == 5 ? size : 0.0;
      const Problem problem = make(random, x, weighted, intercept);
      for (const std::int64_t chunk : {1, 30}) {
        const Accumulator accumulator(problem, chunk);
        for (const double share : {1e-4, 1e-2, 1.0}) expect_model(problem, accumulator, share * size * size);
        freeridge_status status = FREERIDGE_OK;
        const Matrix errors = accumulator.loo(problem, {0.0, 1e-12 * size * size, 0.5}, &status);
        EXPECT_EQ(status, FREERIDGE_UNDEFINED);
        for (std::int64_t c = 0; c < 6; ++c)
          for (std::int64_t i = 0; i < 30; ++i) EXPECT_EQ(std::isnan(errors(i, c)), i == 5 && c < 4);
        EXPECT_CLOSE(column(errors, 4), column(oracle::loo(problem, 0.5), 0), tolerance);
        // A chunk without that row has no such trouble.
        accumulator.loo(slice(problem, 6, 24), {0.0}, &status);
        EXPECT_EQ(status, FREERIDGE_OK);
      }
    }
  });
}

// Leave-one-out by the second pass is what accumulators without the row predict, lambda = 0 included.
TEST(StreamLeverage, EqualsRefitsWithoutTheRow) {
  for_each_setting([](bool weighted, bool intercept) {
    Random random(25);
    const Problem problem = random_problem(random, KernelSpec::linear(), 25, 4, 2, weighted, intercept);
    const Vector lambdas = {0.0, 1e-5, 0.3, 100.0};
    const Matrix errors = Accumulator(problem).loo(problem, lambdas);
    Matrix expected(25, 8);
    for (std::int64_t left_out = 0; left_out < 25; ++left_out) {
      std::vector<std::int64_t> others;
      for (std::int64_t i = 0; i < 25; ++i)
        if (i != left_out) others.push_back(i);
      const Planes planes = Accumulator(rows_of(problem, others)).solve(lambdas);
      for (std::int64_t c = 0; c < 8; ++c) {
        double f = planes.b(c % 2, c / 2);
        for (std::int64_t k = 0; k < 4; ++k) f += planes.w(k, c) * problem.x(left_out, k);
        expected(left_out, c) = problem.y(left_out, c % 2) - f;
      }
    }
    EXPECT_CLOSE(errors, expected, 1e-12);
  });
}

// One row of large numbers beside few others, also as many rows as columns or fewer, where the fit at lambda = 0 meets
// every point: an error has six digits or is NaN, alone, in a group, and in the moments.
TEST(StreamLeverage, ALargeRowHasSixDigitsOrNoError) {
  const int seeds = deep() ? 400 : 100;
  int without = 0, with = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Random random(static_cast<unsigned>(9000 + seed));
    const std::int64_t d = 2 + seed % 6, n = std::vector<std::int64_t>{d, std::max<std::int64_t>(d - 1, 2), d + 1,
                                                                       d + 8}[static_cast<std::size_t>(seed / 6 % 4)];
    const int power = seed % 10, fraction = seed % 7;
    Problem problem = make(random, random.uniform_matrix(n, d, -1.0, 1.0), seed % 3 == 0, seed % 2 == 0);
    for (std::int64_t k = 0; k < d; ++k) problem.x(seed % n, k) *= std::pow(10.0, power);
    const double lambda = std::pow(10.0, fraction - 4);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", n " << n << ", d " << d << ", 1e" << power);
    QuadProblem quad{to_quad(problem.x), QuadMatrix(d, d), to_quad(problem.y), problem.weights, problem.intercept};
    for (std::int64_t k = 0; k < d; ++k) quad.penalty(k, k) = 1;
    const Accumulator accumulator(problem);
    Labels single(static_cast<std::size_t>(n)), pairs(single);
    for (std::int64_t i = 0; i < n; ++i) {
      single[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      pairs[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i / 2);
    }
    for (const bool groups : {false, true}) {
      if (groups && n < 4) continue;
      SCOPED_TRACE(groups);
      freeridge_status status = FREERIDGE_OK;
      Matrix errors(n, 2);
      const Vector both = {lambda, lambda};
      if (groups)
        status =
            freeridge_accumulator_errors(accumulator.get(), at(problem.x), FREERIDGE_COL_MAJOR, problem.y.values.data(),
                                         n, problem.weights.empty() ? nullptr : problem.weights.data(), pairs.data(), 1,
                                         both.data(), errors.values.data(), n);
      else
        errors = accumulator.loo(problem, {lambda}, &status);
      const Matrix exact = refit_errors(quad, groups ? pairs : single, lambda);
      bool all = true;
      for (std::int64_t j = 0; j < 2; ++j) {
        double size = 0;
        for (std::int64_t i = 0; i < n; ++i) size = std::max(size, std::abs(exact(i, j)));
        for (std::int64_t i = 0; i < n; ++i) {
          all = all && !std::isnan(errors(i, j));
          if (!std::isnan(errors(i, j))) {
            EXPECT_NEAR(errors(i, j), exact(i, j), 3e-6 * size);
          }
        }
      }
      (all ? with : without) += 1;
      EXPECT_EQ(status == FREERIDGE_OK, all);
      EXPECT_FALSE(power <= 2 && !all);
    }
  }
  EXPECT_GT(with, seeds / 2);
  EXPECT_GT(without, 0);
}

// A row of next to no weight that is far off is seen by no other row, wherever it stands: also as the first one, from which
// the others are shifted. In chunks of every size, with the same bits; as an accumulator of its own; and in windows.
TEST(StreamWeights, AFarRowOfNextToNoWeightLeavesTheOthersTheirDigits) {
  for (const int power : {20, 100})
    for (const bool of_x : {false, true})
      for (const std::int64_t place : {0, 1, 40}) {
        SCOPED_TRACE(::testing::Message() << "2^" << power << (of_x ? " x" : " y") << ", row " << place);
        Random random(9);
        Problem problem = make(random, random.uniform_matrix(80, 3, -1, 1), true, true);
        problem.weights[static_cast<std::size_t>(place)] = std::ldexp(1.0, -2 * power);
        (of_x ? problem.x : problem.y)(place, 0) = std::ldexp(1.0, power);
        Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
        model.factorize().lambda(0.3);
        const Matrix expected = model.hyperplane();
        const Accumulator whole(problem);
        EXPECT_CLOSE(whole.solve({0.3}).w, expected, 1e-13);
        for (const std::int64_t chunk : {1, 7}) EXPECT_EQ(saved(Accumulator(problem, chunk).get()), saved(whole.get()));
        for (const bool first : {true, false}) {
          Accumulator alone(slice(problem, place, 1)), rest(problem.x.cols, problem.y.cols, true);
          if (place > 0) rest.add(slice(problem, 0, place));
          rest.add(slice(problem, place + 1, 79 - place));
          (first ? alone : rest).merge(first ? rest : alone);
          EXPECT_CLOSE((first ? alone : rest).solve({0.3}).w, expected, 1e-13);
        }
        Window window(Kernel::linear(), Matrix(0, 3), 3, 2, true, 0.3, 100);
        window.add(problem, false);
        EXPECT_CLOSE(window.predict(problem.x), model.predict(problem.x), 1e-12);
      }
}

TEST(StreamFewRows, OneRow) {
  Random random(26);
  Problem problem = random_problem(random, KernelSpec::linear(), 1, 3, 2, false, true);
  freeridge_status status = FREERIDGE_OK;
  const Accumulator with(problem);
  EXPECT_CLOSE(with.solve({1.0}).b.values, problem.y.values, 1e-15);
  EXPECT_CLOSE(with.solve({0.0}).w, Matrix(3, 2), 0.0);
  EXPECT_CLOSE(with.loo(problem, {1.0}, &status), Matrix(1, 2, nan), 0.0);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML}) {
    EXPECT_CLOSE(with.score(criterion, {1.0}, &status), Matrix(1, 2, nan), 0.0);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
  }
  double grid[2];
  EXPECT_EQ(freeridge_accumulator_lambda_grid(with.get(), 2, grid), FREERIDGE_UNDEFINED);
  problem.intercept = false;
  const Accumulator without(problem);
  EXPECT_CLOSE(without.loo(problem, {0.0}), problem.y, 1e-14);  // nothing is left: f = 0
  expect_model(problem, without, 0.7);
}

TEST(StreamFewRows, ConstantXAndConstantY) {
  Random random(27);
  Problem problem{KernelSpec::linear(), Matrix(20, 2, 0.3), random.uniform_matrix(20, 1, 1.0, 2.0), {}, true};
  const Accumulator flat(problem, 6);
  double grid[3];
  EXPECT_EQ(freeridge_accumulator_lambda_grid(flat.get(), 3, grid), FREERIDGE_UNDEFINED);
  EXPECT_CLOSE(flat.solve({0.0, 1.0}).w, Matrix(2, 2), 0.0);
  for (const double lambda : {0.0, 1.0}) expect_model(problem, flat, lambda);

  problem.x = random.uniform_matrix(20, 2, -1.0, 1.0);
  problem.y = Matrix(20, 1, 0.7);
  const Planes planes = Accumulator(problem, 3).solve({0.0, 1.0});
  EXPECT_CLOSE(planes.w, Matrix(2, 2), 0.0);
  EXPECT_CLOSE(planes.b, Matrix(1, 2, 0.7), 0.0);
}

TEST(StreamOverflow, WhatCannotBeSquaredIsNotFinite) {
  Random random(28);
  Problem problem = random_problem(random, KernelSpec::linear(), 8, 2, 1, false, true);
  problem.x = scaled(problem.x, 1e200);
  const Accumulator accumulator(problem);  // adding is fine: nothing is squared
  double w[2], b = 0;
  const double lambda = 1.0;
  EXPECT_EQ(freeridge_accumulator_solve(accumulator.get(), 1, &lambda, w, 2, &b), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(freeridge_accumulator_score(accumulator.get(), FREERIDGE_GCV, 1, &lambda, w, 1), FREERIDGE_NOT_FINITE);
}

TEST(StreamOverflow, ASolutionThatOverflowsIsNotFinite) {
  const Problem problem{
      KernelSpec::linear(), to_column({1e-150, 2e-150, 4e-150}), to_column({1e200, 2e200, 1e200}), {}, false};
  const Accumulator accumulator(problem);
  double w = -7, b = -7;
  const double lambda = 0.0;
  EXPECT_EQ(freeridge_accumulator_solve(accumulator.get(), 1, &lambda, &w, 1, &b), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(w, -7);
  EXPECT_EQ(b, -7);
}

}  // namespace degenerate_test
