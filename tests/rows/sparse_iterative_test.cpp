// Sparse rows by the ITERATIVE route: solutions within the bound that comes with them, against refits and the PRIMAL route
// on the same numbers as an ordinary matrix; LOO and GCV as estimates, against the exact ones; extreme data and lambdas
// refused or right; what it does not promise; when AUTO takes it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"
#include "support/sparse.hpp"
#include "support/unpenalised.hpp"

namespace sparse_iterative_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

// Entries in columns that are the fewer the further right, as in text.
Problem text_like(std::int64_t n, std::int64_t d, std::int64_t t, bool weighted, bool intercept, std::uint64_t seed) {
  Random random(seed);
  Problem problem = random_problem(random, KernelSpec::linear(), n, d, t, weighted, intercept);
  problem.x = Matrix(n, d);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < 8; ++k) problem.x(i, random.index(random.index(d) + 1)) += random.uniform(0.2, 2);
  const Vector w = random.uniform_vector(d, -1, 1);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < t; ++j) {
      problem.y(i, j) = random.normal() + static_cast<double>(j);
      for (std::int64_t k = 0; k < d; ++k) problem.y(i, j) += problem.x(i, k) * w[static_cast<std::size_t>(k)];
    }
  return problem;
}

Model iterative(const Problem& problem, freeridge_sparse_format format, double accuracy) {
  Model model = oracle::make_model(problem);
  check(set_sparse(model.get(), Sparse(problem.x, format), problem.y, false), "freeridge_set_points");
  model.weights(problem.weights).route(FREERIDGE_ROUTE_ITERATIVE);
  check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, accuracy), "freeridge_set_parameter");
  return model;
}

Model exact_model(const Problem& problem) {
  return oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
}

Vector accuracies(const freeridge_model* model, std::int64_t t) {
  Vector out(static_cast<std::size_t>(t));
  check(freeridge_get_accuracy(model, out.data()), "freeridge_get_accuracy");
  return out;
}

// |v|_A of column j, |X~ v|^2 + lambda |v|^2.
double norm(const Problem& problem, double lambda, const Matrix& v, std::int64_t j) {
  const std::int64_t n = problem.x.rows, d = problem.x.cols;
  Real sum_w = 0, squares = 0, total = 0;
  std::vector<Real> f(static_cast<std::size_t>(n), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < d; ++k) f[static_cast<std::size_t>(i)] += Real(problem.x(i, k)) * v(k, j);
    sum_w += problem.weight(i);
    total += problem.weight(i) * f[static_cast<std::size_t>(i)];
  }
  const Real mean = problem.intercept ? total / sum_w : 0;
  for (std::int64_t i = 0; i < n; ++i)
    squares += problem.weight(i) * (f[static_cast<std::size_t>(i)] - mean) * (f[static_cast<std::size_t>(i)] - mean);
  for (std::int64_t k = 0; k < d; ++k) squares += Real(lambda) * v(k, j) * v(k, j);
  return static_cast<double>(std::sqrt(squares));
}

void expect_within_bound(const Problem& problem, const Model& model, double lambda, double accuracy) {
  const Matrix exact = exact_model(problem).factorize().lambda(lambda).hyperplane(), found = model.hyperplane();
  const Vector bound = accuracies(model.get(), problem.y.cols);
  for (std::int64_t j = 0; j < problem.y.cols; ++j) {
    Matrix difference = found;
    for (std::int64_t k = 0; k < found.rows; ++k) difference(k, j) -= exact(k, j);
    const double stated = bound[static_cast<std::size_t>(j)];
    EXPECT_LE(stated, accuracy);
    EXPECT_LE(norm(problem, lambda, difference, j), (stated + 1e-12) * norm(problem, lambda, exact, j));
  }
}

TEST(SparseIterative, SolutionsAreWithinTheirBound) {
  const std::pair<std::int64_t, std::int64_t> sizes[] = {{60, 7}, {40, 90}, {150, 120}, {1, 3}, {2, 1}};
  for (const auto& [n, d] : sizes)
    for (int design = 0; design < 8; ++design) {
      const bool weighted = (design & 2) != 0, intercept = (design & 4) != 0;
      SCOPED_TRACE(::testing::Message() << n << " x " << d << ", design " << design);
      const Problem problem = text_like(n, d, design % 2 == 0 ? 3 : 1, weighted, intercept, 1);
      for (const double accuracy : {1e-3, 1e-8}) {
        Model model = iterative(problem, (design & 1) != 0 ? FREERIDGE_CSR : FREERIDGE_CSC, accuracy);
        model.factorize();
        EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_ITERATIVE);
        for (const double lambda : {0.05, 3.0, 1e6}) {
          SCOPED_TRACE(lambda);
          model.lambda(lambda);
          expect_within_bound(problem, model, lambda, accuracy);
          if (accuracy > 1e-8) continue;
          const Model exact = std::move(exact_model(problem).factorize().lambda(lambda));
          EXPECT_CLOSE(model.predict(problem.x), exact.predict(problem.x), 1e-6);
          EXPECT_CLOSE(model.coefficients(), exact.coefficients(), 1e-5);
          for (std::int64_t i = 0; i < n; ++i)
            EXPECT_NEAR(model.fitted()(i, 0), exact.fitted()(i, 0), 1e-6 * (1 + std::abs(exact.fitted()(i, 0))));
          EXPECT_CLOSE(to_column(model.intercepts()), to_column(exact.intercepts()), 1e-5);
        }
      }
    }
}

TEST(SparseIterative, ScaledPenalisedOffsetFixedEffectsAndVariances) {
  Problem problem = text_like(70, 40, 2, true, true, 3);
  for (std::int64_t k = 0; k < 40; ++k) problem.kernel.columns.push_back(0.5 + static_cast<double>(k % 5));
  const Matrix points = text_like(5, 40, 1, false, true, 4).x;
  for (const bool penalised : {false, true}) {
    Model model = iterative(problem, FREERIDGE_CSR, 1e-10), exact = exact_model(problem);
    for (Model* const each : {&model, &exact}) {
      each->intercept_kind(penalised ? FREERIDGE_INTERCEPT_PENALISED : FREERIDGE_INTERCEPT_FREE);
      each->factorize().lambda(0.7);
    }
    EXPECT_CLOSE(model.predict(points), exact.predict(points), 1e-8);
    EXPECT_CLOSE(model.hyperplane(), exact.hyperplane(), 1e-8);
    EXPECT_CLOSE(model.predict_variance(points).variance, exact.predict_variance(points).variance, 0.3);
  }
  Matrix fixed(70, 3);
  for (std::int64_t i = 0; i < 70; ++i) fixed(i, i % 3) = 1;
  Model model = iterative(problem, FREERIDGE_CSC, 1e-10), exact = exact_model(problem);
  set_unpenalised(model, fixed);
  set_unpenalised(exact, fixed);
  for (Model* const each : {&model, &exact}) each->factorize().lambda(0.7);
  EXPECT_CLOSE(model.hyperplane(), exact.hyperplane(), 1e-8);
  EXPECT_CLOSE(model.fitted(), exact.fitted(), 1e-7);
}

struct Estimates {
  Matrix scores, errors;
};

Estimates estimates(const freeridge_model* model, freeridge_criterion criterion, const Vector& lambdas,
                    std::int64_t t) {
  const auto count = std::ssize(lambdas);
  Estimates out{Matrix(count, t), Matrix(count, t)};
  check(freeridge_estimate_score(model, criterion, 0, count, lambdas.data(), out.scores.values.data(),
                                 out.errors.values.data(), count),
        "freeridge_estimate_score");
  return out;
}

TEST(SparseIterative, ThreeStandardErrorsCoverTheExactScores) {
  int tried = 0, missed = 0, blunt = 0;
  const Vector lambdas = {3.0, 10.0, 100.0};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem problem = text_like(400, seed % 2 == 0 ? 300 : 500, 2, seed % 3 == 0, seed % 5 != 0, seed);
    Model model = iterative(problem, FREERIDGE_CSR, 1e-8), exact = exact_model(problem);
    model.factorize(), exact.factorize();
    for (const auto criterion : {FREERIDGE_LOO, FREERIDGE_GCV}) {
      const Estimates found = estimates(model.get(), criterion, lambdas, 2);
      const Matrix known = exact.score(criterion, lambdas);
      EXPECT_CLOSE(model.score(criterion, lambdas), found.scores, 0);
      for (std::int64_t l = 0; l < 3; ++l)
        for (std::int64_t j = 0; j < 2; ++j) {
          ++tried;
          missed += std::abs(found.scores(l, j) - known(l, j)) > 3 * found.errors(l, j) ? 1 : 0;
          blunt += found.errors(l, j) > 0.1 * known(l, j) ? 1 : 0;
        }
    }
    model.lambda(10.0), exact.lambda(10.0);
    EXPECT_NEAR(model.degrees_of_freedom()[0], exact.degrees_of_freedom()[0], 0.1 * exact.degrees_of_freedom()[0]);
    const double chosen = model.select_lambda(FREERIDGE_LOO).lambda[0];
    const double best = exact.select_lambda(FREERIDGE_LOO).score[0];
    EXPECT_LT(exact.score(FREERIDGE_LOO, {chosen})(0, 0), 1.01 * best) << "seed " << seed;
  }
  EXPECT_LE(20 * missed, tried) << missed << " of " << tried;
  EXPECT_LE(20 * blunt, tried) << blunt << " of " << tried;
}

TEST(SparseIterative, FewRowsHaveExactScores) {
  for (const std::int64_t n : {2, 20, 300}) {
    const Problem problem = text_like(n, 30, 1, true, true, 9);
    Model model = iterative(problem, FREERIDGE_CSR, 1e-10), exact = exact_model(problem);
    model.factorize(), exact.factorize();
    const Vector lambdas = {1.0, 100.0};
    for (const auto criterion : {FREERIDGE_LOO, FREERIDGE_GCV}) {
      const Estimates found = estimates(model.get(), criterion, lambdas, 1);
      EXPECT_CLOSE(found.scores, exact.score(criterion, lambdas), 1e-7);
      for (const double error : found.errors.values) EXPECT_LE(error, 1e-6);
    }
  }
}

// Loose solutions of outputs: exact but for them where rows are few, so that the error is theirs alone; else beside the probes'.
TEST(SparseIterative, SolutionsThatEndEarlyAreInTheErrors) {
  const Vector lambdas = {1.0, 10.0, 100.0};
  for (const std::int64_t n : {100, 800})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(::testing::Message() << n << " rows, seed " << seed);
      const Problem problem = text_like(n, 200, 1, seed % 2 == 0, true, seed);
      Model loose = iterative(problem, FREERIDGE_CSR, 0.1), sharp = iterative(problem, FREERIDGE_CSR, 1e-9);
      Model exact = exact_model(problem);
      loose.factorize(), sharp.factorize(), exact.factorize();
      for (const auto criterion : {FREERIDGE_LOO, FREERIDGE_GCV}) {
        const Estimates found = estimates(loose.get(), criterion, lambdas, 1);
        const Estimates without = estimates(sharp.get(), criterion, lambdas, 1);
        const Matrix known = exact.score(criterion, lambdas);
        for (std::int64_t l = 0; l < 3; ++l) {
          const double early = std::abs(found.scores(l, 0) - without.scores(l, 0));
          EXPECT_LE(early, found.errors(l, 0)) << lambdas[static_cast<std::size_t>(l)];
          EXPECT_LE(std::abs(found.scores(l, 0) - known(l, 0)), 3 * found.errors(l, 0));
          EXPECT_LE(without.errors(l, 0), found.errors(l, 0));
        }
      }
    }
}

// Rounding keeps solutions that estimates need from an accuracy that the user does not set.
TEST(SparseIterative, EstimatesThatDoNotConvergeSayWhatHelps) {
  Problem problem = text_like(800, 200, 1, false, true, 1);
  for (std::int64_t i = 0; i < 800; ++i)  // two columns that are nearly the same
    problem.x(i, 1) = problem.x(i, 0) * (1 + 1e-7 * static_cast<double>(i % 7));
  Model model = iterative(problem, FREERIDGE_CSR, 0.9);
  double tolerance = 0, score = 0, error = 0;
  check(freeridge_get_tolerance(model.factorize().get(), &tolerance), "freeridge_get_tolerance");
  const double lambda = 1.5 * tolerance;
  EXPECT_EQ(freeridge_estimate_score(model.get(), FREERIDGE_LOO, 0, 1, &lambda, &score, &error, 1),
            FREERIDGE_UNDEFINED);
  EXPECT_NE(std::string(freeridge_last_error()).find("whatever FREERIDGE_ACCURACY asks for; set a larger lambda"),
            std::string::npos)
      << freeridge_last_error();
  EXPECT_FALSE(std::isnan(estimates(model.get(), FREERIDGE_LOO, {1e10 * tolerance}, 1).scores(0, 0)));
}

// Duplicate rows, columns that are constant, empty or the same as another, empty rows.
TEST(SparseIterative, ExtremeLambdasAreRefusedOrRight) {
  for (const bool intercept : {false, true}) {
    Problem problem = text_like(50, 20, 1, false, intercept, 5);
    for (std::int64_t k = 0; k < 20; ++k) problem.x(1, k) = problem.x(0, k), problem.x(7, k) = 0;
    for (std::int64_t i = 0; i < 50; ++i)
      problem.x(i, 3) = 0, problem.x(i, 4) = 2.5, problem.x(i, 6) = problem.x(i, 5),
                   problem.x(i, 19) = i == 30 ? 1e3 : 0;
    Model model = iterative(problem, FREERIDGE_CSR, 1e-6);
    model.factorize();
    int right = 0;
    for (int power = -12; power <= 12; ++power) {
      const double lambda = std::pow(10, power);
      SCOPED_TRACE(lambda);
      const freeridge_status status = freeridge_set_lambda(model.get(), lambda);
      if (status == FREERIDGE_OK) {
        ++right;
        expect_within_bound(problem, model, lambda, 1e-6);
      } else {
        EXPECT_TRUE(status == FREERIDGE_NOT_CONVERGED || status == FREERIDGE_NOT_POSITIVE_DEFINITE) << status;
      }
    }
    EXPECT_GE(right, 14);
    EXPECT_EQ(freeridge_set_lambda(model.get(), 0), FREERIDGE_NOT_POSITIVE_DEFINITE);
    Vector score(1);
    const double tiny = 1e-300;
    EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_LOO, 1, &tiny, score.data(), nullptr, 1), FREERIDGE_UNDEFINED);
    EXPECT_TRUE(std::isnan(score[0]));
  }
}

TEST(SparseIterative, PromisesAboutSinglePointsAreRefused) {
  const Problem problem = text_like(80, 30, 1, false, true, 6);
  Model model = iterative(problem, FREERIDGE_CSR, 1e-6);
  model.factorize().lambda(1.0);
  Vector out(80 * 80);
  const Labels group(80, 1);
  const double lambda = 1;
  EXPECT_EQ(freeridge_loo(model.get(), out.data(), 80), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_group_errors(model.get(), group.data(), 0, nullptr, out.data(), 80), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_get_leverage(model.get(), out.data(), 80), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_cooks_distance(model.get(), out.data(), 80), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_predict_jackknife(model.get(), at(problem.x), 0.9, -1, 0, FREERIDGE_COL_MAJOR, out.data(),
                                        out.data() + out.size() / 2, 80),
            FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_REML, 1, &lambda, out.data(), nullptr, 1), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_eigenvalues(model.get(), 1, out.data(), nullptr, 0), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_hat_matrix(model.get(), 1, out.data(), nullptr, 80), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 1), FREERIDGE_OK);
  EXPECT_EQ(freeridge_set_lambda(model.get(), 1), FREERIDGE_INVALID_STATE);
}

TEST(SparseIterative, PathsStartFromTheSolutionBefore) {
  const Problem problem = text_like(90, 60, 2, true, true, 8);
  Model model = iterative(problem, FREERIDGE_CSC, 1e-9), exact = exact_model(problem);
  model.factorize(), exact.factorize();
  const Vector lambdas = {1.0, 100.0, 0.1, 10.0, 10.0};
  Matrix found(60, 10), known = found, found_b(2, 5), known_b = found_b;
  check(freeridge_hyperplane(model.get(), 5, lambdas.data(), found.values.data(), 60, found_b.values.data()), "path");
  check(freeridge_hyperplane(exact.get(), 5, lambdas.data(), known.values.data(), 60, known_b.values.data()), "path");
  EXPECT_CLOSE(found, known, 1e-7);
  EXPECT_CLOSE(found_b, known_b, 1e-7);
}

TEST(SparseIterative, SavedModelsAnswerAlike) {
  const Problem problem = text_like(80, 30, 2, true, true, 6);
  Model model = iterative(problem, FREERIDGE_CSC, 1e-7);
  model.factorize().lambdas({1.0, 20.0});
  const Handle again = loaded(saved(model.get()));
  Matrix w(30, 2);
  check(freeridge_hyperplane(again.get(), 0, nullptr, w.values.data(), 30, nullptr), "freeridge_hyperplane");
  EXPECT_TRUE(bit_equal(w, model.hyperplane()));
  EXPECT_TRUE(bit_equal(accuracies(again.get(), 2), accuracies(model.get(), 2)));
  EXPECT_TRUE(bit_equal(estimates(again.get(), FREERIDGE_LOO, {2.0}, 2).scores,
                        estimates(model.get(), FREERIDGE_LOO, {2.0}, 2).scores));
  EXPECT_NE(loaded(saved_predictor(model.get())), nullptr);
}

// A factor with columns in pairs, and noise.
struct Pairs {
  Sparse x{Matrix(1, 1), FREERIDGE_CSR};
  Matrix y;
  Pairs(std::int64_t n, std::int64_t d) : y(n, 1) {
    x.rows = n, x.cols = d, x.start = {0}, x.index.clear(), x.value.clear();
    Random random(1);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto first = static_cast<std::int32_t>(random.index(d - 1));
      x.index.push_back(first), x.index.push_back(first + 1);
      x.value.push_back(1), x.value.push_back(random.normal());
      x.start.push_back(2 * i + 2);
      y(i, 0) = random.normal();
    }
  }
};

std::string explained(const Model& model) {
  std::string text(4000, ' ');
  std::int64_t length = 0;
  check(freeridge_explain(model.get(), 4000, text.data(), &length), "freeridge_explain");
  return text;
}

// 30000 columns would be 7 GB and hours.
TEST(SparseIterative, AutoTakesItWhereDirectRoutesDoNotPay) {
  const Pairs rows(30000, 40000);
  Model model(Kernel::linear());
  check(set_sparse(model.get(), rows.x, rows.y, true), "freeridge_set_points");
  const std::string text = explained(model);
  EXPECT_NE(text.find("route ITERATIVE: x is sparse"), std::string::npos) << text;
  model.factorize().lambda(1.0);
  EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_ITERATIVE);
  std::int64_t bytes = 0;
  check(freeridge_memory_required(model.get(), &bytes), "freeridge_memory_required");
  EXPECT_LT(bytes, 200 << 20);
}

// One lambda and no errors left out: seconds of PRIMAL are long, too; but not where a criterion needs PRIMAL.
TEST(SparseIterative, AutoTakesItForOneSolution) {
  const Pairs rows(20000, 8000), fewer(6000, 4000), few(2000, 500);
  const struct {
    const Pairs* rows;
    std::int64_t lambdas;
    freeridge_criterion criterion;
    const char* reason;
  } cases[] = {{&rows, 1, FREERIDGE_GCV, "route ITERATIVE: x is sparse, and PRIMAL takes "},
               {&rows, 1, FREERIDGE_LOO, "route PRIMAL"},
               {&rows, 1, FREERIDGE_REML, "route PRIMAL"},
               {&rows, 100, FREERIDGE_GCV, "route PRIMAL"},
               {&few, 1, FREERIDGE_GCV, "route PRIMAL"}};
  {  // where ITERATIVE does not converge, PRIMAL answers
    Model model(Kernel::linear());
    check(set_sparse(model.get(), fewer.x, fewer.y, true), "freeridge_set_points");
    check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_LAMBDAS, 1), "freeridge_set_parameter");
    check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_CRITERION, FREERIDGE_GCV), "freeridge_set_parameter");
    check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, 1e-17), "freeridge_set_parameter");
    model.factorize();
    EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_ITERATIVE);
    model.lambda(1e-3);
    EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_PRIMAL);
  }
  for (const auto& one : cases) {
    Model model(Kernel::linear());
    check(set_sparse(model.get(), one.rows->x, one.rows->y, true), "freeridge_set_points");
    check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_LAMBDAS, static_cast<double>(one.lambdas)),
          "freeridge_set_parameter");
    check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_CRITERION, one.criterion), "freeridge_set_parameter");
    const std::string text = explained(model);
    EXPECT_NE(text.find(one.reason), std::string::npos) << text;
    if (text.find("route ITERATIVE") == text.npos) continue;
    for (const double lambda : {1e-4, 1.0, 1e4}) {
      model.factorize().lambda(lambda);
      EXPECT_LE(accuracies(model.get(), 1)[0], 1e-8);
    }
    EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_ITERATIVE);
  }
}

}  // namespace sparse_iterative_test
