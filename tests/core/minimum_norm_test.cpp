// lambda = 0 is the limit lambda -> 0: the minimum-norm least-squares solution. The oracle knows each design's rank
// because it builds the design: X = A B with A of full column rank and B of full row rank, so that with the weighted
// centring A_c of A (no intercept: A_c = A)
//     w = B' (B B')^-1 (A_c' W A_c)^-1 A_c' W Y,     b = mean(Y) - w' mean(x).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/gauss.hpp"
#include "support/problems.hpp"

namespace minimum_norm_test {

using namespace support;
using oracle::Problem;

constexpr double tolerance = 1e-9;

// Multiples of 1/64 in [-1, 1): products and short sums of them are exact in double, and so is the rank of X.
Matrix dyadic(Random& random, std::int64_t rows, std::int64_t cols) {
  Matrix out = random.uniform_matrix(rows, cols, -64.0, 64.0);
  for (double& value : out.values) value = std::floor(value) / 64.0;
  return out;
}

struct Design {
  Problem problem;  // the linear kernel, x = a b
  Dense a, b;
};

Design make_design(Random& random, const Matrix& a, const Matrix& b, bool weighted, bool intercept) {
  Design out{{}, to_real(a), to_real(b)};
  out.problem.x = to_double(multiply(out.a, out.b));
  out.problem.y = responses(random, out.problem.x, 2, 0.3);
  if (weighted) out.problem.weights = random.uniform_vector(a.rows, 0.5, 2.0);
  out.problem.intercept = intercept;
  return out;
}

struct Plane {
  Dense w, b;
};

// The formula above, from the rows in `use`.
Plane minimum_norm(const Design& design, const std::vector<char>& use) {
  const Problem& problem = design.problem;
  const std::int64_t n = design.a.rows, r = design.a.cols, t = problem.y.cols;
  std::vector<Real> weight(static_cast<std::size_t>(n));
  Real total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    weight[static_cast<std::size_t>(i)] = use[static_cast<std::size_t>(i)] ? problem.weight(i) : 0;
    total += weight[static_cast<std::size_t>(i)];
  }
  const auto mean = [&](const Dense& of) {
    Dense out(1, of.cols);
    for (std::int64_t j = 0; j < of.cols && problem.intercept; ++j)
      for (std::int64_t i = 0; i < n; ++i) out(0, j) += weight[static_cast<std::size_t>(i)] * of(i, j) / total;
    return out;
  };
  const Dense y = to_real(problem.y), a_mean = mean(design.a), y_mean = mean(y);
  Dense normal(r, r), rhs(r, t);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < r; ++k) {
      const Real left = weight[static_cast<std::size_t>(i)] * (design.a(i, k) - a_mean(0, k));
      for (std::int64_t l = 0; l < r; ++l) normal(k, l) += left * (design.a(i, l) - a_mean(0, l));
      for (std::int64_t j = 0; j < t; ++j) rhs(k, j) += left * (y(i, j) - y_mean(0, j));
    }
  const Dense inner = solve(normal, rhs), bt = transpose(design.b);
  Plane plane{multiply(bt, solve(multiply(design.b, bt), inner)), Dense(1, t)};
  const Dense at_mean = multiply(a_mean, inner);
  for (std::int64_t j = 0; j < t; ++j) plane.b(0, j) = y_mean(0, j) - at_mean(0, j);
  return plane;
}

Matrix values(const Plane& plane, const Matrix& points) {
  Dense out = multiply(to_real(points), plane.w);
  for (std::int64_t j = 0; j < out.cols; ++j)
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) += plane.b(0, j);
  return to_double(out);
}

std::vector<char> all_rows(const Design& design) {
  return std::vector<char>(static_cast<std::size_t>(design.a.rows), 1);
}

Matrix refit_errors(const Design& design, const Labels& group) {
  const Problem& problem = design.problem;
  Matrix out(problem.y.rows, problem.y.cols, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t first = 0; first < group.size(); ++first) {
    if (group[first] < 0) continue;
    std::vector<char> use = all_rows(design);
    for (std::size_t i = 0; i < group.size(); ++i) use[i] = group[i] != group[first];
    const Matrix predicted = values(minimum_norm(design, use), problem.x);
    for (std::int64_t j = 0; j < out.cols; ++j) {
      const auto i = static_cast<std::int64_t>(first);
      out(i, j) = problem.y(i, j) - predicted(i, j);
    }
  }
  return out;
}

class MinimumNorm : public ::testing::Test {
 protected:
  // body(random, weighted, intercept) for weights or none, intercept or none, and the routes that take lambda = 0.
  template <class Body>
  void for_each_setting(Body body) {
    Random random(60);
    for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << route_name(route) << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
          route_ = route;
          body(random, weighted, intercept);
        }
  }
  Model fit(const Problem& problem) const {
    Model model = oracle::make_model(problem, route_);
    model.factorize().lambda(0.0);
    return model;
  }
  static void expect_plane(const Model& model, const Design& design, const Plane& plane) {
    Random random(61);
    EXPECT_CLOSE(model.hyperplane(), to_double(plane.w), tolerance);
    EXPECT_CLOSE(model.intercepts(), to_double(plane.b).values, tolerance);
    EXPECT_CLOSE(model.fitted(), values(plane, design.problem.x), tolerance);
    const Matrix points = random.uniform_matrix(9, design.problem.x.cols, -1.0, 1.0);
    EXPECT_CLOSE(model.predict(points), values(plane, points), tolerance);
  }

  freeridge_route route_ = FREERIDGE_ROUTE_AUTO;
};

TEST_F(MinimumNorm, OrdinaryLeastSquaresAndItsErrorsLeftOut) {
  for_each_setting([&](Random& random, bool weighted, bool intercept) {
    const Design design = make_design(random, dyadic(random, 20, 4), to_double(identity(4)), weighted, intercept);
    const Model model = fit(design.problem);
    expect_plane(model, design, minimum_norm(design, all_rows(design)));
    EXPECT_CLOSE(model.loo(), refit_errors(design, single_groups(20)), tolerance);
    Labels some = modulo_groups(20, 5);
    some[3] = some[10] = -1;
    EXPECT_CLOSE(model.group_errors(some), refit_errors(design, some), tolerance);
    // e = r / (1 - h)
    const Matrix fitted = model.fitted(), leverage = model.leverage();
    Matrix expected(20, 2);
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t i = 0; i < 20; ++i)
        expected(i, j) = (design.problem.y(i, j) - fitted(i, j)) / (1.0 - leverage(i, j));
    EXPECT_CLOSE(model.loo(), expected, tolerance);
  });
}

TEST_F(MinimumNorm, RankDeficientDesigns) {
  struct Shape {
    std::int64_t n, rank, d;
    double first;  // the units of the first n columns beside the others'
  };
  for (const Shape shape : {Shape{20, 3, 6, 1}, Shape{20, 1, 2, 1}, Shape{14, 4, 30, 1}, Shape{20, 4, 200, 0x1p-9}}) {
    SCOPED_TRACE(::testing::Message() << "n = " << shape.n << ", d = " << shape.d << ", rank " << shape.rank
                                      << ", units " << shape.first);
    for_each_setting([&](Random& random, bool weighted, bool intercept) {
      const Matrix a = dyadic(random, shape.n, shape.rank);
      Matrix b = dyadic(random, shape.rank, shape.d);
      for (std::int64_t j = 0; j < std::min(shape.n, shape.d); ++j)
        for (std::int64_t k = 0; k < shape.rank; ++k) b(k, j) *= shape.first;
      const Design design = make_design(random, a, b, weighted, intercept);
      const Model model = fit(design.problem);
      expect_plane(model, design, minimum_norm(design, all_rows(design)));
      EXPECT_CLOSE(model.loo(), refit_errors(design, single_groups(shape.n)), tolerance);
      EXPECT_CLOSE(model.group_errors(modulo_groups(shape.n, 7)), refit_errors(design, modulo_groups(shape.n, 7)),
                   tolerance);
    });
  }
}

TEST_F(MinimumNorm, ColumnsTwice) {
  for_each_setting([&](Random& random, bool weighted, bool intercept) {  // [X, X] / 2
    Matrix halves(3, 6);
    for (std::int64_t k = 0; k < 3; ++k) halves(k, k) = halves(k, k + 3) = 0.5;
    const Design design = make_design(random, dyadic(random, 18, 3), halves, weighted, intercept);
    const Model model = fit(design.problem);
    expect_plane(model, design, minimum_norm(design, all_rows(design)));
    const Matrix w = model.hyperplane();
    EXPECT_CLOSE(select_rows(w, {3, 4, 5}), select_rows(w, {0, 1, 2}), tolerance);
    EXPECT_CLOSE(model.loo(), refit_errors(design, single_groups(18)), tolerance);
  });
}

TEST_F(MinimumNorm, MoreColumnsThanRowsInterpolates) {
  for_each_setting([&](Random& random, bool weighted, bool intercept) {
    const Design design = make_design(random, to_double(identity(9)), dyadic(random, 9, 15), weighted, intercept);
    const Model model = fit(design.problem);
    EXPECT_CLOSE(model.fitted(), design.problem.y, tolerance);
    const oracle::Fit expected = oracle::fit(design.problem, 0.0);  // K has full rank
    EXPECT_CLOSE(model.hyperplane(), oracle::hyperplane(design.problem, expected), tolerance);
    EXPECT_CLOSE(model.intercepts(), to_double(expected.b).values, tolerance);
    const Matrix points = random.uniform_matrix(9, 15, -1.0, 1.0);
    EXPECT_CLOSE(model.predict(points), oracle::predict(design.problem, expected, points), tolerance);
  });
}

TEST_F(MinimumNorm, RepeatedRowsShareTheirMean) {
  for_each_setting([&](Random& random, bool weighted, bool intercept) {
    // Six different rows of nine columns, each three times: the distinct points are met in their weighted mean.
    const Matrix distinct = dyadic(random, 6, 9);
    Matrix repeat(18, 6);
    for (std::int64_t i = 0; i < 18; ++i) repeat(i, i % 6) = 1.0;
    const Design design = make_design(random, repeat, distinct, weighted, intercept);
    Problem means{{}, distinct, Matrix(6, 2), {}, intercept};
    Matrix expected_fitted(18, 2);
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t p = 0; p < 6; ++p) {
        double sum = 0, weights = 0;
        for (std::int64_t i = p; i < 18; i += 6) {
          sum += design.problem.weight(i) * design.problem.y(i, j);
          weights += design.problem.weight(i);
        }
        means.y(p, j) = sum / weights;
        for (std::int64_t i = p; i < 18; i += 6) expected_fitted(i, j) = means.y(p, j);
      }
    const Model model = fit(design.problem);
    const oracle::Fit expected = oracle::fit(means, 0.0);
    EXPECT_CLOSE(model.fitted(), expected_fitted, tolerance);
    EXPECT_CLOSE(model.hyperplane(), oracle::hyperplane(means, expected), tolerance);
    EXPECT_CLOSE(model.intercepts(), to_double(expected.b).values, tolerance);
    // Without one of three equal rows the other two say what is there.
    Matrix left_out(18, 2);
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t i = 0; i < 18; ++i) {
        const double weight = design.problem.weight(i);
        double weights = 0;
        for (std::int64_t k = i % 6; k < 18; k += 6) weights += design.problem.weight(k);
        left_out(i, j) = (design.problem.y(i, j) - expected_fitted(i, j)) / (1.0 - weight / weights);
      }
    EXPECT_CLOSE(model.loo(), left_out, tolerance);
  });
}

// Column 2 is one in row 5 and zero elsewhere: least squares meets row 5 whatever its Y. Without row 5 nothing says
// what that column does, so its error has no value; every other row's has.
TEST_F(MinimumNorm, AColumnForOneRowLeavesThatErrorUndefined) {
  for_each_setting([&](Random& random, bool weighted, bool intercept) {
    const std::int64_t n = 16;
    Matrix x = dyadic(random, n, 4);
    for (std::int64_t i = 0; i < n; ++i) x(i, 2) = i == 5 ? 1.0 : 0.0;
    const Design design = make_design(random, x, to_double(identity(4)), weighted, intercept);
    Labels but_five = single_groups(n);
    but_five[5] = -1;
    const Matrix expected = refit_errors(design, but_five);

    Model model = oracle::make_model(design.problem, route_);
    model.factorize().lambda(0.0);
    freeridge_status status = FREERIDGE_OK;
    EXPECT_CLOSE(model.loo(&status), expected, tolerance);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);

    Labels pairs(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = static_cast<std::int32_t>(i / 2);
    Labels pairs_but_five = pairs;
    pairs_but_five[4] = pairs_but_five[5] = -1;
    EXPECT_CLOSE(model.group_errors(pairs, &status), refit_errors(design, pairs_but_five), tolerance);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_CLOSE(model.group_errors(but_five, &status), expected, tolerance);
    EXPECT_EQ(status, FREERIDGE_OK);

    const Matrix scores = model.score(FREERIDGE_LOO, {1.0, 0.0}, &status);
    EXPECT_EQ(status, FREERIDGE_UNDEFINED);
    EXPECT_FALSE(std::isnan(scores(0, 0)) || std::isnan(scores(0, 1)));
    EXPECT_TRUE(std::isnan(scores(1, 0)) && std::isnan(scores(1, 1)));
    EXPECT_CLOSE(model.lambda(1.0).loo(), oracle::loo(design.problem, 1.0),
                 tolerance);  // and with lambda it has a value
  });
}

// With a positive definite K, lambda = 0 interpolates, and the errors left out are those of interpolating the others.
TEST(Interpolation, LeaveOutErrorsOfAPositiveDefiniteKernel) {
  Random random(62);
  for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_PRIMAL})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true})
        for (const oracle::KernelSpec& kernel : {oracle::KernelSpec::gaussian(0.5), oracle::KernelSpec::linear()}) {
          const bool linear = kernel.family == oracle::Family::linear;
          if (route == FREERIDGE_ROUTE_PRIMAL && !linear) continue;
          SCOPED_TRACE(::testing::Message() << route_name(route) << (linear ? ", linear" : ", Gaussian")
                                            << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
          const std::int64_t d = linear ? 25 : 2;
          const Problem problem = random_problem(random, kernel, 15, d, 2, weighted, intercept);
          Model model = oracle::make_model(problem, route);
          model.factorize().lambda(0.0);
          EXPECT_CLOSE(model.fitted(), problem.y, tolerance);
          EXPECT_CLOSE(model.coefficients(), to_double(oracle::fit(problem, 0.0).c), tolerance);
          EXPECT_CLOSE(model.loo(), oracle::loo(problem, 0.0), tolerance);
          const Labels folds = modulo_groups(15, 4);
          EXPECT_CLOSE(model.group_errors(folds), oracle::group_errors(problem, folds, 0.0), tolerance);
          EXPECT_CLOSE(model.leverage(), Matrix(15, 2, 1.0), tolerance);
          const Matrix points = random.uniform_matrix(6, d, -1.0, 1.0);
          EXPECT_CLOSE(model.predict(points), oracle::predict(problem, oracle::fit(problem, 0.0), points), tolerance);
        }
}

TEST(CholeskyAtZero, RefusesASingularKernelMatrixAndKeepsTheLambdaInForce) {
  Random random(63);
  const Problem tall = random_problem(random, oracle::KernelSpec::linear(), 20, 3, 1, false, true);
  Problem twins = random_problem(random, oracle::KernelSpec::gaussian(0.7), 10, 2, 1, false, false);
  for (std::int64_t k = 0; k < 2; ++k) twins.x(9, k) = twins.x(0, k);
  for (const Problem& problem : {tall, twins}) {
    Model model = oracle::make_model(problem, FREERIDGE_ROUTE_CHOLESKY);
    model.factorize();
    EXPECT_EQ(freeridge_set_lambda(model.get(), 0.0), FREERIDGE_NOT_POSITIVE_DEFINITE);
    Matrix unused(problem.x.rows, 1);
    EXPECT_EQ(freeridge_loo(model.get(), unused.values.data(), problem.x.rows), FREERIDGE_INVALID_STATE);
    const Matrix before = model.lambda(0.5).loo();
    EXPECT_EQ(freeridge_set_lambda(model.get(), 0.0), FREERIDGE_NOT_POSITIVE_DEFINITE);
    EXPECT_EQ(model.lambda_in_force(), Vector{0.5});
    EXPECT_TRUE(bit_equal(model.loo(), before));
  }
}

}  // namespace minimum_norm_test
