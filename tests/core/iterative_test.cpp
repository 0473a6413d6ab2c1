// The ITERATIVE route against refits in long double and other routes: solutions within the bound that comes with them, and
// that bound not much above the error; extreme lambdas refused or right; what it refuses; saving.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/csv.hpp"
#include "support/deep.hpp"
#include "support/problems.hpp"
#include "support/saved.hpp"
#include "support/unpenalised.hpp"

namespace {

using namespace support;
using oracle::Family;

Model iterative(const oracle::Problem& problem, double accuracy) {
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_ITERATIVE);
  check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, accuracy), "freeridge_set_parameter");
  return model;
}

Vector accuracy_of(const Model& model, std::int64_t t) {
  Vector out(static_cast<std::size_t>(t));
  check(freeridge_get_accuracy(model.get(), out.data()), "freeridge_get_accuracy");
  return out;
}

// |c - c*|_G / |c*|_G of one output, G = K + lambda W^-1.
double error_in_norm(const oracle::Problem& problem, const Dense& k, double lambda, const Matrix& c, const Dense& exact,
                     std::int64_t output) {
  Real error = 0, size = 0;
  for (std::int64_t i = 0; i < k.rows; ++i) {
    const Real e_i = c(i, output) - exact(i, output), c_i = exact(i, output);
    error += lambda / problem.weight(i) * e_i * e_i;
    size += lambda / problem.weight(i) * c_i * c_i;
    for (std::int64_t j = 0; j < k.rows; ++j) {
      error += e_i * k(i, j) * (c(j, output) - exact(j, output));
      size += c_i * k(i, j) * exact(j, output);
    }
  }
  return static_cast<double>(std::sqrt(error / size));
}

// The error is below the bound, and the bound at most three times the error, unless rounding is in sight.
void expect_certified(const oracle::Problem& problem, double lambda, double accuracy) {
  Model model = iterative(problem, accuracy);
  model.factorize().lambda(lambda);
  const Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  const oracle::Fit exact = oracle::fit(problem, lambda);
  const Vector bound = accuracy_of(model, problem.y.cols);
  const Matrix c = model.coefficients();
  for (std::int64_t j = 0; j < problem.y.cols; ++j) {
    const double error = error_in_norm(problem, k, lambda, c, exact.c, j), stated = bound[static_cast<std::size_t>(j)];
    EXPECT_LE(stated, accuracy);
    EXPECT_LE(error, stated + 1e-15) << "output " << j;
    if (stated > 1e-9 && stated > static_cast<double>(k.rows) * 0x1p-53 / lambda) {
      EXPECT_LE(stated, 3 * error) << "output " << j;
    }
  }
  EXPECT_CLOSE(model.predict(problem.x), oracle::predict(problem, exact, problem.x), 10 * accuracy + 1e-12);
  EXPECT_CLOSE(model.fitted(), oracle::predict(problem, exact, problem.x), 10 * accuracy + 1e-12);
}

// The last column on the others, each divided by its standard deviation.
oracle::Problem standardised(const CsvFile& file) {
  oracle::Problem problem{oracle::KernelSpec::gaussian(1), {}, numbers(file, {file.header.back()}), {}, true};
  problem.x = numbers(file, {file.header.begin(), file.header.end() - 1});
  for (std::int64_t k = 0; k < problem.x.cols; ++k) {
    double* const column = &problem.x(0, k);
    const auto n = static_cast<double>(problem.x.rows);
    double mean = 0, squares = 0;
    for (std::int64_t i = 0; i < problem.x.rows; ++i) mean += column[i] / n;
    for (std::int64_t i = 0; i < problem.x.rows; ++i) squares += (column[i] - mean) * (column[i] - mean) / n;
    for (std::int64_t i = 0; i < problem.x.rows; ++i) column[i] /= std::sqrt(squares);
  }
  return problem;
}

oracle::Problem first_rows(const oracle::Problem& of, std::int64_t n) {
  oracle::Problem out = of;
  out.x = Matrix(n, of.x.cols);
  out.y = Matrix(n, of.y.cols);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < of.x.cols; ++k) out.x(i, k) = of.x(i, k);
    for (std::int64_t j = 0; j < of.y.cols; ++j) out.y(i, j) = of.y(i, j);
  }
  return out;
}

TEST(Iterative, AgainstRefits) {
  Random random(11);
  for (const Family family : {Family::gaussian, Family::laplacian, Family::matern32, Family::polynomial, Family::sum})
    for (const bool weighted : {false, true}) {
      const bool intercept = weighted || family == Family::gaussian;
      const oracle::Problem problem =
          random_problem(random, kernel_of(family, 3, weighted), 130, 3, weighted ? 3 : 1, weighted, intercept);
      for (const double lambda : {0.02, 3.0})
        for (const double accuracy : {1e-3, 1e-11}) {
          SCOPED_TRACE(testing::Message() << "family " << int(family) << (weighted ? ", weights" : "") << ", lambda "
                                          << lambda << ", accuracy " << accuracy);
          expect_certified(problem, lambda, accuracy);
        }
    }
}

// Fewer columns of the preconditioner than points, which are 512 at least. The oracle solves in long double.
TEST(Iterative, BoundsOnDataSets) {
  std::vector<const char*> names = {"concrete.csv"};
  if (deep()) names = {"diabetes.csv", "concrete.csv", "sonar.csv", "banknote.csv"};
  for (const char* const name : names) {
    oracle::Problem problem = standardised(read_csv(name));
    if (!deep()) problem = first_rows(problem, 640);
    for (const double sigma : {1.0, 3.0}) {
      problem.kernel.sigma = sigma;
      for (const double lambda : {1e-5, 1e-3, 0.1})
        for (const double accuracy : {1e-3, 1e-8}) {
          if (!deep() && (lambda == 1e-3 || sigma == 1.0)) continue;
          SCOPED_TRACE(testing::Message() << name << ", sigma " << sigma << ", lambda " << lambda);
          expect_certified(problem, lambda, accuracy);
        }
    }
  }
}

TEST(Iterative, DuplicateRowsAndConstantColumns) {
  Random random(12);
  oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.1), 150, 3, 2, true, true);
  for (std::int64_t i = 0; i < problem.x.rows; ++i) {
    problem.x(i, 1) = 3;
    for (std::int64_t k = 0; k < 3; ++k) problem.x(i, k) = problem.x(i / 3 * 3, k);
  }
  for (const double lambda : {1e-3, 1.0}) expect_certified(problem, lambda, 1e-10);
}

TEST(Iterative, ExtremeLambdasAreRefusedOrRight) {
  Random random(13);
  for (const bool intercept : {false, true}) {
    oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(0.8), 120, 2, 1, false, intercept);
    for (std::int64_t i = 0; i < 20; ++i)
      problem.x(i, 0) = problem.x(i + 20, 0), problem.x(i, 1) = problem.x(i + 20, 1);
    Model model = iterative(problem, 1e-6);
    model.factorize();
    const Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
    int right = 0;
    for (const double lambda : {0.0, 1e-300, 1e-16, 1e-12, 1e-10, 1e-8, 1e-4, 1e4, 1e8, 1e12, 1e300}) {
      const freeridge_status status = freeridge_set_lambda(model.get(), lambda);
      if (status == FREERIDGE_OK) {
        ++right;
        const oracle::Fit exact = oracle::fit(problem, lambda);
        if (lambda < 1e100) {  // whose square the oracle's norms have
          EXPECT_LE(error_in_norm(problem, k, lambda, model.coefficients(), exact.c, 0), 1e-6) << lambda;
        }
      } else {
        EXPECT_TRUE(status == FREERIDGE_NOT_POSITIVE_DEFINITE || status == FREERIDGE_NOT_CONVERGED)
            << lambda << ": " << freeridge_last_error();
        EXPECT_LE(lambda, 1e-10);
      }
    }
    EXPECT_GE(right, 6);
  }
}

TEST(Iterative, OnePoint) {
  for (const bool intercept : {false, true}) {
    oracle::Problem problem;
    problem.kernel = oracle::KernelSpec::gaussian(1.0);
    problem.x = Matrix(1, 2);
    problem.y = Matrix(1, 2);
    problem.x(0, 0) = 0.3, problem.x(0, 1) = -2, problem.y(0, 0) = 5, problem.y(0, 1) = 0;
    problem.intercept = intercept;
    Model model = iterative(problem, 1e-8);
    model.factorize().lambda(0.25);
    EXPECT_CLOSE(model.coefficients().values, (Vector{intercept ? 0 : 4.0, 0.0}), 1e-15);
    EXPECT_CLOSE(model.intercepts(), (Vector{intercept ? 5.0 : 0, 0.0}), 1e-15);
    EXPECT_LE(accuracy_of(model, 2)[0], 1e-8);
  }
}

TEST(Iterative, APrecomputedKernel) {
  Random random(14);
  const oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.2), 90, 2, 2, true, true);
  const Dense k = oracle::kernel_matrix(problem.kernel, problem.x, problem.x);
  Matrix x(90, 90);
  for (std::int64_t j = 0; j < 90; ++j)
    for (std::int64_t i = 0; i < 90; ++i) x(i, j) = static_cast<double>(k(i, j));
  Model model(Kernel::precomputed());
  model.data(x, problem.y).weights(problem.weights).route(FREERIDGE_ROUTE_ITERATIVE).factorize().lambda(0.3);
  Matrix expected(90, 2);
  const oracle::Fit exact = oracle::fit(problem, 0.3);
  for (std::int64_t j = 0; j < 2; ++j)
    for (std::int64_t i = 0; i < 90; ++i) expected(i, j) = static_cast<double>(exact.c(i, j));
  EXPECT_CLOSE(model.coefficients(), expected, 1e-7);
  x(3, 50) += 0.1;
  EXPECT_EQ(
      freeridge_factorize(model.data(x, problem.y).weights(problem.weights).route(FREERIDGE_ROUTE_ITERATIVE).get()),
      FREERIDGE_INVALID_ARGUMENT);
}

// What few more solutions give is given.
TEST(Iterative, VariancesAndSmallGroups) {
  Random random(15);
  const oracle::Problem problem = random_problem(random, kernel_of(Family::matern52, 3), 130, 3, 2, true, true);
  Model model = iterative(problem, 1e-11), spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  const Vector lambdas = {0.1, 2.0};
  model.factorize().lambdas(lambdas);
  spectral.factorize().lambdas(lambdas);
  const Matrix points = random.uniform_matrix(7, 3, -1.0, 1.0);
  Vector estimated(2), exact(2);
  check(freeridge_degrees_of_freedom(model.get(), estimated.data(), nullptr), "freeridge_degrees_of_freedom");
  check(freeridge_degrees_of_freedom(spectral.get(), exact.data(), nullptr), "freeridge_degrees_of_freedom");
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(estimated[j], exact[j], 2);  // of 130 points, 126 probes
  EXPECT_CLOSE(model.predict(points), spectral.predict(points), 1e-9);
  Labels group(130, -1);
  for (std::size_t i = 0; i < 12; ++i) group[7 * i] = static_cast<std::int32_t>(i % 2);
  EXPECT_CLOSE(model.group_errors(group), spectral.group_errors(group), 1e-8);
}

TEST(Iterative, RefusesWhatTakesEachPoint) {
  Random random(16);
  const oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.0), 30, 2, 1, false, true);
  Model model = iterative(problem, 1e-8);
  model.factorize().lambda(0.1);
  const Matrix before = model.coefficients();
  Vector out(30 * 30);
  const auto refused = [&](freeridge_status status) {
    EXPECT_EQ(status, FREERIDGE_INVALID_STATE) << freeridge_last_error();
    EXPECT_NE(std::string(freeridge_last_error()).find("ITERATIVE"), std::string::npos) << freeridge_last_error();
  };
  refused(freeridge_loo(model.get(), out.data(), 30));
  refused(freeridge_get_leverage(model.get(), out.data(), 30));
  refused(freeridge_cooks_distance(model.get(), out.data(), 30));
  refused(freeridge_eigenvalues(model.get(), 2, out.data(), nullptr, 0));
  const double lambda = 0.1;
  refused(freeridge_score(model.get(), FREERIDGE_REML, 1, &lambda, out.data(), nullptr, 1));
  EXPECT_TRUE(bit_equal(before, model.coefficients()));
  const oracle::Problem many = random_problem(random, oracle::KernelSpec::gaussian(1.0), 600, 2, 1, false, true);
  Model large = iterative(many, 1e-8);
  large.factorize().lambda(0.1);
  Matrix errors(600, 1);
  refused(freeridge_group_errors(large.get(), modulo_groups(600, 2).data(), 0, nullptr, errors.values.data(), 600));

  oracle::Problem linear = problem;
  linear.kernel = oracle::KernelSpec::linear();
  Model other = oracle::make_model(linear, FREERIDGE_ROUTE_ITERATIVE);
  EXPECT_EQ(freeridge_factorize(other.get()), FREERIDGE_INVALID_ARGUMENT);
}

TEST(Iterative, SavedAndLoadedWithTheSameBits) {
  Random random(17);
  const oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(0.9), 100, 2, 2, true, true);
  Model model = iterative(problem, 1e-9);
  model.factorize().lambdas({0.1, 0.7});
  const Matrix points = random.uniform_matrix(5, 2, -1.0, 1.0);
  const Bytes bytes = saved(model.get());
  const Handle again = loaded(bytes);
  EXPECT_EQ(saved(again.get()), bytes);
  Vector a(2), b(2);
  check(freeridge_get_accuracy(model.get(), a.data()), "");
  check(freeridge_get_accuracy(again.get(), b.data()), "");
  EXPECT_TRUE(bit_equal(a, b));
  Matrix predicted(5, 2), fitted(100, 2);
  check(freeridge_predict(again.get(), FREERIDGE_COL_MAJOR, 5, points.values.data(), 5, predicted.values.data(), 5),
        "");
  EXPECT_TRUE(bit_equal(predicted, model.predict(points)));
  check(freeridge_get_fitted(again.get(), fitted.values.data(), 100), "");
  EXPECT_TRUE(bit_equal(fitted, model.fitted()));
  check(freeridge_set_lambda(again.get(), 0.3), "");
  model.lambda(0.3);
  check(freeridge_predict(again.get(), FREERIDGE_COL_MAJOR, 5, points.values.data(), 5, predicted.values.data(), 5),
        "");
  EXPECT_TRUE(bit_equal(predicted, model.predict(points)));
}

struct Estimated {
  Matrix scores, errors;
};
Estimated estimated(const Model& model, freeridge_criterion criterion, std::int64_t probes, const Vector& lambdas,
                    std::int64_t t) {
  const auto count = static_cast<std::int64_t>(lambdas.size());
  Estimated out{Matrix(count, t), Matrix(count, t)};
  check(freeridge_estimate_score(model.get(), criterion, probes, count, lambdas.data(), out.scores.values.data(),
                                 out.errors.values.data(), count),
        "freeridge_estimate_score");
  return out;
}

// Three standard errors cover the exact LOO and GCV in 19 of 20 problems, and are no wider than what is of use. At a large
// lambda nothing is left to chance, and they are the errors of solutions.
TEST(Iterative, EstimatesWithTheirErrors) {
  const Vector lambdas = {0.003, 0.03, 0.3, 1e6};
  int all = 0, covered = 0;
  double widest = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(100 + seed);
    const Family family = seed % 2 == 0 ? Family::gaussian : Family::matern32;
    const oracle::Problem problem =
        random_problem(random, kernel_of(family, 4), 600, 4, 2, seed % 3 == 1, seed % 4 != 3);
    Model model = iterative(problem, 1e-8), spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    model.factorize();
    spectral.factorize();
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV}) {
      const Estimated estimate = estimated(model, criterion, 0, lambdas, 2);
      const Matrix exact = spectral.score(criterion, lambdas);
      for (std::int64_t j = 0; j < 2; ++j)
        for (std::int64_t l = 0; l < 4; ++l) {
          ++all;
          covered += std::abs(estimate.scores(l, j) - exact(l, j)) <= 3 * estimate.errors(l, j);
          if (l == 3) {
            EXPECT_NEAR(estimate.scores(l, j), exact(l, j), 3 * estimate.errors(l, j));
          }
          widest = std::max(widest, estimate.errors(l, j) / exact(l, j));
        }
      EXPECT_TRUE(bit_equal(model.score(criterion, lambdas), estimate.scores));
      const Estimated computed = estimated(spectral, criterion, 0, lambdas, 2);
      EXPECT_TRUE(bit_equal(computed.scores, exact));
      EXPECT_EQ(computed.errors.values, Vector(8, 0.0));
    }
  }
  EXPECT_GE(covered, all * 19 / 20) << "of " << all;
  EXPECT_LE(widest, 0.05);
}

// Rounding keeps solutions that estimates need from an accuracy that the user does not set.
TEST(Iterative, EstimatesThatDoNotConvergeSayWhatHelps) {
  Random random(4);
  const oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(3), 300, 2, 1, false, true);
  Model model = iterative(problem, 0.9);
  double tolerance = 0, score = 0, error = 0;
  check(freeridge_get_tolerance(model.factorize().get(), &tolerance), "freeridge_get_tolerance");
  const double below = 1.5 * tolerance, above = 1e10 * tolerance;
  EXPECT_EQ(freeridge_estimate_score(model.get(), FREERIDGE_LOO, 0, 1, &below, &score, &error, 1), FREERIDGE_UNDEFINED);
  EXPECT_NE(std::string(freeridge_last_error()).find("whatever FREERIDGE_ACCURACY asks for; set a larger lambda"),
            std::string::npos)
      << freeridge_last_error();
  EXPECT_EQ(freeridge_estimate_score(model.get(), FREERIDGE_LOO, 0, 1, &above, &score, &error, 1), FREERIDGE_OK);
}

// A row that alone tells an effect has no error left out, and so the mean has none.
TEST(Iterative, EstimatesHaveNoValueWhereARowIsDecisive) {
  Random random(21);
  const oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1), 30, 2, 1, false, true);
  Matrix f(30, 1);
  f(3, 0) = 1;
  Model model = iterative(problem, 1e-8);
  set_unpenalised(model, f);
  const double lambda = 0.5;
  double score = 0, error = 0;
  EXPECT_EQ(freeridge_estimate_score(model.factorize().get(), FREERIDGE_LOO, 0, 1, &lambda, &score, &error, 1),
            FREERIDGE_UNDEFINED);
  EXPECT_NE(std::string(freeridge_last_error()).find("row 3"), std::string::npos) << freeridge_last_error();
  EXPECT_TRUE(std::isnan(score) && std::isnan(error));
}

// Of few points some probes, and with them a constant output, are along the intercept: nothing but rounding is left of them.
TEST(Iterative, ProbesAlongTheIntercept) {
  const Vector lambdas = {0.01, 0.5, 20.0};
  for (std::int64_t n = 2; n <= 9; ++n)
    for (const bool weighted : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + (weighted ? " weighted points" : " points"));
      Random random(40 + static_cast<std::uint64_t>(n));
      oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(0.9), n, 2, 2, weighted, true);
      for (std::int64_t i = 0; i < n; ++i) problem.y(i, 1) = 0.1;
      Model model = iterative(problem, 1e-8), spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
      spectral.factorize();
      model.factorize();
      const Estimated estimate = estimated(model, FREERIDGE_GCV, 0, lambdas, 2);
      const Matrix exact = spectral.score(FREERIDGE_GCV, lambdas);
      for (std::int64_t l = 0; l < 3; ++l)
        EXPECT_NEAR(estimate.scores(l, 0), exact(l, 0), 4 * estimate.errors(l, 0) + 1e-9 * exact(l, 0));
      model.lambda(0.5);
      const Matrix c = model.coefficients();
      for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(c(i, 1), 0, 1e-15);
      EXPECT_NEAR(model.intercepts()[1], 0.1, 1e-15);
    }
}

TEST(Iterative, MoreProbesEstimateBetter) {
  Random random(19);
  const oracle::Problem problem = random_problem(random, oracle::KernelSpec::gaussian(0.5), 700, 4, 1, false, true);
  Model model = iterative(problem, 1e-8);
  model.factorize();
  const double few = estimated(model, FREERIDGE_GCV, 8, {0.1}, 1).errors(0, 0),
               many = estimated(model, FREERIDGE_GCV, 128, {0.1}, 1).errors(0, 0);
  EXPECT_LT(many, few / 2);
  const Vector none = {0.0, 0.1};
  Vector scores(2), errors(2);
  EXPECT_EQ(freeridge_estimate_score(model.get(), FREERIDGE_LOO, 0, 2, none.data(), scores.data(), errors.data(), 2),
            FREERIDGE_UNDEFINED);
  EXPECT_TRUE(std::isnan(scores[0]) && std::isnan(errors[0]) && scores[1] > 0);
}

// The exact LOO of the lambda chosen is within 1 % of the best.
TEST(Iterative, ChoosesLambdaAndBandwidth) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Random random(200 + seed);
    const oracle::Problem problem =
        random_problem(random, oracle::KernelSpec::gaussian(1.2), seed == 0 ? 200 : 600, 3, 2, seed == 1, true);
    Model model = iterative(problem, 1e-8), spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    model.factorize();
    spectral.factorize();
    const LambdaChoice chosen = model.select_lambda(FREERIDGE_LOO), best = spectral.select_lambda(FREERIDGE_LOO);
    for (std::size_t j = 0; j < 2; ++j) {
      const double exact = spectral.score(FREERIDGE_LOO, {chosen.lambda[j]})(0, static_cast<std::int64_t>(j));
      EXPECT_LE(exact, 1.01 * best.score[j]) << chosen.lambda[j] << " against " << best.lambda[j];
    }
    EXPECT_LE(model.search_count(), 30);
    EXPECT_LE(accuracy_of(model, 2)[0], 1e-8);
    if (seed == 1) continue;
    double sigma = 0;
    check(freeridge_select_bandwidth(model.get(), FREERIDGE_GCV, 0.5, 4, 4, &sigma), "freeridge_select_bandwidth");
    EXPECT_TRUE(sigma >= 0.5 && sigma <= 4);
  }
}

// Rows of concrete are nearly the same by the dozen, and P_ii are far from any trend; near lambda = 0 estimates are anything, and
// of banknote solutions are not to be had there.
TEST(Iterative, ChoosesLambdaWhereRowsAreNearlyTheSame) {
  for (const char* const name : {"concrete.csv", "banknote.csv"}) {
    oracle::Problem problem = standardised(read_csv(name));
    if (!deep()) problem = first_rows(problem, 700);
    problem.kernel.sigma = 2;
    Model model = iterative(problem, 1e-8), spectral = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
    model.factorize();
    spectral.factorize();
    const double lambda = model.select_lambda(FREERIDGE_LOO).lambda[0];
    const Estimated estimate = estimated(model, FREERIDGE_LOO, 0, {lambda}, 1);
    const double exact = spectral.score(FREERIDGE_LOO, {lambda})(0, 0);
    EXPECT_LE(exact, 1.01 * spectral.select_lambda(FREERIDGE_LOO).score[0]) << name;
    EXPECT_NEAR(estimate.scores(0, 0), exact, 3 * estimate.errors(0, 0) + 1e-6 * exact) << name;
    EXPECT_LE(estimate.errors(0, 0), 0.01 * exact) << name;
  }
}

// Below the rounding of single precision in the kernel matrix its passes diverge: double precision takes over.
TEST(Iterative, LambdaBelowTheRoundingOfFloats) {
  Random random(20);
  const oracle::Problem problem =
      random_problem(random, oracle::KernelSpec::gaussian(2.5), 640, 8, 1, false, true);  // as puma8NH
  for (const double lambda : {3e-6, 1e-7}) expect_certified(problem, lambda, 1e-6);
}

}  // namespace
