// Units must not matter: huge and tiny x, huge Y, large means, lambdas next to zero.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace scale_test {

using namespace support;
using oracle::Family;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

constexpr freeridge_route all_routes[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                          FREERIDGE_ROUTE_PRIMAL};

class Scale : public ::testing::Test {
 protected:
  // body(problem) for every route and the kernels that it takes, weights and intercept on and off, n > d.
  template <class Body>
  void for_each_problem(Body body) {
    Random random(300);
    for (const Family family : oracle::all_families)
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          const Problem problem = random_problem(random, kernel_of(family, 3), 18, 3, 2, weighted, intercept);
          for (const freeridge_route route : all_routes) {
            if (route == FREERIDGE_ROUTE_PRIMAL && family != Family::linear) continue;
            SCOPED_TRACE(::testing::Message() << family_name(family) << " " << route_name(route)
                                              << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
            route_ = route;
            body(problem);
          }
        }
  }
  Model fit(const Problem& problem, double lambda) const {
    Model model = oracle::make_model(problem, route_);
    model.factorize().lambda(lambda);
    return model;
  }
  static Matrix points() {
    Random random(301);
    return random.uniform_matrix(6, 3, -1.0, 1.0);
  }

  freeridge_route route_ = FREERIDGE_ROUTE_AUTO;
};

// The answers of a model whose x and Y have other units than those of the expected one: what is squared in them must
// not leave the range on its way.
void expect_scaled(const Model& model, double x_unit, double y_unit, const Model& expected, const Matrix& points,
                   double allowed) {
  const Labels groups = modulo_groups(18, 4);
  const Matrix moved = scaled(points, x_unit);
  const auto back = [&](const Matrix& out) { return scaled(out, 1 / y_unit); };
  const auto squared_back = [&](const Matrix& out) { return back(back(out)); };
  EXPECT_CLOSE(back(model.loo()), expected.loo(), allowed);
  EXPECT_CLOSE(back(model.fitted()), expected.fitted(), allowed);
  EXPECT_CLOSE(back(model.group_errors(groups)), expected.group_errors(groups), allowed);
  EXPECT_CLOSE(back(model.predict(moved)), expected.predict(points), allowed);
  EXPECT_CLOSE(back(model.predict_jackknife(moved, 0.9).lower), expected.predict_jackknife(points, 0.9).lower, allowed);
  EXPECT_CLOSE(back(model.predict_jackknife(moved, 0.9).upper), expected.predict_jackknife(points, 0.9).upper, allowed);
  EXPECT_CLOSE(squared_back(model.predict_variance(moved).variance), expected.predict_variance(points).variance,
               allowed);
  EXPECT_CLOSE(squared_back(to_column(model.predict_variance(moved).noise)),
               to_column(expected.predict_variance(points).noise), allowed);
  EXPECT_CLOSE(squared_back(to_column(model.error_variance())), to_column(expected.error_variance()), allowed);
  EXPECT_CLOSE(model.leverage(), expected.leverage(), allowed);
  EXPECT_CLOSE(model.degrees_of_freedom(), expected.degrees_of_freedom(), allowed);
  EXPECT_CLOSE(model.cooks_distance(), expected.cooks_distance(), allowed);
}

TEST_F(Scale, UnitsOfX) {
  for_each_problem([&](const Problem& problem) {
    const Model expected = fit(problem, 0.2);
    const Family family = problem.kernel.family;
    const bool radial = family == Family::gaussian || family == Family::laplacian || family == Family::matern32 ||
                        family == Family::matern52;
    for (const double unit : radial ? Vector{1e150, 1e-150} : Vector{1e100, 1e-100}) {
      SCOPED_TRACE(unit);
      Problem moved = problem;
      moved.x = scaled(problem.x, unit);
      double lambda = 0.2;
      if (problem.kernel.family == Family::linear) lambda *= unit * unit;  // K grows with unit^2, and f with it
      if (problem.kernel.family == Family::polynomial) moved.kernel.scale /= unit * unit;
      if (radial) moved.kernel.sigma *= unit;
      if (!radial && family != Family::linear && family != Family::polynomial) moved.kernel.columns = Vector(3, unit);
      const Model model = fit(moved, lambda);
      expect_scaled(model, unit, 1, expected, points(), 1e-11);
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
        SCOPED_TRACE(criterion);  // REML too: what lambda gains in log|M|, s2 loses
        EXPECT_CLOSE(model.score(criterion, {lambda}), expected.score(criterion, {0.2}), 1e-11);
      }
    }
  });
}

TEST_F(Scale, UnitsOfY) {
  for_each_problem([&](const Problem& problem) {
    Model expected = fit(problem, 0.2);
    const LambdaChoice choice = expected.select_lambda(FREERIDGE_LOO);
    expected.lambda(0.2);
    for (const double unit : {1e150, 1e-150}) {
      SCOPED_TRACE(unit);
      Problem moved = problem;
      moved.y = scaled(problem.y, unit);
      Model model = fit(moved, 0.2);
      expect_scaled(model, 1, unit, expected, points(), 1e-12);
      for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV})
        EXPECT_CLOSE(model.score(criterion, {0.2}), scaled(expected.score(criterion, {0.2}), unit * unit), 1e-11);
      const LambdaChoice moved_choice = model.select_lambda(FREERIDGE_LOO);
      EXPECT_CLOSE(moved_choice.score, scaled(to_column(choice.score), unit * unit).values, 1e-9);
      // A criterion that has gone flat towards lambda = 0, as with kernels that interpolate, leaves lambda open within
      // rounding; the others have their minimum at a point.
      const Family family = problem.kernel.family;
      if (family == Family::linear || family == Family::polynomial || family == Family::gaussian) {
        EXPECT_CLOSE(moved_choice.lambda, choice.lambda, 1e-6);
      }
    }
  });
}

// y and lambda at the ends of the range: what is a ratio of the two meets no overflow and no underflow on its way.
TEST_F(Scale, ExtremesOfYAndLambda) {
  for_each_problem([&](const Problem& problem) {
    for (const double lambda : {1e-250, 1e-100, 1e100, 1e230, 1e250}) {
      SCOPED_TRACE(lambda);
      if (lambda < 1 && needs_positive_definite(route_)) continue;
      const Model expected = fit(problem, lambda);
      for (const double unit : {0x1p498, 0x1p-332, 0x1p-498}) {
        SCOPED_TRACE(unit);
        Problem moved = problem;
        moved.y = scaled(problem.y, unit);
        const Model model = fit(moved, lambda);
        const auto back = [&](const Matrix& out) { return scaled(out, 1 / unit); };
        const Labels groups = modulo_groups(18, 4);
        EXPECT_CLOSE(back(model.loo()), expected.loo(), 1e-12);
        EXPECT_CLOSE(back(model.group_errors(groups)), expected.group_errors(groups), 1e-12);
        EXPECT_CLOSE(back(back(model.score(FREERIDGE_GCV, {lambda}))), expected.score(FREERIDGE_GCV, {lambda}), 1e-12);
        EXPECT_CLOSE(back(back(model.score(FREERIDGE_LOO, {lambda}))), expected.score(FREERIDGE_LOO, {lambda}), 1e-12);
        if (lambda > 1) {  // below, what interpolates has an error variance that is out of range
          EXPECT_CLOSE(back(back(to_column(model.error_variance()))), to_column(expected.error_variance()), 1e-12);
        }
        if (!problem.intercept) continue;  // with one the fit is of the size of y
        EXPECT_CLOSE(back(model.fitted()), expected.fitted(), 1e-12);
        EXPECT_CLOSE(back(model.predict(points())), expected.predict(points()), 1e-12);
      }
    }
  });
}

TEST_F(Scale, AScaledKernelUndoesTheUnitsOfColumns) {
  for_each_problem([&](const Problem& problem) {
    const Model expected = fit(problem, 0.2);
    const Vector unit = {1e6, 1e-9, 1.0};
    Problem moved = problem;
    Matrix new_points = points();
    for (std::int64_t k = 0; k < 3; ++k) {
      for (std::int64_t i = 0; i < 18; ++i) moved.x(i, k) *= unit[static_cast<std::size_t>(k)];
      for (std::int64_t i = 0; i < 6; ++i) new_points(i, k) *= unit[static_cast<std::size_t>(k)];
    }
    moved.kernel.columns = unit;
    const Model model = fit(moved, 0.2);
    EXPECT_CLOSE(model.loo(), expected.loo(), 1e-12);
    EXPECT_CLOSE(model.predict(new_points), expected.predict(points()), 1e-12);
    if (problem.kernel.family != Family::linear) return;
    Matrix w = model.hyperplane();
    for (std::int64_t k = 0; k < 3; ++k)
      for (std::int64_t j = 0; j < 2; ++j) w(k, j) *= unit[static_cast<std::size_t>(k)];
    EXPECT_CLOSE(w, expected.hyperplane(), 1e-12);
  });
}

// x rounded to multiples of 2^-6
Matrix with_few_bits(Matrix x) {
  for (double& value : x.values) value = std::round(value * 64) / 64;
  return x;
}

// 1 / lambda is beyond the range, and K as small as lambda: P overflows, but P~ and all that is made of it does not. x
// has few bits, so that K has no rounding but what subnormal numbers leave it (2^-48 of lambda and more).
TEST_F(Scale, LambdaBelowTheReciprocalOfTheLargestNumber) {
  Random random(305);
  constexpr double unit = 0x1p-513, lambda = 5;
  const Matrix new_points = with_few_bits(random.uniform_matrix(6, 3, -1.0, 1.0));
  for (const freeridge_route route : all_routes)
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << route_name(route) << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
        route_ = route;
        Problem problem = random_problem(random, KernelSpec::linear(), 18, 3, 2, weighted, intercept);
        problem.x = with_few_bits(problem.x);
        Problem moved = problem;
        moved.x = scaled(problem.x, unit);
        moved.y = scaled(problem.y, unit);
        const Model expected = fit(problem, lambda), model = fit(moved, lambda * unit * unit);
        expect_scaled(model, unit, unit, expected, new_points, 1e-11);
      }
}

// x rounded to multiples of 2^-20, so that x + 1e8 is exact and the oracle may use x itself.
Matrix rounded(Matrix x) {
  for (double& value : x.values) value = std::round(value * 0x1p20) / 0x1p20;
  return x;
}

// With an intercept, a constant added to the columns changes nothing but b. The data are then known to 1e8 eps relative
// to their spread, which is what the answers may differ by; an algorithm that works with x'x as it stands would lose
// 1e16 eps, that is everything.
TEST_F(Scale, LargeMeansOfTheColumns) {
  Random random(302);
  for (const freeridge_route route : all_routes) {
    SCOPED_TRACE(route_name(route));
    route_ = route;
    Problem problem = random_problem(random, KernelSpec::linear(), 30, 4, 2, true, true);
    problem.x = rounded(problem.x);
    const Matrix new_points = rounded(random.uniform_matrix(6, 4, -1.0, 1.0));
    const double mean = 1e8, allowed = 4 * mean * epsilon;
    Problem moved = problem;
    moved.x = shifted(problem.x, mean);
    const Model model = fit(moved, 0.2);
    EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.2), allowed);
    EXPECT_CLOSE(model.fitted(), oracle::fitted(problem, 0.2), allowed);
    EXPECT_CLOSE(model.hyperplane(), oracle::hyperplane(problem, oracle::fit(problem, 0.2)), allowed);
    // b is w'mean larger, about 1e8: a new point's prediction, f + b, keeps 1e8 eps of it.
    EXPECT_CLOSE(model.predict(shifted(new_points, mean)),
                 oracle::predict(problem, oracle::fit(problem, 0.2), new_points), allowed);
  }
}

TEST_F(Scale, LambdaNextToZeroIsTheLimit) {
  Random random(303);
  for (const freeridge_route route : all_routes)
    for (const bool intercept : {false, true}) {
      const KernelSpec kernel = needs_positive_definite(route) ? KernelSpec::gaussian(0.4) : KernelSpec::linear();
      const Problem problem = random_problem(random, kernel, 18, 3, 2, true, intercept);
      route_ = route;
      const Model expected = fit(problem, 0.0);
      for (const double lambda : {1e-300, 1e-100, 1e-30}) {
        SCOPED_TRACE(::testing::Message()
                     << route_name(route) << (intercept ? ", intercept" : "") << ", lambda = " << lambda);
        const Model model = fit(problem, lambda);
        EXPECT_CLOSE(model.loo(), expected.loo(), 1e-10);
        EXPECT_CLOSE(model.fitted(), expected.fitted(), 1e-10);
        EXPECT_CLOSE(model.intercepts(), expected.intercepts(), 1e-10);
        EXPECT_CLOSE(model.predict(points()), expected.predict(points()), 1e-10);
        EXPECT_CLOSE(model.group_errors(modulo_groups(18, 4)), expected.group_errors(modulo_groups(18, 4)), 1e-10);
      }
    }
}

TEST_F(Scale, HugeLambdaIsTheMean) {
  for_each_problem([&](const Problem& problem) {
    const Model model = fit(problem, 1e300);
    Matrix expected(18, 2);
    double total = 0;
    for (std::int64_t i = 0; i < 18; ++i) total += problem.weight(i);
    for (std::int64_t j = 0; j < 2 && problem.intercept; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < 18; ++i) sum += problem.weight(i) * problem.y(i, j);
      for (std::int64_t i = 0; i < 18; ++i) expected(i, j) = sum / total;
    }
    for (std::size_t k = 0; k < expected.values.size(); ++k)
      EXPECT_NEAR(model.fitted().values[k], expected.values[k], 1e-13 * std::abs(problem.y.values[k]));
  });
}

// A hundred thousand values next to one another, added up one by one: each addition is rounded the same way, and the mean
// of the first pass is off by thousands of roundings. With a huge lambda the intercept is the mean and nothing else.
TEST(Means, OfManyNearlyEqualValuesToWorkingPrecision) {
  const std::int64_t n = 100000;
  Random random(305);
  Matrix x(n, 1), y(n, 2);
  for (std::int64_t i = 0; i < n; ++i) {
    x(i, 0) = i % 2 == 0 ? 1 : -1;
    y(i, 0) = 0.1;
    y(i, 1) = -1e6 / 3;
  }
  y(n - 1, 0) = y(n - 1, 1) = 0.25;  // a constant column's mean is its value, without a sum
  for (const bool weighted : {false, true})
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      SCOPED_TRACE(::testing::Message() << "layout " << layout << (weighted ? ", weights" : ""));
      const Vector weights = weighted ? Vector(static_cast<std::size_t>(n), 0.3) : Vector();
      Model model(Kernel::linear());
      model.data(x, y, layout).weights(weights).factorize().lambda(1e200);
      const Vector b = model.intercepts();
      for (std::int64_t j = 0; j < 2; ++j) {
        Real sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += static_cast<Real>(y(i, j));
        const double mean = static_cast<double>(sum / static_cast<Real>(n));
        EXPECT_NEAR(b[static_cast<std::size_t>(j)], mean, 4 * epsilon * std::abs(mean));
      }
    }
}

// The Gaussian kernel sees differences alone. The shift is exact here, so nothing at all is lost.
TEST(GaussianKernel, DoesNotSeeAShiftOfX) {
  Random random(304);
  Problem problem = random_problem(random, KernelSpec::gaussian(1.0), 25, 3, 1, false, true);
  problem.x = rounded(problem.x);
  const Matrix new_points = rounded(random.uniform_matrix(6, 3, -1.0, 1.0));
  Problem moved = problem;
  moved.x = shifted(problem.x, 1e8);
  for (const freeridge_route route :
       std::vector<freeridge_route>{FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                    FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device}) {
    Model model = oracle::make_model(moved, route);
    model.factorize().lambda(0.1);
    EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.1), 1e-10);
    EXPECT_CLOSE(model.predict(shifted(new_points, 1e8)),
                 oracle::predict(problem, oracle::fit(problem, 0.1), new_points), 1e-10);
  }
}

// Points that nearly coincide: their distance must not drown in the size of x.
TEST(GaussianKernel, KeepsSmallDistancesBesideLargeOnes) {
  Problem problem{KernelSpec::gaussian(1e-3), Matrix(12, 2), Matrix(12, 1), {}, true};
  Random random(305);
  for (std::int64_t i = 0; i < 12; ++i) {
    problem.x(i, 0) = (i % 2 == 0 ? 0.0 : 1000.0) + 1e-3 * random.normal();
    problem.x(i, 1) = -1000.0 + 1e-3 * random.normal();
    problem.y(i, 0) = random.normal();
  }
  for (const freeridge_route route :
       std::vector<freeridge_route>{FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                    FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device}) {
    Model model = oracle::make_model(problem, route);
    model.factorize().lambda(0.05);
    EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.05), 1e-10);
    EXPECT_CLOSE(model.predict(problem.x), oracle::fitted(problem, 0.05), 1e-10);
  }
}

TEST(Overflow, AKernelValueThatOverflowsIsNotFinite) {
  Random random(306);
  Problem problem = random_problem(random, KernelSpec::polynomial(4, 1.0, 1.0), 10, 2, 1, false, true);
  problem.x = scaled(problem.x, 1e60);
  Model model = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_NOT_FINITE);
  freeridge_route route = FREERIDGE_ROUTE_AUTO;
  EXPECT_EQ(freeridge_get_route(model.get(), &route), FREERIDGE_INVALID_STATE);
  model.kernel(Kernel::polynomial(2, 1.0, 1.0)).factorize();  // the model is usable still
  problem.kernel = KernelSpec::linear();
  problem.x = scaled(problem.x, 1e100);
  for (const freeridge_route dual :
       std::vector<freeridge_route>{FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                    FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device})
    EXPECT_EQ(freeridge_factorize(oracle::make_model(problem, dual).get()), FREERIDGE_NOT_FINITE);
}

// Each kernel value is a number; their sums are none, which no eigenvalue tells where K is a constant but for its
// rounding.
TEST(Overflow, SumsOfKernelValuesThatOverflowAreNotFinite) {
  Random random(308);
  Problem problem = random_problem(random, KernelSpec::polynomial(1, 1e-300, 1.5e308), 7, 1, 1, false, true);
  const Matrix constant(7, 7, 1.5e308);
  for (const freeridge_route route :
       std::vector<freeridge_route>{FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                    FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device})
    for (const bool intercept : {false, true}) {
      problem.intercept = intercept;
      EXPECT_EQ(freeridge_factorize(oracle::make_model(problem, route).get()), FREERIDGE_NOT_FINITE) << route;
      Model given(Kernel::precomputed());
      given.data(constant, problem.y).intercept(intercept).route(route);
      EXPECT_EQ(freeridge_factorize(given.get()), FREERIDGE_NOT_FINITE) << route;
    }
}

// Kernel values among the subnormal numbers: what is left of the products of their features is rounding alone, and must
// not be scaled up to a basis. No lambda but 0 is as small, so that nothing is learned.
TEST(Underflow, FeaturesWhoseProductsAreSubnormal) {
  Random random(309);
  for (const double weight : {0x1p-1074, 0x1p-1072, 0x1p-1068, 0x1p-1060}) {
    const KernelSpec kernel =
        KernelSpec::sum({KernelSpec::gaussian(1.0), KernelSpec::radial(Family::laplacian, 1.0)}, {weight, weight});
    const Problem problem = random_problem(random, kernel, 9, 2, 1, false, false);
    for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
      SCOPED_TRACE(::testing::Message() << weight << " " << reduction);
      Model model = oracle::make_model(problem);
      ASSERT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), FREERIDGE_OK);
      ASSERT_EQ(freeridge_set_landmarks(model.get(), 4, nullptr), FREERIDGE_OK);
      model.factorize().lambda(1.0);
      for (const double leverage : model.leverage().values) EXPECT_LT(std::abs(leverage), 1e-300);
      EXPECT_CLOSE(model.loo(), problem.y, 4 * epsilon);
    }
  }
}

// Columns whose squares overflow, and their products before the decomposition sees them: by the SVD of X itself, by
// that of its triangle, by the features in pieces, and by landmarks.
TEST(Overflow, SquaredSingularValuesThatOverflowAreNotFinite) {
  Random random(307);
  for (const std::int64_t n : {3, 12})
    for (const double unit : {1e155, 1e200, 1e307})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          SCOPED_TRACE(::testing::Message() << n << " rows, unit " << unit << (weighted ? ", weights" : "")
                                            << (intercept ? ", intercept" : ""));
          Problem problem = random_problem(random, KernelSpec::linear(), n, 4, 2, weighted, intercept);
          problem.x = scaled(problem.x, unit);
          const auto expect_refused = [](const Model& model) {
            EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_NOT_FINITE);
            EXPECT_NE(std::string(freeridge_last_error()).find("overflow"), std::string::npos)
                << freeridge_last_error();
          };
          const Model plain = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
          expect_refused(plain);
          for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
            const Model model = oracle::make_model(problem, FREERIDGE_ROUTE_PRIMAL);
            ASSERT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), FREERIDGE_OK);
            expect_refused(model);
            const Model restricted = oracle::make_model(problem, FREERIDGE_ROUTE_LANDMARK);
            ASSERT_EQ(freeridge_set_parameter(restricted.get(), FREERIDGE_REDUCTION, reduction), FREERIDGE_OK);
            ASSERT_EQ(freeridge_set_landmarks(restricted.get(), 2, nullptr), FREERIDGE_OK);
            expect_refused(restricted);
          }
        }
}

}  // namespace scale_test
