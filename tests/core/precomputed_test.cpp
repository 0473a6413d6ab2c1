// Precomputed kernels: x is K itself. The answers of every family's kernel matrix, handed over as numbers, are those of
// the refits and of the family's own kernel; and what is no kernel matrix is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace precomputed_test {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr double tolerance = 1e-9;
constexpr freeridge_route dual_routes[] = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL};

Matrix values(const Problem& problem, const Matrix& points) {
  return to_double(oracle::kernel_matrix(problem.kernel, points, problem.x));
}

Model precomputed_model(const Problem& problem, freeridge_route route, freeridge_layout layout = FREERIDGE_COL_MAJOR,
                        std::int64_t padding = 0) {
  Model model(Kernel::precomputed());
  model.data(values(problem, problem.x), problem.y, layout, padding);
  model.weights(problem.weights).intercept(problem.intercept).route(route);
  return model;
}

class Precomputed : public ::testing::TestWithParam<Family> {
 protected:
  // body(problem, model, reference): factorized models of the kernel matrix and of the kernel itself.
  template <class Body>
  void for_each_pair(Body body) {
    struct Shape {
      std::int64_t n, d;
    };
    Random random(4100);
    for (const Shape shape : {Shape{17, 3}, Shape{11, 14}, Shape{1, 2}})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true}) {
          const auto kernel = kernel_of(GetParam(), shape.d, true);
          const Problem problem = random_problem(random, kernel, shape.n, shape.d, 2, weighted, intercept);
          for (const freeridge_route route : dual_routes)
            for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
              SCOPED_TRACE(::testing::Message() << route_name(route) << ", n = " << shape.n << ", d = " << shape.d
                                                << (weighted ? ", weights" : "") << (intercept ? ", intercept" : "")
                                                << (layout == FREERIDGE_COL_MAJOR ? ", column-major" : ", row-major"));
              Model model = precomputed_model(problem, route, layout, 2);
              Model reference =
                  oracle::make_model(problem, GetParam() == Family::linear ? FREERIDGE_ROUTE_PRIMAL : route);
              body(problem, model.factorize(), reference.factorize());
            }
        }
  }
};

TEST_P(Precomputed, EqualsRefits) {
  for_each_pair([](const Problem& problem, Model& model, Model&) {
    Random random(4101);
    const std::int64_t n = problem.x.rows;
    const Matrix points = random.uniform_matrix(7, problem.x.cols, -1.2, 1.2);
    for (const double lambda : {1e-2, 1.0, 1e3}) {
      SCOPED_TRACE(lambda);
      const oracle::Fit fit = oracle::fit(problem, lambda);
      model.lambda(lambda);
      EXPECT_CLOSE(model.fitted(), oracle::predict(problem, fit, problem.x), tolerance);
      EXPECT_CLOSE(model.coefficients(), to_double(fit.c), n == 1 ? 1e-12 : tolerance);
      EXPECT_CLOSE(model.intercepts(), to_double(fit.b).values, tolerance);
      for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
        EXPECT_CLOSE(model.predict(values(problem, points), layout, 3), oracle::predict(problem, fit, points),
                     tolerance);
      if (n == 1) continue;
      EXPECT_CLOSE(model.loo(), oracle::loo(problem, lambda), tolerance);
      const Labels group = modulo_groups(n, 4);
      EXPECT_CLOSE(model.group_errors(group), oracle::group_errors(problem, group, lambda), tolerance);
    }
  });
}

TEST_P(Precomputed, ScoresAndSearchesAsTheKernelItself) {
  for_each_pair([](const Problem& problem, Model& model, Model& reference) {
    if (problem.x.rows == 1) return;
    const Labels group = modulo_groups(problem.x.rows, 3);
    model.groups(group);
    reference.groups(group);
    EXPECT_CLOSE(model.lambda(0.3).leverage(), reference.lambda(0.3).leverage(), tolerance);
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
      SCOPED_TRACE(criterion);
      EXPECT_CLOSE(model.score(criterion, {0.1, 3.0}), reference.score(criterion, {0.1, 3.0}), tolerance);
      const LambdaChoice mine = model.select_lambda(criterion, 1e-2, 10.0);
      EXPECT_CLOSE(mine.score, reference.select_lambda(criterion, 1e-2, 10.0).score, tolerance);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Precomputed, ::testing::ValuesIn(oracle::all_families),
                         [](const auto& instance) { return family_name(instance.param); });

TEST_P(Precomputed, LandmarksAreThoseOfTheKernelItself) {
  for_each_pair([](const Problem& problem, Model& model, Model& reference) {
    if (problem.x.rows == 1) return;
    const std::vector<std::int64_t> rows = {5, 0, 3};
    for (Model* each : {&model, &reference}) {
      each->route(FREERIDGE_ROUTE_AUTO);
      check(freeridge_set_landmarks(each->get(), 3, rows.data()), "freeridge_set_landmarks");
      each->factorize().lambda(0.3);
      EXPECT_EQ(each->route_used(), FREERIDGE_ROUTE_LANDMARK);
    }
    Random random(4103);
    const Matrix points = random.uniform_matrix(6, problem.x.cols, -1.2, 1.2);
    EXPECT_CLOSE(model.loo(), reference.loo(), tolerance);
    EXPECT_CLOSE(model.fitted(), reference.fitted(), tolerance);
    EXPECT_CLOSE(model.predict(values(problem, points)), reference.predict(points), tolerance);
    EXPECT_CLOSE(model.intercepts(), reference.intercepts(), tolerance);
  });
}

Problem gaussian_problem(std::int64_t n) {
  Random random(4102);
  return random_problem(random, oracle::KernelSpec::gaussian(1.3), n, 3, 1, true, true);
}

// More than one tile of rows and of columns, predictions of x itself, and the choice of AUTO.
TEST(PrecomputedMatrix, OfSeveralTiles) {
  const Problem problem = gaussian_problem(530);
  Model reference = oracle::make_model(problem, FREERIDGE_ROUTE_SPECTRAL);
  reference.factorize().lambda(0.5);
  for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
    Model model = precomputed_model(problem, FREERIDGE_ROUTE_AUTO, layout, 1);
    model.factorize().lambda(0.5);
    EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_SPECTRAL);
    EXPECT_CLOSE(model.loo(), reference.loo(), 1e-10);
    EXPECT_CLOSE(model.predict(values(problem, problem.x), layout, 2), reference.fitted(), 1e-10);
  }
  Model few = precomputed_model(problem, FREERIDGE_ROUTE_AUTO);
  EXPECT_EQ(few.expected_lambdas(1).factorize().route_used(), FREERIDGE_ROUTE_CHOLESKY);
  EXPECT_CLOSE(few.lambda(0.5).loo(), reference.loo(), 1e-10);
}

// Duplicate rows, a zero matrix, and units far from one.
TEST(PrecomputedMatrix, OfLittleRankOrOddScale) {
  Problem problem = gaussian_problem(10);
  problem.x = select_rows(problem.x, {0, 1, 2, 3, 4, 0, 1, 2, 0, 0});
  for (const freeridge_route route : dual_routes) {
    SCOPED_TRACE(route_name(route));
    Model model = precomputed_model(problem, route);
    EXPECT_CLOSE(model.factorize().lambda(0.2).loo(), oracle::loo(problem, 0.2), 1e-10);
    const Matrix k = values(problem, problem.x);
    for (const double unit : {1e150, 1e-150}) {
      SCOPED_TRACE(unit);
      Model moved(Kernel::precomputed());
      moved.data(scaled(k, unit), problem.y).weights(problem.weights).route(route).factorize().lambda(0.2 * unit);
      EXPECT_CLOSE(moved.loo(), model.loo(), 1e-11);
      EXPECT_CLOSE(moved.fitted(), model.fitted(), 1e-11);
    }
    Model zero(Kernel::precomputed());
    zero.data(Matrix(10, 10), problem.y).intercept(false).route(route).factorize().lambda(1.0);
    EXPECT_CLOSE(zero.loo(), problem.y, 0.0);
  }
}

freeridge_status factorized(const Matrix& k, freeridge_route route) {
  Model model(Kernel::precomputed());
  model.data(k, Matrix(k.rows, 1, 1.0)).intercept(false).route(route);
  return freeridge_factorize(model.get());
}

// The symmetry is asked for to 1e-8 of sqrt(K_ii K_jj), wherever the entry lies, and the lower triangle counts.
TEST(PrecomputedMatrix, MustBeSymmetric) {
  const Problem problem = gaussian_problem(600);
  Matrix k = values(problem, problem.x);
  for (std::int64_t i = 0; i < k.rows; ++i)  // other sizes in other rows
    for (std::int64_t j = 0; j < k.cols; ++j) k(i, j) *= std::exp2(static_cast<double>(i % 7 + j % 7));
  struct Entry {
    std::int64_t i, j;
  };
  for (const Entry at : {Entry{1, 0}, Entry{0, 599}, Entry{599, 0}, Entry{255, 256}, Entry{256, 255}, Entry{300, 299}})
    for (const freeridge_route route : dual_routes) {
      const double unit = std::sqrt(k(at.i, at.i)) * std::sqrt(k(at.j, at.j));
      Matrix bent = k;
      bent(at.i, at.j) += 1.2e-8 * unit;
      EXPECT_EQ(factorized(bent, route), FREERIDGE_INVALID_ARGUMENT);
      EXPECT_NE(std::string(freeridge_last_error()).find("symmetric"), std::string::npos) << freeridge_last_error();
      bent(at.i, at.j) = k(at.i, at.j) + 0.8e-8 * unit;
      EXPECT_EQ(factorized(bent, route), FREERIDGE_OK) << freeridge_last_error();
    }
  Matrix skewed = k;
  skewed(599, 0) += 1e-6 * std::sqrt(k(599, 599)) * std::sqrt(k(0, 0));
  const std::vector<std::int64_t> landmarks = {4, 70, 3};
  for (const Matrix* each : {&k, &skewed}) {
    Model model(Kernel::precomputed());
    model.data(*each, Matrix(600, 1, 1.0));
    check(freeridge_set_landmarks(model.get(), 3, landmarks.data()), "freeridge_set_landmarks");
    EXPECT_EQ(freeridge_factorize(model.get()), each == &k ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT);
  }
  Problem small = gaussian_problem(9);
  Matrix slightly = values(small, small.x);
  for (std::int64_t j = 0; j < 9; ++j)
    for (std::int64_t i = 0; i < j; ++i) slightly(i, j) += 5e-9;
  for (const freeridge_route route : dual_routes) {
    Model exact = precomputed_model(small, route), bent = precomputed_model(small, route);
    bent.data(slightly, small.y).weights(small.weights).route(route);
    EXPECT_TRUE(bit_equal(bent.factorize().lambda(0.1).loo(), exact.factorize().lambda(0.1).loo()));
  }
}

TEST(PrecomputedMatrix, MustNotBeIndefinite) {
  Matrix k(3, 3);
  for (std::int64_t i = 0; i < 3; ++i) k(i, i) = 1;
  for (const freeridge_route route : {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL,
                                      FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_ITERATIVE}) {
    SCOPED_TRACE(route_name(route));
    for (const double off : {2.0, 1.0001}) {  // eigenvalues 1 + off, 1, 1 - off
      k(1, 0) = k(0, 1) = off;
      EXPECT_EQ(factorized(k, route), FREERIDGE_INVALID_ARGUMENT);
      EXPECT_NE(std::string(freeridge_last_error()).find("positive semi-definite"), std::string::npos);
    }
    k(1, 0) = k(0, 1) = 1 + 5e-9;  // smallest eigenvalue -5e-9: rounding
    EXPECT_EQ(factorized(k, route), FREERIDGE_OK);
  }
  // Landmarks: what they and a row show.
  for (const std::vector<std::int64_t>& landmarks : {std::vector<std::int64_t>{0, 1}, {1}, {2}, {2, 1, 0}}) {
    const bool sees = landmarks != std::vector<std::int64_t>{2};
    for (const double off : {2.0, 1.0001, 1 + 5e-9}) {
      k(1, 0) = k(0, 1) = off;
      Model model(Kernel::precomputed());
      model.data(k, Matrix(3, 1, 1.0));
      check(freeridge_set_landmarks(model.get(), std::ssize(landmarks), landmarks.data()), "freeridge_set_landmarks");
      EXPECT_EQ(freeridge_factorize(model.get()), sees && off > 1.00001 ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_OK);
    }
  }
}

// Of many eigenvalues the negative one is found by each route, also by conjugate gradients at a lambda above it.
TEST(PrecomputedMatrix, OneNegativeEigenvalueOfMany) {
  Problem problem = gaussian_problem(300);
  for (const double negative : {-20.0, -0.5, 0.0}) {
    Matrix k = values(problem, problem.x);
    for (std::int64_t j = 0; j < 300; ++j)  // along a vector with elements +-300^(-1/2)
      for (std::int64_t i = 0; i < 300; ++i) k(i, j) += 2 * negative / 300 * ((i * i + j * j) % 2 == 0 ? 1 : -1);
    for (const freeridge_route route :
         {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_ITERATIVE}) {
      SCOPED_TRACE(::testing::Message() << route_name(route) << ", " << negative);
      EXPECT_EQ(factorized(k, route), negative < 0 ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_OK);
    }
  }
}

// With an intercept a constant K is zero, and what is left of it is rounding, of either sign.
TEST(PrecomputedMatrix, AConstantIsNotIndefinite) {
  for (const double value : {0.140625, 0.1, 1.0 / 3, 7.7, 1e300, 1e-300})
    for (const std::int64_t n : {2, 3, 5, 17, 40})
      for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND}) {
        SCOPED_TRACE(::testing::Message() << value << " " << n << " " << route_name(route));
        Matrix k(n, n, value), y(n, 1);
        for (std::int64_t i = 0; i < n; ++i) y(i, 0) = static_cast<double>(i);
        Model model(Kernel::precomputed());
        model.data(k, y).intercept(true).route(route).factorize().lambda(value);
        EXPECT_CLOSE(model.fitted(), Matrix(n, 1, static_cast<double>(n - 1) / 2), 1e-13);
      }
}

TEST(PrecomputedMatrix, MustBeSquareAndFinite) {
  Model model(Kernel::precomputed());
  const Matrix x(5, 4), y(5, 1);
  EXPECT_EQ(freeridge_set_data(model.get(), FREERIDGE_COL_MAJOR, 5, 4, x.values.data(), 5, 1, y.values.data(), 5),
            FREERIDGE_DIMENSION_MISMATCH);
  Model linear(Kernel::linear());
  linear.data(x, y);
  EXPECT_EQ(freeridge_set_kernel(linear.get(), Kernel::precomputed().get()), FREERIDGE_DIMENSION_MISMATCH);
  EXPECT_EQ(linear.factorize().route_used(), FREERIDGE_ROUTE_PRIMAL);  // it has kept its kernel
  freeridge_classifier* classifier = nullptr;
  check(freeridge_classifier_create(Kernel::precomputed().get(), FREERIDGE_LOSS_LOGISTIC, &classifier),
        "freeridge_classifier_create");
  const Vector labels = {1, -1, 1, -1, 1};
  EXPECT_EQ(freeridge_classifier_set_data(classifier, at(x), labels.data()), FREERIDGE_DIMENSION_MISMATCH);
  freeridge_classifier_destroy(classifier);
  Matrix big(2, 2, 1e308);
  EXPECT_EQ(factorized(big, FREERIDGE_ROUTE_CHOLESKY), FREERIDGE_NOT_FINITE);
}

TEST(PrecomputedMatrix, HasNeitherBandwidthNorHyperplaneNorPrimalRoute) {
  const Problem problem = gaussian_problem(8);
  Model model = precomputed_model(problem, FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_ARGUMENT);
  double sigma = 0;
  EXPECT_EQ(freeridge_get_bandwidth(model.get(), &sigma, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_select_bandwidth(model.get(), FREERIDGE_LOO, 0, 0, 15, &sigma), FREERIDGE_INVALID_STATE);
  model.route(FREERIDGE_ROUTE_AUTO).factorize().lambda(1.0);
  Vector w(8);
  EXPECT_EQ(freeridge_hyperplane(model.get(), 0, nullptr, w.data(), 8, nullptr), FREERIDGE_INVALID_STATE);
}

}  // namespace precomputed_test
