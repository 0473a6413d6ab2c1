// Columns of an accumulator that are not penalised: against refits without each row (freeridge_ridge with factors of 0, its
// rows multiplied by the roots of the weights), and against a model with fixed effects; columns that depend on others; bytes.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/problems.hpp"
#include "support/unpenalised.hpp"

namespace unpenalised_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

const Vector lambda_values = {1e-3, 0.1, 1.0, 1e3};

Accumulator reduced(const Problem& problem, std::int64_t q, std::int64_t chunk = 0) {
  Accumulator out(problem, chunk);
  check(freeridge_accumulator_set_parameter(out.get(), FREERIDGE_UNPENALISED, static_cast<double>(q)),
        "freeridge_accumulator_set_parameter");
  return out;
}

// The hyperplane, its last row the intercept, by penalties of 0 for the first q columns and a column of ones.
Matrix refit(const Problem& problem, std::int64_t q, double lambda) {
  const std::int64_t n = problem.x.rows, d = problem.x.cols, t = problem.y.cols, all = d + (problem.intercept ? 1 : 0);
  Matrix x(n, all), y(n, t), w(all, t);
  for (std::int64_t i = 0; i < n; ++i) {
    const double root = problem.weights.empty() ? 1 : std::sqrt(problem.weights[static_cast<std::size_t>(i)]);
    for (std::int64_t k = 0; k < all; ++k) x(i, k) = root * (k < d ? problem.x(i, k) : 1);
    for (std::int64_t j = 0; j < t; ++j) y(i, j) = root * problem.y(i, j);
  }
  Vector penalty(static_cast<std::size_t>(all), 1), b(static_cast<std::size_t>(t));
  for (std::int64_t k = 0; k < all; ++k) penalty[static_cast<std::size_t>(k)] = k < q || k >= d ? 0 : 1;
  check(freeridge_ridge(FREERIDGE_COL_MAJOR, n, all, x.values.data(), n, t, y.values.data(), n, 0, lambda,
                        penalty.data(), w.values.data(), b.data()),
        "freeridge_ridge");
  return w;
}

double error_of(const Problem& problem, const Matrix& w, std::int64_t i, std::int64_t j) {
  double f = problem.intercept ? w(problem.x.cols, j) : 0;
  for (std::int64_t k = 0; k < problem.x.cols; ++k) f += problem.x(i, k) * w(k, j);
  return problem.y(i, j) - f;
}

struct Case {
  std::int64_t n, d, q, t;
  bool weighted, intercept;
};
const Case cases[] = {{30, 5, 2, 2, true, true},   {30, 5, 4, 1, false, true}, {30, 5, 1, 2, true, false},
                      {30, 5, 3, 1, false, false}, {12, 20, 3, 2, true, true}, {12, 20, 2, 1, false, false}};

Problem problem_of(const Case& c) {
  Random random(static_cast<unsigned>(17 + c.n + 3 * c.q));
  Problem out = random_problem(random, KernelSpec::linear(), c.n, c.d, c.t, c.weighted, c.intercept);
  for (std::int64_t i = 0; i < c.n; ++i) {  // explains others, and has a large mean
    for (std::int64_t j = 0; j < c.t; ++j) out.y(i, j) += 5 * out.x(i, 0);
    out.x(i, c.d - 1) += 2 * out.x(i, 0);
    out.x(i, 0) += 100;
  }
  return out;
}

TEST(StreamUnpenalised, EqualsRefitsWithoutEachRow) {
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << "n = " << c.n << ", d = " << c.d << ", q = " << c.q);
    const Problem problem = problem_of(c);
    const Accumulator accumulator = reduced(problem, c.q, 7);
    const Planes planes = accumulator.solve(lambda_values);
    const Matrix loo = accumulator.loo(problem, lambda_values);
    for (std::size_t l = 0; l < lambda_values.size(); ++l) {
      SCOPED_TRACE(lambda_values[l]);
      const auto at = static_cast<std::int64_t>(l) * c.t;
      const Matrix w = refit(problem, c.q, lambda_values[l]);
      Matrix expected(c.n, c.t), found(c.n, c.t), own(c.d, c.t), refitted(c.d, c.t);
      for (std::int64_t j = 0; j < c.t; ++j) {
        for (std::int64_t k = 0; k < c.d; ++k) own(k, j) = planes.w(k, at + j), refitted(k, j) = w(k, j);
        if (c.intercept) {
          EXPECT_NEAR(planes.b(j, static_cast<std::int64_t>(l)), w(c.d, j), 1e-7 * std::abs(w(c.d, j)));
        }
      }
      EXPECT_CLOSE(own, refitted, 1e-8);
      for (std::int64_t i = 0; i < c.n; ++i) {
        std::vector<std::int64_t> others;
        for (std::int64_t k = 0; k < c.n; ++k)
          if (k != i) others.push_back(k);
        const Matrix without = refit(rows_of(problem, others), c.q, lambda_values[l]);
        for (std::int64_t j = 0; j < c.t; ++j) {
          expected(i, j) = error_of(problem, without, i, j);
          found(i, j) = loo(i, at + j);
        }
      }
      EXPECT_CLOSE(found, expected, 1e-7);
    }
  }
}

Model model_of(const Problem& problem, std::int64_t q) {
  Problem rest = problem;
  rest.x = Matrix(problem.x.rows, problem.x.cols - q);
  for (std::int64_t k = q; k < problem.x.cols; ++k)
    for (std::int64_t i = 0; i < problem.x.rows; ++i) rest.x(i, k - q) = problem.x(i, k);
  Model model = oracle::make_model(rest, FREERIDGE_ROUTE_SPECTRAL);
  Matrix f(problem.x.rows, q);
  std::copy_n(problem.x.values.begin(), f.values.size(), f.values.begin());
  set_unpenalised(model, f);
  model.factorize();
  return model;
}

void expect_model(const Problem& problem, std::int64_t q, double tolerance) {
  const Accumulator accumulator = reduced(problem, q, 9);
  Model model = model_of(problem, q);
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(accumulator.score(criterion, lambda_values), model.score(criterion, lambda_values), tolerance);
  const Matrix loo = accumulator.loo(problem, lambda_values);
  for (std::size_t l = 0; l < lambda_values.size(); ++l) {
    model.lambda(lambda_values[l]);
    Matrix at(problem.x.rows, problem.y.cols);
    for (std::int64_t j = 0; j < at.cols; ++j)
      for (std::int64_t i = 0; i < at.rows; ++i) at(i, j) = loo(i, static_cast<std::int64_t>(l) * at.cols + j);
    EXPECT_CLOSE(at, model.loo(), tolerance);
  }
}

TEST(StreamUnpenalised, EqualsAModelWithFixedEffects) {
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << "n = " << c.n << ", d = " << c.d << ", q = " << c.q);
    expect_model(problem_of(c), c.q, 1e-8);
  }
}

TEST(StreamUnpenalised, ColumnsThatDependOnOthersHaveNoPart) {
  for (const bool intercept : {true, false}) {
    SCOPED_TRACE(intercept);
    Problem problem = problem_of({40, 6, 4, 2, true, intercept});
    for (std::int64_t i = 0; i < 40; ++i) {
      problem.x(i, 1) = intercept ? 3 : 2 * problem.x(i, 0);      // the intercept, or the first column
      problem.x(i, 2) = problem.x(i, 0) - 4 * problem.x(i, 1);    // those before it
      problem.x(i, 5) = problem.x(i, 3) - 0.5 * problem.x(i, 0);  // penalised, and of no use
    }
    expect_model(problem, 4, 1e-7);
    const Planes planes = reduced(problem, 4).solve(lambda_values);
    for (std::int64_t c = 0; c < planes.w.cols; ++c)
      for (const std::int64_t k : {1, 2}) EXPECT_EQ(planes.w(k, c), 0);
  }
}

// More columns than rows that determine them: nothing is left for the penalised ones.
TEST(StreamUnpenalised, AsManyColumnsAsRows) {
  Random random(3);
  const Problem problem = random_problem(random, KernelSpec::linear(), 4, 6, 1, false, true);
  const Accumulator accumulator = reduced(problem, 5);
  const Planes planes = accumulator.solve({1.0});
  EXPECT_EQ(planes.w(5, 0), 0);
  for (std::int64_t i = 0; i < 4; ++i) {
    double f = planes.b(0, 0);
    for (std::int64_t k = 0; k < 6; ++k) f += planes.w(k, 0) * problem.x(i, k);
    EXPECT_NEAR(f, problem.y(i, 0), 1e-9);
  }
  freeridge_status status = FREERIDGE_OK;
  accumulator.loo(problem, {1.0}, &status);
  EXPECT_EQ(status, FREERIDGE_UNDEFINED);
}

TEST(StreamUnpenalised, BytesKeepThem) {
  const Problem problem = problem_of(cases[0]);
  Accumulator whole = reduced(problem, 2);
  const Matrix expected = whole.loo(problem, lambda_values);
  EXPECT_TRUE(bit_equal(Accumulator(whole.save()).loo(problem, lambda_values), expected));
  check(freeridge_accumulator_prepare(whole.get()), "freeridge_accumulator_prepare");
  EXPECT_CLOSE(Accumulator(whole.save()).loo(problem, lambda_values), expected, 1e-12);
  // Parts merge, also as bytes, and only with the same number.
  Accumulator first = reduced(slice(problem, 0, 11), 2), second = reduced(slice(problem, 11, 19), 2);
  for (const Accumulator* part : {&first, &second})
    check(freeridge_accumulator_compact(part->get()), "freeridge_accumulator_compact");
  auto inout = first.save();
  const auto more = second.save();
  ASSERT_EQ(freeridge_accumulator_merge_bytes(more.data(), static_cast<std::int64_t>(more.size()), inout.data()),
            FREERIDGE_OK);
  EXPECT_CLOSE(Accumulator(inout).loo(problem, lambda_values), expected, 1e-11);
  check(freeridge_accumulator_set_parameter(second.get(), FREERIDGE_UNPENALISED, 1),
        "freeridge_accumulator_set_parameter");
  EXPECT_EQ(freeridge_accumulator_merge(first.get(), second.get()), FREERIDGE_DIMENSION_MISMATCH);
  // 0: as if it had never been set.
  check(freeridge_accumulator_set_parameter(whole.get(), FREERIDGE_UNPENALISED, 0),
        "freeridge_accumulator_set_parameter");
  EXPECT_CLOSE(whole.loo(problem, lambda_values), Accumulator(problem).loo(problem, lambda_values), 1e-12);
}

TEST(StreamUnpenalised, Refused) {
  const Problem problem = problem_of(cases[0]);
  const Accumulator rows(problem);
  for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{5}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(freeridge_accumulator_set_parameter(rows.get(), FREERIDGE_UNPENALISED, static_cast<double>(count)),
              FREERIDGE_INVALID_ARGUMENT)
        << count;
  const Accumulator landmarks(Kernel::gaussian(1), slice(problem, 0, 3).x, 1, true, FREERIDGE_REDUCTION_GRAM);
  EXPECT_EQ(freeridge_accumulator_set_parameter(landmarks.get(), FREERIDGE_UNPENALISED, 1), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(freeridge_last_error()).find("landmarks"), std::string::npos);
}

}  // namespace unpenalised_test
