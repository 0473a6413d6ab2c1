// The band route where its parts begin to matter: several panels, several blocks of reflectors, several tiles of rows
// and of columns; the basis formed at once, later, or never; and the lambdas it has no answer for.
#include <gtest/gtest.h>

#include <thread>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace band_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

Problem problem_of(std::int64_t n, std::int64_t t, bool weighted, bool intercept) {
  Random random(91);
  return random_problem(random, kernel_of(Family::matern32, 3), n, 3, t, weighted, intercept);
}

Model band_of(const Problem& problem, std::int64_t expected_lambdas = 100,
              freeridge_criterion expected_criterion = FREERIDGE_LOO) {
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_BAND);
  model.expected_lambdas(expected_lambdas);
  check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_CRITERION, expected_criterion),
        "freeridge_set_parameter");
  return model;
}

void expect_same_answers(Model& model, Model& reference, std::int64_t n, double lambda) {
  SCOPED_TRACE(::testing::Message() << "lambda = " << lambda);
  constexpr double tolerance = 1e-10;
  Random random(92);
  const Matrix points = random.uniform_matrix(40, 3, -1.0, 1.0);
  // Groups of one row, of a few, of half of all (more than a strip and a block of columns), and rows never left out.
  Labels mixed(static_cast<std::size_t>(n), 0);
  for (std::int64_t i = 0; i < n; ++i)
    mixed[static_cast<std::size_t>(i)] = i % 2 == 0 ? 0 : i % 7 == 0 ? -1 : 1 + static_cast<std::int32_t>(i / 5);
  model.groups(mixed).lambda(lambda);
  reference.groups(mixed).lambda(lambda);
  EXPECT_CLOSE(model.loo(), reference.loo(), tolerance);
  EXPECT_CLOSE(model.group_errors(mixed), reference.group_errors(mixed), tolerance);
  EXPECT_CLOSE(model.leverage(), reference.leverage(), tolerance);
  EXPECT_CLOSE(model.degrees_of_freedom(), reference.degrees_of_freedom(), tolerance);
  EXPECT_CLOSE(model.fitted(), reference.fitted(), tolerance);
  EXPECT_CLOSE(model.coefficients(), reference.coefficients(), tolerance);
  EXPECT_CLOSE(model.intercepts(), reference.intercepts(), tolerance);
  EXPECT_CLOSE(model.predict(points), reference.predict(points), tolerance);
  EXPECT_CLOSE(model.cooks_distance(), reference.cooks_distance(), tolerance);
  EXPECT_CLOSE(model.predict_variance(points).variance, reference.predict_variance(points).variance, tolerance);
  EXPECT_CLOSE(model.predict_jackknife(points, 0.9).upper, reference.predict_jackknife(points, 0.9).upper, tolerance);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
    SCOPED_TRACE(::testing::Message() << "criterion " << criterion);
    EXPECT_CLOSE(model.score(criterion, {lambda, 2 * lambda}), reference.score(criterion, {lambda, 2 * lambda}),
                 tolerance);
  }
}

TEST(Band, AgreesWithCholeskyAtEverySize) {
  for (const std::int64_t n : {2, 3, 16, 17, 18, 33, 65, 130, 300, 700})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "n = " << n << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
        const Problem problem = problem_of(n, 2, weighted, intercept);
        Model model = band_of(problem), reference = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
        model.factorize();
        reference.factorize();
        ASSERT_EQ(model.route_used(), FREERIDGE_ROUTE_BAND);
        // 1e4 is above the largest eigenvalue, where the leverages have a formula of their own.
        for (const double lambda : {0.1, 1e4}) expect_same_answers(model, reference, n, lambda);
      }
}

TEST(Band, AnyBandwidthGivesTheSame) {
  const Problem problem = problem_of(400, 1, true, true);
  Model reference = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
  reference.factorize();
  for (const std::int64_t lambdas : {1, 10, 100000}) {  // a wide band for few, a narrow one for many
    SCOPED_TRACE(lambdas);
    Model model = band_of(problem, lambdas);
    model.factorize();
    expect_same_answers(model, reference, 400, 0.3);
  }
}

// GCV and REML need no basis, nor do the solution and predictions; what needs it forms it then.
TEST(Band, TheBasisMayBeFormedLater) {
  const Problem problem = problem_of(300, 2, true, true);
  Model early = band_of(problem), late = band_of(problem, 100, FREERIDGE_GCV);
  early.factorize();
  late.factorize();
  const Vector lambdas = early.lambda_grid(30);
  Random random(93);
  const Matrix points = random.uniform_matrix(20, 3, -1.0, 1.0);
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(late.score(criterion, lambdas), early.score(criterion, lambdas), 1e-12);
  early.lambda(0.2);
  late.lambda(0.2);
  EXPECT_CLOSE(late.predict(points), early.predict(points), 1e-12);
  EXPECT_CLOSE(late.fitted(), early.fitted(), 1e-12);
  // Two threads that need it at the same time.
  Matrix one, two;
  std::thread other([&] { one = late.loo(); });
  two = late.loo();
  other.join();
  EXPECT_TRUE(bit_equal(one, two));
  EXPECT_CLOSE(two, early.loo(), 1e-12);
  EXPECT_CLOSE(late.predict(points), early.predict(points), 1e-12);
  EXPECT_CLOSE(late.score(FREERIDGE_LOO, lambdas), early.score(FREERIDGE_LOO, lambdas), 1e-12);
}

TEST(Band, FewLambdasAndManyTogetherAreTheSame) {
  const Problem problem = problem_of(350, 3, false, true);
  Model model = band_of(problem);
  const Vector lambdas = model.factorize().lambda_grid(250);
  const Matrix together = model.score(FREERIDGE_LOO, lambdas);
  for (std::size_t l = 3; l < lambdas.size(); l += 41) {
    const Matrix alone = model.score(FREERIDGE_LOO, {lambdas[l]});
    const auto row = static_cast<std::int64_t>(l);
    for (std::int64_t j = 0; j < 3; ++j) EXPECT_NEAR(together(row, j), alone(0, j), 1e-13 * alone(0, j));
  }
}

TEST(Band, FindsTheLambdaThatTheSpectrumFinds) {
  const Problem problem = problem_of(300, 3, true, true);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
    SCOPED_TRACE(::testing::Message() << "criterion " << criterion);
    Vector lambda[2] = {Vector(3), Vector(3)}, score[2] = {Vector(3), Vector(3)};
    const freeridge_route routes[] = {FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_SPECTRAL};
    for (const int k : {0, 1}) {
      Model model = oracle::make_model(problem, routes[k]);
      model.factorize();
      check(freeridge_select_lambda(model.get(), criterion, 0, 0, lambda[k].data(), score[k].data()), "select_lambda");
    }
    EXPECT_CLOSE(score[0], score[1], 1e-12);
    EXPECT_CLOSE(lambda[0], lambda[1], 1e-5);
  }
}

TEST(Band, BelowTheRoundingOfASingularKernelThereIsNoAnswer) {
  Problem problem = problem_of(60, 1, false, true);
  problem.kernel = kernel_of(Family::gaussian, 3);
  problem.kernel.sigma = 100;  // eigenvalues down to rounding
  Model model = band_of(problem);
  model.factorize();
  double tolerance = 0;
  check(freeridge_get_tolerance(model.get(), &tolerance), "freeridge_get_tolerance");
  EXPECT_GT(tolerance, 0);
  for (const double lambda : {0.0, tolerance / 2})
    EXPECT_EQ(freeridge_set_lambda(model.get(), lambda), FREERIDGE_NOT_POSITIVE_DEFINITE);
  EXPECT_NE(std::string(freeridge_last_error()).find("SPECTRAL"), std::string::npos);
  model.lambda(2 * tolerance);
  // The others keep their scores, and the search stays above.
  Matrix scores(2, 1);
  const Vector lambdas = {tolerance / 2, 1.0};
  EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_LOO, 2, lambdas.data(), scores.values.data(), nullptr, 2),
            FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(scores(0, 0)));
  EXPECT_TRUE(bit_equal(Matrix(1, 1, scores(1, 0)), model.score(FREERIDGE_LOO, {1.0})));
  const Vector grid = model.lambda_grid(50);
  EXPECT_GE(grid.front(), tolerance * (1 - 1e-12));
  for (const double score : model.score(FREERIDGE_LOO, grid).values) EXPECT_TRUE(std::isfinite(score));
}

TEST(Band, LambdaZeroIsFineWhereTheKernelIsRegular) {
  Problem problem = problem_of(80, 2, true, true);
  problem.kernel.sigma = 0.2;
  Model model = band_of(problem), reference = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  model.factorize();
  reference.factorize();
  model.lambda(0);
  reference.lambda(0);
  const Labels folds = modulo_groups(80, 7);
  EXPECT_CLOSE(model.loo(), reference.loo(), 1e-10);
  EXPECT_CLOSE(model.group_errors(folds), reference.group_errors(folds), 1e-10);
  EXPECT_CLOSE(model.coefficients(), reference.coefficients(), 1e-10);
  EXPECT_CLOSE(model.fitted(), problem.y, 1e-12);
}

TEST(Band, RefusesAPrecomputedMatrixThatIsNotSemidefinite) {
  Matrix k(40, 40);
  for (std::int64_t i = 0; i < 40; ++i) k(i, i) = i == 20 ? -1 : 2;
  Random random(94);
  Model model(Kernel::precomputed());
  model.data(k, random.uniform_matrix(40, 1, -1.0, 1.0)).route(FREERIDGE_ROUTE_BAND);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(freeridge_last_error()).find("semi-definite"), std::string::npos);
}

struct Countdown {
  int reports, seen = 0;
};
std::int32_t count_down(double fraction, void* user) {
  EXPECT_GE(fraction, 0);
  EXPECT_LE(fraction, 1);
  auto* countdown = static_cast<Countdown*>(user);
  return ++countdown->seen == countdown->reports ? 1 : 0;
}

TEST(Band, CancelledAtAnyReportTheModelIsAsBefore) {
  const Problem problem = problem_of(250, 1, false, true);
  Model expected = band_of(problem);
  const Matrix loo = expected.factorize().lambda(0.5).loo();
  Model model = band_of(problem);
  bool finished = false;
  int cancelled = 0;
  for (int reports = 1; !finished; reports += 3) {
    Countdown countdown{reports};
    model.progress(count_down, &countdown);
    const freeridge_status status = freeridge_factorize(model.get());
    finished = status == FREERIDGE_OK;
    if (finished) break;
    ASSERT_EQ(status, FREERIDGE_CANCELLED);
    EXPECT_EQ(freeridge_set_lambda(model.get(), 0.5), FREERIDGE_INVALID_STATE);
    ++cancelled;
  }
  EXPECT_GE(cancelled, 5);
  model.progress(nullptr, nullptr);
  EXPECT_TRUE(bit_equal(model.lambda(0.5).loo(), loo));
}

}  // namespace band_test
