// Problems at the edge of what has an answer: one row, two rows, constant columns, constant x, constant Y, x of zeros,
// repeated rows. Where there is an answer it is the refits' answer; where there is none, UNDEFINED and NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace degenerate_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr freeridge_route all_routes[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                          FREERIDGE_ROUTE_PRIMAL};

// body(problem, model) for every kernel, each route, weights or none, intercept or none.
template <class Body>
void for_each_model(const Matrix& x, const Matrix& y, Body body) {
  Random random(808);
  for (const Family family : oracle::all_families) {
    const KernelSpec kernel = kernel_of(family, x.cols);
    for (const freeridge_route route : all_routes)
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          if (route == FREERIDGE_ROUTE_PRIMAL && kernel.family != Family::linear) continue;
          SCOPED_TRACE(::testing::Message() << family_name(kernel.family) << " " << route_name(route)
                                            << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
          Problem problem{kernel, x, y, {}, intercept};
          if (weighted) problem.weights = random.uniform_vector(x.rows, 0.5, 2.0);
          Model model = oracle::make_model(problem, route);
          body(problem, model.factorize());
        }
  }
}

void expect_all_answers(const Problem& problem, Model& model, double lambda) {
  SCOPED_TRACE(::testing::Message() << "lambda = " << lambda);
  const oracle::Fit fit = oracle::fit(problem, lambda);
  model.lambda(lambda);
  Random random(809);
  const Matrix points = random.uniform_matrix(4, problem.x.cols, -1.0, 1.0);
  EXPECT_CLOSE(model.loo(), oracle::loo(problem, lambda), 1e-10);
  EXPECT_CLOSE(model.fitted(), oracle::predict(problem, fit, problem.x), 1e-10);
  EXPECT_CLOSE(model.predict(points), oracle::predict(problem, fit, points), 1e-10);
  EXPECT_CLOSE(model.intercepts(), to_double(fit.b).values, 1e-10);
}

Matrix row(std::initializer_list<double> values) {
  Matrix out(1, static_cast<std::int64_t>(values.size()));
  out.values = values;
  return out;
}

TEST(OneRow, WithInterceptIsItsOwnMeanAndHasNoErrorLeftOut) {
  for_each_model(row({0.4, -1.0, 2.0}), row({3.5, -2.0}), [](const Problem& problem, Model& model) {
    if (!problem.intercept) return;
    for (const double lambda : {0.0, 1e-16, 1e-3, 1.0, 1e3}) {
      model.lambda(lambda);
      EXPECT_CLOSE(model.fitted(), problem.y, 1e-14);
      EXPECT_CLOSE(model.intercepts(), problem.y.values, 1e-14);
      EXPECT_CLOSE(model.predict(row({9.0, 9.0, 9.0})), problem.y, 1e-14);
      EXPECT_CLOSE(model.leverage(), Matrix(1, 2, 1.0), 1e-14);
      freeridge_status status = FREERIDGE_OK;
      EXPECT_CLOSE(model.loo(&status), Matrix(1, 2, nan), 0.0);
      EXPECT_EQ(status, FREERIDGE_UNDEFINED);
      EXPECT_CLOSE(model.group_errors({0}, &status), Matrix(1, 2, nan), 0.0);
      EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    }
    freeridge_status status = FREERIDGE_OK;
    const Matrix scores = model.score(FREERIDGE_LOO, {1.0, 2.0}, &status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_CLOSE(scores, Matrix(2, 2, nan), 0.0);
    double lambda[2], score[2];
    EXPECT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0.1, 10.0, lambda, score), FREERIDGE_UNDEFINED);
  });
}

TEST(OneRow, WithoutInterceptLeavesOutToZero) {
  for_each_model(row({0.4, -1.0, 2.0}), row({3.5, -2.0}), [](const Problem& problem, Model& model) {
    if (problem.intercept) return;
    for (const double lambda : {1e-3, 1.0, 1e3}) expect_all_answers(problem, model, lambda);
    EXPECT_CLOSE(model.lambda(1.0).loo(), problem.y, 1e-14);  // no data: f = 0
  });
}

TEST(TwoRows, EqualRefits) {
  Random random(70);
  const Matrix x = random.uniform_matrix(2, 3, -1.0, 1.0), y = random.uniform_matrix(2, 2, 1.0, 4.0);
  for_each_model(x, y, [](const Problem& problem, Model& model) {
    for (const double lambda : {1e-3, 1.0, 1e3}) expect_all_answers(problem, model, lambda);
    if (!problem.intercept) return;
    Matrix other(2, 2);  // the one row that is left is a constant
    for (std::int64_t j = 0; j < 2; ++j) {
      other(0, j) = problem.y(0, j) - problem.y(1, j);
      other(1, j) = -other(0, j);
    }
    EXPECT_CLOSE(model.loo(), other, 1e-10);
  });
}

TEST(EveryRowLeftOut, HasNoAnswerWithAnIntercept) {
  Random random(71);
  const Matrix x = random.uniform_matrix(5, 2, -1.0, 1.0), y = random.uniform_matrix(5, 1, 1.0, 4.0);
  for_each_model(x, y, [](const Problem& problem, Model& model) {
    model.lambda(0.5);
    freeridge_status status = FREERIDGE_OK;
    const Matrix errors = model.group_errors(Labels(5, 3), &status);
    EXPECT_EQ(status, problem.intercept ? FREERIDGE_UNDEFINED : FREERIDGE_OK);
    EXPECT_CLOSE(errors, problem.intercept ? Matrix(5, 1, nan) : problem.y, 1e-11);
  });
}

TEST(ConstantColumns, EqualRefits) {
  Random random(72);
  Matrix x = random.uniform_matrix(14, 4, -1.0, 1.0);
  for (std::int64_t i = 0; i < 14; ++i) x(i, 1) = 5.0, x(i, 3) = 0.0;
  const Matrix y = responses(random, x, 2, 0.3);
  for_each_model(x, y, [](const Problem& problem, Model& model) {
    // In units of the kernel's values, which are about 1000 for the polynomial at columns of 5: the condition number is
    // what the tolerance allows for every kernel.
    const Matrix first = select_rows(problem.x, {0});
    const auto unit = static_cast<double>(oracle::kernel_matrix(problem.kernel, first, first)(0, 0));
    for (const double lambda : {1e-3, 1e-1, 1e2}) expect_all_answers(problem, model, lambda * unit);
    if (problem.kernel.family == Family::linear && problem.intercept) {
      for (std::int64_t j = 0; j < 2; ++j) EXPECT_NEAR(model.lambda(1.0).hyperplane()(1, j), 0.0, 1e-14);
    }
  });
}

TEST(ConstantX, FitsTheWeightedMean) {
  const std::int64_t n = 8;
  Random random(73);
  const Matrix x(n, 3, 1.25), y = random.uniform_matrix(n, 2, 1.0, 4.0);
  for_each_model(x, y, [&](const Problem& problem, Model& model) {
    for (const double lambda : {1e-2, 1.0, 1e3}) expect_all_answers(problem, model, lambda);
    double lambdas[5], chosen[2], score[2];
    if (problem.intercept) {
      EXPECT_EQ(freeridge_lambda_grid(model.get(), 5, lambdas), FREERIDGE_UNDEFINED);
      EXPECT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, chosen, score), FREERIDGE_OK);
      EXPECT_TRUE(chosen[0] == 1 && chosen[1] == 1) << chosen[0];  // no lambda matters
    } else {
      EXPECT_EQ(freeridge_lambda_grid(model.get(), 5, lambdas), FREERIDGE_OK);
    }
    if (needs_positive_definite(model.route_used())) return;
    model.lambda(0.0);
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) total += problem.weight(i);
    Matrix mean(n, 2), left_out(n, 2);
    for (std::int64_t j = 0; j < 2; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += problem.weight(i) * problem.y(i, j);
      for (std::int64_t i = 0; i < n; ++i) {
        mean(i, j) = sum / total;
        left_out(i, j) = problem.y(i, j) - (sum - problem.weight(i) * problem.y(i, j)) / (total - problem.weight(i));
      }
    }
    EXPECT_CLOSE(model.fitted(), mean, 1e-12);
    EXPECT_CLOSE(model.loo(), left_out, 1e-12);
  });
}

TEST(ZeroX, LinearKernelFitsNothing) {
  Random random(74);
  const Matrix x(7, 2), y = random.uniform_matrix(7, 1, 1.0, 4.0);
  for (const freeridge_route route : all_routes) {
    SCOPED_TRACE(route_name(route));
    Problem problem{KernelSpec::linear(), x, y, {}, false};
    Model model = oracle::make_model(problem, route);
    model.factorize();
    for (const double lambda : {0.7, 0.0}) {
      if (needs_positive_definite(route) && lambda == 0.0) continue;
      SCOPED_TRACE(lambda);
      EXPECT_CLOSE(model.lambda(lambda).loo(), y, 1e-14);
      EXPECT_CLOSE(model.hyperplane(), Matrix(2, 1), 0.0);
      EXPECT_CLOSE(model.predict(random.uniform_matrix(3, 2, -1.0, 1.0)), Matrix(3, 1), 0.0);
      for (const double fitted : model.fitted().values) EXPECT_NEAR(fitted, 0.0, 1e-14);  // Y less the residuals
    }
  }
}

TEST(ConstantY, IsFittedByTheInterceptAlone) {
  Random random(75);
  const Matrix x = random.uniform_matrix(12, 3, -1.0, 1.0), y(12, 1, 7.0);
  for_each_model(x, y, [](const Problem& problem, Model& model) {
    if (!problem.intercept) return expect_all_answers(problem, model, 0.1);
    for (const double lambda : {1e-3, 1.0, 1e3}) {
      model.lambda(lambda);
      EXPECT_CLOSE(model.fitted(), problem.y, 1e-13);
      EXPECT_CLOSE(model.intercepts(), Vector{7.0}, 1e-13);
      for (const double error : model.loo().values) EXPECT_NEAR(error, 0.0, 1e-11);
    }
    double lambda = 0, score = 0;
    EXPECT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, &lambda, &score), FREERIDGE_OK);
    EXPECT_NEAR(score, 0.0, 1e-20);
    EXPECT_CLOSE(model.fitted(), problem.y, 1e-12);
    if (!problem.weights.empty()) return;  // rounding of the weighted mean varies
    EXPECT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_REML, 0, 0, &lambda, &score), FREERIDGE_UNDEFINED);
    EXPECT_NE(std::string(freeridge_last_error()).find("an output that does not vary"), std::string::npos);
  });
}

TEST(RepeatedRows, EqualRefits) {
  Random random(76);
  const Matrix distinct = random.uniform_matrix(5, 3, -1.0, 1.0);
  const Matrix x = select_rows(distinct, {0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 0, 4});
  const Matrix y = responses(random, x, 2, 0.5);
  for_each_model(x, y, [](const Problem& problem, Model& model) {
    for (const double lambda : {1e-3, 1.0, 1e3}) expect_all_answers(problem, model, lambda);
  });
}

TEST(WeightsOfVeryDifferentSizes, EqualRefits) {
  Random random(77);
  const Matrix x = random.uniform_matrix(14, 3, -1.0, 1.0), y = responses(random, x, 1, 0.3);
  for_each_model(x, y, [](const Problem& given, Model&) {
    if (given.weights.empty()) return;
    Problem problem = given;
    for (std::size_t i = 0; i < problem.weights.size(); ++i)
      problem.weights[i] = std::pow(10.0, static_cast<double>(i % 5) - 2.0);  // 0.01 to 100
    for (const freeridge_route route : all_routes) {
      if (route == FREERIDGE_ROUTE_PRIMAL && problem.kernel.family != Family::linear) continue;
      Model model = oracle::make_model(problem, route);
      expect_all_answers(problem, model.factorize(), 0.1);
    }
  });
}

}  // namespace degenerate_test
