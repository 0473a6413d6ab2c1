// Problems larger than every tile the library works in: more rows, more new points and more lambdas than fit into one.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/problems.hpp"

namespace tiles_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr std::int64_t n = 1300, t = 3;
const std::vector<std::int64_t> some_rows = {0, 63, 64, 255, 256, 511, 512, 1023, 1024, n - 1};

// (1) for the linear kernel from d x d normal equations in long double, without row `left_out` (-1: with every row).
Matrix ridge_predictions(const Problem& problem, double lambda, std::int64_t left_out, const Matrix& points) {
  const std::int64_t d = problem.x.cols;
  Dense normal(d + 1, d + 1), rhs(d + 1, t);
  for (std::int64_t i = 0; i < n; ++i) {
    if (i == left_out) continue;
    const auto z = [&](std::int64_t k) -> Real { return k < d ? problem.x(i, k) : 1; };
    for (std::int64_t k = 0; k <= d; ++k) {
      const Real weighted = problem.weight(i) * z(k);
      for (std::int64_t l = 0; l <= d; ++l) normal(k, l) += weighted * z(l);
      for (std::int64_t j = 0; j < t; ++j) rhs(k, j) += weighted * problem.y(i, j);
    }
  }
  for (std::int64_t k = 0; k < d; ++k) normal(k, k) += lambda;
  Dense design(points.rows, d + 1, 1);
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t i = 0; i < points.rows; ++i) design(i, k) = points(i, k);
  return to_double(multiply(design, solve(normal, rhs)));
}

void expect_scores_of_single_calls(Model& model, const Problem& problem) {
  const Vector lambdas = model.lambda_grid(400);  // with three outputs 1200 columns
  const Matrix scores = model.score(FREERIDGE_LOO, lambdas);
  for (std::int64_t k = 250; k < 400; k += 40) {
    const double lambda = lambdas[static_cast<std::size_t>(k)];
    const Matrix errors = model.lambda(lambda).loo();
    for (std::int64_t j = 0; j < t; ++j) {
      double sum = 0, total = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        sum += problem.weight(i) * errors(i, j) * errors(i, j);
        total += problem.weight(i);
      }
      EXPECT_NEAR(scores(k, j), sum / total, 1e-11 * scores(k, j));
    }
  }
}

Problem large_problem(Family family, std::int64_t d) {
  Random random(51);
  return random_problem(random, kernel_of(family, d), n, d, t, true, true);
}

TEST(Tiles, LinearKernelByEveryRoute) {
  const Problem problem = large_problem(Family::linear, 5);
  const double lambda = 2.0;
  Random random(52);
  const Matrix points = random.uniform_matrix(20000, 5, -1.0, 1.0);
  const Matrix fitted = ridge_predictions(problem, lambda, -1, problem.x);
  const Matrix predicted = ridge_predictions(problem, lambda, -1, points);
  Matrix left_out(static_cast<std::int64_t>(some_rows.size()), t);
  for (std::int64_t k = 0; k < left_out.rows; ++k) {
    const std::int64_t row = some_rows[static_cast<std::size_t>(k)];
    const Matrix prediction = ridge_predictions(problem, lambda, row, select_rows(problem.x, {row}));
    for (std::int64_t j = 0; j < t; ++j) left_out(k, j) = problem.y(row, j) - prediction(0, j);
  }
  for (const freeridge_route route : std::vector<freeridge_route>{
           FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL,
           FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device}) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(problem, route, FREERIDGE_ROW_MAJOR);
    model.factorize().lambda(lambda);
    EXPECT_CLOSE(model.fitted(), fitted, 1e-11);
    EXPECT_CLOSE(model.predict(points), predicted, 1e-11);
    EXPECT_CLOSE(model.predict(points, FREERIDGE_ROW_MAJOR, 3), predicted, 1e-11);
    EXPECT_CLOSE(select_rows(model.loo(), some_rows), left_out, 1e-11);
    if (route == FREERIDGE_ROUTE_PRIMAL) expect_scores_of_single_calls(model, problem);
  }
}

TEST(Tiles, GaussianKernel) {
  const Problem problem = large_problem(Family::gaussian, 4);
  const double lambda = 0.5;
  Model cholesky = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
  Model spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROW_MAJOR);
  cholesky.factorize().lambda(lambda);
  spectral.factorize().lambda(lambda);
  Random random(53);
  const Matrix points = random.uniform_matrix(1500, 4, -1.0, 1.0);
  EXPECT_CLOSE(spectral.loo(), cholesky.loo(), 1e-10);
  EXPECT_CLOSE(spectral.leverage(), cholesky.leverage(), 1e-10);
  EXPECT_CLOSE(spectral.predict(points), cholesky.predict(points), 1e-10);
  const Labels folds = modulo_groups(n, 9);  // 144 or 145 rows together
  EXPECT_CLOSE(spectral.group_errors(folds), cholesky.group_errors(folds), 1e-10);

  // c and b solve the bordered system, and the predictions are their sum, both by definition.
  const Matrix c = spectral.coefficients(), predicted = spectral.predict(points);
  const Vector b = spectral.intercepts();
  const oracle::Fit fit{to_real(c), to_real([&] {
                          Matrix row(1, t);
                          row.values = b;
                          return row;
                        }())};
  const Matrix at_rows = oracle::predict(problem, fit, select_rows(problem.x, some_rows));
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t k = 0; k < at_rows.rows; ++k) {
      const std::int64_t i = some_rows[static_cast<std::size_t>(k)];
      EXPECT_NEAR(at_rows(k, j) + lambda / problem.weight(i) * c(i, j), problem.y(i, j), 1e-10);
    }
  EXPECT_CLOSE(select_rows(predicted, some_rows), oracle::predict(problem, fit, select_rows(points, some_rows)), 1e-12);
  expect_scores_of_single_calls(spectral, problem);
}

}  // namespace tiles_test
