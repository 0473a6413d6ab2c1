// The landmark route where it ends: all points, one landmark, one point, more landmarks than the kernel has functions,
// and units and weights of all magnitudes.
#include <gtest/gtest.h>

#include <cmath>

#include "support/accumulator.hpp"
#include "support/compare.hpp"
#include "support/deep.hpp"
#include "support/gauss.hpp"
#include "support/landmark_oracle.hpp"
#include "support/landmarks.hpp"
#include "support/problems.hpp"
#include "support/quad_refit.hpp"
#include "support/saved.hpp"
#include "support/search.hpp"

namespace landmark_limits_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::LandmarkOracle;
using oracle::Problem;

constexpr double tolerance = 1e-9;
constexpr freeridge_reduction reductions[] = {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM};

// ---- all points, one point, more than enough ----

// All answers of two models of one problem.
void expect_same_answers(const Problem& problem, Model& a, Model& b, double lambda, double near) {
  SCOPED_TRACE(::testing::Message() << "lambda = " << lambda);
  a.lambda(lambda);
  b.lambda(lambda);
  EXPECT_CLOSE(a.fitted(), b.fitted(), near);
  EXPECT_CLOSE(a.loo(), b.loo(), near);
  EXPECT_CLOSE(a.leverage(), b.leverage(), near);
  EXPECT_CLOSE(a.intercepts(), b.intercepts(), near);
  const Labels folds = modulo_groups(problem.x.rows, 3);
  EXPECT_CLOSE(a.group_errors(folds), b.group_errors(folds), near);
  Random random(7);
  const Matrix points = random.uniform_matrix(6, problem.x.cols, -1.5, 1.5);
  EXPECT_CLOSE(a.predict(points), b.predict(points), near);
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML})
    EXPECT_CLOSE(a.score(criterion, {lambda}), b.score(criterion, {lambda}), near);
}

// r = n: nothing is restricted.
TEST(LandmarkLimits, AllPointsAreTheFullModel) {
  Random random(100);
  for (const Family family : oracle::all_families)
    for (const freeridge_reduction reduction : reductions)
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << family_name(family) << reduction_name(reduction) << (intercept ? ", intercept" : ""));
        const Problem problem = random_problem(random, kernel_of(family, 3), 24, 3, 2, true, intercept);
        Model full = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL), all = oracle::make_model(problem);
        full.factorize();
        set_reduction(set_landmarks(all, random.permutation(24)), reduction).factorize();
        for (const double lambda : {1e-2, 1.0, 1e2}) expect_same_answers(problem, all, full, lambda, 1e-8);
        if (family == Family::laplacian) {  // its K is well conditioned
          EXPECT_EQ(rank_of(all), intercept ? 23 : 24);
          EXPECT_CLOSE(all.coefficients(), full.coefficients(), 1e-8);
        }
      }
}

// A kernel matrix in place of a kernel, with asked-for and chosen landmarks.
TEST(LandmarkLimits, PrecomputedKernels) {
  Random random(101);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      const Problem problem = random_problem(random, KernelSpec::gaussian(1.4), 30, 3, 2, true, intercept);
      const Matrix k = to_double(oracle::kernel_matrix(problem.kernel, problem.x, problem.x));
      const Rows rows = {17, 4, 8, 29, 0, 11};
      const LandmarkOracle oracle(problem, rows, to_real(k));
      Model model = precomputed_model(k, problem.y);
      model.weights(problem.weights).intercept(intercept);
      set_reduction(set_landmarks(model, rows), reduction).factorize().lambda(0.1);
      EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_LANDMARK);
      EXPECT_CLOSE(model.loo(), oracle.loo(0.1), tolerance);
      EXPECT_CLOSE(model.fitted(), oracle.fitted(0.1), tolerance);
      EXPECT_CLOSE(model.coefficients(), to_double(oracle.fit(0.1).c), tolerance);
      EXPECT_CLOSE(model.group_errors(modulo_groups(30, 2)), oracle.group_errors(modulo_groups(30, 2), 0.1), tolerance);
      const Matrix points = random.uniform_matrix(5, 3, -1.0, 1.0);
      EXPECT_CLOSE(model.predict(to_double(oracle::kernel_matrix(problem.kernel, points, problem.x))),
                   oracle::predict(problem, oracle.fit(0.1), points), tolerance);
      const Traces traces = landmark_traces(model);
      EXPECT_NEAR(traces.left, static_cast<double>(oracle.trace_left()), 1e-12 * traces.all);
      EXPECT_NEAR(traces.all, static_cast<double>(oracle.trace()), 1e-12 * traces.all);

      // The choice is that of the kernel it came from.
      for (const freeridge_landmark_method method :
           {FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED}) {
        Model of_kernel = oracle::make_model(problem);
        choose_landmarks(model, 7, method, 5).factorize();
        choose_landmarks(of_kernel, 7, method, 5).factorize();
        EXPECT_EQ(landmark_rows(model), landmark_rows(of_kernel)) << "method " << method;
      }
    }
}

TEST(LandmarkLimits, OneLandmark) {
  Random random(102);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      const Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 15, 2, 2, true, intercept);
      const LandmarkOracle oracle(problem, {6});
      Model model = oracle::make_model(problem);
      set_reduction(set_landmarks(model, {6}), reduction).factorize();
      EXPECT_EQ(rank_of(model), 1);
      for (const double lambda : {0.0, 0.1, 10.0}) {
        model.lambda(lambda);
        EXPECT_CLOSE(model.fitted(), oracle.fitted(lambda), 1e-12);
        EXPECT_CLOSE(model.loo(), oracle.loo(lambda), 1e-12);
        EXPECT_CLOSE(model.coefficients(), to_double(oracle.fit(lambda).c), 1e-12);
        EXPECT_CLOSE(model.group_errors(modulo_groups(15, 2)), oracle.group_errors(modulo_groups(15, 2), lambda),
                     1e-12);
      }
    }
}

TEST(LandmarkLimits, OnePoint) {
  Matrix x(1, 2, 0.7), y(1, 1, 3.0);
  for (const freeridge_reduction reduction : reductions) {
    Model with(Kernel::gaussian(1.0)), without(Kernel::gaussian(1.0));
    with.data(x, y);
    set_reduction(set_landmarks(with, {0}), reduction).factorize().lambda(0.5);
    EXPECT_EQ(rank_of(with), 0);
    EXPECT_CLOSE(with.fitted(), y, 1e-15);
    EXPECT_CLOSE(with.intercepts(), y.values, 1e-15);
    freeridge_status status = FREERIDGE_OK;
    EXPECT_TRUE(std::isnan(with.loo(&status)(0, 0)));
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);

    without.data(x, y).intercept(false);
    set_reduction(set_landmarks(without, {0}), reduction).factorize().lambda(0.5);
    EXPECT_EQ(rank_of(without), 1);
    EXPECT_CLOSE(without.fitted(), Matrix(1, 1, 2.0), 1e-15);  // 3 / (1 + lambda)
    EXPECT_CLOSE(without.loo(), y, 1e-15);
  }
}

// ---- landmarks that depend on others ----

TEST(DependentLandmarks, EqualRowsAddNothing) {
  Random random(103);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 22, 2, 2, true, intercept);
      for (std::int64_t k = 0; k < 2; ++k) {
        problem.x(9, k) = problem.x(3, k);
        problem.x(20, k) = problem.x(14, k);
      }
      const LandmarkOracle oracle(problem, {3, 5, 14, 1});
      Model once = oracle::make_model(problem), twice = oracle::make_model(problem);
      set_reduction(set_landmarks(once, {3, 5, 14, 1}), reduction).factorize();
      set_reduction(set_landmarks(twice, {9, 3, 5, 20, 1, 14}), reduction).factorize();
      EXPECT_EQ(rank_of(once), 4);
      EXPECT_EQ(rank_of(twice), 4);
      EXPECT_EQ(landmark_rows(twice), (Rows{9, 3, 5, 20, 1, 14}));
      for (const double lambda : {0.0, 1e-3, 1.0}) {
        once.lambda(lambda);
        twice.lambda(lambda);
        EXPECT_CLOSE(twice.fitted(), oracle.fitted(lambda), tolerance);
        EXPECT_CLOSE(twice.loo(), oracle.loo(lambda), tolerance);
        EXPECT_CLOSE(once.loo(), oracle.loo(lambda), tolerance);
      }
      EXPECT_NEAR(landmark_traces(twice).left, static_cast<double>(oracle.trace_left()), 1e-12);
    }
}

// Ten landmarks of a linear kernel in three features: three are enough, and the restriction is none.
TEST(DependentLandmarks, MoreThanTheKernelsRank) {
  Random random(104);
  for (const freeridge_reduction reduction : reductions)
    for (const bool intercept : {false, true}) {
      const Problem problem = random_problem(random, KernelSpec::linear(), 25, 3, 2, true, intercept);
      Model many = oracle::make_model(problem), full = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
      set_reduction(set_landmarks(many, some_landmarks(random, 25, 10)), reduction).factorize();
      full.factorize();
      EXPECT_EQ(rank_of(many), 3);
      EXPECT_EQ(landmark_count(many), 10);
      for (const double lambda : {1e-3, 1.0}) expect_same_answers(problem, many, full, lambda, tolerance);
      for (const double lambda : {0.0, 1e-3, 1.0}) {
        many.lambda(lambda);
        full.lambda(lambda);
        EXPECT_CLOSE(many.hyperplane(), full.hyperplane(), tolerance);
        EXPECT_CLOSE(many.loo(), full.loo(), tolerance);
      }
      EXPECT_LE(landmark_traces(many).left, 1e-12 * landmark_traces(many).all);
    }
}

// Twelve landmarks at four different places.
TEST(DependentLandmarks, MoreThanDistinctPoints) {
  Random random(105);
  Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 20, 2, 1, false, true);
  for (std::int64_t i = 4; i < 20; ++i)
    for (std::int64_t k = 0; k < 2; ++k) problem.x(i, k) = problem.x(i % 4, k);
  const LandmarkOracle oracle(problem, {0, 1, 2, 3});
  for (const freeridge_reduction reduction : reductions) {
    Model model = oracle::make_model(problem);
    set_reduction(set_landmarks(model, some_landmarks(random, 20, 12)), reduction).factorize();
    Model all = oracle::make_model(problem);
    set_reduction(set_landmarks(all, random.permutation(20)), reduction).factorize();
    for (Model* each : {&model, &all}) {
      EXPECT_LE(rank_of(*each), 3);  // 4 - 1: the intercept has the constant direction of four indicator functions
      for (const double lambda : {1e-4, 1e-2, 1.0}) {
        each->lambda(lambda);
        EXPECT_CLOSE(each->fitted(), oracle.fitted(lambda), tolerance);
        EXPECT_CLOSE(each->loo(), oracle.loo(lambda), tolerance);
      }
    }
    // Without penalty the fit is the mean at each place.
    model.lambda(0);
    Matrix means(20, 1);
    for (std::int64_t i = 0; i < 20; ++i) means(i % 4, 0) += problem.y(i, 0) / 5;
    for (std::int64_t i = 4; i < 20; ++i) means(i, 0) = means(i % 4, 0);
    EXPECT_CLOSE(model.fitted(), means, tolerance);
  }
}

// A linear kernel and landmarks at the origin: no function but zero is left.
TEST(DependentLandmarks, LandmarksWithoutAFunction) {
  Matrix x(6, 2), y(6, 1);
  for (std::int64_t i = 0; i < 6; ++i) y(i, 0) = static_cast<double>(i);
  for (std::int64_t i = 3; i < 6; ++i) x(i, 0) = x(i, 1) = static_cast<double>(i);
  for (const freeridge_reduction reduction : reductions) {
    Model model(Kernel::linear());
    model.data(x, y);
    set_reduction(set_landmarks(model, {0, 2}), reduction).factorize().lambda(1.0);
    EXPECT_EQ(rank_of(model), 0);
    EXPECT_CLOSE(model.fitted(), Matrix(6, 1, 2.5), 1e-15);
    EXPECT_CLOSE(model.hyperplane(), Matrix(2, 1), 0.0);
    Matrix expected(6, 1);  // the error from the mean of the others
    for (std::int64_t i = 0; i < 6; ++i) expected(i, 0) = (y(i, 0) - 2.5) * 6 / 5;
    EXPECT_CLOSE(model.loo(), expected, 1e-14);
    EXPECT_EQ(landmark_traces(model).left, landmark_traces(model).all);
    Matrix covariance(3, 3), mean(3, 3);  // of b, the mean, sigma^2 / n; the slopes are 0 whatever y is
    mean(0, 0) = 17.5 / (6 - 1) / 6;
    check(freeridge_coefficient_covariance(model.get(), FREERIDGE_COVARIANCE_BAYESIAN, covariance.values.data(), 3),
          "freeridge_coefficient_covariance");
    EXPECT_CLOSE(covariance, mean, 1e-14);
  }
}

// ---- smooth kernels, whose K_RR has eigenvalues far below eps ----

// Problem (2) with these landmarks, all of them, for a kernel exp(-r^2 / sigma^2) or (x'z + 1)^4.
QuadProblem quad_problem(const Problem& problem, const Rows& landmarks) {
  const auto points = [&](const Rows& a, const Rows& b) {
    QuadMatrix out(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()));
    for (std::int64_t j = 0; j < out.cols; ++j)
      for (std::int64_t i = 0; i < out.rows; ++i) {
        Quad square = 0, product = 1;
        for (std::int64_t k = 0; k < problem.x.cols; ++k) {
          const Quad x = problem.x(a[static_cast<std::size_t>(i)], k), z = problem.x(b[static_cast<std::size_t>(j)], k);
          square += (x - z) * (x - z);
          product += x * z;
        }
        const bool gaussian = problem.kernel.family == Family::gaussian;
        const Quad sigma = problem.kernel.sigma;
        out(i, j) = gaussian ? exponential(-square / (sigma * sigma)) : product * product * product * product;
      }
    return out;
  };
  Rows all;
  for (std::int64_t i = 0; i < problem.x.rows; ++i) all.push_back(i);
  return {points(all, landmarks), points(landmarks, landmarks), to_quad(problem.y), problem.weights, problem.intercept};
}

Quad quad_left(const Problem& problem, const Rows& landmarks) {
  const QuadProblem quad = quad_problem(problem, landmarks);
  const QuadMatrix& k = quad.a;
  QuadMatrix right(k.cols, k.rows);
  for (std::int64_t j = 0; j < k.cols; ++j)
    for (std::int64_t i = 0; i < k.rows; ++i) right(j, i) = k(i, j);
  const QuadMatrix c = solve(quad.penalty, right);
  Quad left = 0;
  for (std::int64_t i = 0; i < k.rows; ++i) {
    left += quad_problem(rows_of(problem, {i}), {0}).a(0, 0);
    for (std::int64_t j = 0; j < k.cols; ++j) left -= k(i, j) * c(j, i);
  }
  return left;
}

// An accumulator's left-out errors at lambda have six digits, or its search of [lambda, lambda] says that they may not,
// also from its bytes; answers with the flag.
bool expect_digits_or_flag(const Accumulator& rows, const Problem& problem, double lambda, const Matrix& exact) {
  const auto flag = [&](const Accumulator& of) {
    std::int32_t below = -1;
    freeridge_search search = no_search();
    search.below = &below;
    check(freeridge_accumulator_select_lambda(of.get(), FREERIDGE_GCV, lambda, lambda, &search),
          "freeridge_accumulator_select_lambda");
    return below;
  };
  const std::int32_t below = flag(rows);
  if (below == 0) {
    EXPECT_CLOSE(rows.loo(problem, {lambda}), exact, 1e-6);
  }
  EXPECT_EQ(flag(Accumulator(saved(rows.get()))), below);
  return below != 0;
}

// At the lambda of the default search left-out errors have six digits, or a flag says that they may not: of a model,
// and of an accumulator over the same landmarks.
TEST(SmoothLandmarks, SixDigitsOrAFlag) {
  int flagged = 0, of_sums = 0, problems = 0;
  const int seeds = deep() ? 60 : 12;
  for (int seed = 0; seed < seeds; ++seed)
    for (const double sigma : {0.5, 1.0, 3.0, 0.0}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", sigma " << sigma);
      Random random(static_cast<unsigned>(7000 + seed));
      const std::int64_t n = 50, d = 1 + seed % 2, r = seed % 3 == 0 ? 8 : 16;
      Problem problem{sigma > 0 ? KernelSpec::gaussian(sigma) : KernelSpec::polynomial(4, 1, 1),
                      Matrix(n, d),
                      Matrix(n, 1),
                      {},
                      seed % 4 != 3};
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t k = 0; k < d; ++k) problem.x(i, k) = random.normal();
        problem.y(i, 0) = std::sin(2 * problem.x(i, 0)) + 0.1 * random.normal();
      }
      if (seed % 5 == 4) problem.weights = random.uniform_vector(n, 0.5, 2.0);
      Model model = oracle::make_model(problem);
      if (seed % 3 == 2)
        set_landmarks(model, some_landmarks(random, n, r));
      else
        choose_landmarks(model, r, seed % 3 == 1 ? FREERIDGE_LANDMARKS_KMEANS : FREERIDGE_LANDMARKS_RANDOM, seed);
      set_reduction(model, reductions[seed % 2]).factorize();
      model.select_lambda(FREERIDGE_LOO);
      Rows landmarks = landmark_rows(model);
      const Matrix z = select_rows(problem.x, landmarks);
      if (sigma == 0) landmarks.resize(std::min<std::size_t>(landmarks.size(), d == 1 ? 5 : 15));  // all it can have
      const double lambda = model.lambda_in_force()[0];
      const Matrix loo = model.loo();
      Labels single(n);
      for (std::int64_t i = 0; i < n; ++i) single[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      const Matrix exact = refit_errors(quad_problem(problem, landmarks), single, lambda);
      ++problems;
      if (model.lambda_flags().below[0] == 1) {
        ++flagged;
      } else {
        EXPECT_CLOSE(loo, exact, 1e-6);
      }
      Accumulator rows(oracle::make_kernel(problem.kernel), z, 1, problem.intercept, reductions[seed % 2]);
      rows.add(slice(problem, 0, 20)).add(slice(problem, 20, n - 20));
      of_sums += expect_digits_or_flag(rows, problem, lambda, exact) ? 1 : 0;
      // tr(K - K_TR K_RR^-1 K_RT); a landmark that was left out leaves more
      const Traces traces = landmark_traces(model);
      const auto left = static_cast<double>(quad_left(problem, landmarks));
      EXPECT_GE(traces.left, left - 1e-9 * traces.all);
      if (model.lambda_flags().below[0] == 0) {
        EXPECT_NEAR(traces.left, left, 1e-9 * traces.all);
      }
      // The same after saving and loading, flags included.
      const Handle copy = loaded(saved(model.get()));
      Matrix again(n, 1);
      std::int32_t below = -1;
      check(freeridge_loo(copy.get(), again.values.data(), n), "freeridge_loo");
      check(freeridge_lambda_flags(copy.get(), nullptr, &below, nullptr), "freeridge_lambda_flags");
      EXPECT_EQ(again.values, loo.values);
      EXPECT_EQ(below, model.lambda_flags().below[0]);
    }
  EXPECT_LT(10 * flagged, 3 * problems);
  EXPECT_GT(of_sums, flagged);  // features of doubles, and landmarks that K_RR in doubles does not tell from others
  EXPECT_LT(10 * of_sums, 4 * problems);
}

// The derivative of the mean squared left-out error by log sigma, where the default search stops.
TEST(SmoothLandmarks, GradientsHaveDigitsOrTheFlag) {
  const int seeds = deep() ? 24 : 4;
  int flagged = 0;
  for (int seed = 0; seed < seeds; ++seed)
    for (const double sigma : {0.5, 1.0, 3.0}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", sigma " << sigma);
      Random random(static_cast<unsigned>(7100 + seed));
      const std::int64_t n = 40, d = 1 + seed % 2;
      Problem problem{KernelSpec::gaussian(sigma), Matrix(n, d), Matrix(n, 1), {}, seed % 4 != 3};
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t k = 0; k < d; ++k) problem.x(i, k) = random.normal();
        problem.y(i, 0) = std::sin(2 * problem.x(i, 0)) + 0.1 * random.normal();
      }
      Model model = oracle::make_model(problem);
      choose_landmarks(model, 12, FREERIDGE_LANDMARKS_RANDOM, seed);
      set_reduction(model, reductions[seed % 2]).factorize();
      const Rows landmarks = landmark_rows(model);
      const double lambda = model.select_lambda(FREERIDGE_LOO).lambda[0];
      double score = 0, by_lambda = 0, by_sigma = 0;
      const freeridge_status status =
          freeridge_score_gradient(model.get(), FREERIDGE_LOO, lambda, &score, &by_lambda, &by_sigma);
      Labels single(n);
      for (std::int64_t i = 0; i < n; ++i) single[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      const auto exact = [&](double step) {
        Problem moved = problem;
        moved.kernel = KernelSpec::gaussian(sigma * (1 + step));
        const QuadMatrix errors = quad_refit_errors(quad_problem(moved, landmarks), single, lambda);
        Quad sum = 0;
        for (const Quad e : errors.values) sum += e * e / static_cast<Quad>(n);
        return sum;
      };
      const double h = 0x1p-12;
      const Quad difference = (8 * (exact(h) - exact(-h)) - (exact(2 * h) - exact(-2 * h))) / (12 * Quad(h));
      ASSERT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
      flagged += model.lambda_flags().below[0];
      if (model.lambda_flags().below[0] == 0) {
        EXPECT_NEAR(by_sigma, static_cast<double>(difference), 5e-6 * score);
      }
    }
  EXPECT_LT(flagged, seeds);
}

// Ten landmarks of which doubles would keep nine.
TEST(SmoothLandmarks, AllThatWereAskedForAreKept) {
  bool tried = false;
  for (int seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<unsigned>(seed));
    Problem problem{KernelSpec::gaussian(1.0), Matrix(60, 1), Matrix(60, 1), {}, true};
    for (std::int64_t i = 0; i < 60; ++i) {
      problem.x(i, 0) = random.normal();
      problem.y(i, 0) = std::sin(2 * problem.x(i, 0)) + 0.1 * random.normal();
    }
    Rows landmarks;  // neighbours 0.12 apart: the least pivot of K_RR is about 1e-16
    for (std::int64_t k = 0; k < 10; ++k) {
      problem.x(k, 0) = -0.5 + 0.12 * static_cast<double>(k);
      landmarks.push_back(k);
    }
    Model model = oracle::make_model(problem);
    set_landmarks(model, landmarks).factorize().lambda(6e-3);
    Labels single(60);
    for (std::int32_t i = 0; i < 60; ++i) single[static_cast<std::size_t>(i)] = i;
    const Matrix exact = refit_errors(quad_problem(problem, landmarks), single, 6e-3);
    const bool flagged = model.lambda_flags().below[0] == 1;
    tried = tried || !flagged;
    if (!flagged) {
      EXPECT_CLOSE(model.loo(), exact, 1e-6);
    }
    EXPECT_CLOSE(model.loo(), exact, 0.25);
  }
  EXPECT_TRUE(tried);
}

// ---- scales ----

// k -> s^2 k for the linear kernel on s x: lambda -> s^2 lambda has the same answers.
TEST(LandmarkScales, HugeAndTiny) {
  Random random(106);
  const Problem problem = random_problem(random, KernelSpec::linear(), 25, 3, 1, true, true);
  Model one = oracle::make_model(problem);
  set_landmarks(one, {2, 7, 11}).factorize().lambda(0.5);
  for (const double exponent : {-250.0, -150.0, 150.0, 250.0}) {  // powers of two: the same digits
    const double scale = std::pow(2.0, exponent);
    for (const freeridge_reduction reduction : reductions) {
      SCOPED_TRACE(::testing::Message() << "2^" << exponent << " " << reduction_name(reduction));
      Problem scaled_problem = problem;
      scaled_problem.x = scaled(problem.x, scale);
      Model model = oracle::make_model(scaled_problem);
      set_reduction(set_landmarks(model, {2, 7, 11}), reduction).factorize().lambda(0.5 * scale * scale);
      EXPECT_CLOSE(model.fitted(), one.fitted(), 1e-12);
      EXPECT_CLOSE(model.loo(), one.loo(), 1e-12);
      EXPECT_CLOSE(model.hyperplane(), scaled(one.hyperplane(), 1 / scale), 1e-12);
      const Matrix points = random_problem(random, KernelSpec::linear(), 5, 3, 1, false, false).x;
      const PredictedVariance moved = model.predict_variance(scaled(points, scale));
      EXPECT_CLOSE(moved.variance, one.predict_variance(points).variance, 1e-11);
      EXPECT_CLOSE(moved.noise, one.predict_variance(points).noise, 1e-12);
    }
  }
}

// Rows that differ by more magnitudes than there are digits: what cannot be told is not made up. No leverage is beyond
// one but for rounding, which is at most one here, and the heavy row is fitted.
TEST(LandmarkScales, WeightsOfAllMagnitudes) {
  Random random(107);
  for (const std::int64_t landmarks : {4, 8, 12})
    for (const bool intercept : {false, true})
      for (const double weight : {1e20, 1e40, 1e100, 1e200, 1e300})
        for (const freeridge_reduction reduction : reductions) {
          SCOPED_TRACE(::testing::Message() << landmarks << " landmarks, intercept: " << intercept << ", weight "
                                            << weight << " " << reduction_name(reduction));
          Problem problem = random_problem(random, KernelSpec::gaussian(2.0), 24, 2, 1, true, intercept);
          problem.weights[1] = weight;
          problem.weights[2] = std::sqrt(weight);
          problem.weights[3] = 1 / weight;
          Model model = oracle::make_model(problem);
          set_reduction(set_landmarks(model, some_landmarks(random, 24, landmarks)), reduction).factorize().lambda(0.1);
          const Matrix leverage = model.leverage();
          for (std::int64_t i = 0; i < 24; ++i) {
            EXPECT_GE(leverage(i, 0), 0.0);
            EXPECT_LE(leverage(i, 0), 2.0) << i;
          }
          EXPECT_GE(leverage(1, 0), 1 - 1e-6);
          EXPECT_NEAR(model.fitted()(1, 0), problem.y(1, 0), 1e-9);
        }
}

}  // namespace landmark_limits_test
