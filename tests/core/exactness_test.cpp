// Leave-one-out, group-out, fit and predictions against true refits (support/oracle.hpp), to 1e-9 relative, for every
// kernel and route, and in each of them for weights or none, intercept or none, 1 and 3 outputs, both layouts, n > d
// and n < d, lambda = 1e-3, 1 and 1e3, and one lambda per output: every pair of these, and, deep, all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/deep.hpp"
#include "support/problems.hpp"

namespace exactness_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr double tolerance = 1e-9;
const Vector lambda_values = {1e-3, 1.0, 1e3};

struct Case {
  Family family;
  freeridge_route route;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << family_name(c.family) << route_name(c.route);
}

class Exactness : public ::testing::TestWithParam<Case> {
 protected:
  // body(problem, model) for every problem and layout; the model is factorized.
  template <class Body>
  void for_each_problem(std::int64_t outputs, Body body) {
    struct Shape {
      std::int64_t n, d;
    };
    Random random(20070504);
    for (const bool scaled_columns : {false, true})
      for (const Shape shape : {Shape{20, 4}, Shape{13, 17}})
        for (const bool weighted : {false, true})
          for (const bool intercept : {false, true}) {
            // Of eight rows any two of scaled, tall, weighted, scaled ^ tall, scaled ^ weighted have all four values.
            const bool tall = shape.n > shape.d;
            if (!deep() && intercept != (scaled_columns != tall)) continue;
            const oracle::KernelSpec kernel = kernel_of(GetParam().family, shape.d, scaled_columns);
            const Problem problem = random_problem(random, kernel, shape.n, shape.d, outputs, weighted, intercept);
            for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
              if (!deep() && (layout == FREERIDGE_ROW_MAJOR) != (scaled_columns != weighted)) continue;
              SCOPED_TRACE(::testing::Message() << (scaled_columns ? "scaled kernel, " : "") << "n = " << shape.n
                                                << ", d = " << shape.d << ", outputs = " << outputs
                                                << (weighted ? ", weights" : "") << (intercept ? ", intercept" : "")
                                                << (layout == FREERIDGE_COL_MAJOR ? ", column-major" : ", row-major"));
              Model model = oracle::make_model(problem, GetParam().route, layout, 3);
              body(problem, model.factorize());
            }
          }
  }

  // body(problem, model, lambda) as above, for 1 and 3 outputs and every lambda.
  template <class Body>
  void for_each_fit(Body body) {
    for (const std::int64_t outputs : {1, 3})
      for_each_problem(outputs, [&](const Problem& problem, Model& model) {
        for (const double lambda : lambda_values) {
          SCOPED_TRACE(::testing::Message() << "lambda = " << lambda);
          body(problem, model.lambda(lambda), lambda);
        }
      });
  }
};

// H_ii, once for each output.
Matrix leverages(const Problem& problem, double lambda) {
  const Dense hat = oracle::hat_matrix(problem, lambda);
  Matrix out(problem.x.rows, problem.y.cols);
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = static_cast<double>(hat(i, i));
  return out;
}

// The partitions of n rows that are left out group by group.
std::vector<std::pair<const char*, Labels>> partitions(std::int64_t n) {
  std::vector<std::pair<const char*, Labels>> out;
  out.emplace_back("5 folds", modulo_groups(n, 5));
  Random random(11);
  for (int repeat = 0; repeat < 3; ++repeat) {
    Labels hold_out(static_cast<std::size_t>(n), -1);
    const auto order = random.permutation(n);
    for (std::int64_t i = 0; i < n / 3; ++i) hold_out[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = 0;
    out.emplace_back("hold-out", hold_out);
  }
  Labels uneven(static_cast<std::size_t>(n), std::numeric_limits<std::int32_t>::max());
  uneven[0] = 3;
  uneven[1] = uneven[4] = 1000000;
  uneven[2] = uneven[3] = uneven[7] = uneven[9] = 0;
  out.emplace_back("uneven groups", uneven);
  Labels some = modulo_groups(n, 4);
  for (std::size_t i = 0; i < some.size(); i += 3) some[i] = i % 2 == 0 ? -1 : std::numeric_limits<std::int32_t>::min();
  out.emplace_back("some rows never left out", some);
  return out;
}

TEST_P(Exactness, LeaveOneOut) {
  for_each_fit([](const Problem& problem, const Model& model, double lambda) {
    const Matrix errors = model.loo();
    EXPECT_CLOSE(errors, oracle::loo(problem, lambda), tolerance);
    EXPECT_CLOSE(model.group_errors(single_groups(problem.x.rows)), errors, tolerance);
  });
}

TEST_P(Exactness, LeaveGroupsOut) {
  for_each_fit([](const Problem& problem, const Model& model, double lambda) {
    for (const auto& [name, group] : partitions(problem.x.rows)) {
      SCOPED_TRACE(name);
      EXPECT_CLOSE(model.group_errors(group), oracle::group_errors(problem, group, lambda), tolerance);
    }
  });
}

TEST_P(Exactness, FitPredictionsAndLeverage) {
  for_each_fit([](const Problem& problem, const Model& model, double lambda) {
    const oracle::Fit fit = oracle::fit(problem, lambda);
    EXPECT_CLOSE(model.coefficients(), to_double(fit.c), tolerance);
    EXPECT_CLOSE(model.intercepts(), to_double(fit.b).values, tolerance);
    EXPECT_CLOSE(model.fitted(), oracle::predict(problem, fit, problem.x), tolerance);
    if (problem.kernel.family == Family::linear) {
      EXPECT_CLOSE(model.hyperplane(), oracle::hyperplane(problem, fit), tolerance);
    }
    Random random(5);
    const Matrix points = random.uniform_matrix(7, problem.x.cols, -1.5, 1.5);
    const Matrix expected = oracle::predict(problem, fit, points);
    EXPECT_CLOSE(model.predict(points, FREERIDGE_COL_MAJOR, 2), expected, tolerance);
    EXPECT_CLOSE(model.predict(points, FREERIDGE_ROW_MAJOR, 2), expected, tolerance);
    EXPECT_CLOSE(model.predict(problem.x), model.fitted(), tolerance);
    EXPECT_CLOSE(model.leverage(), leverages(problem, lambda), tolerance);
  });
}

TEST_P(Exactness, OneLambdaPerOutput) {
  const Vector lambda = {1.0, 1e3, 1e-3};
  for_each_problem(3, [&](const Problem& problem, Model& model) {
    model.lambdas(lambda);
    EXPECT_EQ(model.lambda_in_force(), lambda);
    const auto each = [&](auto answer) { return oracle::per_output(lambda, answer); };
    const Labels folds = modulo_groups(problem.x.rows, 4);
    EXPECT_CLOSE(model.loo(), each([&](double l) { return oracle::loo(problem, l); }), tolerance);
    EXPECT_CLOSE(model.group_errors(folds), each([&](double l) { return oracle::group_errors(problem, folds, l); }),
                 tolerance);
    EXPECT_CLOSE(model.fitted(), each([&](double l) { return oracle::fitted(problem, l); }), tolerance);
    EXPECT_CLOSE(model.coefficients(), each([&](double l) { return to_double(oracle::fit(problem, l).c); }), tolerance);
    Random random(6);
    const Matrix points = random.uniform_matrix(5, problem.x.cols, -1.5, 1.5);
    EXPECT_CLOSE(model.predict(points),
                 each([&](double l) { return oracle::predict(problem, oracle::fit(problem, l), points); }), tolerance);
    Vector intercepts;
    for (std::int64_t j = 0; j < 3; ++j)
      intercepts.push_back(to_double(oracle::fit(problem, lambda[static_cast<std::size_t>(j)]).b)(0, j));
    EXPECT_CLOSE(model.intercepts(), intercepts, tolerance);
    if (problem.kernel.family == Family::linear) {
      EXPECT_CLOSE(model.hyperplane(),
                   each([&](double l) { return oracle::hyperplane(problem, oracle::fit(problem, l)); }), tolerance);
    }
    EXPECT_CLOSE(model.leverage(), each([&](double l) { return leverages(problem, l); }), tolerance);
  });
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Family family : oracle::all_families)
    for (const freeridge_route route : std::vector<freeridge_route>{
             FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
             FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_CHOLESKY + on_device, FREERIDGE_ROUTE_SPECTRAL + on_device})
      if (route != FREERIDGE_ROUTE_PRIMAL || family == Family::linear) out.push_back({family, route});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, Exactness, ::testing::ValuesIn(cases()), ::testing::PrintToStringParamName());

TEST(Kernels, ScaledInsideScaledMultipliesTheScales) {
  Random random(3);
  const Vector outer = {0.5, 2.0, 3.0}, inner = {4.0, 0.25, 1.5}, both = {2.0, 0.5, 4.5};
  Problem problem = random_problem(random, oracle::KernelSpec::gaussian(1.3).with_columns(both), 15, 3, 1, false, true);
  Model model(Kernel::scaled(Kernel::scaled(Kernel::gaussian(1.3), inner), outer));
  model.data(problem.x, problem.y).factorize().lambda(0.1);
  EXPECT_CLOSE(model.fitted(), oracle::fitted(problem, 0.1), 1e-12);
  EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.1), 1e-12);
}

TEST(Kernels, MaternOneHalfIsTheLaplacian) {
  Random random(8);
  const Problem problem =
      random_problem(random, oracle::KernelSpec::radial(Family::laplacian, 1.3), 15, 3, 1, false, true);
  Model model(Kernel::matern(0.5, 1.3));
  model.data(problem.x, problem.y).factorize().lambda(0.1);
  EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.1), 1e-12);
  EXPECT_EQ(model.bandwidth(), 1.3);
}

// 2 x' diag(4, 1)^-2 z + 3 x' diag(1, 5)^-2 z is linear: it has a hyperplane, in the units of x, and the primal route.
TEST(Kernels, ASumOfLinearKernelsIsLinear) {
  using oracle::KernelSpec;
  Random random(9);
  const KernelSpec sum = KernelSpec::sum(
      {KernelSpec::linear().with_columns({4.0, 1.0}), KernelSpec::linear().with_columns({1.0, 5.0})}, {2.0, 3.0});
  const Vector scale = {1 / std::sqrt(2.0 / 16 + 3.0), 1 / std::sqrt(2.0 + 3.0 / 25)};
  Problem problem = random_problem(random, sum, 20, 2, 2, true, true);
  Problem linear = problem;
  linear.kernel = KernelSpec::linear().with_columns(scale);
  for (const freeridge_route route : {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_SPECTRAL,
                                      FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(problem, route);
    model.factorize().lambda(0.3);
    EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.3), 1e-12);
    EXPECT_CLOSE(model.hyperplane(), oracle::hyperplane(linear, oracle::fit(linear, 0.3)), 1e-12);
  }
}

// (x'z)^2 in four columns has rank 10, more than the ranks of its factors make together.
TEST(Kernels, AProductHasMoreRankThanItsFactors) {
  using oracle::KernelSpec;
  Random random(12);
  const KernelSpec square = KernelSpec::product({KernelSpec::linear(), KernelSpec::linear()});
  const Problem problem = random_problem(random, square, 30, 4, 2, true, false);
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
    SCOPED_TRACE(route_name(route));
    Model model = oracle::make_model(problem, route);
    model.factorize().lambda(0.1);
    EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.1), 1e-12);
    EXPECT_CLOSE(model.fitted(), oracle::fitted(problem, 0.1), 1e-12);
    if (route != FREERIDGE_ROUTE_SPECTRAL) continue;
    std::int64_t rank = 0;
    EXPECT_EQ(freeridge_get_rank(model.get(), &rank), FREERIDGE_OK);
    EXPECT_EQ(rank, 10);
  }
}

// The bandwidth is that of the only part that has one; with two of them there is none.
TEST(Kernels, TheBandwidthOfASum) {
  std::vector<Kernel> one, two;
  one.push_back(Kernel::linear());
  one.push_back(Kernel::scaled(Kernel::matern(2.5, 0.7), {2.0, 3.0}));
  two.push_back(Kernel::gaussian(1.0));
  two.push_back(Kernel::laplacian(1.0));
  double sigma = 0;
  EXPECT_EQ(Model(Kernel::sum(one, {1.0, 2.0})).bandwidth(), 0.7);
  EXPECT_EQ(Model(Kernel::product(one)).bandwidth(), 0.7);
  EXPECT_EQ(freeridge_get_bandwidth(Model(Kernel::product(two)).get(), &sigma, nullptr, nullptr, nullptr, nullptr,
                                    nullptr, nullptr),
            FREERIDGE_INVALID_STATE);

  Random random(10);
  Model model(Kernel::sum(one, {1.0, 2.0}));
  const Problem problem = random_problem(random, oracle::KernelSpec::linear(), 40, 2, 1, false, true);
  model.data(problem.x, problem.y);
  const BandwidthChoice choice = model.select_bandwidth(FREERIDGE_LOO, 0.1, 10.0, 12);
  EXPECT_EQ(model.bandwidth(), choice.sigma);
  Problem at = problem;
  at.kernel =
      oracle::KernelSpec::sum({oracle::KernelSpec::linear(),
                               oracle::KernelSpec::radial(Family::matern52, choice.sigma).with_columns({2.0, 3.0})},
                              {1.0, 2.0});
  model.lambda(0.1);
  EXPECT_CLOSE(model.loo(), oracle::loo(at, 0.1), 1e-12);
}

TEST(Kernels, PolynomialOfDegreeOneIsLinearWithAnOffset) {
  Random random(4);
  const Problem linear = random_problem(random, oracle::KernelSpec::linear(), 18, 4, 2, true, true);
  Problem polynomial = linear;
  polynomial.kernel =
      oracle::KernelSpec::polynomial(1, 1.0, 5.0);  // a constant in the kernel: the intercept's business
  Model a = oracle::make_model(linear), b = oracle::make_model(polynomial);
  a.factorize().lambda(0.2);
  b.factorize().lambda(0.2);
  EXPECT_CLOSE(b.loo(), a.loo(), 1e-12);
  EXPECT_CLOSE(b.fitted(), a.fitted(), 1e-12);
}

}  // namespace exactness_test
