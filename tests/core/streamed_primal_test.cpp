// The primal route when it streams x: by the Gram matrix (any size, on demand) and by blocks of rows (many numbers),
// against the dense refits, the normal equations in long double (support/tall_oracle.hpp) and the route that keeps B.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/tall_oracle.hpp"

namespace streamed_primal_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;
using oracle::TallProblem;

oracle::TallProblem tall(const Problem& problem) {
  return {problem.x, problem.y, problem.weights, problem.intercept};
}

Model primal(const TallProblem& problem, freeridge_reduction reduction) {
  Model model(Kernel::linear());
  model.data(problem.x, problem.y).weights(problem.weights).intercept(problem.intercept).route(FREERIDGE_ROUTE_PRIMAL);
  set_reduction(model, reduction).factorize();
  return model;
}

// ---- small: the Gram matrix against refits ----

TEST(StreamedPrimal, GramAgainstRefits) {
  struct Shape {
    std::int64_t n, d;
  };
  Random random(300);
  for (const bool scaled_columns : {false, true})
    for (const Shape shape : {Shape{20, 4}, Shape{13, 17}, Shape{2, 1}, Shape{5, 5}})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true})
          for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
            SCOPED_TRACE(::testing::Message()
                         << "n = " << shape.n << ", d = " << shape.d << (scaled_columns ? ", scaled" : "")
                         << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
            const KernelSpec kernel = kernel_of(oracle::Family::linear, shape.d, scaled_columns);
            const Problem problem = random_problem(random, kernel, shape.n, shape.d, 2, weighted, intercept);
            Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL, layout, 2);
            set_reduction(model, FREERIDGE_REDUCTION_GRAM).factorize();
            EXPECT_EQ(rank_of(model), std::min(shape.d, shape.n - (intercept ? 1 : 0)));
            for (const double lambda : {1e-3, 1.0, 1e3}) {
              model.lambda(lambda);
              const oracle::Fit fit = oracle::fit(problem, lambda);
              EXPECT_CLOSE(model.fitted(), oracle::predict(problem, fit, problem.x), 1e-9);
              EXPECT_CLOSE(model.hyperplane(), oracle::hyperplane(problem, fit), 1e-9);
              EXPECT_CLOSE(model.coefficients(), to_double(fit.c), 1e-9);
              EXPECT_CLOSE(model.intercepts(), to_double(fit.b).values, 1e-9);
              EXPECT_CLOSE(model.loo(), oracle::loo(problem, lambda), 1e-9);
              const Labels folds = modulo_groups(shape.n, 2);
              EXPECT_CLOSE(model.group_errors(folds), oracle::group_errors(problem, folds, lambda), 1e-9);
            }
          }
}

// The criteria of both reductions along a path; lambda = 0 too.
TEST(StreamedPrimal, GramAgainstQr) {
  Random random(301);
  for (const bool intercept : {false, true}) {
    const Problem problem = random_problem(random, KernelSpec::linear(), 60, 5, 3, true, intercept);
    Model gram = primal(tall(problem), FREERIDGE_REDUCTION_GRAM), qr = primal(tall(problem), FREERIDGE_REDUCTION_QR);
    gram.groups(modulo_groups(60, 4));
    qr.groups(modulo_groups(60, 4));
    const Vector lambdas = {1e-3, 0.1, 1.0, 10.0, 1e4};
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS})
      EXPECT_CLOSE(gram.score(criterion, lambdas), qr.score(criterion, lambdas), 1e-12);
    EXPECT_CLOSE(gram.lambda_grid(7), qr.lambda_grid(7), 1e-12);
    gram.lambda(0);
    qr.lambda(0);
    const oracle::Plane plane = oracle::fit(tall(problem), 0);
    EXPECT_CLOSE(gram.hyperplane(), to_double(plane.w), 1e-12);
    EXPECT_CLOSE(qr.hyperplane(), to_double(plane.w), 1e-12);
    EXPECT_CLOSE(gram.loo(), oracle::group_errors(tall(problem), single_groups(60), 0), 1e-12);
  }
}

// Means a hundred million times the spread. The entries are multiples of 1/64, so that x + 2^27 is exact.
TEST(StreamedPrimal, HugeMeans) {
  Random random(302);
  TallProblem near;
  near.x = random.uniform_matrix(50, 4, -64.0, 64.0);
  for (double& value : near.x.values) value = std::floor(value) / 64.0;
  near.y = responses(random, near.x, 2, 0.3);
  near.weights = random.uniform_vector(50, 0.5, 2.0);
  TallProblem far = near;
  far.x = shifted(near.x, 0x1.0p27);
  for (const double lambda : {0.0, 0.1, 10.0}) {
    Model model = primal(far, FREERIDGE_REDUCTION_GRAM);
    model.lambda(lambda);
    EXPECT_CLOSE(model.hyperplane(), to_double(oracle::fit(near, lambda).w), 1e-10);
    EXPECT_CLOSE(model.loo(), oracle::group_errors(near, single_groups(50), lambda), 1e-10);
    EXPECT_CLOSE(model.fitted(), oracle::predict(oracle::fit(near, lambda), near.x), 1e-10);
    EXPECT_CLOSE(model.leverage(), oracle::leverage(near, lambda), 1e-10);
  }
}

// ---- rank ----

// x with its second column again at the end, and a column of sevens. The merged problem, its second column times
// sqrt(2), has the same fits at every lambda; the penalty shares its weight evenly, and the sevens get none.
struct Deficient {
  TallProblem full, merged;

  Matrix hyperplane(double lambda) const {
    const Dense w = oracle::fit(merged, lambda).w;
    Matrix out(full.x.cols, w.cols);
    for (std::int64_t j = 0; j < w.cols; ++j) {
      for (std::int64_t k = 0; k < w.rows; ++k) out(k, j) = static_cast<double>(w(k, j));
      out(1, j) = out(w.rows, j) = static_cast<double>(w(1, j) / std::sqrt(static_cast<Real>(2)));
    }
    return out;
  }
};

Deficient deficient(Random& random, std::int64_t n, std::int64_t d) {
  Deficient out;
  const Matrix x = random.uniform_matrix(n, d, -1.0, 1.0);
  out.full.x = Matrix(n, d + 2, 7.0);
  out.merged.x = x;
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t i = 0; i < n; ++i) {
      out.full.x(i, k) = x(i, k);
      if (k == 1) {
        out.full.x(i, d) = x(i, k);
        out.merged.x(i, k) = std::sqrt(2.0) * x(i, k);
      }
    }
  out.full.y = out.merged.y = responses(random, x, 2, 0.3);
  out.full.weights = out.merged.weights = random.uniform_vector(n, 0.5, 2.0);
  return out;
}

TEST(StreamedPrimal, RankDeficientColumns) {
  Random random(303);
  const Deficient problem = deficient(random, 40, 4);
  for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR}) {
    SCOPED_TRACE(reduction_name(reduction));
    Model model = primal(problem.full, reduction);
    EXPECT_EQ(rank_of(model), 4);
    for (const double lambda : {0.0, 1e-3, 1.0}) {
      model.lambda(lambda);
      EXPECT_CLOSE(model.hyperplane(), problem.hyperplane(lambda), 1e-10);
      EXPECT_CLOSE(model.loo(), oracle::group_errors(problem.merged, single_groups(40), lambda), 1e-10);
      EXPECT_CLOSE(model.leverage(), oracle::leverage(problem.merged, lambda), 1e-10);
    }
  }
}

// Two columns that differ by 1e-9 of their size: QR sees the direction between them, the Gram matrix cannot, and says
// so by the rank and the tolerance. Far above the tolerance both have the same answers.
TEST(StreamedPrimal, WhatTheGramMatrixLoses) {
  Random random(304);
  TallProblem problem;
  problem.x = random.uniform_matrix(60, 3, -1.0, 1.0);
  for (std::int64_t i = 0; i < 60; ++i) problem.x(i, 2) = problem.x(i, 0) + 1e-9 * problem.x(i, 2);
  problem.y = responses(random, problem.x, 1, 0.3);
  Model gram = primal(problem, FREERIDGE_REDUCTION_GRAM), qr = primal(problem, FREERIDGE_REDUCTION_QR);
  EXPECT_EQ(rank_of(qr), 3);
  EXPECT_EQ(rank_of(gram), 2);
  const double largest = gram.lambda_grid(2)[1] / 1000;
  EXPECT_GT(tolerance_of(gram), 1e-17 * largest);
  EXPECT_LT(tolerance_of(gram), 1e-13 * largest);
  EXPECT_LT(tolerance_of(qr), 1e-24 * largest);
  for (const double lambda : {1e-6, 1e-3, 1.0}) {
    gram.lambda(lambda);
    qr.lambda(lambda);
    EXPECT_CLOSE(gram.loo(), qr.loo(), 1e-9);
    EXPECT_CLOSE(qr.loo(), oracle::group_errors(problem, single_groups(60), lambda), 1e-9);
  }
  // Without penalty the same functions are spanned by the difference of the two columns, which is exact. One rounding
  // of x is 2e-7 of that direction.
  TallProblem apart = problem;
  for (std::int64_t i = 0; i < 60; ++i) apart.x(i, 2) = (problem.x(i, 2) - problem.x(i, 0)) * 1e9;
  qr.lambda(0);
  EXPECT_CLOSE(qr.fitted(), oracle::predict(oracle::fit(apart, 0), apart.x), 1e-6);
}

TEST(StreamedPrimal, ConstantDataHaveNoDirection) {
  TallProblem problem{Matrix(9, 3, 2.5), Matrix(9, 1), {}, true};
  for (std::int64_t i = 0; i < 9; ++i) problem.y(i, 0) = static_cast<double>(i * i);
  Model model = primal(problem, FREERIDGE_REDUCTION_GRAM);
  EXPECT_EQ(rank_of(model), 0);
  for (const double lambda : {0.0, 1.0}) {
    model.lambda(lambda);
    EXPECT_CLOSE(model.fitted(), Matrix(9, 1, 204.0 / 9), 1e-14);
    EXPECT_CLOSE(model.hyperplane(), Matrix(3, 1), 0.0);
  }
}

TEST(StreamedPrimal, HugeAndTinyScales) {
  Random random(305);
  const Problem problem = random_problem(random, KernelSpec::linear(), 30, 3, 1, true, true);
  Model one = primal(tall(problem), FREERIDGE_REDUCTION_GRAM);
  one.lambda(0.5);
  for (const double exponent : {-490.0, -250.0, 250.0, 490.0}) {
    const double scale = std::pow(2.0, exponent);
    TallProblem other = tall(problem);
    other.x = scaled(other.x, scale);
    Model model = primal(other, FREERIDGE_REDUCTION_GRAM);
    model.lambda(0.5 * scale * scale);
    EXPECT_CLOSE(model.fitted(), one.fitted(), 1e-12);
    EXPECT_CLOSE(model.loo(), one.loo(), 1e-12);
    EXPECT_CLOSE(model.hyperplane(), scaled(one.hyperplane(), 1 / scale), 1e-12);
  }
  TallProblem overflows = tall(problem);
  overflows.x = scaled(overflows.x, 1e160);
  Model model(Kernel::linear());
  model.data(overflows.x, overflows.y).route(FREERIDGE_ROUTE_PRIMAL);
  set_reduction(model, FREERIDGE_REDUCTION_GRAM);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_NOT_FINITE) << freeridge_last_error();
}

// ---- large: more than 2^21 numbers stream by blocks of rows ----

constexpr std::int64_t many = 70000;

// Rows left out one by one, by fitting again.
Labels some_rows(std::int64_t n) {
  Labels out(static_cast<std::size_t>(n), -1);
  std::int32_t label = 0;
  for (std::int64_t i = 0; i < n; i += n / 5) out[static_cast<std::size_t>(i)] = label++;
  out.back() = label;
  return out;
}

// The errors of the rows that are left out there.
Matrix only(const Matrix& errors, const Labels& group) {
  Matrix out = errors;
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i)
      if (group[static_cast<std::size_t>(i)] < 0) out(i, j) = std::nan("");
  return out;
}

class ManyRows : public ::testing::TestWithParam<bool> {};

TEST_P(ManyRows, QrAndGramAgainstNormalEquations) {
  Random random(306);
  TallProblem problem;
  problem.x = random.uniform_matrix(many, 32, -1.0, 1.0);
  problem.y = responses(random, problem.x, 2, 0.3);
  problem.intercept = GetParam();
  if (problem.intercept) {
    problem.weights = random.uniform_vector(many, 0.5, 2.0);
    problem.x = shifted(problem.x, 100.0);
  }
  Model qr = primal(problem, FREERIDGE_REDUCTION_QR), gram = primal(problem, FREERIDGE_REDUCTION_GRAM);
  EXPECT_EQ(rank_of(qr), 32);
  EXPECT_EQ(rank_of(gram), 32);
  const Labels rows = some_rows(many);
  const double lambda = 25.0;
  const oracle::Plane plane = oracle::fit(problem, lambda);
  const Matrix fitted = oracle::predict(plane, problem.x), leverage = oracle::leverage(problem, lambda);
  Matrix loo = problem.y;  // by the leverages; at some rows by fitting again
  for (std::int64_t j = 0; j < 2; ++j)
    for (std::int64_t i = 0; i < many; ++i) loo(i, j) = (loo(i, j) - fitted(i, j)) / (1 - leverage(i, j));
  const Matrix refits = oracle::group_errors(problem, rows, lambda);
  EXPECT_CLOSE(only(loo, rows), refits, 1e-11);
  for (Model* model : {&qr, &gram}) {
    model->lambda(lambda);
    EXPECT_CLOSE(model->hyperplane(), to_double(plane.w), 1e-10);
    EXPECT_CLOSE(model->intercepts(), to_double(plane.b).values, 1e-10);
    EXPECT_CLOSE(model->fitted(), fitted, 1e-10);
    EXPECT_CLOSE(model->leverage(), leverage, 1e-10);
    EXPECT_CLOSE(model->loo(), loo, 1e-10);
    EXPECT_CLOSE(model->group_errors(rows), refits, 1e-10);
  }
  const Vector lambdas = {0.1, 25.0, 1e5};
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(gram.score(criterion, lambdas), qr.score(criterion, lambdas), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Intercept, ManyRows, ::testing::Bool());

TEST(ManyRows, RankDeficientAtLambdaZero) {
  Random random(307);
  const Deficient problem = deficient(random, many, 30);
  const Labels rows = some_rows(many);
  for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR}) {
    Model model = primal(problem.full, reduction);
    EXPECT_EQ(rank_of(model), 30);
    model.lambda(0);
    EXPECT_CLOSE(model.hyperplane(), problem.hyperplane(0), 1e-10);
    EXPECT_CLOSE(only(model.loo(), rows), oracle::group_errors(problem.merged, rows, 0), 1e-10);
  }
}

}  // namespace streamed_primal_test
