// The squared errors of an accumulator's solutions on rows that were not added, against refits in long double; they add
// up over chunks.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/problems.hpp"

namespace development_rows_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

// The sums over `rows` of the fit to `problem` at lambda, count x t.
Matrix expected_squares(const Problem& problem, const Problem& rows, const Vector& lambdas) {
  Matrix out(static_cast<std::int64_t>(lambdas.size()), rows.y.cols);
  for (std::int64_t l = 0; l < out.rows; ++l) {
    const oracle::Fit fit = oracle::fit(problem, lambdas[static_cast<std::size_t>(l)]);
    const Matrix predicted = oracle::predict(problem, fit, rows.x);
    for (std::int64_t j = 0; j < out.cols; ++j) {
      Real sum = 0;
      for (std::int64_t i = 0; i < rows.x.rows; ++i) {
        const Real error = static_cast<Real>(rows.y(i, j)) - static_cast<Real>(predicted(i, j));
        sum += static_cast<Real>(rows.weight(i)) * error * error;
      }
      out(l, j) = static_cast<double>(sum);
    }
  }
  return out;
}

double sum_of_weights(const Problem& rows) {
  double sum = 0;
  for (std::int64_t i = 0; i < rows.x.rows; ++i) sum += rows.weight(i);
  return sum;
}

TEST(DevelopmentRows, EqualRefitsInLongDouble) {
  struct Shape {
    std::int64_t n, d, t;
  };
  const Vector lambdas = {1e-3, 0.1, 1.0, 1e3};
  Random random(81);
  for (const Shape shape : {Shape{18, 3, 2}, {9, 7, 1}, {8, 25, 2}, {2, 3, 2}})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "n = " << shape.n << ", d = " << shape.d << (weighted ? ", weights" : "")
                                          << (intercept ? ", intercept" : ""));
        const Problem all =
            random_problem(random, KernelSpec::linear(), shape.n + 11, shape.d, shape.t, weighted, intercept);
        const Problem problem = slice(all, 0, shape.n), fresh = slice(all, shape.n, 11);
        const Accumulator accumulator(problem, 3);
        const SquaredErrors found = accumulator.squared_errors(fresh, lambdas);
        EXPECT_CLOSE(found.squares, expected_squares(problem, fresh, lambdas), 1e-10);
        EXPECT_NEAR(found.sum_w, sum_of_weights(fresh), 1e-13 * found.sum_w);
        const SquaredErrors by_rows = accumulator.squared_errors(fresh, lambdas, nullptr, FREERIDGE_ROW_MAJOR, 3);
        EXPECT_TRUE(bit_equal(by_rows.squares, found.squares));
      }
}

// More rows than a tile has, more lambdas and outputs than one sweep; the sums of chunks, and of single rows, add up.
TEST(DevelopmentRows, AddUp) {
  Random random(82);
  const Problem all = random_problem(random, KernelSpec::linear(), 1280, 4, 3, true, true);
  const Problem fresh = slice(all, 80, 1200);
  const Accumulator accumulator(slice(all, 0, 80));
  const Vector lambdas = accumulator.lambda_grid(400);
  const SquaredErrors whole = accumulator.squared_errors(fresh, lambdas);
  SquaredErrors sum{0, Matrix(400, 3, 0.0)};
  for (std::int64_t first = 0, size = 1; first < 1200;
       first += size, size = std::min<std::int64_t>(3 * size, 1200 - first)) {
    const SquaredErrors part = accumulator.squared_errors(slice(fresh, first, size), lambdas);
    sum.sum_w += part.sum_w;
    for (std::size_t k = 0; k < sum.squares.values.size(); ++k) sum.squares.values[k] += part.squares.values[k];
  }
  EXPECT_CLOSE(sum.squares, whole.squares, 1e-12);
  EXPECT_NEAR(sum.sum_w, whole.sum_w, 1e-12 * whole.sum_w);
  const Vector few = {lambdas[0], lambdas[399]};
  EXPECT_CLOSE(select_rows(whole.squares, {0, 399}), expected_squares(slice(all, 0, 80), fresh, few), 1e-10);
}

// At lambda = 0 the solution of least norm, also where the new rows leave the space of those that were added; and means
// that are 10^8 times the spread.
TEST(DevelopmentRows, AreThoseOfTheSolution) {
  Random random(83);
  Problem all = random_problem(random, KernelSpec::linear(), 30, 4, 2, false, true);
  for (std::int64_t i = 0; i < 12; ++i) all.x(i, 3) = 2 * all.x(i, 1);  // rank 3 of those that are added
  for (const double mean : {0.0, 1e8}) {
    Problem moved = all;
    for (double& value : moved.x.values) value += mean;
    const Problem fresh = slice(moved, 12, 18);
    const Accumulator accumulator(slice(moved, 0, 12));
    const Planes planes = accumulator.solve({0.0, 0.5});
    const SquaredErrors found = accumulator.squared_errors(fresh, {0.0, 0.5});
    Matrix expected(2, 2);
    for (std::int64_t l = 0; l < 2; ++l)
      for (std::int64_t j = 0; j < 2; ++j)
        for (std::int64_t i = 0; i < 18; ++i) {
          Real error = static_cast<Real>(fresh.y(i, j)) - static_cast<Real>(planes.b(j, l));
          for (std::int64_t k = 0; k < 4; ++k)
            error -= static_cast<Real>(fresh.x(i, k)) * static_cast<Real>(planes.w(k, l * 2 + j));
          expected(l, j) += static_cast<double>(error * error);
        }
    EXPECT_CLOSE(found.squares, expected, mean == 0 ? 1e-12 : 1e-6);  // b itself is rounded to 1e-8
  }
}

TEST(DevelopmentRows, HostileRowsAreRefusedAndWriteNothing) {
  Random random(84);
  const Problem problem = random_problem(random, KernelSpec::linear(), 20, 3, 2, true, true);
  const Accumulator accumulator(problem);
  const std::vector<unsigned char> before = accumulator.save();
  const auto refused = [&](freeridge_status wanted, auto spoil) {
    Problem bad = slice(problem, 0, 5);
    spoil(bad);
    double sum_w = -7, squares[2] = {-7, -7};
    const double lambda = 0.5;
    EXPECT_EQ(
        freeridge_accumulator_squared_errors(accumulator.get(), at(bad.x), FREERIDGE_COL_MAJOR, bad.y.values.data(), 5,
                                             bad.weights.data(), 1, &lambda, &sum_w, squares, 1),
        wanted)
        << freeridge_last_error();
    EXPECT_EQ(sum_w, -7);
    EXPECT_EQ(squares[0], -7);
    EXPECT_EQ(squares[1], -7);
  };
  refused(FREERIDGE_NOT_FINITE, [](Problem& bad) { bad.x(4, 2) = NAN; });
  refused(FREERIDGE_NOT_FINITE, [](Problem& bad) { bad.y(4, 1) = INFINITY; });
  refused(FREERIDGE_NOT_FINITE, [](Problem& bad) { bad.y(4, 1) = 1e301; });
  refused(FREERIDGE_NOT_FINITE, [](Problem& bad) { bad.y(0, 0) = 1e200; });  // its square overflows
  refused(FREERIDGE_NOT_FINITE, [](Problem& bad) { bad.weights[0] = bad.weights[1] = 1.7e308; });
  refused(FREERIDGE_INVALID_ARGUMENT, [](Problem& bad) { bad.weights[4] = 0; });
  refused(FREERIDGE_INVALID_ARGUMENT, [](Problem& bad) { bad.weights[4] = -1; });
  EXPECT_EQ(accumulator.save(), before);
}

}  // namespace development_rows_test
