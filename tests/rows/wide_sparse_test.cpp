// A linear kernel on sparse rows with far more columns than rows: every answer of every dual route is that of the same
// numbers as an ordinary matrix; and what is allocated, announced and worked does not grow with n d.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/counted_memory.hpp"
#include "support/problems.hpp"
#include "support/sparse.hpp"

namespace wide_sparse_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

// x by columns, `each` entries in a column at places that chance picks.
Sparse random_columns(Random& random, std::int64_t n, std::int64_t d, std::int64_t each) {
  Sparse out(Matrix(1, 1), FREERIDGE_CSC);
  out.rows = n, out.cols = d;
  out.start.assign(1, 0);
  for (std::int64_t k = 0; k < d; ++k) {
    const auto step = n / each;
    for (std::int64_t e = 0; e < each; ++e) {
      const auto within = static_cast<std::int64_t>(random.uniform(0, static_cast<double>(step)));
      out.index.push_back(static_cast<std::int32_t>(e * step + std::min(within, step - 1)));
      out.value.push_back(random.normal());
    }
    out.start.push_back(static_cast<std::int64_t>(out.value.size()));
  }
  return out;
}

Matrix filled(const Sparse& x) {
  Matrix out(x.rows, x.cols);
  for (std::int64_t k = 0; k < x.cols; ++k)
    for (auto p = static_cast<std::size_t>(x.start[static_cast<std::size_t>(k)]);
         p < static_cast<std::size_t>(x.start[static_cast<std::size_t>(k) + 1]); ++p)
      out(x.index[p], k) = x.value[p];
  return out;
}

Model model_of(const Sparse& x, const Matrix& y, freeridge_route route, const Vector& weights = {}) {
  Model model(Kernel::linear());
  model.data(Matrix(y.rows, 1), y);  // so that the wrapper knows n and t
  check(set_sparse(model.get(), x, y, false), "freeridge_set_points");
  model.weights(weights).route(route);
  return model;
}

// Sparse columns beside full ones at a large mean, columns of zeros, equal rows, columns in other units.
Problem mixed_problem(std::int64_t n, std::int64_t d, bool weighted, bool intercept, bool scaled_columns) {
  Random random(static_cast<std::uint64_t>(d + n));
  Problem problem =
      random_problem(random, kernel_of(oracle::Family::linear, d, scaled_columns), n, d, 2, weighted, intercept);
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t i = 0; i < n; ++i) {
      double& value = problem.x(i, k);
      if (k % 7 == 0) {
        value += intercept ? 100 : 0;  // full
      } else if (k % 11 == 0) {
        value = 0;
      } else if (random.uniform(0, 1) > (k % 5 == 0 ? 0.4 : 0.08)) {
        value = 0;
      }
      if (k % 13 == 0) value *= 30;
    }
  for (std::int64_t k = 0; k < d; ++k) problem.x(n - 1, k) = problem.x(0, k);
  return problem;
}

TEST(WideSparse, EveryDualRouteAnswersAsForTheOrdinaryMatrix) {
  for (const auto route : {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                           FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_PRIMAL})
    for (int design = 0; design < 8; ++design)
      for (const auto format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
        const bool weighted = (design & 1) != 0, intercept = (design & 2) != 0, scaled_columns = (design & 4) != 0;
        SCOPED_TRACE(::testing::Message() << route << ", design " << design << ", format " << format);
        const Problem problem = mixed_problem(26, 90, weighted, intercept, scaled_columns);
        Model sparse = oracle::make_model(problem, route), dense = oracle::make_model(problem, route);
        check(set_sparse(sparse.get(), Sparse(problem.x, format), problem.y, false), "freeridge_set_points");
        sparse.weights(problem.weights).factorize(), dense.factorize();
        Random random(7);
        const Matrix points = random.uniform_matrix(19, 90, -1, 1);
        for (const Vector& lambdas : {Vector{3, 3}, Vector{2, 500}}) {
          sparse.lambdas(lambdas), dense.lambdas(lambdas);
          EXPECT_CLOSE(sparse.loo(), dense.loo(), 1e-10);
          EXPECT_CLOSE(sparse.leverage(), dense.leverage(), 1e-10);
          EXPECT_CLOSE(sparse.coefficients(), dense.coefficients(), 1e-10);
          EXPECT_CLOSE(sparse.hyperplane(), dense.hyperplane(), 1e-10);
          EXPECT_CLOSE(sparse.predict(points), dense.predict(points), 1e-10);
          EXPECT_CLOSE(sparse.predict_jackknife(points, 0.8).upper, dense.predict_jackknife(points, 0.8).upper, 1e-10);
          EXPECT_CLOSE(sparse.predict_variance(points).variance, dense.predict_variance(points).variance, 1e-9);
        }
        const Vector many = {0.5, 4, 30};
        EXPECT_CLOSE(sparse.score(FREERIDGE_LOO, many), dense.score(FREERIDGE_LOO, many), 1e-10);
        EXPECT_CLOSE(sparse.score(FREERIDGE_REML, many), dense.score(FREERIDGE_REML, many), 1e-10);
      }
}

TEST(WideSparse, ThirtyThousandColumns) {
  Random random(8);
  const Sparse x = random_columns(random, 24, 30000, 2);
  const Matrix full = filled(x), y = random.uniform_matrix(24, 1, -1, 1);
  Model dense(Kernel::linear());
  dense.data(full, y).factorize().lambda(40);
  for (const auto route : {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
    Model model = model_of(x, y, route);
    model.factorize().lambda(40);
    EXPECT_NE(model.route_used(), FREERIDGE_ROUTE_PRIMAL);
    EXPECT_CLOSE(model.loo(), dense.loo(), 1e-10);
    EXPECT_CLOSE(predict_sparse(model.get(), x, 1, FREERIDGE_COL_MAJOR), dense.fitted(), 1e-10);
    Matrix w(30000, 1);
    check(freeridge_hyperplane(model.get(), 0, nullptr, w.values.data(), 30000, nullptr), "freeridge_hyperplane");
    EXPECT_CLOSE(w, dense.hyperplane(), 1e-10);
    Matrix path(30000, 2);
    const Vector lambdas = {40, 70};
    check(freeridge_hyperplane(model.get(), 2, lambdas.data(), path.values.data(), 30000, nullptr),
          "freeridge_hyperplane");
    for (std::int64_t k = 0; k < 30000; ++k) ASSERT_NEAR(path(k, 0), w(k, 0), 1e-12);
  }
}

std::int32_t count_report(double, void* user) {
  ++*static_cast<std::int64_t*>(user);
  return 0;
}

// n d numbers would be 320 MB, d^2 80 GB; x itself is 7 MB.
TEST(WideSparse, MemoryAndWorkAreThoseOfXAndOfTheDualProblem) {
  constexpr std::int64_t n = 400, d = 100000, megabyte = 1 << 20;
  Random random(9);
  const Sparse x = random_columns(random, n, d, 5);
  const Matrix y = random.uniform_matrix(n, 1, -1, 1);
  for (const auto route :
       {FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_CHOLESKY}) {
    SCOPED_TRACE(route);
    Model model = model_of(x, y, route);
    std::int64_t announced = 0;
    check(freeridge_memory_required(model.get(), &announced), "freeridge_memory_required");
    EXPECT_LT(announced, 90 * megabyte);  // BAND has 40 MB for its panels
    check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, static_cast<double>(announced)),
          "freeridge_set_parameter");
    std::int64_t reports = 0;
    model.progress(count_report, &reports);
    const std::int64_t before = held_bytes();
    most_held_bytes();
    model.factorize().lambda(5);
    const Matrix errors = model.loo();
    EXPECT_LE(most_held_bytes() - before, announced);

    Random other(10);
    Model small(Kernel::linear());  // the dual problem alone
    std::int64_t of_small = 0;
    small.data(other.uniform_matrix(n, 5, -1, 1), y).route(route == FREERIDGE_ROUTE_AUTO ? model.route_used() : route);
    small.progress(count_report, &of_small).factorize().lambda(5).loo();
    EXPECT_LE(reports, 3 * of_small + n / 8 + 10);  // one for 8 columns of K; d^2 numbers would have 640

    check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, 160 * megabyte), "freeridge_set_parameter");
    const Vector lambdas = {1, 5};
    Matrix path(d, 2);
    check(freeridge_hyperplane(model.get(), 2, lambdas.data(), path.values.data(), d, nullptr), "freeridge_hyperplane");
    const Matrix points = random.uniform_matrix(2, d, -1, 1);
    Matrix variance(2, 1);
    const std::int64_t held = held_bytes();
    most_held_bytes();
    check(freeridge_predict_variance(model.get(), at(points), FREERIDGE_COL_MAJOR, variance.values.data(), 2, nullptr),
          "freeridge_predict_variance");
    EXPECT_LT(most_held_bytes() - held, 60 * megabyte);
    double lambda = 0, score = 0;
    check(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, &lambda, &score), "freeridge_select_lambda");
    EXPECT_TRUE(std::isfinite(score));
  }
}

// d^2 and n^2 numbers would be 3 GB each.
TEST(WideSparse, ConjugateGradientsTakeWhatIsAnnounced) {
  constexpr std::int64_t n = 20000, d = 20000;
  Random random(12);
  const Sparse x = random_columns(random, n, d, 8);
  const Matrix y = random.uniform_matrix(n, 3, -1, 1);
  Model model = model_of(x, y, FREERIDGE_ROUTE_ITERATIVE);
  check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, 1e-6), "freeridge_set_parameter");
  std::int64_t announced = 0;
  check(freeridge_memory_required(model.get(), &announced), "freeridge_memory_required");
  EXPECT_LT(announced, 120 << 20);
  const std::int64_t before = held_bytes();
  most_held_bytes();
  model.factorize().lambda(5);
  EXPECT_LE(most_held_bytes() - before, announced);
  const Vector lambdas = {5, 50};
  model.score(FREERIDGE_LOO, lambdas);
  EXPECT_LE(most_held_bytes() - before, 3 * announced);
  check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, 1 << 20), "freeridge_set_parameter");
  Vector scores(6);
  EXPECT_EQ(freeridge_score(model.get(), FREERIDGE_LOO, 2, lambdas.data(), scores.data(), nullptr, 2),
            FREERIDGE_OUT_OF_MEMORY);
}

TEST(WideSparse, HostileNumbers) {
  Random random(11);
  Sparse x = random_columns(random, 12, 400, 3);
  const Matrix y = random.uniform_matrix(12, 1, -1, 1);
  x.value[77] = 1e200;  // its square overflows
  Model model = model_of(x, y, FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_NOT_FINITE);
  Sparse none = x;  // no entry at all
  none.start.assign(401, 0);
  Model empty = model_of(none, y, FREERIDGE_ROUTE_SPECTRAL);
  empty.factorize().lambda(1);
  for (const double value : empty.fitted().values) EXPECT_NEAR(value, empty.fitted()(0, 0), 1e-14);
  const Sparse one_row = random_columns(random, 1, 50, 1);
  Model single = model_of(one_row, Matrix(1, 1, 3.0), FREERIDGE_ROUTE_SPECTRAL);
  EXPECT_NEAR(single.factorize().lambda(1).fitted()(0, 0), 3, 1e-14);
}

}  // namespace wide_sparse_test
